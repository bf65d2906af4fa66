"""Rankings of systems that a judge compared two at a time.

Enters: the comparisons of a board's systems with the split's baseline and with each other. ``statistics`` ranks them,
``reading`` reads what it needs and is called by the worker that computes a board's statistics; pages, exports and the
API read the stored result (``lookup``). Leaves: the ranking, the win matrix, and the pages of single questions.
"""
