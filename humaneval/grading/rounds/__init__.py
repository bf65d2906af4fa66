"""Grading rounds: choosing answers, sources and graders; making, monitoring and closing a round.

Enters: a maintainer's choice of answers and graders. Leaves: a round with its answers in a random order.
"""
