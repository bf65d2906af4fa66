"""Scoring: benchmarks and their private reference answers, metrics, runs, scores and statistics.

Enters: answer sets. Leaves: scores with signatures and confidence intervals. This app knows nothing of submitters, web
pages or participants, and imports no other app.
"""
