"""Commands of ``manage.py``: import, re-score, back up, check, and run the demo.

Enters: arguments and options. Leaves: the effect of the service of that name, lines of output, and an exit status.
"""
