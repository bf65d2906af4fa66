"""The parameters of a comparison's URL, and its parts, ready to be shown. No value is rounded."""

from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import urlencode

import numpy as np
from django.http import QueryDict
from django.urls import reverse
from numpy.typing import NDArray

from leaderboard.board.table import ShownColumn, Tab
from scoring.models import Setting, Split


@dataclass(frozen=True)
class CellValue:
    """The mean of a score over a group of questions, or None if none of them counts."""

    value: float | None
    low: float | None = None
    """The ends of its 95 % interval; None for a single question."""
    high: float | None = None


ALPHA = 0.05
FEWEST_SYSTEMS, MOST_SYSTEMS = 2, 6
LONGEST_WORD = 200
"""Characters of a parameter that are read."""


@dataclass(frozen=True)
class Vector:
    """A score of one system, with the type of its items."""

    score: int
    """Key of the score."""
    name: str
    value: float
    revision: int
    per_item: NDArray[np.float64]
    participants: tuple[str, ...] = ()
    """For people only: who gave each answer."""
    places: tuple[int, ...] = ()
    """For people only: the question of each answer, by its index in the revision."""
    completed: NDArray[np.float64] | None = None
    """In place of ``per_item`` for tests, if some questions do not count, or count more than others."""
    weights: NDArray[np.float64] | None = None
    """What each item counts in ``value``; None if all count alike."""
    n_attempts: int = 1
    """How often the system answered each question."""
    clusters: tuple[str, ...] | None = None
    """The cluster of each question of the revision; None without clusters."""


@dataclass(frozen=True)
class Difference:
    """The first system minus the second, over the same questions."""

    first: int
    """Index of the first system among those compared, from 0; ``second`` likewise."""
    second: int
    value: float
    low: float
    """Lower end of the 95 % confidence interval of the difference."""
    high: float
    """Upper end of that interval."""
    p_value: float
    """Of the paired test. On a hidden split an upper bound: 0.001, 0.01, 0.05 or 1."""
    corrected: float
    """The same, corrected (Holm) for the pairs compared in this score."""
    n_items: int
    """Number of answers of each."""
    equal_share: float | None
    """Share of questions with the same outcome; like the next two, not of a hidden split."""
    kappa: float | None
    """Cohen's kappa, if every outcome is 0 or 1."""
    pearson: float | None
    """Correlation of the outcomes."""
    clustered: bool = False
    """Whether it involves people's answers."""
    bounded: bool = False
    """Whether p-values are upper bounds, as on a hidden split."""

    @property
    def significant(self) -> bool:
        """Whether `corrected` is at most 0.05."""
        return self.corrected <= ALPHA


@dataclass(frozen=True)
class ScoreDifferences:
    """One score of all systems compared."""

    differences: tuple[Difference, ...]
    refused: tuple[tuple[tuple[int, ...], str], ...] = ()
    """Systems, or pairs of them, that have the score but are not compared in it, with the reason."""


@dataclass(frozen=True)
class CategoryRow:
    """A group of questions with the means of some scores, or of some systems, over it."""

    name: str
    n_questions: int
    rest: bool
    values: tuple[CellValue | None, ...]
    """In the order of a table's columns, or of the systems compared; None for a system without the score."""
    differences: tuple[CellValue | None, ...] = ()
    """For each system compared except the first: the first minus it."""


@dataclass(frozen=True)
class Compared:
    """A system in a comparison."""

    letter: str
    name: str
    slug: str
    url: str
    is_human: bool
    reason: str = ""
    """Why it cannot be compared here; empty if it can."""
    n_attempts: int = 1
    """How often it answered each question; its scores are means of all attempts."""


@dataclass(frozen=True)
class ScoreSection:
    """A score with the values and differences of those that have it."""

    column: ShownColumn
    url: str
    """The same comparison, by category and by question in this score."""
    current: bool
    values: tuple[CellValue | None, ...]
    """For each system that can be compared, with its interval."""
    differences: ScoreDifferences
    lacking: tuple[tuple[str, str], ...]
    """Systems without this score under the current signature, by letter, with the reason."""


@dataclass
class Comparison:
    """Systems side by side on one board."""

    split: Split
    setting: Setting
    board_url: str
    tabs: list[Tab]
    """The other settings and splits in which some of them can be compared."""
    systems: list[Compared]
    """The systems that can be compared, lettered in the requested order."""
    left_out: list[Compared]
    sections: list[ScoreSection] = field(default_factory=list)
    categories: list[CategoryRow] = field(default_factory=list)
    signatures: list[tuple[str, str]] = field(default_factory=list)
    in_questions: list[Compared] = field(default_factory=list)
    """The systems that are compared question by question."""
    item_metric: str = ""
    """The label of the metric that finds their reference items."""
    is_whole: bool = False
    """Whether answers are right or wrong as a whole, and not item by item."""
    questions: list[dict[str, Any]] = field(default_factory=list)
    """Those that the systems answered differently (`leaderboard.systems.comparison.page`)."""
    n_differing: int = 0
    n_questions: int = 0
    page: int = 1
    n_pages: int = 1
    previous_url: str = ""
    next_url: str = ""
    reports_url: str = ""
    """The reports of the first two systems on the first question; empty where answers are no reports, or hidden."""
    n_asked: int = 0
    """The number of requested systems: more than `MOST_SYSTEMS` are not compared."""

    @property
    def current(self) -> ScoreSection | None:
        """The score that categories and questions belong to."""
        return next((section for section in self.sections if section.current), None)

    @property
    def reaches(self) -> dict[str, float]:
        """By score: the largest distance of an end of a difference's interval from 0, over all scores on its scale."""
        scales = {section.column.key: (section.column.unit, section.column.scale) for section in self.sections}
        reaches = dict.fromkeys(scales.values(), 0.0)
        for section in self.sections:
            scale = scales[section.column.key]
            for difference in section.differences.differences:
                reaches[scale] = max(reaches[scale], abs(difference.low), abs(difference.high))
        return {key: reaches[scale] for key, scale in scales.items()}

    @property
    def clustered(self) -> bool:
        """Whether people are among those compared."""
        return any(system.is_human for system in self.systems)

    @property
    def has_several_attempts(self) -> bool:
        return any(system.n_attempts > 1 for system in self.systems)

    @property
    def possible(self) -> bool:
        """Whether there are at least two systems to compare."""
        return len(self.systems) > 1


@dataclass(frozen=True)
class ComparisonParams:
    """The parameters of a URL; unknown values are ignored."""

    systems: tuple[str, ...] = ()
    benchmark: str = ""
    split: str = ""
    setting: str = ""
    score: str = ""
    page: str = "1"
    q: str = ""

    @classmethod
    def of(cls, query: QueryDict) -> "ComparisonParams":
        """Parse a query string. The form sends ``place`` (``benchmark/split/setting``) in place of its three parts."""
        slugs = tuple(dict.fromkeys(slug for slug in query.getlist("system") if slug))[: 10 * MOST_SYSTEMS]
        names = ("benchmark", "split", "setting", "score", "page", "q")
        given = {name: query.get(name, "")[:LONGEST_WORD] for name in names}
        parts = query.get("place", "")[:LONGEST_WORD].split("/")
        if len(parts) == 3:
            given |= dict(zip(("benchmark", "split", "setting"), parts, strict=True))
        return cls(systems=slugs, **given)

    def url(self, **changes: Any) -> str:
        params = replace(self, **changes)
        query = [("system", slug) for slug in params.systems[:MOST_SYSTEMS]]
        query += [
            (name, value)
            for name in ("benchmark", "split", "setting", "score", "page")
            if (value := getattr(params, name)) and (name, value) != ("page", "1")
        ]
        return f"{reverse('compare')}?{urlencode(query)}"
