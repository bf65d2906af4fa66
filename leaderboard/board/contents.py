"""The content of a board's document: every row with every cell.

A `leaderboard.board.document.Document` is made of the inputs of a board (`leaderboard.board.inputs`) and its standings.
Only the standings are read from the database, and nothing is rounded.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

import msgspec

from leaderboard.board.document import (
    FORMAT,
    NOT_SCORED,
    Cells,
    Corrected,
    Detectable,
    Document,
    Revision,
    Row,
    Standings,
)
from leaderboard.board.inputs import BoardInputs, RevisionRow, ScoreRow
from leaderboard.board.sources import EntryRow, evidence_of
from leaderboard.board.table import hand_grades
from leaderboard.board.table.cells import NO_PASSAGES, NOT_IN_SOURCE, ONLY_REPORTED, not_compared, other_signature
from leaderboard.disclosure import NOT_YET
from leaderboard.models import WITHHELD, BoardStatistics, EntryKind, Standing
from leaderboard.run_columns import COLUMNS, NOT_STATED, numbers_of
from scoring.benchmarks.facts import facts_of
from scoring.benchmarks.names import parts_of
from scoring.metrics.columns import Column
from scoring.registry import metric_named
from scoring.statistics import detectable_difference

SAME: Final = (
    *("name", "slug", "kind", "published_at", "authors", "citation", "is_human", "source", "note"),
    "n_answered",
)
"""What a row of the document has of its entry; a system's metadata is its current one."""

RANKS: Final = ("rank", "best_rank", "worst_rank", "tie_group", "p_value")
STANDING: Final = ("entry", "name", *RANKS)
"""The fields of a standing besides its board."""


def contents_of(inputs: BoardInputs, statistics: BoardStatistics | None) -> Document:
    """A board's document. One query, for the standings, if they belong to these scores.

    Args:
        statistics: the statistics that were last computed for the board. If they belong to other scores, only their
            time is included.
    """
    current = inputs.are_current(statistics)
    rows: list[Row] = []
    entries: list[EntryRow] = []
    for system in inputs.systems:
        place = len(rows)
        for entry in system:
            entries.append(entry)
            context = {} if entry.context_size is None else {"context_size": entry.context_size}
            is_bound = entry.owner is None and entry.name in inputs.definition.upper_bounds
            row = Row(
                entry_id=entry.pk,
                evidence=evidence_of(entry),
                link=entry.url,
                type=WITHHELD if entry.traits_withheld else entry.type,
                attributes=entry.attributes | context,
                facts=facts_of(entry.run_facts),
                pinned="" if not entry.is_human else "upper-bound" if is_bound else "human",
                source_of=None if entry is system[0] else place,
                **{name: getattr(entry, name) for name in SAME},
            )
            rows.append(row)
    standings = Standing.objects.filter(board=statistics).order_by() if current else Standing.objects.none()
    cells = _CellMaker(inputs, entries, standings.values_list(*STANDING, named=True))
    graded = {name for _, name, *_ in inputs.reported} & set(hand_grades.KEYS)
    columns = [*inputs.definition.columns, *(column for column in hand_grades.COLUMNS if column.key in graded)]
    return Document(
        format=FORMAT,
        rows=rows,
        columns={column.key: cells.of(column) for column in columns} | cells.of_runs(rows) if rows else {},
        reasons=list(cells.reasons),
        signatures=dict(inputs.signatures),
        revisions=_revisions(inputs),
        current_revision=_revision(inputs.revision) if inputs.revision else None,
        subsets={slug: _revision(revision) for slug, revision in inputs.subsets.items()},
        detectable=_detectable(inputs, statistics.deviations if current and statistics is not None else {}),
        statistics_at=statistics.computed_at if statistics is not None else None,
        statistics_stale=not current and bool(inputs.ranked),
        baseline=inputs.baseline,
        next_baseline=inputs.next_baseline,
    )


def _revision(revision: RevisionRow, metrics: Iterable[str] = ()) -> Revision:
    return Revision(
        hash=revision.content_hash,
        date=revision.date,
        note=revision.note,
        n_questions=revision.n_questions,
        metrics=list(metrics),
    )


def _revisions(inputs: BoardInputs) -> list[Revision]:
    """The revisions that the board's numbers belong to, each with its metrics; first that of the default score. Without
    scores it is the current one, which the first score will belong to."""
    metric_of = {column.score: column.metric for column in inputs.definition.columns if not parts_of(column.metric)[1]}
    metrics: dict[int, list[str]] = {}
    of_default = [score for score in inputs.scores if score.name == inputs.definition.default_sort]
    for score in (*of_default, *inputs.scores):
        metric = metric_of.get(score.name, "")
        if metric and metric not in metrics.setdefault(score.revision, []):
            metrics[score.revision].append(metric)
    known = dict(inputs.older)
    if inputs.revision is not None:
        known[inputs.revision.pk] = inputs.revision
    revisions = [_revision(known[pk], names) for pk, names in metrics.items() if pk in known]
    return revisions or ([_revision(inputs.revision)] if inputs.revision else [])


def _detectable(inputs: BoardInputs, deviations: Mapping[str, float]) -> dict[str, Detectable]:
    """By column: the smallest difference that is found; nothing without two systems to compare."""
    detectable = {}
    of_column: dict[str, list[ScoreRow]] = defaultdict(list)
    for row in inputs.scores:
        if row.entry in inputs.ranked:
            of_column[row.name].append(row)
    for column in inputs.definition.columns:
        scores = of_column[column.score]
        deviation = deviations.get(column.score)
        if deviation is None or len(scores) < 2:
            continue
        n_items = max(row.n_items for row in scores)
        difference = detectable_difference(deviation, n_items)
        if difference is not None:
            difference = inputs.rule.detectable(difference, scores[0].revision, n_items, column)
            detectable[column.key] = Detectable(difference, n_items, len(scores))
    return detectable


class _CellMaker:
    """Makes the cells of columns from entries and their scores."""

    def __init__(self, inputs: BoardInputs, entries: list[EntryRow], standings: Iterable[Any]) -> None:
        self.inputs, self.entries = inputs, entries
        self.reasons: dict[str, int] = {"": 0}
        """Each reason for a missing value with its place."""
        self.scores = {(score.entry, score.name): score for score in inputs.scores}
        self.named: dict[int, set[str]] = defaultdict(set)
        """By entry: the names of its scores."""
        for entry, name in self.scores:
            self.named[entry].add(name)
        self.reported = {(entry, name): (value, low, high) for entry, name, value, low, high in inputs.reported}
        self.standings = {(standing.entry, standing.name): standing for standing in standings}
        compared = [entry for entry in inputs.entries if not entry.is_human]
        self.sources = {entry.pk: entry.source for entry in compared if entry.kind == EntryKind.REPORTED}
        kinds = {
            entry.pk: entry.kind for entry in compared if entry.kind != EntryKind.SCORED or entry.pk in inputs.ranked
        }
        values = {key: score.value for key, score in self.scores.items()}
        values |= {key: value for key, (value, *_) in self.reported.items()}
        self.best: dict[tuple[str, str], float] = {}
        columns = {name: inputs.definition.column(name) for name in {name for _, name in values}}
        for (pk, name), value in values.items():
            if (kind := kinds.get(pk)) is not None:
                better = max if columns[name].higher_is_better else min
                self.best[kind, name] = better(value, self.best.get((kind, name), value))

    def of(self, column: Column) -> Cells:
        """The cells of a column, those of the rows."""
        cells = Cells(state=[])
        numbers: dict[str, list[Any]] = {name: [] for name in ("value", "low", "high", "n_items", "n_answered")}
        standings: list[Any] = []
        current = self.inputs.revision_of(column.metric)
        sources = {self.sources[pk] for pk, name in self.reported if name == column.score and pk in self.sources}
        # Of a judge's scores that several sources report none is the best: their judges may differ.
        is_mixed = (
            len(sources) > 1 and column.key not in hand_grades.KEYS and metric_named(column.metric).queue == "judge"
        )
        for place, entry in enumerate(self.entries):
            score = self.scores.get((entry.pk, column.score)) if entry.kind == EntryKind.SCORED else None
            reported = self.reported.get((entry.pk, column.score))
            state, reason = str(entry.kind), ""
            if score is not None:
                known: tuple[Any, ...] = (score.value, score.low, score.high, score.n_items, score.n_answered)
                if current is None or score.revision != current.pk:
                    cells.older_revision.append(place)
                if score.corrected is not None:
                    cells.corrected[place] = Corrected(*score.corrected)
            elif reported is not None:
                known = (*reported, None, None)
            else:
                known = (None,) * len(numbers)
                state, reason, other = self._gap(entry, column)
                if other is not None:
                    cells.other[place] = other
            value = known[0]
            is_best = value is not None and value == self.best.get((entry.kind, column.score))
            if is_best and not entry.is_human and not (is_mixed and entry.kind == EntryKind.REPORTED):
                cells.best.append(place)
            has_standing = score is not None and not entry.is_human
            standings.append(self.standings.get((entry.pk, column.score)) if has_standing else None)
            cells.state.append(state)
            cells.reason.append(self._place_of(reason))
            for values, number in zip(numbers.values(), known, strict=True):
                values.append(number)
        if any(standings):
            ranks = {name: [getattr(standing, name, None) for standing in standings] for name in RANKS}
            marked = [standing is not None and standing.best_rank == 1 for standing in standings]
            cells = msgspec.structs.replace(cells, standings=Standings(**ranks, marked=marked))
        return msgspec.structs.replace(
            cells,
            reason=cells.reason if any(cells.reason) else [],
            **{name: values for name, values in numbers.items() if any(value is not None for value in values)},
        )

    def of_runs(self, rows: Sequence[Row]) -> dict[str, Cells]:
        """The columns of what the runs took in which a row has a number, by key. A benchmark's own column of the same
        name comes first."""
        own = {column.key for column in self.inputs.definition.columns}
        runs = [numbers_of(row.facts, entry.usage or {}) for row, entry in zip(rows, self.entries, strict=True)]
        gap = self._place_of(NOT_STATED)
        columns = {}
        for column in COLUMNS:
            numbers = [run.get(column.key) for run in runs]
            if column.key not in own and any(numbers):
                columns[column.key] = Cells(
                    state=[number[1] if number else NOT_SCORED for number in numbers],
                    value=[number[0] if number else None for number in numbers],
                    reason=[0 if number else gap for number in numbers],
                )
        return columns

    def _place_of(self, reason: str) -> int:
        return self.reasons.setdefault(reason, len(self.reasons))

    def _gap(self, entry: EntryRow, column: Column) -> tuple[str, str, float | None]:
        """A cell without a value: its state, the reason, and the value under another signature, if there is one."""
        if column.key in hand_grades.KEYS:
            return NOT_SCORED, hand_grades.why_not_graded(entry.kind, is_human=entry.is_human), None
        other = self.inputs.others.get((entry.answer_set, column.score)) if entry.answer_set is not None else None
        if (withheld := self.inputs.withheld.get((entry.pk, column.score))) is not None:
            reason = withheld
        elif any((entry.pk, key) in self.reported for key in hand_grades.KEYS):
            reason = hand_grades.NOT_A_METRIC
        elif entry.kind == EntryKind.REPORTED or entry.answer_set is None:
            reason = entry.note or NOT_IN_SOURCE
        elif column.metric not in self.inputs.definition.metrics:
            reason = ONLY_REPORTED
        elif not (reason := not_compared(column.score, self.named[entry.pk])):
            if other is not None:
                return "other_signature", other_signature(other[1]), other[0]
            reason = NO_PASSAGES if metric_named(column.metric).reads_passages else NOT_YET
        return NOT_SCORED, reason, None
