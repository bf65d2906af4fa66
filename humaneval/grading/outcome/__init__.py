"""The outcome of a round: agreement, judge validation, corrected scores, reference corrections, upper bounds.

Enters: the grades of a round. Leaves: tables, exports and reported rows.
"""
