"""Django's place for the commands of humaneval.

Enters: nothing. Leaves: the package `commands`, where Django looks for them.
"""
