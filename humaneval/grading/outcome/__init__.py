"""The outcome of a round: agreement, judge validation, corrected scores, reference corrections, upper bounds.

Enters: the grades of a round. Leaves: tables, exports, corrected scores and reported rows on leaderboards, and the
draft of a corrected revision.
"""
