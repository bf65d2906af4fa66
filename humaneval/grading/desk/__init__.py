"""The grading desk: the next answer to grade, its evidence, grades and adjudication.

Enters: a grader in an open round. Leaves: grades, notes and decisions, every revision of them stored.
"""
