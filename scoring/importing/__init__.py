"""Importing a benchmark's questions and reference answers as a new revision of a split.

Question files, read by the benchmark's definition, become a revision, which is identified by its content hash. An
import lists the changes and makes runs for the answer sets that need new scores. ``drafts`` holds imports that a
maintainer has staged but not activated.
"""
