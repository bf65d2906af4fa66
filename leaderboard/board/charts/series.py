"""Data of a board's charts: systems in one score column, over context size, by category and over time.

All values have full precision. The tables below the charts have them all.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Final
from urllib.parse import parse_qsl, urlencode

from django.urls import reverse

from leaderboard.board.charts.categories import category_means
from leaderboard.board.charts.figures import AXES
from leaderboard.board.charts.plots import Point, dot_plot, heat_plot, scatter
from leaderboard.board.table import (
    Board,
    BoardParams,
    ShownColumn,
    SortKey,
    StoredBoard,
    Tab,
    board_for,
    plain_columns,
)
from leaderboard.board.table.builder import definition_for
from leaderboard.disclosure import DisclosureRule
from leaderboard.models import EntryKind
from leaderboard.web.svg import Drawing
from scoring.benchmarks.base import BenchmarkDefinition
from scoring.metrics.columns import Column
from scoring.statistics.trend import log_fit

TOPS: Final = (25, 50, 100)
"""The choices for the number of systems in a chart with a line for each; 0 shows all."""
FEWEST_FITTED: Final = 3
"""The number of systems required for a fitted line over context sizes: two always lie on one."""


DRAWINGS: Final = {
    "systems": "by system",
    "context": "by context size",
    "categories": "by question category",
    "time": "over time",
}
"""The drawings of a column by their names in URLs, with their titles."""

Plain = dict[str, Any]
"""Plain values that drawings and templates read."""


@dataclass(frozen=True)
class Charts:
    """The charts of one column of a board."""

    board: Board
    column: ShownColumn
    choices: tuple[ShownColumn, ...]
    """The columns to choose from."""
    top: int
    levels: Sequence[Plain]
    """Reference lines: human performance and its upper bound."""
    n_missing: int
    """Systems without a comparable value in this column."""
    points: Sequence[Plain]
    """The systems with a value in the column, best first; ``context`` is in tokens."""
    heat: Plain | None
    """Systems scored here by question category (`heat_map`); None if no system was scored here, or the questions have
    no categories that may be shown."""

    @property
    def empty(self) -> bool:
        return not self.points

    @cached_property
    def dots(self) -> Plain:
        """The first ``top`` systems, with the best of those scored here and the number of others on its level."""
        scored = [point for point in self.points if point["kind"] == EntryKind.SCORED]
        return {
            "points": self.points[: self.top or None],
            "n_all": len(self.points),
            "leader": scored[0] if scored else None,
            "n_level": sum(point["marked"] and not point["best"] for point in self.points),
            "n_compared": len(scored),
        }

    @cached_property
    def context(self) -> Plain:
        """The systems with a context size, with a straight line over its binary logarithm for each kind of system that
        can have one; ``n_without`` counts the others."""
        placed = [point for point in self.points if point["context"]]
        fits = []
        for kind in EntryKind.values:
            of_kind = [point for point in placed if point["kind"] == kind]
            sizes = [point["context"] for point in of_kind]
            line = log_fit(sizes, [point["value"] for point in of_kind]) if len(of_kind) >= FEWEST_FITTED else None
            if line is not None:
                fit = {"kind": kind, "slope": line.slope, "r_squared": line.r_squared, "n_points": line.n_points}
                fits.append(
                    fit | {end: (size, line.at(size)) for end, size in (("start", min(sizes)), ("end", max(sizes)))}
                )
        return {"points": placed, "fits": fits, "n_without": len(self.points) - len(placed)}

    @cached_property
    def time(self) -> Plain:
        """The systems by publication date, and by kind the records: those that were better than all earlier ones.

        Points are ordered from the best value, so that only the best of systems published at one time sets a record.
        """
        dated = sorted((point for point in self.points if point["published"]), key=lambda point: point["published"])
        records: dict[str, list[Plain]] = {kind: [] for kind in EntryKind.values}
        for point in dated:
            so_far = records[point["kind"]]
            if not so_far or self.column.sign * point["value"] > self.column.sign * so_far[-1]["value"]:
                so_far.append(point)
        return {
            "points": dated,
            "records": records,
            "holders": {point["entry"] for points in records.values() for point in points},
            "shown_records": records[EntryKind.SCORED] or records[EntryKind.REPORTED],
        }

    @property
    def url(self) -> str:
        return reverse("board-pictures", args=self.board.stored.slugs)

    @property
    def board_url(self) -> str:
        """The board with the same rows, sorted by the column of the charts."""
        query = self.board.params.query_string(sort=(SortKey(self.column.key, self.column.higher_is_better),))
        return f"{self.board.links.url}?{query}"

    @property
    def query_fields(self) -> list[tuple[str, str]]:
        """The current filters, as fields of a form that changes another parameter."""
        return parse_qsl(self.board.params.query_string(sort=(), columns=None))

    @property
    def unfiltered_url(self) -> str:
        return f"{self.url}?{self._query()}"

    @property
    def setting_tabs(self) -> list[Tab]:
        return [replace(tab, url=f"{tab.url}pictures/?{self._query()}") for tab in self.board.setting_tabs]

    @property
    def split_tabs(self) -> list[Tab]:
        return [replace(tab, url=f"{tab.url}pictures/?{self._query()}") for tab in self.board.split_tabs]

    @property
    def top_choices(self) -> list[tuple[str, str]]:
        """The available limits on the number of systems, as in the URL and in words."""
        numbers = [number for number in TOPS if number < len(self.points)]
        return [(str(number), f"the best {number}") for number in numbers] + [("all", f"all {len(self.points)}")]

    @property
    def top_chosen(self) -> str:
        return str(self.top) if 0 < self.top < len(self.points) else "all"

    def _query(self) -> str:
        return urlencode({"column": self.column.key} | ({} if self.top == TOPS[0] else {"top": self.top or "all"}))

    def file_url(self, name: str) -> str:
        slugs = self.board.stored.slugs
        query = self.board.params.query_string(sort=(), columns=None)
        return f"{reverse('board-picture', args=[*slugs, name])}?{query}{'&' if query else ''}{self._query()}"

    def drawing(self, name: str) -> Drawing | None:
        """One of `DRAWINGS`; None if it has nothing to draw."""
        levels = [(level["label"], level["value"]) for level in self.levels]
        column: Column = self.column
        match name:
            case "systems" if self.points:
                return dot_plot(self.dots["points"], column, levels)
            case "context" if self.context["points"]:
                points = [_placed(point, point["context"]) for point in self.context["points"]]
                fits = [(fit["start"], fit["end"]) for fit in self.context["fits"]]
                return scatter(points, column, AXES["context"], levels, fits=fits, width=640.0, height=340.0)
            case "categories" if self.heat:
                return heat_plot(self.heat["rows"], [category["label"] for category in self.heat["columns"]], column)
            case "time" if self.time["points"]:
                points = [_placed(point, point["published"].toordinal()) for point in self.time["points"]]
                records = [_placed(point, point["published"].toordinal()) for point in self.time["shown_records"]]
                axis = AXES["published"]._replace(unit="Publication date")
                return scatter(points, column, axis, levels, records, width=640.0, height=340.0)
        return None

    @property
    def figures(self) -> dict[str, dict[str, str]]:
        """Available drawings by name: each as a page shows it, with the URL of its file."""
        figures = {}
        for name, title in DRAWINGS.items():
            if (drawing := self.drawing(name)) is not None:
                description = f"{self.column.label} {title}. The table below has the same numbers."
                figures[name] = {
                    "svg": drawing.element("plot plot--wide", description, title),
                    "url": self.file_url(name),
                }
        return figures


def _placed(point: Plain, x: float) -> Point:
    numbers = (point["value"], point["low"], point["high"])
    return Point(point["name"], point["url"], x, *numbers, point["kind"] == EntryKind.REPORTED)


def chosen(definition: BenchmarkDefinition, params: BoardParams, column: str, top: str) -> tuple[str, int]:
    """The column's key and the number of systems in lists, from the URL; unknown values are ignored.

    Args:
        params: their sort column is shown if *column* is not a known column.
        column: as given in the URL.
        top: as given in the URL; ``all`` for 0.
    """
    keys = {known.key for known in definition.columns}
    tops = {"all": 0, **{str(number): number for number in TOPS}}
    return column if column in keys else params.ranked_by(definition), tops.get(top, TOPS[0])


def charts_of(
    stored: StoredBoard,
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
    definition = definition_for(stored)
    key, top = chosen(definition, params, column, str(top) if top else "all")
    shown = replace(params, sort=(SortKey(key, descending=True),), columns=(key,), page=1)
    board = board_for(stored, shown, paged=False)
    shown_column = board.columns[0]
    points: list[Plain] = [
        {
            **{name: getattr(row, name) for name in ("name", "url", "kind", "rank")},
            **{name: getattr(cell, name) for name in ("value", "low", "high", "marked", "best_rank", "worst_rank")},
            "best": cell.best and row.kind == EntryKind.SCORED,
            "context": row.context_size,
            "published": row.published_at,
            "entry": row.entry_id,
        }
        for row in board.rows
        if (cell := row.cells[0]).value is not None and row.entry_id
    ]
    points.sort(key=lambda point: (-shown_column.sign * point["value"], point["name"].casefold(), point["kind"]))
    heat = None
    if not stored.content.statistics_stale:  # else the means belong to other scores
        categories, means = category_means(stored.split.pk, stored.setting.pk, shown_column.key)
        rule = DisclosureRule(stored.split.hidden, step=stored.split.step)
        heat = heat_map(points, top, categories, means, shown_column, rule)
    return Charts(
        board=replace(board, params=params),
        column=shown_column,
        choices=tuple(plain_columns(definition.columns)),
        top=top,
        levels=[
            {
                "label": row.name,
                "kind": row.kind,
                "value": cell.value,
                "low": cell.low,
                "high": cell.high,
            }
            for row in board.pinned_rows
            if (cell := row.cells[0]).value is not None
        ],
        n_missing=len(board.rows) + len(board.apart_rows) - len(points),
        points=points,
        heat=heat,
    )


def heat_map(
    points: Sequence[Plain],
    top: int,
    categories: Sequence[tuple[str, int, bool]],
    means: Mapping[int, Sequence[float | None]],
    column: Column,
    rule: DisclosureRule,
) -> Plain | None:
    """The first *top* systems scored here (all for 0) with their means over the questions of each category, as the rule
    shows them; None without any.

    A mean is None if no question of the category counts. ``named`` are the categories with a mean
    over the systems, hardest first, without the category of remaining questions.

    Args:
        categories: see `category_means`; likewise *means*.
    """
    scored = [point for point in points if point["kind"] == EntryKind.SCORED]
    rows = [
        (point, [rule.number(mean, column) for mean in means[point["entry"]]])
        for point in scored[: top or None]
        if point["entry"] in means
    ]
    if not rows:
        return None
    columns = []
    for (label, n_questions, is_rest), values in zip(
        categories, zip(*(values for _, values in rows), strict=True), strict=True
    ):
        known = [value for value in values if value is not None]
        mean = rule.number(sum(known) / len(known), column) if known else None
        columns.append({"label": label, "n_questions": n_questions, "is_rest": is_rest, "mean": mean})
    named = [category for category in columns if not category["is_rest"] and category["mean"] is not None]
    return {
        "columns": columns,
        "rows": rows,
        "n_all": len(scored),
        "named": sorted(named, key=lambda category: (column.sign * category["mean"], category["label"])),
        "lacks_some": any(value is None for _, values in rows for value in values),
    }
