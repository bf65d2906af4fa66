"""The stored ranking of a board with the names of its systems: what pages, exports and the API read."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Final

from django.urls import reverse

from leaderboard.board.document import Document
from leaderboard.board.lookup import StoredBoard
from leaderboard.board.ranking.types import RankedSystem, Ranking
from leaderboard.board.table import Tab, board_url
from leaderboard.board.write import open_board
from leaderboard.models import BoardStatistics
from scoring.benchmarks import definition_of
from scoring.metrics.columns import Column
from scoring.metrics.side_by_side import items as pairs
from scoring.models import Split

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
        """The URL of its page, if it has one."""
        return reverse("system", args=[self.slug]) if self.slug else ""


@dataclass(frozen=True)
class StoredRanking:
    """A board with its ranking."""

    board: StoredBoard
    ranking: Ranking | None
    """Ranking; None while nothing is compared, and on splits that round to a step."""
    document: Document
    has_step: bool = False
    """Whether there is none because the split rounds to a step."""

    @property
    def is_stale(self) -> bool:
        """Whether the ranking is about to be computed again."""
        return self.document.statistics_stale or self.board.is_stale

    @cached_property
    def systems(self) -> dict[int, NamedSystem]:
        """The systems by their position in the ranking, without those that left the board since it was computed."""
        names = {row.entry_id: (row.name, row.slug) for row in self.document.rows}
        named = {}
        for position, system in enumerate(self.ranking.systems if self.ranking else ()):
            if system.entry in names:
                named[position] = NamedSystem(system, *names[system.entry], position)
            elif system.is_baseline:
                baseline = self.document.baseline
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
        return definition_of(self.board.benchmark["slug"]).column(pairs.WIN_RATE)

    @property
    def baseline_advice(self) -> str:
        """What to do while there is no baseline."""
        definition = definition_of(self.board.benchmark["slug"])
        default = [setting.name for setting in definition.settings if setting.slug == definition.form.default_baseline]
        return DEFAULT.format(setting=default[0]) if default else NO_DEFAULT

    @property
    def board_url(self) -> str:
        """The URL of the board."""
        return board_url(*self.board.slugs)

    @property
    def url(self) -> str:
        """The URL of the ranking."""
        return reverse("board-ranking", args=self.board.slugs)

    @property
    def matrix_url(self) -> str:
        """The URL of the win matrix; empty if there is none."""
        return reverse("board-matrix", args=self.board.slugs) if self.ranking else ""

    @property
    def questions_url(self) -> str:
        """The URL of the questions one by one; empty on a hidden split and without a ranking."""
        if self.board.split["hidden"] or not self.ranking:
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
        """The same page of the other settings of the split that have systems."""
        board = self.board
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


def find_ranking(benchmark: str, split: str, setting: str) -> StoredRanking | None:
    """The ranking of the board with these slugs; None if there is no such board, or if it compares no systems. Three
    queries."""
    stored = open_compared(benchmark, split, setting)
    return None if stored is None else ranking_on(stored)


def open_compared(benchmark: str, split: str, setting: str) -> StoredBoard | None:
    """The board with these slugs, if there is one that compares systems. One query."""
    stored = open_board(benchmark, split, setting)
    return stored if stored is not None and pairs.NAME in definition_of(benchmark).metrics else None


def ranking_on(board: StoredBoard) -> StoredRanking:
    """The ranking of a board. Two queries, and another one for a hidden split without a ranking."""
    rows = BoardStatistics.objects.filter(split=board.split["pk"], setting=board.setting["pk"])
    stored = rows.values_list("ranking", flat=True).first()
    if stored:
        return StoredRanking(board, Ranking.unpacked(bytes(stored)), board.content)
    return StoredRanking(board, None, board.content, has_step=Split(**board.split).step is not None)
