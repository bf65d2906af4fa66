"""A board as one JSON document, from which every other export is made and in which snapshots are stored."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Final

from scoring import statistics
from scoring.benchmarks import definition_of
from scoring.benchmarks.base import BenchmarkDefinition
from scoring.benchmarks.subsets import on_split

if TYPE_CHECKING:
    from leaderboard.board.table import Board, BoardParams, BoardRow, Cell, Column

SCHEMA: Final = "manyhop-board"
SCHEMA_VERSION: Final = 1
"""Incremented whenever a field changes its meaning or is removed, but not when a field is added."""

CONFIDENCE: Final = 0.95


def as_document(board: Board) -> dict[str, Any]:
    """Everything that a board shows, JSON-able, with every number in full precision, or, for a hidden split, with the
    digits that the board shows (`leaderboard.disclosure`).

    The same board gives the same document, byte for byte in `canonical_json`: it does not depend on the time, the place
    or the user of the request. It contains no reference answer and no data about single questions.

    Args:
        board: in its order; whether it has one page or all rows is the caller's choice (``paged``).

    Returns:
        As described in ``docs/exports.md``: ``schema``, ``schema_version``, ``benchmark``, ``split``, ``setting``,
        ``revision``, ``params``, ``columns``, ``rows``, ``apart_rows``, ``pinned_rows``, ``statistics``. Scores range
        from 0 to 1 unless the column says otherwise; context sizes are in tokens; times are ISO 8601 in UTC.
    """
    signatures = dict(board.signatures)
    definition = on_split(definition_of(board.benchmark["slug"]), board.split["slug"])
    return {
        "schema": SCHEMA,
        "schema_version": SCHEMA_VERSION,
        "benchmark": {key: board.benchmark[key] for key in ("slug", "name", "citation", "url", "licence")},
        "split": {key: board.split[key] for key in ("slug", "name", "hidden", "n_questions")},
        "setting": {key: board.setting[key] for key in ("slug", "name", "description")},
        "revision": _revision(board.split),
        "revisions": [_one_revision(one) for one in board.split["revisions"]],
        "newer_revision": _one_revision(board.split["newer_revision"]) if board.split["newer_revision"] else None,
        **({"subsets": [_subset(one) for one in found]} if (found := board.split.get("subsets")) else {}),
        **{name: one for name in ("baseline", "next_baseline") if (one := board.split.get(name))},
        "asked": _params(board.params, definition),
        "columns": [_column(column, signatures) for column in board.columns],
        "rows": [_row_with_alternatives(row) for row in board.rows],
        "apart_rows": [_row_with_alternatives(row) for row in board.apart_rows],
        "pinned_rows": [_row_with_alternatives(row) for row in board.pinned_rows],
        "detectable": asdict(board.detectable) if board.detectable else None,
        "statistics": statistics_method(),
    }


def canonical_json(document: Mapping[str, Any]) -> bytes:
    """The canonical UTF-8 text of a document: keys in their order, no white space, numbers in the shortest form that
    parses as the same float.

    Raises:
        ValueError: a number is not finite.
    """
    return json.dumps(document, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode("utf-8")


def statistics_method() -> dict[str, Any]:
    """The method of intervals, rank ranges, marks and noise, with all details to recompute them from the vectors."""
    return {
        "confidence": CONFIDENCE,
        "n_resamples": statistics.N_RESAMPLES,
        "seed": statistics.BOARD_SEED,
        "interval": "Wilson, modified for few successes and with an effective number of questions for scores between 0 "
        "and 1; for people, with the cluster-robust variance (CR2) of participants and Student's quantile",
        "rank_range": "simultaneous confidence sets for all systems of a column: wild bootstrap of the largest "
        "studentised difference of all pairs",
        "test": "paired permutation test by random sign flips (exact where possible) against the best of the column",
        "correction": "Holm, within each column",
        "noise": "standard deviation of the value over repeated judgings of the same answers, pooled over answers",
    }


def _revision(split: Mapping[str, Any]) -> dict[str, Any] | None:
    if not split["revision_short"]:
        return None
    date = split["revision_date"]
    return {"hash": split["revision_hash"], "date": date.isoformat() if date else None, "note": split["revision_note"]}


def _one_revision(revision: Mapping[str, Any]) -> dict[str, Any]:
    date = revision["date"]
    return {
        "hash": revision["hash"],
        "date": date.isoformat() if date else None,
        "note": revision["note"],
        "metrics": revision["metrics"],
    }


def _subset(subset: Mapping[str, Any]) -> dict[str, Any]:
    revision = _one_revision(subset)
    own = {name: subset[name] for name in ("slug", "name", "n_questions")}
    return own | {name: revision[name] for name in ("hash", "date", "note")}


def _params(params: BoardParams, definition: BenchmarkDefinition) -> dict[str, Any]:
    order = params.order(definition)
    return {
        "sort": [{"key": key.key, "descending": key.descending} for key in order],
        "ranked_by": params.ranked_by(definition),
        "q": params.q,
        "types": sorted(params.types),
        "context_min": params.context_min,
        "context_max": params.context_max,
        "function_calling": params.function_calling,
        "kind": params.kind,
    }


def _column(column: Column, signatures: Mapping[str, str]) -> dict[str, Any]:
    return {
        "key": column.key,
        "label": column.label,
        "short_label": column.short_label,
        "group": column.group,
        "metric": column.metric,
        "metric_label": column.metric_label,
        "description": column.description,
        "decimals": column.decimals,
        "signature": signatures.get(column.metric_label, ""),
        **({"differs_from_official": True} if column.differs else {}),
    }


def _row_with_alternatives(row: BoardRow) -> dict[str, Any]:
    return _row(row) | {"alternatives": [_row(other) for other in row.alternatives]}


def _row(row: BoardRow) -> dict[str, Any]:
    return {
        "rank": row.rank,
        "best_rank": row.best_rank,
        "worst_rank": row.worst_rank,
        "tie_group": row.tie_group,
        "tied": row.tied,
        "system": row.name,
        "slug": row.slug,
        "authors": row.authors,
        "citation": row.citation,
        "url": row.link,
        "type": row.type,
        "type_label": row.type_label,
        "context_size": row.context_size,
        "trained_for_function_calling": row.trained_for_function_calling,
        "kind": row.kind,
        "is_human": row.is_human,
        "pinned": row.pinned,
        "source": row.source,
        "note": row.note,
        "n_answered": row.n_answered,
        "n_questions": row.n_questions,
        "published_at": row.published_at.isoformat() if row.published_at else None,
        "evidence": row.evidence,
        "cells": {cell.column.key: _cell(cell) for cell in row.cells},
    }


def _cell(cell: Cell) -> dict[str, Any]:
    return {
        "value": cell.value,
        "low": cell.low,
        "high": cell.high,
        "rank": cell.rank,
        "best_rank": cell.best_rank,
        "worst_rank": cell.worst_rank,
        "best": cell.best,
        "marked": cell.marked,
        "p_value": cell.p_value,
        "tie_group": cell.tie_group,
        "noise": cell.noise,
        "noise_low": cell.noise_low,
        "noise_high": cell.noise_high,
        "n_repeats": cell.n_repeats,
        "state": cell.state,
        "reason": cell.reason,
        "other_value": cell.other,
        **({"corrected": asdict(cell.corrected)} if cell.corrected is not None else {}),
    }
