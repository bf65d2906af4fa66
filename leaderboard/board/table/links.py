"""The links from a board to other views of the same board; each preserves the other parameters."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from django.urls import reverse

from leaderboard import run_columns
from leaderboard.board.table import hand_grades
from leaderboard.board.table.params import MOST_KEYS, OTHER_KEYS, BoardParams, SortKey, best_first
from leaderboard.board.table.types import ShownColumn
from scoring.benchmarks import definition_of
from scoring.benchmarks.base import BenchmarkDefinition
from scoring.metrics.columns import Column
from scoring.metrics.side_by_side import items as pairs
from scoring.registry import metric_named

NOT_METRICS: Final = {hand_grades.METRIC: hand_grades.LABEL, run_columns.METRIC: run_columns.LABEL}


def board_url(benchmark: str, split: str, setting: str) -> str:
    """The URL of a board."""
    return reverse("board", args=[benchmark, split, setting])


def ranking_url(benchmark: str, split: str, setting: str) -> str:
    """The URL of the ranking of a board whose systems are compared side by side; empty for any other board."""
    compared = pairs.NAME in definition_of(benchmark).metrics
    return reverse("board-ranking", args=[benchmark, split, setting]) if compared else ""


@dataclass(frozen=True)
class Links:
    """The URLs of one board with the current parameters."""

    url: str
    params: BoardParams
    definition: BenchmarkDefinition

    def to(self, **changes: object) -> str:
        """The URL of the same board with some changes."""
        query = self.params.query_string(**changes)
        return f"{self.url}{'&' if '?' in self.url else '?'}{query}" if query else self.url

    def sorted_by(self, *keys: SortKey) -> str:
        """The URL that sorts by these keys, in order of priority."""
        first_choice = (best_first(self.definition, self.definition.default_sort),)
        return self.to(sort=() if keys == first_choice else keys)

    def to_other_columns(self) -> str:
        """The URL with all columns, or, if they are shown, with the default columns; empty if the default is all
        columns. A sort key of a column that is no longer shown is dropped."""
        default = self.definition.default_columns
        if self.definition.columns == default:
            return ""
        if self.params.columns != "all":
            return self.to(columns="all")
        stays = {column.key for column in default} | set(OTHER_KEYS)
        return self.to(columns=None, sort=tuple(key for key in self.params.sort if key.key in stays))

    def head(self, key: str, *, high_first: bool) -> dict[str, object]:
        """The data about the order that a column's heading needs."""
        order = self.params.order(self.definition)
        place, now = next(((place, sort) for place, sort in enumerate(order, start=1) if sort.key == key), (0, None))
        wanted = SortKey(key, descending=high_first)
        free = now is None and len(order) < MOST_KEYS
        return {
            "sort_url": self.sorted_by(now.turned if now and place == 1 else wanted),
            "sorted": now.direction if now else "",
            "sort_place": place,
            "then_url": self.sorted_by(*order, wanted) if free else "",
        }


def column(definition: Column, links: Links | None = None) -> ShownColumn:
    """A column as a page shows it, with links to sort by it if they are given."""
    head = links.head(definition.key, high_first=definition.higher_is_better) if links else {}
    return ShownColumn(
        **vars(definition),
        metric_label=NOT_METRICS.get(definition.metric) or metric_named(definition.metric).label or definition.label,
        **head,  # type: ignore[arg-type]
    )


def other_column(key: str, label: str, links: Links) -> ShownColumn:
    """The heading of a column without scores."""
    head = links.head(key, high_first=key in ("context", "published"))
    return ShownColumn(key, "", label, label, "", "", **head)  # type: ignore[arg-type]


def plain_columns(shown: Sequence[Column]) -> list[ShownColumn]:
    """Columns without links to sort by them."""
    return [column(definition) for definition in shown]


def labelled_signatures(signatures: Mapping[str, str], shown: Sequence[Column]) -> list[tuple[str, str]]:
    """The label and the signature of each metric that has one of these columns."""
    metrics = {definition.metric for definition in shown}
    return [(metric_named(name).label, text) for name, text in signatures.items() if name in metrics]
