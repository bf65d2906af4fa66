"""Grading rounds: choosing answers, sources and graders; making, monitoring and closing a round."""
