"""Answering: what a participant sees and does, from consent to the last answer.

Enters: a participant's session. Leaves: saved revisions of answers, the log of visited articles, time at work.
"""
