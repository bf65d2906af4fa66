"""Runs: one metric on one answer set under one signature, from creation to stored scores.

Enters: an answer set. Leaves: runs in a final state, with scores and intervals. ``answer_sets`` creates runs,
``dispatch`` sends them to the queue, ``leases`` claims, renews and finishes them, ``execution`` computes, ``sweeper``
finds what was left behind, ``outcomes`` tells the rest of the site what ended.
"""
