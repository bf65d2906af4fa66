"""Comparisons of two to six systems on one board: paired differences, agreement, categories, single questions.

Enters: the systems, the board and the score in a URL. Leaves: a ``Comparison`` for the page. Only scores under the same
signature and revision are compared; for all others the page gives the reason.
"""
