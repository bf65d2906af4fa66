"""Grading answers by hand: rounds, the grading page, and the outcome. See `docs/grading.md`.

Enters: answers of systems and of studies, and a list of graders. Leaves: grades, agreement, judge validation, corrected
scores and reference corrections. No other part of the app reads hidden reference answers (`access.py`).
"""
