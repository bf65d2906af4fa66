"""Studies: their settings, states, activity log, dashboard, evidence measures and deletion.

Enters: what a maintainer decides. Leaves: a study that participants can join.
"""
