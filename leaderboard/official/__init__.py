"""Imports from a benchmark's official repository.

A folder of the repository becomes submissions, scored here like any other, and results as reported rows, which are
shown and never ranked.
"""
