"""Drawings of a board's systems: over an axis, in rows, and by category.

Points and scales become a `leaderboard.web.svg.Drawing`.
"""

import datetime
from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple

from leaderboard.templatetags.display import excerpt
from leaderboard.web.svg import Drawing, Scale, round_ticks, tick_label
from scoring.metrics.columns import Column, shown

MOST_NAMES: Final = 12
MOST_TRIED: Final = 60
"""Systems for whose names there might be room: of more, the best."""
LONGEST_NAME: Final = 22
LETTER: Final = 6.2
"""The usual width of a letter, in pixels."""
ROW: Final = 22.0

_Box = tuple[float, float, float, float]
"""Left, top, right and bottom."""


class Point(NamedTuple):
    """A system with a number on an axis and a score."""

    name: str
    url: str
    x: float
    value: float
    low: float | None
    high: float | None
    is_reported: bool


class Axis(NamedTuple):
    """Horizontal axis of a plot."""

    label: str
    title: str
    unit: str
    written: Callable[[float], str]
    is_log: bool = False
    front: str = ""
    """Words for what the systems on the front have in common; empty for an axis without one."""


def as_date(ordinal: float) -> str:
    """A day in words, by its ordinal."""
    day = datetime.date.fromordinal(round(ordinal))
    return f"{day.day} {day:%b %Y}"


def as_dollars(value: float) -> str:
    return f"${value:,.2f}" if value < 100 else f"${value:,.0f}"


def front_of(points: Sequence[Point], column: Column) -> list[Point]:
    """The points that are better than all before them on the axis; reported ones are not among them."""
    front: list[Point] = []
    for point in sorted(points, key=lambda point: (point.x, -column.sign * point.value)):
        best = front[-1].value if front else None
        if not point.is_reported and (best is None or column.sign * point.value > column.sign * best):
            front.append(point)
    return front


def scatter(
    points: Sequence[Point],
    column: Column,
    axis: Axis,
    levels: Sequence[tuple[str, float]],
    front: Sequence[Point] = (),
    fits: Sequence[tuple[tuple[float, float], tuple[float, float]]] = (),
    *,
    width: float = 352.0,
    height: float = 272.0,
) -> Drawing:
    """Scores over an axis, with intervals, the front as steps, and names wherever there is room.

    Args:
        levels: name and value of each line through the whole plot.
        fits: the ends of lines through the points.
    """
    drawing = Drawing(width, height)
    left, right, top, bottom = 38.0, width - 8, 12.0, height - 34
    y = _scale([(point.value, point.low, point.high) for point in points], levels, column, bottom, top)
    for tick in round_ticks(y.low, y.high, 7):
        at = y.at(tick)
        drawing.line("axis" if tick == y.low else "grid", left, at, right, at)
        drawing.text("label", left - 6, at + 4, tick_label(100 * tick if column.in_percent else tick), "end")
    low, high = min(point.x for point in points), max(point.x for point in points)
    if axis.is_log:
        x = Scale(low / 1.6, high * 1.6, left, right, is_log=True)
    else:
        margin = 0.08 * (high - low) or 30.0
        x = Scale(low - margin, high + margin, left, right)
    for tick, label in _ticks(x, axis):
        drawing.line("axis", x.at(tick), bottom, x.at(tick), bottom + 4)
        drawing.text("label", x.at(tick), bottom + 16, label, "middle")
    drawing.text("label", (left + right) / 2, bottom + 31, axis.unit, "middle")
    taken = _Taken(left - 4, width, bottom)
    for name, value in levels:
        drawing.line("human", left, y.at(value), right, y.at(value))
        text, at = f"{name} {shown(value, column)}", y.at(value) - 4
        taken.place(left + 4, at, text, "start")
        drawing.text("human-name", left + 4, at, text, "start")
    for start, end in fits:
        drawing.line("fit", x.at(start[0]), y.at(start[1]), x.at(end[0]), y.at(end[1]))
    if front:
        steps = [f"M{x.at(front[0].x):.1f} {y.at(front[0].value):.1f}"]
        steps += [f"H{x.at(point.x):.1f}V{y.at(point.value):.1f}" for point in front[1:]]
        drawing.path("front", "".join(steps) + f"H{right:.1f}")
    on_front = set(front)
    for point in points:
        at_x, at = x.at(point.x), y.at(point.value)
        if point.low is not None and point.high is not None:
            css = "interval interval--front" if point in on_front else "interval"
            drawing.line(css, at_x, y.at(point.low), at_x, y.at(point.high))
        dot = "hollow" if point.is_reported else "dot dot--front" if point in on_front else "dot"
        drawing.circle(dot, at_x, at, 4.5 if point in on_front else 3.5)
        taken.add((at_x - 5, at - 5, at_x + 5, at + 5))
    others = sorted((point for point in points if point not in on_front), key=lambda point: -column.sign * point.value)
    n_named = 0
    for point in (*reversed(front), *others)[:MOST_TRIED]:
        text = excerpt(point.name, LONGEST_NAME)
        spot = taken.spot(x.at(point.x), y.at(point.value), text) if n_named < MOST_NAMES else None
        if spot is not None:
            drawing.text("name" if point in on_front else "name name--quiet", *spot[:2], text, spot[2])
            n_named += 1
    return drawing


def dot_plot(
    points: Sequence[dict[str, Any]], column: Column, levels: Sequence[tuple[str, float]], *, width: float = 640.0
) -> Drawing:
    """Systems in rows, each with its score and interval; those that do not differ significantly from the best are
    highlighted."""
    left, right, top = 210.0, width - 16, 24.0
    drawing = Drawing(width, top + ROW * len(points) + 30)
    bottom = top + ROW * len(points) + 4
    x = _scale([(point["value"], point["low"], point["high"]) for point in points], levels, column, left, right)
    for tick in round_ticks(x.low, x.high, 8):
        drawing.line("grid", x.at(tick), top - 6, x.at(tick), bottom)
        drawing.text("label", x.at(tick), bottom + 16, tick_label(100 * tick if column.in_percent else tick), "middle")
    taken = _Taken(left, width, bottom)
    for name, value in levels:
        drawing.line("human", x.at(value), top - 6, x.at(value), bottom)
        anchor = "end" if x.at(value) > (left + right) / 2 else "start"
        if taken.place(x.at(value), top - 10, name, anchor):
            drawing.text("human-name", x.at(value), top - 10, name, anchor)
    for number, point in enumerate(points):
        at = top + ROW * (number + 0.5)
        drawing.text(
            "name" if point["marked"] else "name name--quiet", left - 8, at + 4, excerpt(point["name"], 30), "end"
        )
        look = "interval interval--front" if point["marked"] else "interval"
        if point["low"] is not None and point["high"] is not None:
            drawing.line(look, x.at(point["low"]), at, x.at(point["high"]), at)
        css = "hollow" if point["kind"] == "reported" else "dot dot--front" if point["marked"] else "dot"
        drawing.circle(css, x.at(point["value"]), at, 4.0)
    return drawing


def heat_plot(
    rows: Sequence[tuple[dict[str, Any], Sequence[float | None]]], names: Sequence[str], column: Column
) -> Drawing:
    """Systems in rows and categories in columns; a cell is darker where the score is better among all cells."""
    left, top, cell = 210.0, 96.0, 58.0
    drawing = Drawing(left + cell * len(names) + 60, top + ROW * len(rows) + 8)
    known = [value for _, values in rows for value in values if value is not None]
    low, high = (min(known), max(known)) if known else (0.0, 1.0)
    for number, name in enumerate(names):
        x = left + cell * (number + 0.5)
        drawing.text("label", x, top - 10, excerpt(name, 24), "start", rotate=f"rotate(-40 {x:.1f} {top - 10:.1f})")
    for number, (row, values) in enumerate(rows):
        y = top + ROW * number
        drawing.text("name name--quiet", left - 8, y + 15, excerpt(row["name"], 30), "end")
        for place, value in enumerate(values):
            x = left + cell * place
            if value is None:
                drawing.text("label", x + cell / 2, y + 15, "·", "middle")
                continue
            share = (value - low) / (high - low) if high > low else 0.5
            strength = 0.08 + 0.42 * (share if column.higher_is_better else 1 - share)
            drawing.rectangle("cell", x + 1, y + 1, cell - 2, ROW - 2, **{"fill-opacity": f"{strength:.2f}"})
            drawing.text("name--cell", x + cell / 2, y + 15, shown(value, column), "middle")
    return drawing


def _scale(
    numbers: Sequence[tuple[float, float | None, float | None]],
    levels: Sequence[tuple[str, float]],
    column: Column,
    start: float,
    end: float,
) -> Scale:
    ends = [number for of_point in numbers for number in of_point if number is not None]
    ends += [value for _, value in levels]
    low, high = min(ends), max(ends)
    if column.bounds is None or column.bounds[0] >= 0:
        low = min(low, 0.0)
    return Scale(low, high + 0.06 * (high - low or 1.0), start, end)


def _ticks(scale: Scale, axis: Axis) -> list[tuple[float, str]]:
    if axis.written is not as_date:
        dollar = "$" if axis.written is as_dollars else ""
        return [(tick, f"{dollar}{_brief(tick)}") for tick in scale.ticks[:6]]
    first, last = (datetime.date.fromordinal(round(end)) for end in (scale.low, scale.high))
    months = [datetime.date(year, month, 1) for year in range(first.year, last.year + 1) for month in range(1, 13)]
    months = [month for month in months if scale.low <= month.toordinal() <= scale.high]
    for step in (1, 3, 6, 12, 24):
        chosen = [month for month in months if (month.year * 12 + month.month - 1) % step == 0]
        if len(chosen) <= 5:
            break
    return [(month.toordinal(), f"{month:%Y}" if step >= 12 else f"{month:%b %Y}") for month in chosen]


def _brief(value: float) -> str:
    for size, letter in ((1e9, "B"), (1e6, "M"), (1e3, "k")):
        if value >= size:
            return f"{value / size:.3g}{letter}"
    return f"{value:.3g}"


class _Taken:
    """Areas of a drawing that have no room for another name."""

    def __init__(self, left: float, right: float, bottom: float) -> None:
        self.left, self.right, self.bottom = left, right, bottom
        self._boxes: list[_Box] = []

    def add(self, box: _Box) -> None:
        self._boxes.append(box)

    def spot(self, x: float, y: float, text: str) -> tuple[float, float, str] | None:
        """Position of a name that has room beside, above or below its dot; None if there is no room."""
        for at_x, at_y, anchor in (
            *((x, y - 10, "middle"), (x, y + 18, "middle"), (x + 8, y + 4, "start"), (x - 8, y + 4, "end")),
            *((x + 6, y - 9, "start"), (x - 6, y - 9, "end"), (x + 6, y + 15, "start"), (x - 6, y + 15, "end")),
        ):
            if self.place(at_x, at_y, text, anchor):
                return at_x, at_y, anchor
        return None

    def place(self, x: float, y: float, text: str, anchor: str) -> bool:
        """Take the place of a label, if it is free and inside the drawing."""
        width = LETTER * len(text) + 6
        left = x - {"start": 0.0, "middle": width / 2, "end": width}[anchor]
        box = (left, y - 10, left + width, y + 2)
        if box[0] < self.left or box[2] > self.right or box[1] < 0 or box[3] > self.bottom:
            return False
        if any(box[2] >= a and c >= box[0] and box[3] >= b and d >= box[1] for a, b, c, d in self._boxes):
            return False
        self.add(box)
        return True
