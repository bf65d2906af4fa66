"""The chart beside a board: the headline score of every system against the cost of its run, its release date, or its
size, drawn as SVG.

Enters: a board's document, the parameters of its page. Leaves: a `Figure`: the drawing for a page or a file, and the
same data for a table.
"""

import datetime
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final, NamedTuple

from django.urls import reverse
from django.utils.safestring import SafeString

from leaderboard.board.document import Document, Row
from leaderboard.board.finding import finding_of
from leaderboard.board.lookup import FoundBoard
from leaderboard.board.table.links import Links, board_url
from leaderboard.board.table.ordering import ordered
from leaderboard.board.table.params import BoardParams
from leaderboard.board.table.types import Tab
from leaderboard.disclosure import DisclosureRule
from leaderboard.models import EntryKind
from leaderboard.templatetags.display import excerpt
from leaderboard.web.svg import Drawing, Scale, round_ticks, tick_label
from scoring.benchmarks.base import BenchmarkDefinition
from scoring.metrics.columns import Column, shown

FEWEST: Final = 3
"""Systems with a number on an axis that is shown unless a reader asks for another one."""
MOST_NAMES: Final = 12
LONGEST_NAME: Final = 22
WIDTH, HEIGHT = 352.0, 272.0
LEFT, RIGHT, TOP, BOTTOM = 34.0, 344.0, 12.0, 238.0
LETTER: Final = 6.2
"""The usual width of a letter of a name, in pixels."""


class Axis(NamedTuple):
    """What a chart has on its horizontal axis."""

    label: str
    title: str
    unit: str
    value: Callable[[Document, int], float | None]
    """Of a row of the document, by its place."""
    written: Callable[[float], str]
    is_log: bool = False
    front: str = ""
    """What the systems on the front have in common; empty for an axis without one."""


def _released(document: Document, place: int) -> float | None:
    facts = document.rows[place].facts
    return facts.released.toordinal() if facts is not None and facts.released is not None else None


def _published(document: Document, place: int) -> float | None:
    row = document.rows[place]  # that of reported numbers says when they were imported
    return row.published_at.toordinal() if row.published_at is not None and row.kind == EntryKind.SCORED else None


def _size(document: Document, place: int) -> float | None:
    facts = document.rows[place].facts
    return facts.parameters if facts is not None else None


def _date(ordinal: float) -> str:
    day = datetime.date.fromordinal(round(ordinal))
    return f"{day.day} {day:%b %Y}"


def _dollars(value: float) -> str:
    return f"${value:,.2f}" if value < 100 else f"${value:,.0f}"


AXES: Final = {
    "cost": Axis(
        *("Cost", "Score against cost", "Cost of the run, US$ (log scale)"),
        *(lambda document, place: document.value(place, "cost"), _dollars, True),
        "no system scores higher for less",
    ),
    "date": Axis("Date", "Score over release date", "Release date", _released, _date, False, "better than all before"),
    "published": Axis(
        *("Published", "Score over date", "Published here", _published, _date, False),
        "better than all before",
    ),
    "size": Axis(
        *("Size", "Score against size", "Parameters, billions (log scale)", _size),
        *(lambda value: f"{value:,.6g} B", True),
        "no smaller system scores higher",
    ),
    "context": Axis(
        *("Context", "Score against context", "Context size, tokens (log scale)"),
        *(lambda document, place: document.rows[place].context_size, lambda value: f"{value:,.0f}", True),
    ),
}
"""By name in URLs, in the order in which one is chosen; `published` stands for `date` where nobody states a release."""


class Point(NamedTuple):
    """A system with both numbers."""

    row: Row
    url: str
    x: float
    value: float
    low: float | None
    high: float | None
    is_reported: bool


@dataclass(frozen=True)
class Figure:
    """The chart of a board."""

    axis: Axis
    column: Column
    points: tuple[Point, ...]
    """In the order of the axis."""
    n_missing: int
    """Systems with a score, but without a number on the axis."""
    levels: tuple[tuple[str, str, float], ...]
    """Class of the mark, name and value of people and the ceiling."""
    links: tuple[Tab, ...]
    """The other axes."""
    svg_url: str
    place: str
    """Names of benchmark, setting and split."""

    @cached_property
    def front(self) -> tuple[Point, ...]:
        """The systems that are better than all before them on the axis; reported numbers are not among them."""
        front: list[Point] = []
        by_axis = sorted(self.points, key=lambda point: (point.x, -self.column.sign * point.value))
        for point in by_axis if self.axis.front else ():
            best = front[-1].value if front else None
            if not point.is_reported and (best is None or self.column.sign * point.value > self.column.sign * best):
                front.append(point)
        return tuple(front)

    @property
    def rows(self) -> Iterator[tuple[Point, str, bool]]:
        """The data as a table has them: each point, its number on the axis in words, and whether it is on the front."""
        for point in self.points:
            yield point, self.axis.written(point.x), point in self.front

    @property
    def note(self) -> str:
        """What the front is, and what is not drawn."""
        texts = [f"On the line: {self.axis.front}."] if self.front else []
        if self.n_missing:
            number, what = self.n_missing, self.axis.label.lower()
            plural = ("s", "are") if number > 1 else ("", "is")
            texts.append(f"{number:,} system{plural[0]} without a {what} {plural[1]} not drawn.")
        return " ".join(texts)

    @property
    def description(self) -> str:
        """The drawing in words."""
        number = len(self.points)
        text = f"{self.column.label} and {self.axis.unit} of {number:,} system{'s' if number > 1 else ''}."
        if self.front:
            text += (
                f" On the line, from left to right: {', '.join(point.row.name for point in self.front[:MOST_NAMES])}."
            )
        return text

    @property
    def svg(self) -> SafeString:
        """The drawing for a page."""
        return self._drawing.element("plot", self.description, self.axis.title)

    @property
    def file(self) -> bytes:
        """The drawing as a file."""
        return self._drawing.file(f"{self.place}: {self.axis.title}", self.description)

    @property
    def _drawing(self) -> Drawing:
        drawing = Drawing(WIDTH, HEIGHT)
        ends = [end for point in self.points for end in (point.value, point.low, point.high) if end is not None]
        ends += [value for *_, value in self.levels]
        low, high = min(ends), max(ends)
        low = min(low, 0.0) if self.column.bounds is None or self.column.bounds[0] >= 0 else low
        y = Scale(low, high + 0.06 * (high - low or 1.0), BOTTOM, TOP)
        for tick in round_ticks(y.low, y.high, 7):
            at = y.at(tick)
            drawing.line("axis" if tick == y.low else "grid", LEFT, at, RIGHT, at)
            label = tick_label(100 * tick if self.column.in_percent else tick)
            drawing.text("label", LEFT - 6, at + 4, label, "end")
        xs = [point.x for point in self.points]
        x = self._across(min(xs), max(xs))
        for tick, label in self._ticks(x):
            drawing.line("axis", x.at(tick), BOTTOM, x.at(tick), BOTTOM + 4)
            drawing.text("label", x.at(tick), BOTTOM + 16, label, "middle")
        drawing.text("label", (LEFT + RIGHT) / 2, BOTTOM + 31, self.axis.unit, "middle")
        taken = _Taken()
        for css, name, value in self.levels:
            drawing.line(css, LEFT, y.at(value), RIGHT, y.at(value))
            anchor = "start" if css == "human" else "end"
            text, at = f"{name} {shown(value, self.column)}", y.at(value) + (-4 if css == "human" else 12)
            taken.place(LEFT + 4 if css == "human" else RIGHT, at, text, anchor)
            drawing.text(
                "human-name" if css == "human" else "label", LEFT + 4 if css == "human" else RIGHT, at, text, anchor
            )
        if self.front:
            steps = [f"M{x.at(self.front[0].x):.1f} {y.at(self.front[0].value):.1f}"]
            steps += [f"H{x.at(point.x):.1f}V{y.at(point.value):.1f}" for point in self.front[1:]]
            drawing.path("front", "".join(steps) + f"H{RIGHT:.1f}")
        for point in self.points:
            at, on_front = (x.at(point.x), y.at(point.value)), point in self.front
            if point.low is not None and point.high is not None:
                css = "interval interval--front" if on_front else "interval"
                drawing.line(css, at[0], y.at(point.low), at[0], y.at(point.high))
            css = "hollow" if point.is_reported else "dot dot--front" if on_front else "dot"
            drawing.circle(css, *at, 4.5 if on_front else 3.5)
            taken.boxes.append((at[0] - 5, at[1] - 5, at[0] + 5, at[1] + 5))
        others = sorted((point for point in self.points if point not in self.front), key=self._by_value)
        n_named = 0
        for point in (*self.front[::-1], *others):
            if n_named == MOST_NAMES:
                break
            text = excerpt(point.row.name, LONGEST_NAME)
            spot = taken.spot(x.at(point.x), y.at(point.value), text)
            if spot is not None:
                drawing.text("name" if point in self.front else "name name--quiet", *spot[:2], text, spot[2])
                n_named += 1
        return drawing

    def _by_value(self, point: Point) -> float:
        return -self.column.sign * point.value

    def _across(self, low: float, high: float) -> Scale:
        if self.axis.is_log:
            return Scale(low / 1.6, high * 1.6, LEFT, RIGHT, is_log=True)
        margin = 0.08 * (high - low) or 30.0
        return Scale(low - margin, high + margin, LEFT, RIGHT)

    def _ticks(self, scale: Scale) -> list[tuple[float, str]]:
        if self.axis.written is not _date:
            dollar = "$" if self.axis.written is _dollars else ""
            return [(tick, f"{dollar}{_brief(tick)}") for tick in scale.ticks[:6]]
        first, last = (datetime.date.fromordinal(round(end)) for end in (scale.low, scale.high))
        months = [datetime.date(year, month, 1) for year in range(first.year, last.year + 1) for month in range(1, 13)]
        months = [month for month in months if scale.low <= month.toordinal() <= scale.high]
        for step in (1, 3, 6, 12, 24):
            chosen = [month for month in months if (month.year * 12 + month.month - 1) % step == 0]
            if len(chosen) <= 5:
                break
        return [(month.toordinal(), f"{month:%Y}" if step >= 12 else f"{month:%b %Y}") for month in chosen]


class _Taken:
    """Where a drawing has no room for another name."""

    def __init__(self) -> None:
        self.boxes: list[tuple[float, float, float, float]] = []

    def spot(self, x: float, y: float, text: str) -> tuple[float, float, str] | None:
        """Where the name of a dot has room, beside it or above or below; None if there is none."""
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
        inside = box[0] >= LEFT - 4 and box[2] <= WIDTH and box[1] >= 0 and box[3] <= BOTTOM
        free = all(box[2] < a or c < box[0] or box[3] < b or d < box[1] for a, b, c, d in self.boxes)
        if inside and free:
            self.boxes.append(box)
        return inside and free


def _brief(value: float) -> str:
    for size, letter in ((1e9, "B"), (1e6, "M"), (1e3, "k")):
        if value >= size:
            return f"{value / size:.3g}{letter}"
    return f"{value:.3g}"


def figure_of(
    found: FoundBoard,
    document: Document,
    params: BoardParams,
    definition: BenchmarkDefinition,
    *,
    url: str = "",
) -> Figure | None:
    """The chart of the systems that pass the filters, in the column that ranks are computed from; None without any.

    Args:
        params: with the kind of rows that the page shows.
        url: the board's address, if it has another than its usual one.
    """
    column = definition.column(params.ranked_by(definition))
    rule = DisclosureRule.of_benchmark(found.benchmark["slug"], hidden=found.split["hidden"])
    places = [
        system.place
        for system in ordered(document, params, definition)
        if system.matches and not system.row.is_human and document.value(system.place, column.key) is not None
    ]
    known = {
        name: {place: x for place in places if (x := axis.value(document, place)) is not None}
        for name, axis in AXES.items()
    }
    known["cost"] = {place: x for place, x in known["cost"].items() if x > 0}
    dates = "date" if len(known["date"]) >= FEWEST else "published"
    usual = "cost" if len(known["cost"]) >= FEWEST else dates
    available = [name for name in ("cost", dates, "size", "context") if known[name]]
    asked = dates if params.chart == "date" else params.chart
    chosen = asked if asked in available else usual
    if not known.get(chosen):
        return None
    finding = finding_of(document, column, rule)
    levels: list[tuple[str, str, float]] = []
    if document.ceiling and (ceiling := document.value(len(document.rows), column.key)) is not None:
        levels.append(("ceiling", "Ceiling", ceiling))
    if finding.people is not None:
        reported = finding.people.row.kind == EntryKind.REPORTED
        levels.append(("human", "Human (reported)" if reported else "Human", finding.people.value))
    points = []
    for place in sorted(known[chosen], key=lambda place: known[chosen][place]):
        cell, row = document.cell(place, column.key), document.rows[place]
        low, high = rule.ends(cell.low, cell.high, column)
        value = rule.number(cell.value, column) or 0.0
        link = reverse("system", args=[row.slug])
        points.append(Point(row, link, known[chosen][place], value, low, high, row.kind == EntryKind.REPORTED))
    links = Links(url or board_url(*found.slugs), params, definition)
    tabs = []
    for name in available:
        key = "" if name == usual else "date" if name == "published" else name
        tabs.append(Tab(AXES[name].label, links.to(chart=key, page=params.page), name == chosen, len(known[name])))
    query = replace(params, page=1, chart="date" if chosen == "published" else chosen).query_string(columns=None)
    return Figure(
        axis=AXES[chosen],
        column=column,
        points=tuple(points),
        n_missing=len(places) - len(points),
        levels=tuple(levels),
        links=tuple(tabs),
        svg_url=f"{reverse('board-picture', args=[*found.slugs, 'score'])}?{query}",
        place=", ".join((found.benchmark["name"], found.setting["name"], found.split["name"])),
    )
