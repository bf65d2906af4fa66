"""The management commands of scoring.

Enters: nothing. Leaves: the package `commands`, where Django finds them.
"""
