"""Human open-book evaluation: studies, participants, the encyclopedia and grading by hand.

Enters: requests from participants, graders and maintainers. Leaves: answer sets, grades and the Human row. The app
imports ``leaderboard`` and ``scoring``; neither imports it.
"""
