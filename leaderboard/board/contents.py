"""The content of a board's document: every row with every cell.

A `leaderboard.board.document.Document` is made of the inputs of a board (`leaderboard.board.inputs`) and its standings.
Only the standings and several attempts at each question are read from the database, and nothing is rounded.
"""

import dataclasses
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final

import msgspec

from leaderboard.board.attempts import attempts_of
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
from leaderboard.board.table.cells import NO_PASSAGES, NOT_IN_SOURCE, ONLY_REPORTED, other_signature, why_without
from leaderboard.disclosure import NOT_YET
from leaderboard.models import WITHHELD, BoardStatistics, EntryKind, Standing
from leaderboard.run_columns import (
    ATTEMPTS,
    COMPUTED,
    NOT_STATED,
    OF_ATTEMPTS,
    PASS_AT,
    PASS_HAT,
    SPREAD,
    USAGE,
    numbers_of,
)
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
ONE_ATTEMPT: Final = "Each question was answered once."
NOT_RIGHT_OR_WRONG: Final = "Not every answer is right or wrong as a whole."
_Number = tuple[float, float | None, float | None]
"""A number with the ends of its interval."""
STANDING: Final = ("entry", "name", *RANKS)
"""The fields of a standing besides its board."""


def contents_of(inputs: BoardInputs, statistics: BoardStatistics | None) -> Document:
    """A board's document. One query for attempts if there are scores, and one for the standings, if they belong to
    these scores.

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
    own = {column.key: cells.of(column) for column in columns}
    headline = own.get(inputs.definition.default_sort)
    of_attempts, shared_k = columns_of_attempts(headline, [row.kind for row in rows], cells.place_of)
    others = of_attempts | cells.of_runs(rows)
    return Document(
        format=FORMAT,
        rows=rows,
        columns=own | {key: column for key, column in others.items() if key not in own} if rows else {},
        reasons=list(cells.reasons),
        signatures=dict(inputs.signatures),
        revisions=_revisions(inputs),
        current_revision=_revision(inputs.revision) if inputs.revision else None,
        subsets={slug: _revision(revision) for slug, revision in inputs.subsets.items()},
        detectable=_detectable(inputs, statistics.deviations if current and statistics is not None else {}),
        shared_k=shared_k,
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


def columns_of_attempts(
    headline: Cells | None, kinds: Sequence[str], place_of: Callable[[str], int]
) -> tuple[dict[str, Cells], int]:
    """The columns of several attempts at each question, by key, and the k of pass@k and pass^k. Without a row that has
    several there are none, and 0.

    Args:
        headline: the cells of the score that the board is ordered by.
        kinds: of the rows.
        place_of: the place of a text in the document's reasons.
    """
    if headline is None or not headline.attempts:
        return {}, 0
    shared_k = min(attempts.n_attempts for attempts in headline.attempts.values())
    numbers: dict[str, list[_Number | None]] = {column.key: [] for column in OF_ATTEMPTS}
    gaps: list[int] = []
    for place, kind in enumerate(kinds):
        known: dict[str, _Number] = {}
        if (attempts := headline.attempts.get(place)) is not None:
            gap = attempts.reason or NOT_RIGHT_OR_WRONG
            known[ATTEMPTS.key] = float(attempts.n_attempts), None, None
            if attempts.spread is not None:
                known[SPREAD.key] = attempts.spread, None, None
            for column, chances in ((PASS_AT, attempts.pass_at), (PASS_HAT, attempts.pass_hat)):
                if (chance := next((one for one in chances if one.k == shared_k), None)) is not None:
                    known[column.key] = chance.value, chance.low, chance.high
        elif headline.state[place] == EntryKind.SCORED:
            gap = ONE_ATTEMPT
            known[ATTEMPTS.key] = 1.0, None, None
        else:
            gap = NOT_YET if kind == EntryKind.SCORED else NOT_STATED
        gaps.append(place_of(gap))
        for key, of_column in numbers.items():
            of_column.append(known.get(key))
    return {key: _computed_cells(of_column, gaps) for key, of_column in numbers.items() if any(of_column)}, shared_k


def _computed_cells(numbers: Sequence[_Number | None], gaps: Sequence[int]) -> Cells:
    """The cells of a column of numbers that this site computed of the answers, parallel to the rows.

    Args:
        gaps: why a row has no number, as places in the document's reasons.
    """
    values, lows, highs = ([number and number[part] for number in numbers] for part in range(3))
    has_ends = any(low is not None for low in lows)
    return Cells(
        state=[COMPUTED if number else NOT_SCORED for number in numbers],
        value=values,
        low=lows if has_ends else [],
        high=highs if has_ends else [],
        reason=[0 if number else gap for number, gap in zip(numbers, gaps, strict=True)],
    )


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
        self.attempts = attempts_of([score.pk for score in inputs.scores], inputs.rule) if inputs.scores else {}
        """By the key of a score."""
        has_step = inputs.step is not None
        self.stepped = dataclasses.replace(inputs.rule, step=inputs.step) if has_step else None
        """The rule that the scores in the inputs are rounded by, if they are: readers know no step."""
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
                if (attempts := self.attempts.get(score.pk)) is not None:
                    cells.attempts[place] = attempts.disclosed(self.stepped, column) if self.stepped else attempts
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
            cells.reason.append(self.place_of(reason))
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
        """The columns of what the runs took in which a row has a number, by key."""
        runs = [numbers_of(row.facts, entry.usage or {}) for row, entry in zip(rows, self.entries, strict=True)]
        gap = self.place_of(NOT_STATED)
        columns = {}
        for column in USAGE:
            numbers = [run.get(column.key) for run in runs]
            if any(numbers):
                columns[column.key] = Cells(
                    state=[number[1] if number else NOT_SCORED for number in numbers],
                    value=[number[0] if number else None for number in numbers],
                    reason=[0 if number else gap for number in numbers],
                )
        return columns

    def place_of(self, reason: str) -> int:
        """The place of a text among the reasons."""
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
        elif not (reason := why_without(column.score, self.named[entry.pk])):
            if other is not None:
                return "other_signature", other_signature(other[1]), other[0]
            reason = NO_PASSAGES if metric_named(column.metric).reads_passages else NOT_YET
        return NOT_SCORED, reason, None
