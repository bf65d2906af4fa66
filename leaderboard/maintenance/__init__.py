"""Maintenance: pages and services for maintainers, with moderation in ``moderation``.

Enters: a maintainer's request. Leaves: imported revisions, new runs, quotas, judge budgets and decisions, each with a
record in the audit log; and overviews of queues, spending and anomalies.
"""
