"""Question-level analysis of scores: categories, explanations, reference items, anomalies.

Enters: an answer set with its references and score vectors. Leaves: plain values for pages and exports; nothing is
stored.
"""
