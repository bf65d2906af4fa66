"""Runs: one metric on one answer set under one signature, from an answer set to scores with intervals and ceilings.

Enters: an answer set. Leaves: runs in a final state. ``answer_sets`` creates runs, ``dispatch`` queues them, ``leases``
claims and ends them, ``execution`` computes (``judging`` for the judge), ``sweeper`` restarts what was left behind,
``queue_estimates`` says how long it takes, ``withdrawals`` takes answers back, ``outcomes``
tells the rest of the site what ended.
"""
