"""Runs: one metric on one answer set under one signature, from an answer set to scores with intervals.

``answer_sets`` creates runs, ``dispatch`` queues them, ``leases`` claims and ends them, ``execution`` computes
(``judging`` for the judge), ``sweeper`` restarts abandoned ones, ``queue_estimates`` estimates times, ``withdrawals``
deletes answers, ``outcomes`` notifies the rest of the site.
"""
