"""Commands of humaneval, for `manage.py`.

Enters: options of the command line. Leaves: changed rows, a report on the standard output and an exit status.
"""
