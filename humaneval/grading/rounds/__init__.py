"""Grading rounds: which answers are graded, from which sources, by whom; making, overseeing and closing a round.

Enters: a maintainer's choice of answers and graders. Leaves: a round with its answers in a drawn order.
"""
