"""Long answers that a judge decides about by criteria, each by itself or against a reference report.

``references`` reads rubrics, ``judge`` and ``relative`` are the metrics, ``scores`` has the published definitions.
"""

from scoring.metrics.asking.errors import ReplyError
from scoring.metrics.rubric.judge import Criteria
from scoring.metrics.rubric.relative import AgainstReference
from scoring.metrics.rubric.scores import RelativeScores, ReportScores, against_reference, clipped_mean, weighted_score

__all__ = [
    "AgainstReference",
    "Criteria",
    "RelativeScores",
    "ReplyError",
    "ReportScores",
    "against_reference",
    "clipped_mean",
    "weighted_score",
]
