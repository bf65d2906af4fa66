"""Grading answers by hand: rounds, the grading page, and the outcome. See `docs/grading.md`.

The right to read hidden reference answers is given here alone (`access.py`), also for making the items of a study.
"""
