"""Studies: their settings, states, activity log, dashboard, evidence measures and deletion.

Enters: a maintainer's settings and actions. Leaves: a study that participants can join.
"""
