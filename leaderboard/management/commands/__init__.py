"""Commands of ``manage.py``: import submissions and results, choose baselines, compare, re-score.

Each passes its arguments to the service of that name, prints lines, and exits with a status.
"""
