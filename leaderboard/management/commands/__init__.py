"""Commands of ``manage.py``: import, re-score, back up, check, and run the demo.

Enters: arguments and options. Leaves: what the service of that name does, lines of output, and an exit status.
"""
