"""The home page: who leads each benchmark, by setting, and what is new.

Enters: the documents of the benchmarks' boards. Leaves: what the page shows.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from operator import itemgetter
from typing import Any, Final

from leaderboard.board.document import Cell, Row
from leaderboard.board.finding import Contender, Finding, finding_of
from leaderboard.board.lookup import StoredBoard, document_of, find_home_boards
from leaderboard.board.table import bars, board_url
from leaderboard.board.table.builder import about, definition_for
from leaderboard.board.write import open_board
from leaderboard.disclosure import DisclosureRule
from leaderboard.models import EntryKind
from leaderboard.templatetags.display import byline
from scoring.metrics.columns import Column

MOST_SETTINGS: Final = 3
"""How many settings of a benchmark have a row."""
MOST_NEWS: Final = 4


@dataclass(frozen=True)
class Leader:
    """Who leads a benchmark in one setting."""

    setting: str
    url: str
    finding: Finding
    bar: str

    @property
    def column(self) -> Column:
        """The column that its board is ordered by."""
        return self.finding.column

    @property
    def first(self) -> Contender:
        """The leader, or the first of those that share rank 1."""
        return self.finding.first[0]

    @property
    def about(self) -> str:
        """Who runs it, or where it was published."""
        row = self.first.system
        return (row.facts.organisation if row.facts else "") or byline(row.authors, row.citation) or about(row.facts)

    @property
    def is_reported(self) -> bool:
        """Whether its number was not computed here."""
        return self.first.row.kind == EntryKind.REPORTED

    @property
    def certainty(self) -> str:
        """How certain its rank is."""
        number = len(self.finding.first)
        return {
            "leads": "rank 1 certain",
            "shared": f"shares rank 1 with {number - 1}",
            "only": "the only system",
        }.get(self.finding.state, "unknown")

    @property
    def ahead(self) -> str:
        """How far the next system is behind; empty without one."""
        following = self.finding.following or self.finding.first[1:2]
        return f"{self.finding.behind(following[0])} ahead" if following else ""


@dataclass(frozen=True)
class HomeBenchmark:
    """A benchmark with its leaders."""

    benchmark: Mapping[str, str]
    url: str
    """Of its first board."""
    split: str
    n_questions: int
    n_scored: int
    n_reported: int
    leaders: tuple[Leader, ...] = ()
    n_more: int = 0
    """Settings with results that have no row."""
    others: tuple[tuple[str, str], ...] = ()
    """The other splits with results: name, and URL of a board."""


def home_page() -> dict[str, Any]:
    """The benchmarks with a result, those without one, and the latest rows with date, benchmark and setting.

    One query, and one for each document that this process has not parsed before.
    """
    benchmarks: list[HomeBenchmark] = []
    news: list[tuple[Row, datetime, str, str]] = []
    for boards in find_home_boards():
        with_rows = [
            stored
            for stored in boards
            if stored.document is not None
            or any(of.n_systems is None and (of.split, of.setting) == stored.slugs[1:] for of in stored.neighbours)
        ]
        written = (stored if stored.document is not None else open_board(*stored.slugs) for stored in with_rows)
        known = [stored for stored in written if stored is not None and stored.document is not None]
        with_results = [(stored, leader) for stored in known if (leader := _leader(stored)) is not None]
        kinds = Counter(
            row.kind
            for stored in known
            for row in document_of(stored).rows
            if not row.is_human and row.source_of is None
        )
        first = boards[0]
        others: dict[str, tuple[str, str]] = {}
        for of in sorted(first.neighbours, key=lambda of: of.setting != first.setting["slug"]):
            if of.split != first.split["slug"] and of.n_systems != 0:
                address = board_url(first.benchmark["slug"], of.split, of.setting)
                others.setdefault(of.split, (of.split_name.lower(), address))
        benchmarks.append(
            HomeBenchmark(
                first.benchmark,
                board_url(*first.slugs),
                first.split["name"].lower(),
                max((document_of(stored).n_questions for stored in known), default=0),
                kinds["scored"],
                kinds["reported"],
                tuple(leader for _, leader in with_results[:MOST_SETTINGS]),
                max(0, len(with_results) - MOST_SETTINGS),
                tuple(others.values()),
            )
        )
        news += [
            (row, row.published_at, first.benchmark["name"], stored.setting["name"].lower())
            for stored in known
            for row in document_of(stored).rows
            if row.kind == EntryKind.SCORED and not row.is_human and row.published_at is not None
        ]
    news.sort(key=itemgetter(1), reverse=True)
    return {
        "benchmarks": [benchmark for benchmark in benchmarks if benchmark.leaders],
        "waiting": [benchmark for benchmark in benchmarks if not benchmark.leaders],
        "news": news[:MOST_NEWS],
    }


def _leader(stored: StoredBoard) -> Leader | None:
    document = document_of(stored)
    definition = definition_for(stored, document)
    column = definition.column(definition.default_sort)
    rule = DisclosureRule.of_benchmark(stored.benchmark["slug"], hidden=stored.split["hidden"])
    finding = finding_of(document, column, rule)
    if not finding.first:
        return None
    first = finding.first[0]
    cell = Cell(first.value, first.low, first.high, state=first.row.kind)
    drawing = bars.bar(cell, bars.full_scale(cell, column), leads=first.row.kind == EntryKind.SCORED)
    return Leader(stored.setting["name"], board_url(*stored.slugs), finding, drawing)
