"""Question-level analysis of scores: categories, explanations, reference items, anomalies."""
