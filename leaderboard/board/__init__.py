"""Boards: the systems of a split and setting, their order and their scores.

A board is made of published entries and their scores: ``inputs`` detects changes, ``standings`` computes ranks and
intervals, and ``write`` stores what they give as a ``document``. Tables, charts, exports and snapshots are all made
from it.
"""
