"""The parts of a system's page, ready to be shown. No value is rounded."""

import datetime
from dataclasses import dataclass, field

from leaderboard.board.attempts import Chance
from leaderboard.board.document import MADE_HERE
from leaderboard.board.exports.files import SYSTEM_FORMATS
from leaderboard.board.table import ShownCell, ShownColumn, bars
from leaderboard.board.table.builder import about
from leaderboard.models import Entry, EntryKind, System
from leaderboard.systems.comparison.types import CategoryRow
from leaderboard.systems.shown_facts import ShownFact
from scoring.benchmarks.facts import facts_of
from scoring.metrics.columns import Column
from scoring.models import Revision


@dataclass(frozen=True)
class CategoryTable:
    """A system's scores on one board, by category."""

    columns: tuple[ShownColumn, ...]
    rows: tuple[CategoryRow, ...]


@dataclass(frozen=True)
class Lengths:
    """The lengths of the non-empty answers, in characters; of lists, the numbers of their answers."""

    n: int
    mean: float
    lower_quartile: float
    median: float
    upper_quartile: float
    ninetieth: float
    """Nine tenths of the answers are at most this long."""
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

    entry: Entry
    board_url: str
    cells: list[ShownCell]
    n_answered: int | None
    revision: Revision | None
    """Revision that it was scored against, or the current one."""
    ranked_by: Column
    """The column that ranks are computed from."""
    n_questions: int = 0
    taken: list[ShownFact] = field(default_factory=list)
    """Tokens, seconds and cost that its run took."""
    signatures: list[tuple[str, str]] = field(default_factory=list)
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
    against_url: str = ""
    """For people scored here: the comparison of every system of the board with them."""
    reported: "Result | None" = None
    """The numbers that a publication reports besides, in the same setting."""

    def cell(self, key: str) -> ShownCell | None:
        return next((cell for cell in self.cells if cell.column.key == key), None)

    @property
    def n_attempts(self) -> int:
        return self.entry.answer_set.n_attempts if self.entry.answer_set is not None else 1

    @property
    def tried(self) -> list[ShownCell]:
        """The cells of scores of which several attempts say more than their number."""
        return [cell for cell in self.cells if cell.attempts and cell.attempts.spread is not None]

    @property
    def chances(self) -> list[tuple[int, list[tuple[Chance, Chance]]]]:
        """By k from 1, pass@k and pass^k of each cell of `with_chances`."""
        by_cell = [
            list(zip(cell.attempts.pass_at, cell.attempts.pass_hat, strict=True))
            for cell in self.with_chances
            if cell.attempts
        ]
        return [(k, list(pairs)) for k, pairs in enumerate(zip(*by_cell, strict=False), start=1)]

    @property
    def with_chances(self) -> list[ShownCell]:
        """The cells of scores with pass@k for k above 1, which is not withheld; where a lower score is better, 1 is no
        success, and nothing passes."""
        tried = [cell for cell in self.tried if cell.column.higher_is_better]
        return [cell for cell in tried if cell.attempts and len(cell.attempts.pass_at) > 1]

    @property
    def means_of_attempts(self) -> list[tuple[int, list[tuple[float, ShownColumn]]]]:
        """By number of the attempt, its mean of each cell of `tried`; empty on a hidden split."""
        by_cell = [[(mean, cell.column) for mean in cell.attempts.means] for cell in self.tried if cell.attempts]
        return [(number, list(means)) for number, means in enumerate(zip(*by_cell, strict=False), start=1)]

    @property
    def reasons_of_attempts(self) -> list[str]:
        """Why numbers of attempts are withheld, each once."""
        reasons = [cell.attempts.reason for cell in self.cells if cell.attempts and cell.attempts.reason]
        return list(dict.fromkeys(reasons))

    @property
    def headline(self) -> ShownCell | None:
        """The cell that the board is ordered by."""
        return self.cell(self.ranked_by.key)

    @property
    def reported_headline(self) -> ShownCell | None:
        """The reported number of the same column."""
        return self.reported.cell(self.ranked_by.key) if self.reported is not None else None

    @property
    def bar(self) -> str:
        """The headline with its interval over the range of its column."""
        cell = self.headline
        if cell is None or cell.value is None:
            return ""
        return bars.bar(cell, bars.full_scale(cell, cell.column), leads=self.rank == 1)

    @property
    def anchor(self) -> str:
        """An HTML id that is unique among the page's results."""
        kind = "official" if self.entry.is_official else self.entry.kind
        return f"{self.entry.split.benchmark.slug}-{self.entry.split.slug}-{self.entry.setting.slug}-{kind}"

    @property
    def links(self) -> list[tuple[str, str]]:
        """Labels and URLs of the pages about it."""
        pages = {
            "Questions": self.questions_url,
            "Ranking": self.ranking_url,
            "Compare": self.compare_url,
            "Compare with humans": self.against_url,
        }
        return [(label, url) for label, url in pages.items() if url]

    @property
    def files(self) -> list[tuple[str, str]]:
        """Labels and URLs of its scores as files for other programs; none for people."""
        if self.entry.system.is_human or self.entry.kind == EntryKind.GRADED:
            return []
        url = f"{self.board_url.partition('?')[0]}systems/{self.entry.system.slug}/"
        return [(known.label, url + known.name) for known in SYSTEM_FORMATS.values()]

    @property
    def scored(self) -> bool:
        """Whether its scores were computed here."""
        return self.entry.kind == EntryKind.SCORED

    @property
    def context_size(self) -> int | None:
        """Context size in tokens, of this row or of its system."""
        return self.entry.context_size or self.entry.system.attributes.get("context_size")

    @property
    def is_waiting(self) -> bool:
        """Whether it has answers here, but not the score that its board is ordered by."""
        headline = [cell.state for cell in self.cells if cell.column.score == self.ranked_by.score]
        return self.scored and not MADE_HERE & set(headline)


@dataclass(frozen=True)
class SystemPage:
    """The content of a system's page."""

    system: System
    results: list[Result]
    bibtex: str
    """How to cite the system and the benchmarks it was scored on."""
    retractions: list[Entry] = field(default_factory=list)
    """The rows that maintainers took off a board, newest first."""
    attributes: list[tuple[str, str]] = field(default_factory=list)
    """What its benchmarks ask of it: labels, and values in words, empty if it states none."""
    facts: dict[str, list[ShownFact]] = field(default_factory=dict)
    """By group, what it states of itself whatever the benchmark; then, by board, what its runs took."""

    @property
    def description(self) -> str:
        """The system and its boards in a sentence, for search engines."""
        boards = [f"{it.entry.split.benchmark.name} ({it.entry.setting.name.lower()})" for it in self.results]
        return f"{self.system.name}: scores, intervals and ranks on {', '.join(dict.fromkeys(boards))}."

    @property
    def at_a_glance(self) -> list[str]:
        """Its organisation, release, access and context, as far as it states them."""
        stated = facts_of(self.system.run_facts)
        texts = [about(stated)] if stated is not None else []
        context = self.system.attributes.get("context_size")
        return [text for text in (*texts, f"{context:,} tokens of context" if context else "") if text]

    @property
    def is_public(self) -> bool:
        """Whether the page has any public content."""
        return bool(self.results or self.retractions)
