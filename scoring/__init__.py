"""Scoring: benchmarks and their private reference answers, metrics, runs, scores and statistics.

This app knows nothing of submitters, web pages or participants, and imports no other app.
"""
