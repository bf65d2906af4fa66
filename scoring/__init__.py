"""Scoring: benchmarks and their private reference answers, metrics, runs, scores and statistics.

Enters: answer sets. Leaves: scores with signatures and intervals. It knows nothing of submitters, web pages or
volunteers, and imports no other app.
"""
