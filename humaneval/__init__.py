"""The human open-book evaluation: studies, participants, the encyclopedia, the grading console.

Enters: what volunteers, graders and maintainers do. Leaves: answer sets, grades and the Human row. It builds on
``leaderboard`` and ``scoring``; neither imports it.
"""
