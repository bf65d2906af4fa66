"""Commands of ``manage.py``: import submissions and results, re-score, compare, back up.

Each passes its arguments to the service of that name, prints lines, and exits with a status.
"""
