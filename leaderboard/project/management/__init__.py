"""Django's folder for commands; those that span apps are in ``commands``.

Enters: a command line. Leaves: the result of its command.
"""
