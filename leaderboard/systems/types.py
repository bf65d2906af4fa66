"""The parts of a system's page, ready to be shown. No value is rounded."""

import datetime
from dataclasses import dataclass, field

from leaderboard.board.table import Cell, Column
from leaderboard.models import System
from leaderboard.systems.comparison.types import CellValue


@dataclass(frozen=True)
class CategoryRow:
    """A group of questions with the means of each score over it."""

    name: str
    n_questions: int
    rest: bool
    values: tuple[CellValue, ...]
    """In the order of the table's columns."""


@dataclass(frozen=True)
class CategoryTable:
    """A system's scores on one board, by category."""

    columns: tuple[Column, ...]
    rows: tuple[CategoryRow, ...]

    @property
    def conceals(self) -> bool:
        """Whether a mean is withheld."""
        return any(value.concealed for line in self.rows for value in line.values)


@dataclass(frozen=True)
class Lengths:
    """The lengths of the non-empty answers, in characters; of lists, the numbers of their answers."""

    n: int
    mean: float
    tenth: float
    """A tenth of the answers is at most this long."""
    lower_quartile: float
    median: float
    upper_quartile: float
    ninetieth: float
    unit: str = "characters"


@dataclass(frozen=True)
class HistoryPoint:
    """A system's rank and value from a point in time on."""

    at: datetime.datetime
    value: float | None
    """The value of the board's first score, or None while it was not on the board."""
    rank: int | None
    n_ranked: int


@dataclass
class Result:
    """A system's row on one board."""

    benchmark: str
    benchmark_slug: str
    split: str
    split_slug: str
    hidden: bool
    setting: str
    setting_slug: str
    board_url: str
    kind: str
    source: str
    note: str
    cells: list[Cell]
    context_size: int | None
    n_answered: int | None
    n_questions: int
    revision: str
    """The first digits of the id of the revision that it was scored against."""
    revision_date: datetime.date | None
    signatures: list[tuple[str, str]]
    published_at: datetime.datetime
    rank_label: str
    """The column that ranks are computed from."""
    rank: int | None = None
    best_rank: int | None = None
    worst_rank: int | None = None
    n_ranked: int = 0
    categories: CategoryTable | None = None
    lengths: Lengths | None = None
    history: list[HistoryPoint] = field(default_factory=list)
    questions_url: str = ""
    """The page question by question; empty if it is not public."""
    ranking_url: str = ""
    """The ranking of the board's systems; empty where they are not compared side by side."""
    compare_url: str = ""
    is_human: bool = False
    against_url: str = ""
    """For people scored here: the comparison of every system of the board with them."""

    @property
    def anchor(self) -> str:
        """An HTML id that is unique among the page's results."""
        return f"{self.benchmark_slug}-{self.split_slug}-{self.setting_slug}-{self.kind}"

    @property
    def scored(self) -> bool:
        """Whether its scores were computed here."""
        return self.kind == "scored"


@dataclass
class Retraction:
    """A result that a maintainer took off a board, and the reason."""

    board: str
    board_url: str
    at: datetime.datetime
    note: str


@dataclass(frozen=True)
class SystemPage:
    """The content of a system's page."""

    system: System
    results: list[Result]
    bibtex: str
    """How to cite the system and the benchmarks it was scored on."""
    retractions: list[Retraction] = field(default_factory=list)
    """Newest first."""

    @property
    def is_public(self) -> bool:
        """Whether the page has any public content."""
        return bool(self.results or self.retractions)
