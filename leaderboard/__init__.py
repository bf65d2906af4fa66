"""The public site: submissions, intake, the board, the API, and the Django project package.

It stands on ``scoring`` and is stood on by ``humaneval``; it never reads a reference answer.
"""

__version__ = "0.5.0"
