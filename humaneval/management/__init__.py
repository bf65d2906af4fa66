"""Management commands of humaneval, in the package that Django requires.

Enters: nothing. Leaves: the package `commands`, where Django looks for them.
"""
