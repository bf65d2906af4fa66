"""Studies: their settings, states, activity log, dashboard, evidence measures and deletion."""
