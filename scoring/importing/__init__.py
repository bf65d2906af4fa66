"""Importing a benchmark's questions and reference answers as a new revision of a split.

Enters: question files, read by the benchmark's definition. Leaves: a revision identified by its content hash, a list of
changes, and runs for the answer sets that need new scores. ``drafts`` holds imports that a maintainer has staged but
not activated.
"""
