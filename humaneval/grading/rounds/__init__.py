"""Grading rounds: which answers are graded, from which sources, by how many graders.

Enters: a maintainer's choice of answers. Leaves: a round with its sample of answers.
"""
