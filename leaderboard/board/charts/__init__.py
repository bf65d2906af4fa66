"""Charts of a board: the series behind each figure and the page that shows them.

Enters: a board. Leaves: data series as JSON and tables for readers without JavaScript.
"""
