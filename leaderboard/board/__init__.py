"""Boards: which systems a split and setting has, in which order, with which numbers.

Enters: published entries and their scores. ``fingerprint`` says what a board depends on, ``standings`` computes ranks
and intervals, ``snapshots`` stores the document that pages read. Leaves: tables, charts and exports, all made of a
snapshot.
"""
