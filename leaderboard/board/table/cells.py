"""The reasons why a row has no score for a metric, for pages of single rows; boards have them in their documents."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from leaderboard.board.fingerprint import reason_of
from leaderboard.disclosure import DisclosureRule
from leaderboard.models import Entry
from scoring.benchmarks.base import BenchmarkDefinition
from scoring.models import Run, Score
from scoring.models.run_states import RunState

NOT_IN_SOURCE: Final = "The source does not report this score."
NOT_YET: Final = "Not scored yet."


def other_signature(signature: str) -> str:
    """The note on a value under a signature other than the current one."""
    return f"Scored under another signature: {signature}"


@dataclass(frozen=True)
class Missing:
    """Why scored rows lack numbers under the current signatures, by answer set and metric or score."""

    reasons: Mapping[tuple[Any, str], str] = field(default_factory=dict)
    others: Mapping[tuple[Any, str], tuple[float, str]] = field(default_factory=dict)
    """By (answer set, score): the newest value under another signature, and that signature."""


def missing_of(
    entries: Sequence[Entry], definition: BenchmarkDefinition, signatures: Mapping[str, str], rule: DisclosureRule
) -> Missing:
    """Why scored rows have no number for a metric, and their values under other signatures. Two queries."""
    answer_sets = [entry.answer_set_id for entry in entries if entry.answer_set_id]
    if not answer_sets:
        return Missing()
    scores = Score.objects.filter(
        run__answer_set__in=answer_sets,
        run__state=RunState.DONE,
        run__repeat=0,
        name__in=[column.score for column in definition.columns],
    ).exclude(signature__in=list(signatures.values()))
    others = {
        (answer_set, name): (value, signature)
        for answer_set, name, value, signature, *counts in scores.order_by("created_at").values_list(
            *("run__answer_set", "name", "value", "signature", "n_answered", "n_items", "pk")
        )
        if not rule.reason_withheld(name, *counts)
    }
    runs = Run.objects.filter(answer_set__in=answer_sets, metric__in=definition.metrics, repeat=0)
    unfinished = runs.exclude(state__in=[RunState.CANCELLED, RunState.DONE]).order_by("created_at")
    reasons = {
        (answer_set, metric): reason_of(state, reason)
        for answer_set, metric, state, reason in unfinished.values_list("answer_set", "metric", "state", "reason")
    }
    return Missing(reasons, others)
