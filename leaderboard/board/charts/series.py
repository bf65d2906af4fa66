"""Data of a board's charts: systems in one score column, over context size, by category and over time.

All values have full precision. A script draws them, and the tables beside the charts contain them all.
"""

import datetime
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Final
from urllib.parse import parse_qsl, urlencode

from django.urls import reverse

from leaderboard.board.charts.categories import category_means
from leaderboard.board.lookup import document_of
from leaderboard.board.table import (
    Board,
    BoardParams,
    FoundBoard,
    ShownColumn,
    ShownRow,
    SortKey,
    Tab,
    board_for,
    plain_columns,
)
from leaderboard.board.table.builder import definition_for
from leaderboard.disclosure import DisclosureRule
from leaderboard.models import EntryKind
from scoring.benchmarks.base import BenchmarkDefinition
from scoring.models import Split
from scoring.statistics.trend import log_fit

TOPS: Final = (25, 50, 100)
"""The choices for the number of systems in a chart with a line for each; 0 shows all."""
FEWEST_FITTED: Final = 3
"""The number of systems required for a fitted line over context sizes: two always lie on one."""


@dataclass(frozen=True)
class Point:
    """A system with a value in the column."""

    name: str
    url: str
    kind: str
    """``scored`` or ``reported``."""
    value: float
    low: float | None
    high: float | None
    """The 95 % interval of the value, if it was computed here."""
    best: bool
    marked: bool
    """The best of those scored here, or not significantly worse."""
    rank: int | None
    best_rank: int | None
    worst_rank: int | None
    context: int | None
    """Context size in tokens."""
    published: datetime.datetime | None
    entry: int

    @property
    def data(self) -> dict[str, Any]:
        """The point as data for a script."""
        fields = asdict(self)
        fields["published"] = self.published.isoformat() if self.published else None
        return fields


@dataclass(frozen=True)
class Level:
    """A reference line for systems: human performance, its upper bound, or the metric's ceiling."""

    label: str
    pin: str
    kind: str
    value: float
    low: float | None
    high: float | None


@dataclass(frozen=True)
class DotPlot:
    """The systems ordered by value, best first."""

    points: tuple[Point, ...]
    n_all: int
    """The number of systems, shown or not."""
    leader: Point | None
    """The best of those scored here."""
    n_level: int
    """The number of other systems that are not significantly worse than the leader."""
    n_compared: int
    """The number of systems with a score made here: those that the tests compare."""


@dataclass(frozen=True)
class Fit:
    """A straight line over the binary logarithm of the context size."""

    kind: str
    """The kind of systems: ``scored`` or ``reported``."""
    slope: float
    """Per doubling of the context."""
    r_squared: float | None
    n_points: int
    start: tuple[int, float]
    end: tuple[int, float]
    """The line's ends: the smallest and the largest context, and its value there."""


@dataclass(frozen=True)
class ContextPlot:
    """Values over context sizes."""

    points: tuple[Point, ...]
    fits: tuple[Fit, ...]
    n_without: int
    """Systems with a value that state no context size."""


@dataclass(frozen=True)
class HeatColumn:
    """A category of questions."""

    label: str
    n_questions: int
    is_rest: bool
    mean: float | None
    """Over the systems shown."""


@dataclass(frozen=True)
class HeatMap:
    """Systems scored here, by question category."""

    columns: tuple[HeatColumn, ...]
    rows: tuple[tuple[Point, tuple[float | None, ...]], ...]
    """The mean over each category's questions; ``None`` if withheld, because it would reveal single questions."""
    n_all: int
    sign: int = 1
    """-1 if lower values are better."""

    @property
    def named(self) -> list[HeatColumn]:
        """The categories with a mean, hardest first; the category of remaining questions is left out."""
        known = [column for column in self.columns if not column.is_rest and column.mean is not None]
        return sorted(known, key=lambda column: (self.sign * (column.mean or 0.0), column.label))

    @property
    def keeps_back(self) -> bool:
        """Whether a cell's value is withheld."""
        return any(value is None for _, values in self.rows for value in values)


@dataclass(frozen=True)
class Timeline:
    """Systems by publication date, and the best value up to each date."""

    points: tuple[Point, ...]
    """Ordered by time."""
    records: dict[str, tuple[Point, ...]]
    """By kind: the systems that were better than all earlier ones."""

    @property
    def holders(self) -> set[int]:
        """The entries that were the best at their time."""
        return {point.entry for points in self.records.values() for point in points}

    @property
    def shown_records(self) -> tuple[Point, ...]:
        """The records of systems scored here, or, if there are none, of reported systems."""
        return self.records[EntryKind.SCORED] or self.records[EntryKind.REPORTED]


@dataclass(frozen=True)
class Charts:
    """The charts of one column of a board."""

    board: Board
    column: ShownColumn
    choices: tuple[ShownColumn, ...]
    """The columns to choose from."""
    top: int
    levels: tuple[Level, ...]
    n_missing: int
    """Systems without a comparable value in this column."""
    dots: DotPlot
    context: ContextPlot
    heat: HeatMap | None
    """None if no system was scored here, or the questions have no categories that may be shown."""
    time: Timeline

    @property
    def empty(self) -> bool:
        """Whether there is no data to draw."""
        return not self.dots.n_all

    @property
    def kinds(self) -> set[str]:
        """The sources of the values."""
        return {point.kind for point in self.context.points + self.dots.points + self.time.points}

    @property
    def url(self) -> str:
        """The URL of these charts without parameters."""
        return _url(self.board)

    @property
    def board_url(self) -> str:
        """The board with the same rows, sorted by the column of the charts."""
        query = self.board.params.query_string(sort=(SortKey(self.column.key, self.column.higher_is_better),))
        return f"{self.board.url}?{query}"

    @property
    def query_fields(self) -> list[tuple[str, str]]:
        """The current filters, as fields of a form that changes another parameter."""
        return parse_qsl(self.board.params.query_string(sort=(), columns=None))

    @property
    def unfiltered_url(self) -> str:
        """The URL of the same charts without filters."""
        return f"{self.url}?{self._query()}"

    @property
    def setting_tabs(self) -> list[Tab]:
        """The same charts in other settings."""
        return [replace(tab, url=f"{tab.url}pictures/?{self._query()}") for tab in self.board.setting_tabs]

    @property
    def split_tabs(self) -> list[Tab]:
        """The same charts of other splits."""
        return [replace(tab, url=f"{tab.url}pictures/?{self._query()}") for tab in self.board.split_tabs]

    @property
    def top_choices(self) -> list[tuple[str, str]]:
        """The available limits on the number of systems, as in the URL and in words."""
        numbers = [one for one in TOPS if one < self.dots.n_all]
        return [(str(one), f"the best {one}") for one in numbers] + [("all", f"all {self.dots.n_all}")]

    @property
    def top_chosen(self) -> str:
        """The current limit."""
        return str(self.top) if 0 < self.top < self.dots.n_all else "all"

    @property
    def file_stem(self) -> str:
        """The first part of the names of downloaded charts."""
        parts = [getattr(self.board, part)["slug"] for part in ("benchmark", "split", "setting")]
        return "-".join([*parts, self.column.key.replace(".", "-")])

    def _query(self) -> str:
        return urlencode({"column": self.column.key} | ({} if self.top == TOPS[0] else {"top": self.top or "all"}))

    def _data(self, **more: Any) -> dict[str, Any]:
        column = {
            "key": self.column.key,
            "label": self.column.label,
            "digits": self.column.digits,
            "percent": self.column.in_percent,
            "unit": self.column.unit_label,
            "is_share": self.column.is_share,
            "bounds": self.column.bounds,
            "sign": self.column.sign,
        }
        board = {part: getattr(self.board, part)["name"] for part in ("benchmark", "split", "setting")}
        return {"column": column, "board": board, "levels": [asdict(level) for level in self.levels], **more}

    @property
    def dots_data(self) -> dict[str, Any]:
        """The dot plot for a script."""
        return self._data(points=[point.data for point in self.dots.points])

    @property
    def context_data(self) -> dict[str, Any]:
        """Values over context sizes for a script."""
        return self._data(
            points=[point.data for point in self.context.points], fits=[asdict(fit) for fit in self.context.fits]
        )

    @property
    def heat_data(self) -> dict[str, Any]:
        """The heat map for a script."""
        if self.heat is None:
            return {}
        rows = [{**point.data, "values": list(values)} for point, values in self.heat.rows]
        return self._data(columns=[asdict(column) for column in self.heat.columns], rows=rows)

    @property
    def time_data(self) -> dict[str, Any]:
        """Values over time for a script."""
        records = {kind: [point.entry for point in points] for kind, points in self.time.records.items()}
        return self._data(points=[point.data for point in self.time.points], records=records)


def chosen(definition: BenchmarkDefinition, params: BoardParams, column: str, top: str) -> tuple[str, int]:
    """The column's key and the number of systems in lists, from the URL; unknown values are ignored.

    Args:
        params: their sort column is shown if *column* is not a known column.
        column: as given in the URL.
        top: as given in the URL; ``all`` for 0.
    """
    keys = {one.key for one in definition.columns}
    tops = {"all": 0, **{str(one): one for one in TOPS}}
    return column if column in keys else params.ranked_by(definition), tops.get(top, TOPS[0])


def charts_of(
    found: FoundBoard,
    params: BoardParams = BoardParams(),  # noqa: B008
    *,
    column: str = "",
    top: int = TOPS[0],
) -> Charts:
    """The charts of a board.

    Args:
        params: their filters apply here too; their sort column is shown unless *column* names another.
        column: a column's key; unknown keys are ignored.
        top: the maximum number of systems in charts with a line for each; 0 for all.

    One query more than `board_for`, whatever the number of systems.
    """
    definition = definition_for(found, document_of(found))
    key, top = chosen(definition, params, column, str(top) if top else "all")
    shown = replace(params, sort=(SortKey(key, descending=True),), columns=(key,), page=1)
    board = board_for(found, shown, paged=False)
    points = [point for row in board.rows if (point := _point(row)) is not None]
    sign = board.columns[0].sign
    points.sort(key=lambda point: (-sign * point.value, point.name.casefold(), point.kind))
    return Charts(
        board=replace(board, params=params),
        column=board.columns[0],
        choices=tuple(plain_columns(definition.columns)),
        top=top,
        levels=tuple(_levels(board.pinned_rows)),
        n_missing=len(board.rows) + len(board.apart_rows) - len(points),
        dots=dot_plot(points, top),
        context=context_plot(points),
        heat=_heat(found, board, [point for point in points if point.kind == EntryKind.SCORED], top),
        time=timeline(points, sign),
    )


def _url(board: Board) -> str:
    return reverse("board-pictures", args=[getattr(board, part)["slug"] for part in ("benchmark", "split", "setting")])


def _point(row: ShownRow) -> Point | None:
    cell = row.cells[0]
    if cell.value is None or not row.entry_id:
        return None
    return Point(
        name=row.name,
        url=row.url,
        kind=row.kind,
        value=cell.value,
        low=cell.low,
        high=cell.high,
        best=cell.best and row.kind == EntryKind.SCORED,
        marked=cell.marked,
        rank=row.rank,
        best_rank=cell.best_rank,
        worst_rank=cell.worst_rank,
        context=row.context_size,
        published=row.published_at,
        entry=row.entry_id,
    )


def _levels(rows: Iterable[ShownRow]) -> Iterable[Level]:
    for row in rows:
        cell = row.cells[0]
        if cell.value is not None:
            yield Level(row.name, row.pinned, row.kind, cell.value, cell.low, cell.high)


def dot_plot(points: Sequence[Point], top: int) -> DotPlot:
    """The first *top* of the points, which are ordered from the best value; all for 0."""
    leader = next((point for point in points if point.kind == EntryKind.SCORED), None)
    n_level = sum(point.marked and not point.best for point in points)
    n_compared = sum(point.kind == EntryKind.SCORED for point in points)
    return DotPlot(tuple(points[:top] if top else points), len(points), leader, n_level, n_compared)


def context_plot(points: Sequence[Point]) -> ContextPlot:
    """The points with a context size, with a fitted line for each kind that can have one."""
    placed = tuple(point for point in points if point.context)
    fits = (_fit(kind, [point for point in placed if point.kind == kind]) for kind in EntryKind.values)
    return ContextPlot(placed, tuple(fit for fit in fits if fit is not None), len(points) - len(placed))


def _fit(kind: str, points: Sequence[Point]) -> Fit | None:
    if len(points) < FEWEST_FITTED:
        return None
    sizes = [point.context or 0 for point in points]
    line = log_fit(sizes, [point.value for point in points])
    if line is None:
        return None
    smallest, largest = min(sizes), max(sizes)
    return Fit(
        kind=kind,
        slope=line.slope,
        r_squared=line.r_squared,
        n_points=line.n_points,
        start=(smallest, line.at(smallest)),
        end=(largest, line.at(largest)),
    )


def _heat(found: FoundBoard, board: Board, points: Sequence[Point], top: int) -> HeatMap | None:
    """Scores by category, as computed with the board's statistics; None while those belong to other scores."""
    chosen = points[:top] if top else points
    if board.document.statistics_stale or not chosen:
        return None
    column = board.columns[0]
    stored = category_means(found.split["pk"], found.setting["pk"], column.key)
    rule = DisclosureRule(found.split["hidden"], step=Split(**found.split).ladder)
    rows = tuple(
        (point, tuple(rule.number(mean, column) for mean in stored.means[point.entry]))
        for point in chosen
        if point.entry in stored.means
    )
    if not rows:
        return None
    columns = []
    for index, category in enumerate(stored.categories):
        known = [value for _, values in rows if (value := values[index]) is not None]
        mean = rule.number(sum(known) / len(known), column) if known else None
        columns.append(HeatColumn(category.name, category.size, category.rest, mean))
    return HeatMap(tuple(columns), rows, len(points), column.sign)


def timeline(points: Sequence[Point], sign: int = 1) -> Timeline:
    """The points with a date, in order of their dates.

    The input is ordered from the best value, so that only the best of systems published at one time sets a record.
    """
    dated = sorted((point for point in points if point.published), key=lambda point: point.published)  # type: ignore[arg-type, return-value]
    records: dict[str, list[Point]] = {kind: [] for kind in EntryKind.values}
    for point in dated:
        so_far = records[point.kind]
        if not so_far or sign * point.value > sign * so_far[-1].value:
            so_far.append(point)
    return Timeline(tuple(dated), {kind: tuple(found) for kind, found in records.items()})
