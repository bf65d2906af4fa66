"""Results of a study: answer sets, evidence, timeline, the Human row, exports, stale results.

Enters: a study's answers. Leaves: answer sets that are scored like any system's, and archives of tables.
"""
