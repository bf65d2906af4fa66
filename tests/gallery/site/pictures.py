"""Sample pictures: made-up systems in every manner that a picture tells apart."""

import datetime
import random
from dataclasses import replace
from typing import Any

from leaderboard.board.charts.series import TOPS, Charts, Plain, heat_map
from leaderboard.board.table import Board, Tab, plain_columns
from leaderboard.disclosure import DisclosureRule
from scoring.benchmarks import definitions
from scoring.metrics.columns import Column
from tests.gallery.site import boards
from tests.gallery.site.texts import NOW

CONTEXTS = (4096, 8192, 16_384, 32_768, 128_000, 200_000, None)
SIZES = (
    ("Geography", 251),
    ("History", 163),
    ("Sports", 115),
    ("Film Studies", 71),
    ("Video Games", 21),
    ("Other", 62),
)
CATEGORIES = [(name, size, name == "Other") for name, size in SIZES]


def _points(names: list[str], *, reported: int = 0) -> list[Plain]:
    chance = random.Random(7)
    points = []
    for number, name in enumerate(names):
        is_reported = number < reported
        value = 0.2 + 0.02 * (number % 7) + 0.3 * chance.random()
        point = Plain(
            name=name,
            url="?page=system",
            kind="reported" if is_reported else "scored",
            value=value,
            low=None if is_reported else value - 0.028,
            high=None if is_reported else value + 0.026,
            best=False,
            marked=False,
            rank=None,
            best_rank=None,
            worst_rank=None,
            context=CONTEXTS[number % len(CONTEXTS)],
            published=NOW - datetime.timedelta(days=900 if is_reported else 31 * number % 850),
            entry=number,
        )
        points.append(point)
    points.sort(key=lambda point: -point["value"])
    rank = 0
    for index, point in enumerate(points):
        if point["kind"] == "scored":
            rank += 1
            ranks = {"rank": rank, "best_rank": max(1, rank - 2), "worst_rank": rank + 2}
            points[index] = point | {"best": rank == 1, "marked": rank <= 3} | ranks
    return points


def _heat(points: list[Plain], top: int, column: Column) -> Plain | None:
    chance = random.Random(8)
    means: dict[int, list[float | None]] = {}
    for point in points:
        values = [point["value"] + 0.1 * (chance.random() - 0.5) for _ in CATEGORIES[:-1]]
        means[point["entry"]] = [*values, None if len(means) == 1 else point["value"]]
    return heat_map(points, top, CATEGORIES, means, column, DisclosureRule(hidden=False))


def _level(label: str, kind: str, value: float, low: float | None = None, high: float | None = None) -> Plain:
    return {"label": label, "kind": kind, "value": value, "low": low, "high": high}


def _pictures(board: Board, points: list[Plain], **changes: Any) -> Charts:
    definition = next(iter(definitions().values()))
    columns = plain_columns(definition.columns)
    top = TOPS[0]

    def here(tabs: list[Tab]) -> list[Tab]:
        return [replace(tab, url="?page=pictures&to=") for tab in tabs]

    shown = Charts(
        board=replace(board, setting_tabs=here(board.setting_tabs), split_tabs=here(board.split_tabs)),
        column=columns[0],
        choices=tuple(columns),
        top=top,
        levels=(
            _level("Human", "scored", 0.685, 0.64, 0.73),
            _level("Human, by hand", "reported", 0.847),
        ),
        n_missing=2,
        points=points,
        heat=_heat(points, top, columns[0]),
    )
    return replace(shown, **changes)


def pictures() -> Charts:
    """Thirty systems, some of them reported, with every level."""
    names = [f"Sample system {number + 1}" for number in range(30)]
    return _pictures(boards.board({})["board"], _points(names, reported=7))


def no_pictures() -> Charts:
    """Nothing to draw."""
    return _pictures(boards.board({})["board"], [], levels=(), n_missing=0)
