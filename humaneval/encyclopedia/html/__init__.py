"""HTML of articles: limited in size, sanitised, and rewritten so that its links stay in the reader.

Enters: an article's HTML, which is not trusted. Leaves: HTML without scripts, styles or external addresses.
"""
