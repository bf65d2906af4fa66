"""Imports from a benchmark's official repository.

Enters: a folder of the repository. Leaves: its submissions, scored here like any other, and its results as reported
rows, which are shown and never ranked.
"""
