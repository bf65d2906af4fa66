"""Template tags and filters for values, intervals, systems and cells.

Enters: unrounded numbers and values. Leaves: the text and HTML that readers see.
"""
