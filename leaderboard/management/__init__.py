"""Management commands of the site, in Django's standard location.

Enters: a command line. Leaves: the result of its command in ``commands``.
"""
