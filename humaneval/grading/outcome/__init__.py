"""The outcome of a round: agreement, judge validation, corrected scores, reference corrections, upper bounds."""
