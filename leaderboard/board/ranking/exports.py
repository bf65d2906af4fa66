"""A ranking and its win matrix as files: JSON and CSV. docs/exports.md describes every field."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any, Final

from leaderboard.board.exports.csv import written
from leaderboard.board.ranking.lookup import NamedSystem, StoredRanking
from scoring.metrics.side_by_side.items import NAME
from scoring.statistics import BOARD_SEED

SCHEMA: Final = "manyhop-ranking"
SCHEMA_VERSION: Final = 1
"""Incremented whenever a field changes its meaning or is removed, but not when a field is added."""
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


def as_document(ranked: StoredRanking) -> dict[str, Any]:
    """A ranking with its matrix, JSON-able; the same ranking gives the same document. ``systems`` and ``matrix`` are
    empty while nothing is compared."""
    board, ranking = ranked.board, ranked.ranking
    whole = asdict(ranking) if ranking else {}
    return {
        "schema": SCHEMA,
        "schema_version": SCHEMA_VERSION,
        "benchmark": {name: getattr(board.benchmark, name) for name in ("slug", "name")},
        "split": {name: getattr(board.split, name) for name in ("slug", "name", "hidden")},
        "setting": {name: getattr(board.setting, name) for name in ("slug", "name")},
        "computed_at": board.content.statistics_at.isoformat() if board.content.statistics_at else None,
        "stale": ranked.is_stale,
        "signature": board.content.signatures.get(NAME, "") if ranking else "",
        **{name: whole.get(name) for name in WHOLE},
        "systems": list(map(_system, ranked.systems.values())),
        "matrix": [
            {name: value for name, value in pair.items() if name not in ("system", "opponent")}
            for pair in _pairs(ranked)
        ],
        "statistics": {
            "confidence": 0.95,
            "seed": BOARD_SEED,
            "strength": "Bradley and Terry (1952), maximum likelihood, a tie as half a win; natural logarithm of odds",
            "intervals": "over questions, each with all of its comparisons",
            "rank_range": "simultaneous confidence sets for all systems",
            "controlled": "logistic regression of all systems on lengths, with terms of questions, after AlpacaEval 2",
        },
    }


def _system(system: NamedSystem) -> dict[str, Any]:
    numbers = asdict(system.numbers)
    return {
        **{name: numbers[name] for name in RANKS},
        "system": system.name,
        "slug": system.slug,
        "is_baseline": system.numbers.is_baseline,
        **{name: numbers[name] for name in (*ESTIMATES, "consistency", *COUNTS)},
    }


def _pairs(ranked: StoredRanking) -> Iterator[dict[str, Any]]:
    systems = ranked.systems
    for place, other, share, n_questions in ranked.ranking.pairs if ranked.ranking else ():
        if place in systems and other in systems:
            row, column = systems[place], systems[other]
            yield {
                "system": row.name,
                "slug": row.slug,
                "opponent": column.name,
                "opponent_slug": column.slug,
                "share": share,
                "n_questions": n_questions,
            }


def as_csv(ranked: StoredRanking) -> str:
    """The ranking as CSV, one line per system; see `leaderboard.board.exports.csv.as_csv`."""
    rows = []
    for system in ranked.systems.values():
        row = _system(system)
        for name in ESTIMATES:  # a field for each end of an interval
            estimate = row[name] or {"value": None, "low": None, "high": None}
            row |= {name: estimate["value"], f"{name}_low": estimate["low"], f"{name}_high": estimate["high"]}
        rows.append(row)
    return written([ROW_FIELDS, *([row[name] for name in ROW_FIELDS] for row in rows)])


def matrix_csv(ranked: StoredRanking) -> str:
    """The win matrix as CSV, one line per pair."""
    return written([PAIR_FIELDS, *(pair.values() for pair in _pairs(ranked))])
