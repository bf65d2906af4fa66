"""Management commands of humaneval, in the package that Django requires."""
