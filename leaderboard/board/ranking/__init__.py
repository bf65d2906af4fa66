"""Rankings of systems that a judge compared two at a time.

``statistics`` ranks a board's systems by their comparisons with the split's baseline and with each other, and
``reading`` reads these for the worker that computes a board's statistics. Pages, exports and the API read the stored
result (``lookup``): the ranking, the win matrix, and the pages of single questions.
"""
