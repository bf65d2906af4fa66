"""The grading page: the next answer to grade, its evidence, grades, known grades and adjudication.

Enters: a grader in an open round, or its maintainer. Leaves: grades, notes and decisions, every revision stored.
"""
