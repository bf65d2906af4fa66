"""Template tags and filters for values, intervals, systems and cells.

They turn unrounded numbers and values into the text and HTML that readers see.
"""
