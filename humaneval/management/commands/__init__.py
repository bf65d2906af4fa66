"""Commands of humaneval, for `manage.py`.

Enters: command-line options. Leaves: changed rows, a report on the standard output and an exit status.
"""
