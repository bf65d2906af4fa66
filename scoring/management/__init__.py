"""Django's place for the commands of scoring.

Enters: nothing. Leaves: the package `commands`, where Django looks for them.
"""
