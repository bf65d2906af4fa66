"""The metrics of Manyhop. A metric is a module or package here, which says everything about it, and a line below."""

from typing import Final

from scoring.metrics.base import Metric
from scoring.metrics.bleurt import Bleurt
from scoring.metrics.cited import CitationSupport, Evidence, Fact
from scoring.metrics.graded_answer import GradedAnswer, VerifiedAnswer
from scoring.metrics.judge import Judge
from scoring.metrics.list_f1 import ListF1
from scoring.metrics.list_f1_alce import AlceListF1
from scoring.metrics.list_judge import ListJudge
from scoring.metrics.passage_recall import PassageRecall
from scoring.metrics.rouge import Rouge
from scoring.metrics.rubric import AgainstReference, Criteria
from scoring.metrics.short_answer.metrics import ExactMatch, Inclusion, TokenF1
from scoring.metrics.side_by_side import SideBySide
from scoring.metrics.string_accuracy import StringAccuracy

BUILT_IN: Final[tuple[type[Metric], ...]] = (
    StringAccuracy,
    Rouge,
    Bleurt,
    ListF1,
    AlceListF1,
    ExactMatch,
    TokenF1,
    Inclusion,
    PassageRecall,
    Judge,
    ListJudge,
    GradedAnswer,
    VerifiedAnswer,
    Criteria,
    AgainstReference,
    CitationSupport,
    Fact,
    Evidence,
    SideBySide,
)
"""Metrics of the software, in the order in which lists of them are shown."""
