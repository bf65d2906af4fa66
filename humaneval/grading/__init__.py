"""Grading answers by hand: rounds, the grading page, and the outcome. See `docs/grading.md`.

No other part of the app reads hidden reference answers (`access.py`).
"""
