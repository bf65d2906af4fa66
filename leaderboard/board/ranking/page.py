"""The ranking's page and the page of the win matrix, ready to be shown. Nothing is rounded here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

from django.core.paginator import Page, Paginator
from django.urls import reverse

from leaderboard.board.ranking.lookup import NamedSystem, StoredRanking
from leaderboard.board.table import Tab, board_url
from scoring.benchmarks import definition_of
from scoring.metrics.columns import Column
from scoring.metrics.side_by_side.items import WIN_RATE

PAGE_ROWS: Final = 50
WINDOW: Final = 15
"""Systems in a row or column of the part of the win matrix that is shown."""
NO_DEFAULT: Final = (
    "Systems are compared with a baseline, which the maintainers have not chosen yet. You can submit answers now: "
    "they are compared as soon as there is one."
)
DEFAULT: Final = (
    "Systems are compared with a baseline: the first system that is published in the setting “{setting}” with an "
    "answer to every question. You can submit answers now: they are compared as soon as there is one."
)
LONGEST_POSITION: Final = 4
"""Digits of a position in a URL."""


def position(text: str) -> int:
    """A position in a URL, from 1; 1 if it is none."""
    return max(1, int(text)) if text.isascii() and text.isdecimal() and len(text) <= LONGEST_POSITION else 1


@dataclass(frozen=True)
class RankingPage:
    """What the pages of one ranking share."""

    stored: StoredRanking

    @property
    def benchmark(self) -> Any:
        """The board's benchmark; likewise ``split`` and ``setting``."""
        return self.stored.board.benchmark

    @property
    def split(self) -> Any:
        """See `benchmark`."""
        return self.stored.board.split

    @property
    def setting(self) -> Any:
        """See `benchmark`."""
        return self.stored.board.setting

    @property
    def win_rates(self) -> Column:
        """The column of the board that has the win rates; the other shares are written like it."""
        return definition_of(self.benchmark["slug"]).column(WIN_RATE)

    @property
    def baseline_advice(self) -> str:
        """What to do while there is no baseline."""
        definition = definition_of(self.benchmark["slug"])
        default = [setting.name for setting in definition.settings if setting.slug == definition.default_baseline]
        return DEFAULT.format(setting=default[0]) if default else NO_DEFAULT

    @property
    def board_url(self) -> str:
        """The URL of the board."""
        return board_url(*self.stored.board.slugs)

    @property
    def url(self) -> str:
        """The URL of the ranking."""
        return reverse("board-ranking", args=self.stored.board.slugs)

    @property
    def matrix_url(self) -> str:
        """The URL of the win matrix; empty if there is none."""
        return reverse("board-matrix", args=self.stored.board.slugs) if self.stored.ranking else ""

    @property
    def questions_url(self) -> str:
        """The URL of the questions one by one; empty on a hidden split and without a ranking."""
        if self.split["hidden"] or not self.stored.ranking:
            return ""
        return reverse("board-questions", args=self.stored.board.slugs)

    @property
    def exports(self) -> list[tuple[str, str]]:
        """Label and URL of each export; none without a ranking."""
        if not self.stored.ranking:
            return []
        where = self.stored.board.slugs
        return [
            ("CSV", reverse("board-ranking-export", args=[*where, "csv"])),
            ("JSON", reverse("board-ranking-export", args=[*where, "json"])),
            ("Win matrix (CSV)", reverse("board-matrix-export", args=where)),
        ]

    def tabs_to(self, name: str) -> list[Tab]:
        """The same page of the other settings of the split that have systems."""
        board = self.stored.board
        return [
            Tab(
                other.setting_name,
                reverse(name, args=[board.benchmark["slug"], other.split, other.setting]),
                other.setting == board.setting["slug"],
                other.n_systems or 0,
            )
            for other in board.neighbours
            if other.split == board.split["slug"] and (other.n_systems or other.setting == board.setting["slug"])
        ]


@dataclass(frozen=True)
class TablePage(RankingPage):
    """One page of the ranking's table."""

    number: int = 1
    """From 1; the last page if it is larger."""

    @cached_property
    def page(self) -> Page[NamedSystem]:
        """The systems of this page."""
        return Paginator(list(self.stored.systems.values()), PAGE_ROWS).get_page(self.number)

    @property
    def lacks_equal_length(self) -> bool:
        """Whether a system of this page has a win rate, but none at equal length."""
        return any(system.numbers.win_rate and not system.numbers.controlled for system in self.page.object_list)

    @property
    def setting_tabs(self) -> list[Tab]:
        """Links to the rankings of the other settings."""
        return self.tabs_to("board-ranking")

    @property
    def previous_url(self) -> str:
        """The URL of the page before, if there is one."""
        return f"{self.url}?page={self.page.number - 1}"

    @property
    def next_url(self) -> str:
        """The URL of the page after, if there is one."""
        return f"{self.url}?page={self.page.number + 1}"


@dataclass(frozen=True)
class MatrixPage(RankingPage):
    """A part of the win matrix: some systems against some others."""

    row: int = 1
    """The position, from 1, of a system that is among the rows."""
    column: int = 1
    """The same for the columns."""

    @cached_property
    def row_start(self) -> int:
        """The position of the first row, from 0."""
        return self._start(self.row)

    @cached_property
    def column_start(self) -> int:
        """The position of the first column, from 0."""
        return self._start(self.column)

    def _start(self, number: int) -> int:
        return (number - 1) // WINDOW * WINDOW if 1 <= number <= len(self._systems) else 0

    @cached_property
    def _systems(self) -> list[NamedSystem]:
        return list(self.stored.systems.values())

    @property
    def columns(self) -> Sequence[NamedSystem]:
        """The opponents."""
        return self._systems[self.column_start : self.column_start + WINDOW]

    @property
    def windows(self) -> list[tuple[int, int]]:
        """First and last position of each part of the systems, from 1."""
        n = len(self._systems)
        return [(start + 1, min(start + WINDOW, n)) for start in range(0, n, WINDOW)]

    @property
    def rows(self) -> list[tuple[NamedSystem, list[tuple[float | None, int, bool]]]]:
        """The systems of the rows, each with its cells: the share of its wins (None where it is not shown, or for the
        same system), the number of questions (0 if the two were not compared), and whether it is the same system."""
        shown = self._systems[self.row_start : self.row_start + WINDOW]
        wanted = {system.position for system in (*shown, *self.columns)}
        shares: dict[tuple[int, int], tuple[float | None, int]] = {}
        for place, other, share, n in self.stored.ranking.pairs if self.stored.ranking else ():
            if place in wanted and other in wanted:
                shares[place, other] = share, n
                shares[other, place] = None if share is None else 1 - share, n
        return [
            (row, [(*shares.get((row.position, column.position), (None, 0)), row is column) for column in self.columns])
            for row in shown
        ]

    @property
    def setting_tabs(self) -> list[Tab]:
        """Links to the matrices of the other settings."""
        return self.tabs_to("board-matrix")
