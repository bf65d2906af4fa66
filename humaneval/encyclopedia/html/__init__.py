"""HTML of articles: limited in size, sanitised, and rewritten so that its links stay in the reader."""
