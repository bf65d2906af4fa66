"""What scores are made of, question by question: categories, explanations, reference items, anomalies.

Enters: an answer set with its references and score vectors. Leaves: plain values that pages and exports show; nothing
is stored.
"""
