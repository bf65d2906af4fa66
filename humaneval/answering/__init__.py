"""Answering: what a participant sees and does, from the link to the receipt, or to the withdrawal.

Enters: a link, then what is sent from the desk. Leaves: participants with consent and questions, saved revisions of
answers, the log of visited articles, time at work.
"""
