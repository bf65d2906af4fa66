"""The content of a board's document: every row with every cell, in no particular order and without links.

Enters: the inputs of a board (`leaderboard.board.fingerprint`) and its standings. Leaves: JSON-ready data, from which
`leaderboard.board.table.builder` makes the board that a reader requests. Only the standings are read from the database,
and nothing is rounded.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any, Final

from leaderboard.board.fingerprint import BoardInputs, RevisionRow, ScoreRow
from leaderboard.board.sources import EntryRow, evidence_of
from leaderboard.board.table import hand_grades
from leaderboard.board.table.cells import NO_PASSAGES, NOT_IN_SOURCE, not_compared, other_signature
from leaderboard.board.table.reference_rows import CEILING, reference_kind, why_not_measured
from leaderboard.disclosure import NOT_YET
from leaderboard.models import WITHHELD, BoardStatistics, EntryKind, Standing
from scoring.benchmarks.base import ColumnDefinition
from scoring.queries import subset_of_metric
from scoring.registry import metric_named
from scoring.statistics import detectable_difference
from scoring.task_types import task_type_named

Cells = dict[str, dict[str, Any]]
"""By column: the fields of a `leaderboard.board.table.types.Cell` that differ from their defaults."""

OF_STANDING: Final = (
    *("rank", "best_rank", "worst_rank", "marked", "p_value", "tie_group"),
    *("noise", "noise_low", "noise_high", "n_repeats"),
)


def contents_of(inputs: BoardInputs, statistics: BoardStatistics | None) -> dict[str, Any]:
    """The content of a board's document. One query, for the standings, if they belong to these scores.

    Args:
        statistics: the statistics that were last computed for the board. If they belong to other scores, only their
            time is included.
    """
    current = inputs.are_current(statistics)
    makes = _RowMaker(inputs, Standing.objects.filter(board=statistics) if current else ())
    rows = [
        makes.row(one.row) | {"alternatives": [makes.row(other) for other in one.alternatives]}
        for one in inputs.systems
    ]
    revisions = _revisions(inputs)
    shown = revisions[0] if revisions else None
    return {
        "n_questions": shown["n_questions"] if shown else 0,
        "revision": shown,
        "revisions": revisions,
        "current_revision": _revision(inputs.revision),
        **({"subsets": _subsets(inputs)} if inputs.subsets else {}),
        "signatures": dict(inputs.signatures),
        **({"differing": list(inputs.differing)} if inputs.differing else {}),
        "detectable": _detectable(inputs, statistics.deviations if current and statistics is not None else {}),
        "statistics_at": statistics.computed_at.isoformat() if statistics is not None else None,
        "statistics_stale": not current and bool(inputs.ranked),
        "rows": rows,
        "ceiling": _ceiling(inputs) if rows else None,
        **_baseline(inputs),
        **({"voting_url": inputs.voting_url} if inputs.voting_url else {}),
    }


def _baseline(inputs: BoardInputs) -> dict[str, Any]:
    """Where there is a baseline: its name and slug (None without a public row), its setting, and whether it is the
    default. The same of the next one, while the scores are against an earlier one."""
    known = {"baseline": inputs.baseline, "next_baseline": inputs.next_baseline}
    return {
        key: {"name": one.name, "slug": one.slug, "setting": one.setting, "by_default": one.by_default}
        for key, one in known.items()
        if one is not None
    }


def _revision(revision: RevisionRow | None) -> dict[str, Any] | None:
    if revision is None:
        return None
    return {
        "hash": revision.content_hash,
        "date": revision.date.isoformat(),
        "note": revision.note,
        "has_references": revision.has_references,
        "n_questions": revision.n_questions,
    }


def _revisions(inputs: BoardInputs) -> list[dict[str, Any]]:
    """The revisions that the board's numbers belong to, each with its metrics; first that of the default score. Without
    scores it is the current one, which the first score will belong to."""
    metric_of = {
        column.score: column.metric for column in inputs.definition.columns if not subset_of_metric(column.metric)
    }
    metrics: dict[int, list[str]] = {}
    of_default = [row for row in inputs.scores if row.name == inputs.definition.default_sort]
    for row in (*of_default, *inputs.scores):
        metric = metric_of.get(row.name, "")
        if not row.repeat and metric and metric not in metrics.setdefault(row.revision, []):
            metrics[row.revision].append(metric)
    known = dict(inputs.older)
    if inputs.revision is not None:
        known[inputs.revision.pk] = inputs.revision
    rows = {pk: found for pk in metrics if (found := _revision(known.get(pk))) is not None}
    if not rows:
        current = _revision(inputs.revision)
        return [current | {"metrics": []}] if current else []
    return [row | {"metrics": metrics[pk]} for pk, row in rows.items()]


def _subsets(inputs: BoardInputs) -> dict[str, dict[str, Any] | None]:
    """By slug, the current revision of each subset that the board shows."""
    return {slug: _revision(revision) for slug, revision in inputs.subsets.items()}


def _detectable(inputs: BoardInputs, deviations: Mapping[str, float]) -> dict[str, tuple[float, int, int]]:
    """By column, the smallest difference that is found with 80 % power, the number of questions, and the number of
    compared systems: with fewer than two, the difference is the largest possible for scores from 0 to 1."""
    found = {}
    for column in inputs.definition.columns:
        scores = [row for row in inputs.scores if row.name == column.score and row.entry in inputs.ranked]
        scores = [row for row in scores if not row.repeat]
        n_items = max((row.n_items for row in scores), default=0)
        deviation = deviations.get(column.score)
        if not scores or (deviation is None and len(scores) > 1):
            continue
        value = detectable_difference(1.0 if deviation is None else deviation, n_items)
        if value is not None:
            if deviation is not None:
                value = inputs.rule.detectable(value, [row.pk for row in scores], n_items)
            found[column.key] = (value, n_items, len(scores))
    return found


class _RowMaker:
    """Makes rows from entries and their scores."""

    def __init__(self, inputs: BoardInputs, standings: Iterable[Standing]) -> None:
        self.inputs = inputs
        self.scores = {(row.entry, row.name): row for row in inputs.scores if not row.repeat}
        self.named: dict[Any, set[str]] = defaultdict(set)
        """By entry: the names of its scores."""
        for entry, name in self.scores:
            self.named[entry].add(name)
        self.reported = {(entry, name): (value, low, high) for entry, name, value, low, high in inputs.reported}
        self.standings = {(one.entry_id, one.name): one for one in standings}
        self.best: dict[tuple[str, str], float] = {}
        compared = [one for one in inputs.entries if not one.is_human]
        kinds = {one.pk: one.kind for one in compared if one.kind != EntryKind.SCORED or one.pk in inputs.ranked}
        self.not_compared = self._judged_by_several(compared)
        values = {key: row.value for key, row in self.scores.items()}
        values |= {key: value for key, (value, *_) in self.reported.items()}
        for (entry, name), value in values.items():
            kind = kinds.get(entry)
            if kind is not None:
                self.best[kind, name] = max(value, self.best.get((kind, name), value))

    def _judged_by_several(self, entries: Iterable[EntryRow]) -> frozenset[str]:
        """The judges' scores that are reported by several sources: their judges may differ, so none is the best."""
        sources = {one.pk: one.source for one in entries if one.kind == EntryKind.REPORTED}
        judged = [one.score for one in self.inputs.definition.columns if metric_named(one.metric).queue == "judge"]
        found = {name: {sources[pk] for pk, of in self.reported if of == name and pk in sources} for name in judged}
        return frozenset(name for name, of_score in found.items() if len(of_score) > 1)

    def row(self, entry: EntryRow) -> dict[str, Any]:
        """One row; a system's metadata is its current one."""
        context = entry.context_size if entry.context_size is not None else entry.context_size_of_system
        return {
            "entry_id": entry.pk,
            "name": entry.name,
            "slug": entry.slug,
            "authors": entry.authors,
            "citation": entry.citation,
            "link": entry.url,
            "type": WITHHELD if entry.traits_withheld else entry.type,
            "context_size": context,
            "trained_for_function_calling": entry.trained_for_function_calling,
            "kind": entry.kind,
            "evidence": evidence_of(entry),
            "is_human": entry.is_human,
            "source": entry.source,
            "note": entry.note,
            "n_answered": entry.n_answered,
            "published_at": entry.published_at.isoformat(),
            "pinned": reference_kind(entry, self.inputs.definition),
            "cells": {column.key: self._cell(entry, column) for column in self.inputs.definition.columns}
            | self._hand_grades(entry),
        }

    def _hand_grades(self, entry: EntryRow) -> Cells:
        found = {key: self.reported[entry.pk, key] for key in hand_grades.KEYS if (entry.pk, key) in self.reported}
        return {key: _of_reported(entry, *ends) for key, ends in found.items()}

    def _cell(self, entry: EntryRow, column: ColumnDefinition) -> dict[str, Any]:
        score = self.scores.get((entry.pk, column.score)) if entry.kind == EntryKind.SCORED else None
        reported = self.reported.get((entry.pk, column.score))
        if score is not None:
            cell = {"value": score.value, "state": entry.kind} | _of_score(score, column, self.inputs)
        elif reported is not None:
            cell = _of_reported(entry, *reported)
        else:
            return self._gap(entry, column)
        if entry.is_human:
            return cell
        mixed = entry.kind == EntryKind.REPORTED and column.score in self.not_compared
        if cell["value"] == self.best.get((entry.kind, column.score)) and not mixed:
            cell["best"] = True
        standing = self.standings.get((entry.pk, column.score)) if score else None
        if standing is not None:
            cell |= {name: known for name in OF_STANDING if (known := getattr(standing, name)) is not None}
        return cell

    def _gap(self, entry: EntryRow, column: ColumnDefinition) -> dict[str, Any]:
        """A cell without a value, with the reason."""
        withheld = self.inputs.withheld.get((entry.pk, column.score))
        if withheld is not None:
            return {"state": "not_scored", "reason": withheld}
        if any((entry.pk, key) in self.reported for key in hand_grades.KEYS):
            return {"state": "not_scored", "reason": hand_grades.NOT_A_METRIC}
        if entry.kind == EntryKind.REPORTED or entry.answer_set is None:
            return {"state": "not_scored", "reason": entry.note or NOT_IN_SOURCE}
        if reason := not_compared(column.score, self.named[entry.pk]):
            return {"state": "not_scored", "reason": reason}
        other = self.inputs.others.get((entry.answer_set, column.score))
        if other is not None:
            return {"state": "other_signature", "reason": other_signature(other[1]), "other": other[0]}
        return {"state": "not_scored", "reason": NO_PASSAGES if metric_named(column.metric).reads_passages else NOT_YET}


def _of_reported(entry: EntryRow, value: float, low: float | None, high: float | None) -> dict[str, Any]:
    fields = {"value": value, "state": entry.kind, "low": low, "high": high}
    return {name: known for name, known in fields.items() if known is not None}


def _of_score(score: ScoreRow, column: ColumnDefinition, inputs: BoardInputs) -> dict[str, Any]:
    current = inputs.revision_of(column.metric)
    fields: Mapping[str, Any] = {
        "low": score.low,
        "high": score.high,
        "n_answered": score.n_answered,
        "n_items": score.n_items,
        "older_revision": current is None or score.revision != current.pk or None,
        "corrected": score.corrected,
    }
    return {name: value for name, value in fields.items() if value is not None}


def _ceiling(inputs: BoardInputs) -> Cells | None:
    """The scores of a verbatim copy of the reference answers under the current signatures; None if there is neither a
    measurement nor a metric to measure, or answers are not scored against references."""
    if not task_type_named(inputs.definition.task_type).needs_references:
        return None
    revision = inputs.revision
    if not inputs.ceilings and not (revision is not None and revision.has_references):
        return None
    values = {(signature, name): value for signature, name, value in inputs.ceilings}
    cells: Cells = {}
    for column in inputs.definition.columns:
        value = values.get((inputs.signatures.get(column.metric, ""), column.score))
        if value is not None:
            cells[column.key] = {"value": value, "state": CEILING}
        else:
            revision = inputs.revision_of(column.metric)
            has_references = revision is not None and revision.has_references
            reason = why_not_measured(column.metric, has_references=has_references)
            cells[column.key] = {"state": "not_scored", "reason": inputs.rule.reason_withheld(column.score) or reason}
    return cells
