"""Two to six systems side by side: where they differ, how surely, and how alike they are question by question.

A difference is taken only between scores under one signature, the one the board shows, against one revision of the
questions; of everything else it is said why it cannot be compared.
"""

from leaderboard.comparison.against import AgainstPeople, AgainstPeopleRow, against_people
from leaderboard.comparison.page import AskedComparison, chooser_for, comparison_for
from leaderboard.comparison.shapes import (
    MOST_SYSTEMS,
    Candidate,
    CategoryComparison,
    Chooser,
    Compared,
    Comparison,
    Difference,
    DifferingItem,
    DifferingQuestion,
    ScoreDifferences,
    ScoreSection,
)

__all__ = [
    "MOST_SYSTEMS",
    "AgainstPeople",
    "AgainstPeopleRow",
    "AskedComparison",
    "Candidate",
    "CategoryComparison",
    "Chooser",
    "Compared",
    "Comparison",
    "Difference",
    "DifferingItem",
    "DifferingQuestion",
    "ScoreDifferences",
    "ScoreSection",
    "against_people",
    "chooser_for",
    "comparison_for",
]
