"""Boards: the systems of a split and setting, their order and their scores.

Enters: published entries and their scores. ``inputs`` detects changes, ``standings`` computes ranks and intervals, and
``write`` stores what they give as a ``document``. Leaves: tables, charts, exports and snapshots, all made from it.
"""
