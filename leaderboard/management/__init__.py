"""Django's place for the commands of the site.

Enters: a command line. Leaves: what its command in ``commands`` does.
"""
