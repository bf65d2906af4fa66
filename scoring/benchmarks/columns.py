"""The columns that metrics give a leaderboard, and which scores a hidden split never shows."""

from collections.abc import Iterable, Mapping
from typing import Final

from scoring.metrics.asking.metric import JudgeMetric
from scoring.metrics.built_in import BUILT_IN
from scoring.metrics.columns import Column
from scoring.task_types import known_metrics

GRADED: Final = ("graded.loose", "graded.strict")
"""The scores of answers that people graded by hand, which reported rows of every benchmark may have."""
JUDGES: Final[Mapping[str, type[JudgeMetric]]] = {
    metric.name: metric for metric in BUILT_IN if issubclass(metric, JudgeMetric)
}
"""The metrics that ask a language model, by name."""


def columns_of(metrics: Iterable[str]) -> tuple[Column, ...]:
    """The columns of some metrics without a benchmark's parameters; none for a name that no metric has."""
    known = known_metrics()
    return tuple(column for name in metrics if name in known for column in known[name]().columns())


def shown_when_hidden(metric: str, score: str) -> bool:
    """Whether a hidden split shows a score of a metric unless a declaration says otherwise: as its usual column says.

    >>> shown_when_hidden("list-f1", "list-f1.f1"), shown_when_hidden("list-f1", "list-f1.precision")
    (True, False)
    """
    return any(column.score == score and column.disclosed for column in columns_of([metric]))


def never_shown_when_hidden(metric: str, score: str) -> bool:
    """Whether no declaration can have a hidden split show a score. Of metrics from packages nothing is known: there, a
    declaration decides."""
    known = known_metrics().get(metric)
    return known is not None and not known.package and not shown_when_hidden(metric, score)


def undisclosed_scores(metrics: Iterable[str], columns: Iterable[Column]) -> frozenset[str]:
    """The scores that a hidden split does not show: those of columns that say so, and those without a column of their
    own whose usual column says so."""
    own = {column.score: column.disclosed for column in columns}
    usual = {column.score: column.disclosed for column in columns_of(metrics)}
    return frozenset(score for score, disclosed in (usual | own).items() if not disclosed)
