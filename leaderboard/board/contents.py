"""The content of a board's document: every row with every cell.

A `leaderboard.board.document.Document` is made of the inputs of a board (`leaderboard.board.inputs`) and its standings.
Only the standings and several attempts at each question are read from the database, and nothing is rounded.
"""

import dataclasses
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from leaderboard.board.attempts import attempts_of
from leaderboard.board.document import FORMAT, Corrected, Detectable, Document, Revision, Row, StoredCell
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


def contents_of(inputs: BoardInputs, statistics: BoardStatistics | None) -> Document:
    """A board's document. One query for attempts if there are scores, and one for the standings, if they belong to
    these scores.

    Args:
        statistics: the statistics that were last computed for the board. If they belong to other scores, only their
            time is included.
    """
    current = inputs.are_current(statistics)
    standings = Standing.objects.filter(board=statistics).order_by() if current else Standing.objects.none()
    cells = _CellMaker(inputs, standings)
    systems = [[_row(entry, inputs, cells) for entry in sources] for sources in inputs.systems]
    rows = [row for sources in systems for row in sources]
    shared_k = add_attempts(rows, inputs.definition.default_sort)
    _add_usage(rows, {entry.pk: entry.usage or {} for entry in inputs.entries})
    return Document(
        format=FORMAT,
        systems=systems,
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


def _row(entry: EntryRow, inputs: BoardInputs, cells: "_CellMaker") -> Row:
    context = {} if entry.context_size is None else {"context_size": entry.context_size}
    is_bound = entry.owner is None and entry.name in inputs.definition.upper_bounds
    return Row(
        entry_id=entry.pk,
        evidence=evidence_of(entry),
        link=entry.url,
        type=WITHHELD if entry.traits_withheld else entry.type,
        attributes=entry.attributes | context,
        facts=facts_of(entry.run_facts),
        pinned="" if not entry.is_human else "upper-bound" if is_bound else "human",
        by_column={column.key: cells.cell(entry, column) for column in cells.columns},
        **{name: getattr(entry, name) for name in SAME},
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


def add_attempts(rows: Sequence[Row], headline: str) -> int:
    """Give rows the columns of several attempts at each question, if one of them has several.

    Args:
        headline: the score that the board is ordered by.

    Returns:
        The k of pass@k and pass^k; 0 without these columns.
    """
    several = [row.cell(headline).attempts for row in rows]
    shared_k = min((attempts.n_attempts for attempts in several if attempts), default=0)
    if shared_k:
        _add_columns(rows, OF_ATTEMPTS, [_attempt_cells(row, row.cell(headline), shared_k) for row in rows])
    return shared_k


def _attempt_cells(row: Row, cell: StoredCell, shared_k: int) -> dict[str, StoredCell]:
    """What the attempts of a row say, by column."""
    cells = {}
    if attempts := cell.attempts:
        gap = attempts.reason or NOT_RIGHT_OR_WRONG
        cells[ATTEMPTS.key] = StoredCell(state=COMPUTED, value=float(attempts.n_attempts))
        if attempts.spread is not None:
            cells[SPREAD.key] = StoredCell(state=COMPUTED, value=attempts.spread)
        for column, chances in ((PASS_AT, attempts.pass_at), (PASS_HAT, attempts.pass_hat)):
            for chance in chances:
                if chance.k == shared_k:
                    cells[column.key] = StoredCell(state=COMPUTED, value=chance.value, low=chance.low, high=chance.high)
    elif cell.state == EntryKind.SCORED:
        gap = ONE_ATTEMPT
        cells[ATTEMPTS.key] = StoredCell(state=COMPUTED, value=1.0)
    else:
        gap = NOT_YET if row.kind == EntryKind.SCORED else NOT_STATED
    return {column.key: cells.get(column.key, StoredCell(reason=gap)) for column in OF_ATTEMPTS}


def _add_usage(rows: Sequence[Row], usage: Mapping[int, Mapping[str, Any]]) -> None:
    """Give rows the columns of what runs took.

    Args:
        usage: the totals by entry.
    """
    cells = []
    for row in rows:
        numbers = numbers_of(row.facts, usage[row.entry_id])
        of_row = {key: StoredCell(state=state, value=value) for key, (value, state) in numbers.items()}
        cells.append({column.key: of_row.get(column.key, StoredCell(reason=NOT_STATED)) for column in USAGE})
    _add_columns(rows, USAGE, cells)


def _add_columns(rows: Sequence[Row], columns: Iterable[Column], cells: Sequence[Mapping[str, StoredCell]]) -> None:
    """Give rows those columns in which one of them has a value. A column of the benchmark with the same key stays."""
    for key in [column.key for column in columns]:
        if any(of_row[key].value is not None for of_row in cells):
            for row, of_row in zip(rows, cells, strict=True):
                row.by_column.setdefault(key, of_row[key])


class _CellMaker:
    """Makes the cells of rows from their entries and scores."""

    def __init__(self, inputs: BoardInputs, standings: Iterable[Standing]) -> None:
        self.inputs = inputs
        self.scores = {(score.entry, score.name): score for score in inputs.scores}
        self.named: dict[int, set[str]] = defaultdict(set)
        """By entry: the names of its scores."""
        for entry, name in self.scores:
            self.named[entry].add(name)
        self.reported = {(entry, name): (value, low, high) for entry, name, value, low, high in inputs.reported}
        graded = {name for _, name in self.reported}
        self.columns = [
            *inputs.definition.columns,
            *(column for column in hand_grades.COLUMNS if column.key in graded),
        ]
        self.attempts = attempts_of([score.pk for score in inputs.scores], inputs.rule) if inputs.scores else {}
        """By the key of a score."""
        has_step = inputs.step is not None
        self.stepped = dataclasses.replace(inputs.rule, step=inputs.step) if has_step else None
        """The rule that the scores in the inputs are rounded by, if they are: readers know no step."""
        self.standings = {(standing.entry_id, standing.name): standing for standing in standings}
        compared = [entry for entry in inputs.entries if not entry.is_human]
        # Of a judge's scores that several sources report none is the best: their judges may differ.
        sources = {entry.pk: entry.source for entry in compared if entry.kind == EntryKind.REPORTED}
        self.mixed = {
            column.key
            for column in inputs.definition.columns
            if metric_named(column.metric).queue == "judge"
            and len({sources[pk] for pk, name in self.reported if name == column.score and pk in sources}) > 1
        }
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

    def cell(self, entry: EntryRow, column: Column) -> StoredCell:
        key = entry.pk, column.score
        score = self.scores.get(key) if entry.kind == EntryKind.SCORED else None
        if score is not None:
            cell = self._scored(entry, score, column)
        elif key in self.reported:
            value, low, high = self.reported[key]
            cell = StoredCell(state=str(entry.kind), value=value, low=low, high=high)
        else:
            return self._gap(entry, column)
        is_best = not entry.is_human and cell.value == self.best.get((entry.kind, column.score))
        cell.best = is_best and not (entry.kind == EntryKind.REPORTED and column.key in self.mixed)
        return cell

    def _scored(self, entry: EntryRow, score: ScoreRow, column: Column) -> StoredCell:
        current = self.inputs.revision_of(column.metric)
        cell = StoredCell(
            state=str(entry.kind),
            older_revision=current is None or score.revision != current.pk,
            **{name: getattr(score, name) for name in ("value", "low", "high", "n_items", "n_answered")},
        )
        if score.corrected is not None:
            cell.corrected = Corrected(*score.corrected)
        if (attempts := self.attempts.get(score.pk)) is not None:
            cell.attempts = attempts.disclosed(self.stepped, column) if self.stepped else attempts
        standing = self.standings.get((entry.pk, column.score))
        if standing is not None and not entry.is_human:
            for name in RANKS:
                setattr(cell, name, getattr(standing, name))
            cell.marked = standing.best_rank == 1
        return cell

    def _gap(self, entry: EntryRow, column: Column) -> StoredCell:
        """A cell without a value: with the reason, and with the value under another signature, if there is one."""
        if column.key in hand_grades.KEYS:
            reason = hand_grades.why_not_graded(entry.kind, is_human=entry.is_human)
        elif (withheld := self.inputs.withheld.get((entry.pk, column.score))) is not None:
            reason = withheld
        elif any((entry.pk, key) in self.reported for key in hand_grades.KEYS):
            reason = hand_grades.NOT_A_METRIC
        elif entry.kind == EntryKind.REPORTED or entry.answer_set is None:
            reason = entry.note or NOT_IN_SOURCE
        elif column.metric not in self.inputs.definition.metrics:
            reason = ONLY_REPORTED
        elif not (reason := why_without(column.score, self.named[entry.pk])):
            if (other := self.inputs.others.get((entry.answer_set, column.score))) is not None:
                value, signature = other
                return StoredCell(state="other_signature", reason=other_signature(signature), other_value=value)
            reason = NO_PASSAGES if metric_named(column.metric).reads_passages else NOT_YET
        return StoredCell(reason=reason)
