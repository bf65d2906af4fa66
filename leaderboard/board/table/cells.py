"""The reasons why a row has no score for a metric, for pages of single rows; boards have them in their documents."""

from collections.abc import Collection, Mapping
from typing import Any, Final
from uuid import UUID

from leaderboard.disclosure import DisclosureRule
from scoring.benchmarks.base import BenchmarkDefinition
from scoring.benchmarks.names import parts_of
from scoring.metrics.side_by_side.items import SCORE, WIN_RATE
from scoring.models import SCORE_KEY, Score
from scoring.models.run_states import RunState

NOT_IN_SOURCE: Final = "The source does not report this score."
ONLY_REPORTED: Final = "Only published results have this score: no metric of this site computes it."
NO_PASSAGES: Final = "No retrieved passages were submitted, or they are not scored yet."

NOT_COMPARED: Final = "The baseline is not compared with itself, so the judge gives it no score."
NOTHING_COUNTS: Final = "No answer counts in this score; its definition says which do."


def why_without(score: str, known: Collection[str]) -> str:
    """Reason why answers lack a score although they have others of its metric; empty if they have none.

    Args:
        known: the names of the scores that the same answers have. A baseline ties with itself, so it has a win rate.

    >>> why_without("fact.accuracy", ["fact.uncited"]) == NOTHING_COUNTS, why_without("fact.accuracy", ["rubric"])
    (True, '')
    """
    if score == SCORE and WIN_RATE in known:
        return NOT_COMPARED
    (name, subset), others = parts_of(score), map(parts_of, known)
    metric = name.partition(".")[0]
    return NOTHING_COUNTS * any(own == subset and other.partition(".")[0] == metric for other, own in others)


def other_signature(signature: str) -> str:
    """The note on a value under a signature other than the current one."""
    return f"Scored under another signature: {signature}"


def other_values(
    answer_sets: Collection[UUID], definition: BenchmarkDefinition, signatures: Mapping[str, str], rule: DisclosureRule
) -> dict[tuple[Any, str], tuple[float, str]]:
    """Values under signatures other than the current ones, as they may be shown: by answer set and score, the newest
    one, and its signature. One query, if there are answer sets."""
    if not answer_sets:
        return {}
    scores = Score.objects.counting().annotate(column_key=SCORE_KEY).exclude(signature__in=list(signatures.values()))
    scores = scores.filter(
        run__answer_set__in=answer_sets,
        run__state=RunState.DONE,
        column_key__in=[column.score for column in definition.columns],
    )
    return {
        (answer_set, name): (rule.number(value, definition.column(name)) or 0.0, signature)
        for answer_set, name, value, signature, *counts in scores.order_by("created_at", "pk").values_list(
            *("run__answer_set", "column_key", "value", "signature", "n_answered", "n_items", "pk")
        )
        if not rule.reason_withheld(name, *counts)
    }
