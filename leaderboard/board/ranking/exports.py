"""A ranking and its win matrix as files: JSON and CSV. docs/exports.md describes every field."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from typing import Any, Final

from leaderboard.board.exports.csv import as_field
from leaderboard.board.ranking.lookup import FoundRanking, NamedSystem
from scoring.metrics.side_by_side.items import NAME
from scoring.statistics import BOARD_SEED

SCHEMA: Final = "manyhop-ranking"
SCHEMA_VERSION: Final = 1
"""Incremented whenever a field changes its meaning or is removed, but not when a field is added."""
FORMATS: Final = {"csv": "text/csv; charset=utf-8; header=present", "json": "application/json"}
"""By file extension: the media type."""
WHOLE: Final = ("n_questions", "n_comparisons", "n_ties", "n_unparsed", "consistency", "first_place", "regularised")
ESTIMATES: Final = ("strength", "win_rate", "controlled", "mean_score", "first_place")
COUNTS: Final = ("n_opponents", "n_comparisons", "n_ties", "n_unparsed")
RANKS: Final = ("rank", "best_rank", "worst_rank")
ROW_FIELDS: Final = (
    *RANKS,
    *("system", "slug", "is_baseline"),
    *(f"{name}{end}" for name in ESTIMATES[:4] for end in ("", "_low", "_high")),
    *COUNTS,
    *("consistency", "first_place", "first_place_low", "first_place_high"),
)
PAIR_FIELDS: Final = ("system", "slug", "opponent", "opponent_slug", "share", "n_questions")


def as_document(found: FoundRanking) -> dict[str, Any]:
    """A ranking with its matrix, JSON-able; the same ranking gives the same document. ``systems`` and ``matrix`` are
    empty while nothing is compared."""
    board, ranking = found.board, found.ranking
    whole = asdict(ranking) if ranking else {}
    return {
        "schema": SCHEMA,
        "schema_version": SCHEMA_VERSION,
        "benchmark": {name: board.benchmark[name] for name in ("slug", "name")},
        "split": {name: board.split[name] for name in ("slug", "name", "hidden")},
        "setting": {name: board.setting[name] for name in ("slug", "name")},
        "computed_at": found.document.statistics_at.isoformat() if found.document.statistics_at else None,
        "stale": found.is_stale,
        "signature": found.document.signatures.get(NAME, "") if ranking else "",
        **{name: whole.get(name) for name in WHOLE},
        "systems": [_system(one) for one in found.systems.values()],
        "matrix": [_without_names(pair) for pair in _pairs(found)],
        "statistics": {
            "confidence": 0.95,
            "seed": BOARD_SEED,
            "strength": "Bradley and Terry (1952), maximum likelihood, a tie as half a win; natural logarithm of odds",
            "intervals": "over questions, each with all of its comparisons",
            "rank_range": "simultaneous confidence sets for all systems",
            "controlled": "logistic regression of all systems on lengths, with terms of questions, after AlpacaEval 2",
        },
    }


def _system(one: NamedSystem) -> dict[str, Any]:
    numbers = asdict(one.numbers)
    return {
        **{name: numbers[name] for name in RANKS},
        "system": one.name,
        "slug": one.slug,
        "is_baseline": one.numbers.is_baseline,
        **{name: numbers[name] for name in (*ESTIMATES, "consistency", *COUNTS)},
    }


def _pairs(found: FoundRanking) -> Iterator[dict[str, Any]]:
    for one, other, share, n_questions in found.ranking.pairs if found.ranking else ():
        if one in found.systems and other in found.systems:
            row, column = found.systems[one], found.systems[other]
            yield {
                "system": row.name,
                "slug": row.slug,
                "opponent": column.name,
                "opponent_slug": column.slug,
                "share": share,
                "n_questions": n_questions,
            }


def _without_names(pair: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in pair.items() if name not in ("system", "opponent")}


def as_csv(found: FoundRanking) -> str:
    """The ranking as CSV, one line per system; see `leaderboard.board.exports.csv.as_csv`."""
    return _written(ROW_FIELDS, (_flat(_system(one)) for one in found.systems.values()))


def matrix_csv(found: FoundRanking) -> str:
    """The win matrix as CSV, one line per pair."""
    return _written(PAIR_FIELDS, _pairs(found))


def _flat(row: dict[str, Any]) -> dict[str, Any]:
    """A row with a field for each end of an interval."""
    flat = dict(row)
    for name in ESTIMATES:
        known = row[name] or {"value": None, "low": None, "high": None}
        flat |= {name: known["value"], f"{name}_low": known["low"], f"{name}_high": known["high"]}
    return flat


def _written(names: Sequence[str], rows: Iterable[dict[str, Any]]) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow(names)
    writer.writerows([as_field(row[name]) for name in names] for row in rows)
    return out.getvalue()
