"""The chart beside a board: the headline score of every system against the cost of its run, its release date, or its
size, drawn as SVG.

From a board's document and the parameters of its page comes a `Figure`: the drawing for a page or a file, and the same
data for a table.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final

from django.urls import reverse
from django.utils.safestring import SafeString

from leaderboard.board.charts.plots import MOST_NAMES, Axis, Point, as_date, as_dollars, front_of, scatter
from leaderboard.board.document import Row
from leaderboard.board.finding import finding_of
from leaderboard.board.lookup import StoredBoard, board_url
from leaderboard.board.table.builder import definition_for
from leaderboard.board.table.links import Links, Tab
from leaderboard.board.table.ordering import OrderedSystem, matching, ordered
from leaderboard.board.table.params import BoardParams
from leaderboard.models import EntryKind
from leaderboard.run_columns import COST
from leaderboard.web.svg import Drawing
from scoring.metrics.columns import Column

FEWEST: Final = 3
"""Systems with a number on an axis that is shown unless a reader asks for another one."""


AXES: Final = {
    "cost": Axis(
        *("Cost", "Score against cost", "Cost of the run, US$ (log scale)", as_dollars, True),
        front="no system scores higher for less",
    ),
    "date": Axis("Date", "Score over release date", "Release date", as_date, front="better than all before"),
    "published": Axis("Published", "Score over date", "Published here", as_date, front="better than all before"),
    "size": Axis(
        *("Size", "Score against size", "Parameters, billions (log scale)", lambda value: f"{value:,.6g} B", True),
        front="no smaller system scores higher",
    ),
    "context": Axis(
        *("Context", "Score against context", "Context size, tokens (log scale)"),
        *(lambda value: f"{value:,.0f}", True),
    ),
}
"""Horizontal axes by their names in URLs, in the order in which one is chosen; `published` stands for `date` where
nobody states a release."""


@dataclass(frozen=True)
class Figure:
    """The chart of a board."""

    axis: Axis
    column: Column
    points: tuple[Point, ...]
    """Points in the order of the axis."""
    n_missing: int
    """Systems with a score, but without a number on the axis."""
    levels: tuple[tuple[str, float], ...]
    """Name and value of people."""
    links: tuple[Tab, ...]
    """Links to the chart with the other axes."""
    svg_url: str
    place: str
    """Names of benchmark, setting and split."""
    states_cost: bool
    """Whether any system shown has a cost."""

    @cached_property
    def front(self) -> tuple[Point, ...]:
        """The systems that are better than all before them on the axis; reported numbers are not among them."""
        return tuple(front_of(self.points, self.column)) if self.axis.front else ()

    @property
    def rows(self) -> Iterator[tuple[Point, str, bool]]:
        """The data as a table has them: each point, its number on the axis in words, and whether it is on the front."""
        front = set(self.front)
        for point in self.points:
            yield point, self.axis.written(point.x), point in front

    @property
    def note(self) -> str:
        """Note below the chart: its front, the systems that are not drawn, and that nobody states a cost."""
        texts = [f"On the line: {self.axis.front}."] if self.front else []
        if self.n_missing:
            number, what = self.n_missing, self.axis.label.lower()
            plural = ("s", "are") if number > 1 else ("", "is")
            texts.append(f"{number:,} system{plural[0]} without a {what} {plural[1]} not drawn.")
        if not self.states_cost:
            texts.append("No system shown states its cost, so there is no chart of cost.")
        return " ".join(texts)

    @property
    def description(self) -> str:
        number = len(self.points)
        text = f"{self.column.label} and {self.axis.unit} of {number:,} system{'s' if number > 1 else ''}."
        if self.front:
            text += f" On the line, from left to right: {', '.join(point.name for point in self.front[:MOST_NAMES])}."
        return text

    @property
    def svg(self) -> SafeString:
        return self._drawing.element("plot", self.description, self.axis.title)

    @property
    def file(self) -> bytes:
        return self._drawing.file(f"{self.place}: {self.axis.title}", self.description)

    @property
    def _drawing(self) -> Drawing:
        return scatter(self.points, self.column, self.axis, self.levels, self.front)


def _number(row: Row, name: str) -> float | None:
    """The number of a row on an axis."""
    match name:
        case "cost":
            return row.cell(COST.key).value
        case "date" if row.facts is not None and row.facts.released is not None:
            return row.facts.released.toordinal()
        # That of reported numbers says when they were imported.
        case "published" if row.published_at is not None and row.kind == EntryKind.SCORED:
            return row.published_at.toordinal()
        case "size" if row.facts is not None:
            return row.facts.parameters
        case "context":
            return row.context_size
        case _:
            return None


def figure_of(
    stored: StoredBoard,
    params: BoardParams,
    *,
    systems: Sequence[OrderedSystem] | None = None,
    url: str = "",
) -> Figure | None:
    """The chart of the systems that pass the filters, in the column that ranks are computed from.

    None unless they differ on an axis.

    Args:
        params: with the kind of rows that the page shows.
        systems: those that pass the filters, if the caller knows them.
        url: the board's address, if it has another than its usual one.
    """
    document, definition = stored.content, definition_for(stored)
    column = definition.column(params.ranked_by(definition))
    rule = stored.rule
    if systems is None:
        systems = matching(ordered(document, params, definition), params, definition)
    rows = [system.row for system in systems if not system.row.is_human]
    with_score = [row for row in rows if row.cell(column.key).value is not None]
    known = {name: [(number, row) for row in with_score if (number := _number(row, name)) is not None] for name in AXES}
    states_cost = bool(known["cost"])
    known["cost"] = [(number, row) for number, row in known["cost"] if number > 0]
    # Points that all stand above one another say nothing beside a table.
    n_known = {name: len(rows) if len({number for number, _ in rows}) > 1 else 0 for name, rows in known.items()}
    dates = "date" if n_known["date"] >= FEWEST else "published"
    usual = "cost" if n_known["cost"] >= FEWEST else dates
    available = [name for name in ("cost", dates, "size", "context") if n_known[name]]
    asked = dates if params.chart == "date" else params.chart
    chosen = asked if asked in available else usual
    if not n_known[chosen]:
        return None
    finding = finding_of(document, column, rule)
    levels: tuple[tuple[str, float], ...] = ()
    if finding.people is not None:
        reported = finding.people.cell.state == EntryKind.REPORTED
        levels = (("Human (reported)" if reported else "Human", finding.people.value),)
    points = []
    known[chosen].sort(key=lambda item: (item[0], -column.sign * (item[1].cell(column.key).value or 0.0)))
    for number, row in known[chosen]:
        cell = row.cell(column.key)
        low, high = rule.ends(cell.low, cell.high, column)
        value, link = rule.number(cell.value, column) or 0.0, reverse("system", args=[row.slug])
        points.append(Point(row.name, link, number, value, low, high, row.kind == EntryKind.REPORTED))
    links = Links(url or board_url(*stored.slugs), params, definition)
    tabs = []
    for name in available:
        key = "" if name == usual else "date" if name == "published" else name
        tabs.append(Tab(AXES[name].label, links.to(chart=key, page=params.page), name == chosen, n_known[name]))
    query = replace(params, page=1, chart="date" if chosen == "published" else chosen).query_string(columns=None)
    return Figure(
        axis=AXES[chosen],
        column=column,
        points=tuple(points),
        n_missing=len(with_score) - len(points),
        levels=levels,
        links=tuple(tabs),
        svg_url=f"{reverse('board-picture', args=[*stored.slugs, 'score'])}?{query}",
        place=", ".join((stored.benchmark.name, stored.setting.name, stored.split.name)),
        states_cost=states_cost,
    )
