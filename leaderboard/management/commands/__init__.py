"""Commands of ``manage.py``: import submissions and results, re-score, compare, back up.

Enters: arguments and options. Leaves: the effect of the service of that name, lines of output, and an exit status.
"""
