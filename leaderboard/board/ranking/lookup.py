"""The stored ranking of a board with the names of its systems: what pages, exports and the API read; and the pages of
its table and its win matrix. Nothing is rounded here."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

from django.core.paginator import Paginator
from django.urls import reverse

from leaderboard.board.lookup import StoredBoard
from leaderboard.board.ranking.statistics import FEWEST_AT_EQUAL_LENGTH
from leaderboard.board.ranking.types import RankedSystem, Ranking
from leaderboard.board.table import Tab, board_url
from leaderboard.board.write import open_board
from leaderboard.models import BoardStatistics
from scoring.benchmarks import definition_of
from scoring.metrics.columns import Column
from scoring.metrics.side_by_side import items as pairs

PAGE_ROWS: Final = 50
WINDOW: Final = 15
"""Systems in a row or column of the part of the win matrix that is shown."""
LONGEST_POSITION: Final = 4
"""Digits of a position in a URL."""
BASELINE = "Baseline"
"""The name of a baseline that is not published."""
NO_DEFAULT: Final = (
    "Systems are compared with a baseline, which the maintainers have not chosen yet. You can submit answers now: "
    "they are compared as soon as there is one."
)
DEFAULT: Final = (
    "Systems are compared with a baseline: the first system that is published in the setting “{setting}” with an "
    "answer to every question. You can submit answers now: they are compared as soon as there is one."
)


@dataclass(frozen=True)
class NamedSystem:
    """A system in a ranking with its name."""

    numbers: RankedSystem
    name: str
    slug: str
    """Slug of the system; empty without a public page."""
    position: int
    """Position in the ranking, from 0."""

    @cached_property
    def url(self) -> str:
        return reverse("system", args=[self.slug]) if self.slug else ""


@dataclass(frozen=True)
class StoredRanking:
    """A board with its ranking."""

    board: StoredBoard
    ranking: Ranking | None
    """Ranking; None while nothing is compared, and on splits that round to a step."""
    has_step: bool = False
    """Whether there is none because the split rounds to a step."""

    @property
    def is_stale(self) -> bool:
        """Whether the ranking is about to be computed again."""
        return self.board.content.statistics_stale or self.board.is_stale

    @cached_property
    def systems(self) -> dict[int, NamedSystem]:
        """The systems by their position in the ranking, without those that left the board since it was computed."""
        names = {row.entry_id: (row.name, row.slug) for row in self.board.content.rows}
        named = {}
        for position, system in enumerate(self.ranking.systems if self.ranking else ()):
            if system.entry in names:
                named[position] = NamedSystem(system, *names[system.entry], position)
            elif system.is_baseline:
                baseline = self.board.content.baseline
                name, slug = (baseline.name, baseline.slug) if baseline else (None, None)
                named[position] = NamedSystem(system, name or BASELINE, slug or "", position)
        return named

    @property
    def baseline(self) -> NamedSystem | None:
        """The baseline, if there is a ranking."""
        return next((system for system in self.systems.values() if system.numbers.is_baseline), None)

    @property
    def win_rates(self) -> Column:
        """The column of the board that has the win rates; the other shares are written like it."""
        return definition_of(self.board.benchmark.slug).column(pairs.WIN_RATE)

    @property
    def baseline_advice(self) -> str:
        """Advice to maintainers while there is no baseline."""
        definition = definition_of(self.board.benchmark.slug)
        default = [setting.name for setting in definition.settings if setting.slug == definition.form.default_baseline]
        return DEFAULT.format(setting=default[0]) if default else NO_DEFAULT

    @property
    def board_url(self) -> str:
        return board_url(*self.board.slugs)

    @property
    def url(self) -> str:
        return reverse("board-ranking", args=self.board.slugs)

    @property
    def matrix_url(self) -> str:
        """The URL of the win matrix; empty if there is none."""
        return reverse("board-matrix", args=self.board.slugs) if self.ranking else ""

    @property
    def questions_url(self) -> str:
        """The URL of the questions one by one; empty on a hidden split and without a ranking."""
        if self.board.split.hidden or not self.ranking:
            return ""
        return reverse("board-questions", args=self.board.slugs)

    @property
    def exports(self) -> list[tuple[str, str]]:
        """Label and URL of each export; none without a ranking."""
        if not self.ranking:
            return []
        where = self.board.slugs
        return [
            ("CSV", reverse("board-ranking-export", args=[*where, "csv"])),
            ("JSON", reverse("board-ranking-export", args=[*where, "json"])),
            ("Win matrix (CSV)", reverse("board-matrix-export", args=where)),
        ]

    def tabs_to(self, name: str) -> list[Tab]:
        """Links to this page of the other settings of the split that have systems."""
        board = self.board
        return [
            Tab(
                other.setting.name,
                reverse(name, args=[board.benchmark.slug, other.split.slug, other.setting.slug]),
                other.setting == board.setting,
                other.n_systems or 0,
            )
            for other in board.neighbours
            if other.split == board.split and (other.n_systems or other.setting == board.setting)
        ]


def find_ranking(benchmark: str, split: str, setting: str) -> StoredRanking | None:
    """The ranking of the board with these slugs; None if there is no such board, or if it compares no systems. Seven
    queries."""
    stored = open_compared(benchmark, split, setting)
    return None if stored is None else ranking_on(stored)


def open_compared(benchmark: str, split: str, setting: str) -> StoredBoard | None:
    """The board with these slugs, if there is one that compares systems. Five queries."""
    stored = open_board(benchmark, split, setting)
    return stored if stored is not None and pairs.NAME in definition_of(benchmark).metrics else None


def ranking_on(board: StoredBoard) -> StoredRanking:
    """The ranking of a board. Two queries, and another one for a hidden split without a ranking."""
    rows = BoardStatistics.objects.filter(split=board.split.pk, setting=board.setting.pk)
    stored = rows.values_list("ranking", flat=True).first()
    if stored:
        return StoredRanking(board, Ranking.unpacked(bytes(stored)))
    return StoredRanking(board, None, has_step=board.split.step is not None)


def position(text: str) -> int:
    """A position in a URL, from 1; 1 if it is none."""
    return max(1, int(text)) if text.isascii() and text.isdecimal() and len(text) <= LONGEST_POSITION else 1


def table_page(stored: StoredRanking, number: int = 1) -> dict[str, Any]:
    """One page of the ranking's table.

    Args:
        number: from 1; the last page if it is larger.
    """
    page = Paginator(list(stored.systems.values()), PAGE_ROWS).get_page(number)
    shown = [system.numbers for system in page.object_list]
    n_compared = sum(system.numbers.win_rate is not None for system in stored.systems.values())
    return {
        "stored": stored,
        "setting_tabs": stored.tabs_to("board-ranking"),
        "page": page,
        "lacks_equal_length": any(numbers.win_rate and not numbers.controlled for numbers in shown),
        "fewest_at_equal_length": FEWEST_AT_EQUAL_LENGTH if n_compared < FEWEST_AT_EQUAL_LENGTH else None,
        "previous_url": f"{stored.url}?page={page.number - 1}" if page.has_previous() else "",
        "next_url": f"{stored.url}?page={page.number + 1}" if page.has_next() else "",
    }


def matrix_page(stored: StoredRanking, row: int = 1, column: int = 1) -> dict[str, Any]:
    """A part of the win matrix: some systems against some others. Each system of ``rows`` has its cells: the share of
    its wins (None where it is not shown, or for the same system), the number of questions (0 if the two were not
    compared), and whether it is the same system.

    Args:
        row: the position, from 1, of a system that is among the rows.
        column: the same for the columns.
    """
    systems = list(stored.systems.values())
    row_start, column_start = (
        (number - 1) // WINDOW * WINDOW if number <= len(systems) else 0 for number in (row, column)
    )
    rows, columns = (systems[start : start + WINDOW] for start in (row_start, column_start))
    wanted = {system.position for system in (*rows, *columns)}
    shares: dict[tuple[int, int], tuple[float | None, int]] = {}
    for place, other, share, n in stored.ranking.pairs if stored.ranking else ():
        if place in wanted and other in wanted:
            shares[place, other] = share, n
            shares[other, place] = None if share is None else 1 - share, n
    return {
        "stored": stored,
        "setting_tabs": stored.tabs_to("board-matrix"),
        "row_start": row_start,
        "column_start": column_start,
        "columns": columns,
        "rows": [
            (
                system,
                [(*shares.get((system.position, other.position), (None, 0)), system is other) for other in columns],
            )
            for system in rows
        ],
        # First and last position of each part of the systems, from 1.
        "windows": [(start + 1, min(start + WINDOW, len(systems))) for start in range(0, len(systems), WINDOW)],
    }
