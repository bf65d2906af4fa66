"""The bars of a board's headline column: each number with its interval on one scale for all rows.

The figures beside a bar say the same, so bars are hidden from screen readers.
"""

from collections.abc import Collection, Sequence
from typing import Final

from django.utils.safestring import SafeString

from leaderboard.board.document import Cell
from leaderboard.disclosure import OPEN, DisclosureRule
from leaderboard.web.svg import Drawing, Scale, tick_label
from scoring.metrics.columns import Column

WIDTH: Final = 150.0
MARGIN: Final = 4.0
HEIGHT: Final = 22.0
REACH: Final = 27.0
"""Distance by which the line of people goes beyond a bar, so that the lines of neighbouring rows meet."""


def scale_of(ends: Collection[float], column: Column, rule: DisclosureRule = OPEN) -> Scale:
    """A scale for values and ends of intervals, at least one; that of positive numbers begins at 0."""
    low, high = rule.ends(min(ends), max(ends), column)
    assert low is not None and high is not None  # noqa: S101
    if column.bounds is not None:
        low = min(low, column.bounds[0])
    low = min(low, 0.0) if low > 0 else low
    return Scale(low, high + 0.04 * (high - low or 1.0), MARGIN, WIDTH - MARGIN)


def full_scale(cell: Cell, column: Column) -> Scale:
    """A scale over the range of a column; without one, from 0 to a number with its interval."""
    bounds = column.bounds or ((0.0, 1.0) if column.is_share else None)
    if bounds is not None:
        return Scale(*bounds, MARGIN, WIDTH - MARGIN)
    return scale_of([end for end in (cell.value, cell.low, cell.high) if end is not None] or [0.0], column)


def bar(cell: Cell, scale: Scale, people: float | None = None, *, leads: bool = False) -> SafeString | str:
    """A value and its interval; a hollow dot for a reported value, whose interval nobody knows."""
    if cell.value is None:
        return ""
    drawing, middle = Drawing(WIDTH, HEIGHT), HEIGHT / 2
    drawing.line("track", scale.start, middle, scale.end, middle)
    if people is not None:
        drawing.line("human", scale.at(people), middle - REACH, scale.at(people), middle + REACH)
    if cell.low is not None and cell.high is not None:
        drawing.line("range", scale.at(cell.low), middle, scale.at(cell.high), middle)
    is_reported = cell.state == "reported"
    drawing.circle("hollow" if is_reported else "dot", scale.at(cell.value), middle, 4.0 if is_reported else 2.8)
    return drawing.element("bar bar--top" if leads else "bar")


def axis(scale: Scale, column: Column, people: float | None = None) -> SafeString:
    """The ticks of a scale and the word *Human* over people's line."""
    drawing = Drawing(WIDTH, 14.0)
    taken: Sequence[float] = () if people is None else (scale.at(people),)
    for tick in scale.ticks[:4] if people is not None else scale.ticks:
        at = scale.at(tick)
        if all(abs(at - other) > 26 for other in taken):
            anchor = "start" if at < MARGIN + 6 else "end" if at > WIDTH - MARGIN - 6 else "middle"
            text = tick_label(100 * tick if column.in_percent else tick)
            shift = -3 if anchor == "start" else 0
            drawing.text("label", at + shift, 11, text.removeprefix("0") if text.startswith("0.") else text, anchor)
    for at in taken:
        drawing.text("human-name", min(max(at, 17.0), WIDTH - 17.0), 11, "Human", "middle")
    return drawing.element("bar")
