"""Results of a study: answer sets, evidence, timeline, the Human row, exports, stale results."""
