"""Management commands of scoring, for `manage.py`.

Enters: command-line options. Leaves: changed rows, a report on standard output and an exit status.
"""
