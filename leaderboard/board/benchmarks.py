"""The list of benchmarks on the home page: each with its size, its first systems and its newest result.

Enters: the documents of the benchmarks' first boards. Leaves: one card per benchmark.
"""

import datetime
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from django.db.models import Max

from leaderboard.board.lookup import FoundBoard, find_first_boards
from leaderboard.board.table import Board, ShownCell, ShownColumn, board_for
from leaderboard.board.write import open_board
from leaderboard.models import Entry
from scoring.benchmarks import definition_of

N_SYSTEMS: Final = 3
"""How many systems a card names."""


@dataclass(frozen=True)
class ListedSystem:
    """A system on a card, with its score in the column that the board is sorted by."""

    name: str
    url: str
    rank: int | None
    is_reported: bool
    cell: ShownCell


@dataclass(frozen=True)
class BenchmarkCard:
    """A benchmark as the home page shows it."""

    board: Board
    """Its first board."""
    column: ShownColumn
    """The column that the board is sorted by."""
    systems: tuple[ListedSystem, ...]
    """The first systems of that board."""
    n_systems: int
    """The rows on all its boards; a system is counted once per board."""
    newest_at: datetime.datetime | None
    """When the newest row of all its boards was published."""

    @property
    def benchmark_slug(self) -> str:
        """The benchmark's slug."""
        return str(self.board.benchmark["slug"])


def benchmark_cards() -> list[BenchmarkCard]:
    """A card for every benchmark. Two queries, and one for each document that this process has not parsed before."""
    newest = dict(
        Entry.objects.filter(replaced_at=None)
        .order_by()
        .values_list("split__benchmark__slug")
        .annotate(newest=Max("published_at"))
    )
    boards = [found if found.document is not None else open_board(*found.slugs) for found in find_first_boards()]
    return [_card(found, newest.get(found.benchmark["slug"])) for found in boards if found is not None]


def _card(found: FoundBoard, newest_at: datetime.datetime | None) -> BenchmarkCard:
    board = board_for(found)
    sort = definition_of(found.benchmark["slug"]).default_sort
    counts = [neighbour.n_systems or 0 for neighbour in found.neighbours]
    column = next(column for column in board.columns if column.key == sort)
    return BenchmarkCard(board, column, tuple(_systems(board, sort)), sum(counts), newest_at)


def _systems(board: Board, sort: str) -> Sequence[ListedSystem]:
    return [
        ListedSystem(
            row.name,
            row.url,
            row.rank,
            row.kind == "reported",
            next(cell for cell in row.cells if cell.column.key == sort),
        )
        for row in board.rows[:N_SYSTEMS]
    ]
