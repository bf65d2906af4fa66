"""The metrics of Manyhop. A metric is a module or package here, which says everything about it, and a line below."""

from typing import Final

from scoring.metrics.base import Metric
from scoring.metrics.bleurt import Bleurt
from scoring.metrics.judge import Judge
from scoring.metrics.list_f1 import ListF1
from scoring.metrics.list_f1_alce import AlceListF1
from scoring.metrics.list_f1_repaired import RepairedListF1
from scoring.metrics.list_judge import ListJudge
from scoring.metrics.passage_recall import PassageRecall
from scoring.metrics.rouge import Rouge
from scoring.metrics.rouge_repaired import RepairedRouge
from scoring.metrics.side_by_side import SideBySide
from scoring.metrics.string_accuracy import StringAccuracy
from scoring.metrics.string_accuracy_v2 import RepairedStringAccuracy

BUILT_IN: Final[tuple[type[Metric], ...]] = (
    StringAccuracy,
    Rouge,
    RepairedStringAccuracy,
    RepairedRouge,
    Bleurt,
    ListF1,
    RepairedListF1,
    AlceListF1,
    PassageRecall,
    Judge,
    ListJudge,
    SideBySide,
)
"""In the order in which lists of them are shown."""
