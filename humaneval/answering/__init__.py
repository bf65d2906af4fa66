"""Answering: the pages of a participant, from the link to the receipt or the withdrawal.

Enters: a link, then requests from the answer page. Leaves: participants with consent and questions, saved revisions of
answers, the log of visited articles, active time.
"""
