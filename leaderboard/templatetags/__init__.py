"""Template tags and filters: how values, intervals, systems and cells are shown.

Enters: numbers and values, never rounded before. Leaves: the text and HTML that readers see.
"""
