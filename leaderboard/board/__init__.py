"""Boards: the systems of a split and setting, their order and their scores.

Enters: published entries and their scores. ``fingerprint`` detects changes of a board's inputs, ``standings`` computes
ranks and intervals, ``snapshots`` stores the document that pages read. Leaves: tables, charts and exports, all made
from a snapshot.
"""
