"""Charts of a board: the series behind each figure and the page that shows them.

A board becomes data series as JSON, and tables for readers without JavaScript.
"""
