"""Sample pictures: made-up systems in every manner that a picture tells apart."""

import datetime
import random
from dataclasses import replace
from typing import Any

from django.http import QueryDict

from leaderboard.board.charts.series import (
    TOPS,
    Charts,
    HeatColumn,
    HeatMap,
    Level,
    Point,
    context_plot,
    dot_plot,
    timeline,
)
from leaderboard.board.table import Board, Tab, plain_columns
from scoring.benchmarks import definitions
from tests.gallery.site import boards
from tests.gallery.site.texts import LONG_NAME, LONG_WORD, NOW

CONTEXTS = (4096, 8192, 16_384, 32_768, 128_000, 200_000, None)
CATEGORIES = (("Geography", 251), ("History", 163), ("Sports", 115), ("Film Studies", 71), ("Video Games", 21))


def _points(names: list[str], *, reported: int = 0) -> list[Point]:
    chance = random.Random(7)
    points = []
    for number, name in enumerate(names):
        is_reported = number < reported
        value = 0.2 + 0.02 * (number % 7) + 0.3 * chance.random()
        point = Point(
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
    points.sort(key=lambda point: -point.value)
    rank = 0
    for index, point in enumerate(points):
        if point.kind == "scored":
            rank += 1
            points[index] = replace(
                point, best=rank == 1, marked=rank <= 3, rank=rank, best_rank=max(1, rank - 2), worst_rank=rank + 2
            )
    return points


def _heat(points: list[Point], top: int) -> HeatMap:
    chance = random.Random(8)
    scored = [point for point in points if point.kind == "scored"]
    rows: list[tuple[Point, tuple[float | None, ...]]] = []
    for point in scored[:top]:
        values: list[float | None] = [point.value + 0.1 * (chance.random() - 0.5) for _ in CATEGORIES]
        rows.append((point, (*values, None if len(rows) == 1 else point.value)))
    columns = [HeatColumn(name, size, is_rest=False, mean=0.3 + size / 2000) for name, size in CATEGORIES]
    return HeatMap((*columns, HeatColumn("Other", 62, is_rest=True, mean=0.31)), tuple(rows), len(scored))


def _pictures(board: Board, points: list[Point], **changes: Any) -> Charts:
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
            Level("Human", "human", "scored", 0.685, 0.64, 0.73),
            Level("Human, by hand", "upper-bound", "reported", 0.847, None, None),
            Level("Ceiling", "ceiling", "ceiling", 1.0, None, None),
        ),
        n_missing=2,
        dots=dot_plot(points, top),
        context=context_plot(points),
        heat=_heat(points, top) if any(point.kind == "scored" for point in points) else None,
        time=timeline(points),
    )
    return replace(shown, **changes)


def pictures() -> Charts:
    """Thirty systems, some of them reported, with every level."""
    names = [f"Sample system {number + 1}" for number in range(30)]
    return _pictures(boards.board(QueryDict("")), _points(names, reported=7))


def seconds_pictures() -> Charts:
    """The same in a time, of which less is better."""
    seconds, shown = boards.seconds, pictures()

    def turned(point: Any) -> Any:
        return replace(point, value=seconds(point.value), low=seconds(point.high), high=seconds(point.low))

    points, heat = [turned(point) for point in shown.dots.points], shown.heat
    assert heat is not None
    columns = tuple(replace(column, mean=seconds(column.mean)) for column in heat.columns)
    rows = tuple((turned(point), tuple(map(seconds, values))) for point, values in heat.rows)
    board = boards.seconds_board(QueryDict(""))
    return _pictures(
        replace(board, columns=board.columns[:1]),
        points,
        column=board.columns[0],
        levels=tuple(map(turned, shown.levels)),
        heat=HeatMap(columns, rows, heat.n_all, sign=-1),
        time=timeline(points, sign=-1),
    )


def one_system() -> Charts:
    """A single system."""
    return _pictures(boards.board(QueryDict("")), _points(["The first system"]), levels=(), n_missing=0)


def long_pictures() -> Charts:
    """Names that do not fit."""
    names = [f"{(LONG_NAME, LONG_WORD)[number % 2]} {number}" for number in range(12)]
    return _pictures(boards.board(QueryDict("")), _points(names, reported=3))


def no_pictures() -> Charts:
    """Nothing to draw."""
    return _pictures(boards.board(QueryDict("")), [], levels=(), n_missing=0)
