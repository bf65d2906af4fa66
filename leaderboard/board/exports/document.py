"""A board in the schema of its exports and snapshots (`leaderboard.board.exports.schema`)."""

from collections.abc import Mapping, Sequence
from typing import Final

from msgspec import UNSET, UnsetType

from leaderboard.attributes import further
from leaderboard.board import document as stored
from leaderboard.board.exports import schema
from leaderboard.board.table import Board, ShownColumn, ShownRow
from leaderboard.disclosure import SHARE
from scoring import statistics
from scoring.benchmarks import definition_of
from scoring.benchmarks.subsets import on_split

CONFIDENCE: Final = 0.95


def as_document(board: Board) -> schema.Board:
    """Everything that a board shows, with every number in full precision, or, for a hidden split, with the digits that
    the board shows (`leaderboard.disclosure`).

    The same board gives the same document, byte for byte in `canonical_json`: it does not depend on the time, the place
    or the user of the request. It contains no reference answer and no data about single questions. Scores range from 0
    to 1 unless the column says otherwise; context sizes are in tokens; times are ISO 8601 in UTC.

    Args:
        board: in its order; whether it has one page or all rows is the caller's choice (``paged``).
    """
    place, document, params, signatures = board.stored, board.stored.content, board.params, dict(board.signatures)
    definition = on_split(definition_of(place.benchmark.slug), place.split.slug)
    attributes = further(definition)
    names = [attribute.name for attribute in attributes]
    newer = document.newer_revision
    subsets = [
        schema.Subset(slug, name, revision.n_questions, revision.hash, revision.date.isoformat(), revision.note)
        for slug, name, revision in board.subsets
    ]
    return schema.Board(
        schema=schema.SCHEMA,
        schema_version=schema.SCHEMA_VERSION,
        benchmark=schema.Benchmark(*(getattr(place.benchmark, key) for key in schema.Benchmark.__struct_fields__)),
        split=schema.Split(place.split.slug, place.split.name, place.split.hidden, document.n_questions),
        setting=schema.Setting(*(getattr(place.setting, key) for key in schema.Setting.__struct_fields__)),
        revision=_revision(document.revision) if signatures and document.revision else None,
        revisions=[_revision(revision, revision.metrics) for revision in board.revisions] if signatures else [],
        newer_revision=_revision(newer, []) if newer else None,
        subsets=subsets or UNSET,
        baseline=document.baseline or UNSET,
        next_baseline=document.next_baseline or UNSET,
        asked=schema.Asked(
            sort=list(params.order(definition)),
            ranked_by=params.ranked_by(definition),
            types=sorted(params.types),
            attributes=dict(params.attributes) or UNSET,
            run=dict(params.facts) or UNSET,
            **{name: getattr(params, name) for name in ("q", "context_min", "context_max", "function_calling", "kind")},
        ),
        attributes=[schema.Attribute(known.name, known.label, known.kind, known.unit) for known in attributes] or UNSET,
        columns=[_column(column, signatures) for column in board.columns],
        rows=[_with_alternatives(row, names) for row in board.rows],
        apart_rows=[_with_alternatives(row, names) for row in board.apart_rows],
        pinned_rows=[_with_alternatives(row, names) for row in board.pinned_rows],
        detectable=board.detectable,
        statistics=statistics_method(),
    )


def statistics_method() -> dict[str, float | int | str]:
    """The method of intervals, rank ranges and marks, with all details to recompute them from the vectors."""
    return {
        "confidence": CONFIDENCE,
        "n_resamples": statistics.N_RESAMPLES,
        "seed": statistics.BOARD_SEED,
        "interval": "Wilson, modified for few successes and with an effective number of questions for scores between 0 "
        "and 1; with clusters (for people: participants and questions) the cluster-robust variance (CR2) and Student's "
        "quantile",
        "rank_range": "simultaneous confidence sets for all systems of a column: wild bootstrap of the largest "
        "studentised difference of all pairs",
        "test": "the same differences from better systems; a value is marked if its rank range begins at 1",
        "correction": "for all pairs of systems of a column at once",
    }


def _revision(revision: stored.Revision, metrics: list[str] | UnsetType = UNSET) -> schema.Revision:
    return schema.Revision(revision.hash, revision.date.isoformat(), revision.note, metrics)


def _column(column: ShownColumn, signatures: Mapping[str, str]) -> schema.Column:
    own = ("decimals", "signature", "higher_is_better", "unit", "bounds")
    return schema.Column(
        decimals=column.digits,
        signature=signatures.get(column.metric_label, ""),
        higher_is_better=UNSET if column.higher_is_better else False,
        unit=UNSET if column.is_share else column.unit,
        bounds=UNSET if column.is_share and column.bounds == SHARE.bounds else column.bounds,
        **{name: getattr(column, name) for name in schema.Column.__struct_fields__ if name not in own},
    )


def _with_alternatives(shown: ShownRow, attributes: Sequence[str]) -> schema.Row:
    row = _row(shown, attributes)
    row.alternatives = [_row(other, attributes) for other in shown.alternatives]
    return row


def _row(row: ShownRow, attributes: Sequence[str]) -> schema.Row:
    own = ("system", "url", "attributes", "run_facts", "published_at", "cells", "alternatives")
    return schema.Row(
        system=row.name,
        url=row.link,
        attributes={name: row.attributes.get(name) for name in attributes} or UNSET,
        run_facts=row.facts or UNSET,
        published_at=row.published_at.isoformat() if row.published_at else None,
        cells={
            cell.column.key: stored.Cell(**{name: getattr(cell, name) for name in stored.Cell.__struct_fields__})
            for cell in row.cells
        },
        **{name: getattr(row, name) for name in schema.Row.__struct_fields__ if name not in own},
    )
