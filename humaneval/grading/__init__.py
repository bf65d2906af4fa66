"""Grading answers by hand: rounds, the desk where graders work, and the outcome. See `docs/grading.md`.

Enters: answers of systems and of studies, and who grades them. Leaves: grades, agreement, judge validation, corrected
scores and reference corrections. No other part of the app reads reference answers that are hidden (`access.py`).
"""
