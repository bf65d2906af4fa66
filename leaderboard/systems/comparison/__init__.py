"""Two to six systems side by side: where they differ, how surely, and how alike they are question by question.

A difference is taken only between scores under one signature, the one the board shows, against one revision of the
questions; of everything else it is said why it cannot be compared.
"""
