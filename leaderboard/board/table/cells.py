"""The cells of a board's rows: values with what is known of their uncertainty, or why there is no number."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from django.db.models import Q, QuerySet

from leaderboard.board.table.types import Cell, Column, CorrectedValue
from leaderboard.models import BoardStatistics, Entry, EntryKind, ReportedValue, Standing
from scoring.benchmarks.base import BenchmarkDefinition, ColumnDefinition
from scoring.models import Run, Score
from scoring.models.run_states import RunState

NOT_IN_SOURCE: Final = "The source gives no number."
CORRECTED: Final = tuple(f"corrected__{name}" for name in ("value", "low", "high", "n_graded", "source"))
NOT_YET: Final = "Not scored yet."


@dataclass(frozen=True)
class Missing:
    """Why scored rows lack numbers under the signatures in force, by answer set and metric or score."""

    reasons: Mapping[tuple[Any, str], str] = field(default_factory=dict)
    others: Mapping[tuple[Any, str], tuple[float, str]] = field(default_factory=dict)
    """By (answer set, score): the newest value under another signature, and that signature."""


def missing_of(entries: Sequence[Entry], definition: BenchmarkDefinition, signatures: Mapping[str, str]) -> Missing:
    """Why scored rows have no number for a metric, and what they have under other signatures. Two queries."""
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
        for answer_set, name, value, signature in scores.order_by("created_at").values_list(
            "run__answer_set", "name", "value", "signature"
        )
    }
    return Missing(_reasons(Run.objects.filter(answer_set__in=answer_sets), definition), others)


def _reasons(runs: QuerySet[Run], definition: BenchmarkDefinition) -> dict[tuple[Any, str], str]:
    unfinished = runs.filter(metric__in=definition.metrics, repeat=0).exclude(
        state__in=[RunState.CANCELLED, RunState.DONE]
    )
    return {
        (answer_set, metric): f"{RunState(state).label}: {reason}" if reason else RunState(state).label
        for answer_set, metric, state, reason in unfinished.order_by("created_at").values_list(
            "answer_set", "metric", "state", "reason"
        )
    }


def cells_of(entry: Entry, columns: Sequence[Column], missing: Missing) -> list[Cell]:
    """The cells of an entry that `valued_entries` annotated."""
    return [
        _cell(entry, column, getattr(entry, f"value_{index}"), missing.others, missing.reasons)
        for index, column in enumerate(columns)
    ]


def _cell(
    entry: Entry,
    column: Column,
    value: float | None,
    others: Mapping[tuple[Any, str], tuple[float, str]],
    reasons: Mapping[tuple[Any, str], str],
) -> Cell:
    if value is not None:
        return Cell(column, value, entry.kind)
    if entry.kind == EntryKind.REPORTED:
        return Cell(column, None, "not_scored", entry.note or NOT_IN_SOURCE)
    other = others.get((entry.answer_set_id, column.key))
    if other is not None:
        return Cell(column, None, "other_signature", f"Scored under another signature: {other[1]}", other=other[0])
    return Cell(column, None, "not_scored", reasons.get((entry.answer_set_id, column.metric), NOT_YET))


@dataclass(frozen=True)
class Stored:
    """What is stored of some of a board's rows, read at once whatever their number."""

    scores: Mapping[tuple[Any, str], tuple[float, float | None, float | None]]
    """By (answer set, score): value under the signature in force, low, high."""
    corrected: Mapping[tuple[Any, str], CorrectedValue]
    """By (answer set, score), of those scores that have one."""
    others: Mapping[tuple[Any, str], tuple[float, str]]
    reported: Mapping[tuple[int, str], float]
    """By (entry, score)."""
    reasons: Mapping[tuple[Any, str], str]
    standings: Mapping[tuple[int, str], Standing]
    """By (entry, score); none while they are to be computed again."""
    best: Mapping[tuple[str, str], float]
    """By (kind, score): the highest value on the whole board, people left out."""
    counts: Mapping[Any, tuple[int, int]]
    """By answer set: how many questions had an answer, and how many there were, for the first column with a score."""
    older_revision: bool
    """Whether some score under the signatures in force is of another revision than the split's present one."""

    def answered(self, entry: Entry, n_questions: int) -> tuple[int | None, int]:
        """How many questions a row answered, and of how many: those that its scores are of, which need not be those of
        the present revision, or of the one that its file was sent for.

        Args:
            n_questions: of the present revision.
        """
        of_scores = None if entry.system.is_human else self.counts.get(entry.answer_set_id)
        return of_scores or (entry.n_answered, n_questions)

    def standing(self, entry: Entry, key: str) -> Standing | None:
        """Where a row stands in a column, if that is known."""
        return self.standings.get((entry.pk, key))

    def cells(self, entry: Entry, columns: Sequence[Column]) -> list[Cell]:
        """The cells of one of these rows."""
        return [self._cell(entry, column) for column in columns]

    def _cell(self, entry: Entry, column: Column) -> Cell:
        if entry.kind == EntryKind.REPORTED:
            value = self.reported.get((entry.pk, column.key))
            cell = _cell(entry, column, value, {}, {})
        else:
            value, low, high = self.scores.get((entry.answer_set_id, column.key), (None, None, None))
            cell = _cell(entry, column, value, self.others, self.reasons)
            cell.low, cell.high = low, high
            cell.corrected = self.corrected.get((entry.answer_set_id, column.key))
        if value is None or entry.system.is_human:
            return cell
        cell.best = value == self.best.get((entry.kind, column.key))
        standing = self.standings.get((entry.pk, column.key))
        if standing is not None and entry.kind == EntryKind.SCORED:
            cell.rank, cell.best_rank, cell.worst_rank = standing.rank, standing.best_rank, standing.worst_rank
            cell.marked, cell.p_value = standing.marked, standing.p_value
            cell.noise, cell.n_repeats = standing.noise, standing.n_repeats
        return cell


def stored_of(
    entries: QuerySet[Entry],
    best: Mapping[tuple[str, str], float],
    columns: Sequence[ColumnDefinition],
    definition: BenchmarkDefinition,
    signatures: Mapping[str, str],
    statistics: BoardStatistics | None,
    current_revision: int | None,
) -> Stored:
    """What is stored of *entries*, rows of one board. Four queries, three without statistics.

    Args:
        best: by kind and column, the highest value on the whole board; see `best_of`.
        statistics: what the ranges and marks shown are of; nothing if there are none of the rows there now.
        current_revision: the key of the split's present revision.
    """
    metric_of = {column.score: column.metric for column in columns}
    done = Q(run__state=RunState.DONE, run__repeat=0, name__in=metric_of)
    scores: dict[tuple[Any, str], tuple[float, float | None, float | None]] = {}
    others: dict[tuple[Any, str], tuple[float, str]] = {}
    corrected: dict[tuple[Any, str], CorrectedValue] = {}
    order = {column.score: place for place, column in enumerate(columns)}
    counts: dict[Any, tuple[int, tuple[int, int]]] = {}
    revisions = set()
    found = Score.objects.filter(done, run__answer_set__board_entry__in=entries.order_by())
    told = ("run__answer_set", "name", "value", "low", "high", "signature", "n_answered", "n_items", "run__revision")
    for answer_set, name, value, low, high, signature, n_answered, n_items, revision, *by_people in found.order_by(
        "created_at"
    ).values_list(*told, *CORRECTED):
        if signature == signatures.get(metric_of[name]):
            scores[answer_set, name] = value, low, high
            counts[answer_set] = min(counts.get(answer_set, (len(order), (0, 0))), (order[name], (n_answered, n_items)))
            revisions.add(revision)
            if by_people[0] is not None:
                corrected[answer_set, name] = CorrectedValue(*by_people)
        else:
            others[answer_set, name] = value, signature
    reported = ReportedValue.objects.filter(entry__in=entries.order_by(), name__in=metric_of)
    standings: Iterable[Standing] = ()
    if statistics is not None:
        standings = Standing.objects.filter(board=statistics, entry__in=entries.order_by(), name__in=metric_of)
    return Stored(
        scores=scores,
        corrected=corrected,
        others=others,
        reported={(entry, name): value for entry, name, value in reported.values_list("entry", "name", "value")},
        reasons=_reasons(Run.objects.filter(answer_set__board_entry__in=entries.order_by()), definition),
        standings={(standing.entry_id, standing.name): standing for standing in standings},
        best=best,
        counts={answer_set: count for answer_set, (_, count) in counts.items()},
        older_revision=bool(revisions - {current_revision}),
    )


def best_of(lines: Iterable[tuple[int, str]], values: Mapping[tuple[int, str], float]) -> dict[tuple[str, str], float]:
    """By kind and column, the highest value.

    Args:
        lines: entry and kind of each row that takes part.
        values: by entry and column.
    """
    kind_of = dict(lines)
    best: dict[tuple[str, str], float] = {}
    for (entry, name), value in values.items():
        kind = kind_of.get(entry)
        if kind is not None and value > best.get((kind, name), -math.inf):
            best[kind, name] = value
    return best
