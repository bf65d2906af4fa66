"""A board's document: all that pages, exports, charts and the API read of a board, as typed records with a version.

A worker stores it as JSON (`leaderboard.board.write`), without labels, units and directions of columns, which are the
declaration's. Numbers have full precision: `leaderboard.board.table` shows those of hidden splits with fewer digits.
"""

import datetime
import gzip
from typing import Final, Literal

import msgspec
from msgspec import UNSET, Struct, UnsetType

from leaderboard.board.attempts import Attempts
from leaderboard.disclosure import NOT_YET
from leaderboard.models import WITHHELD, WITHHELD_LABEL, SystemType
from scoring.benchmarks.facts import RunFacts

FORMAT: Final = 11
"""Incremented when the same inputs would get another document. Documents of each format have rows of their own in the
database, so the versions of the site before and after an upgrade can run side by side."""
MADE_HERE: Final = frozenset({"scored", "other_signature"})
"""The states of cells with a score that a metric computed here, under the current signature or another one."""
NOT_SCORED: Final = "not_scored"
"""The state of cells without any score."""
TYPE_LABELS: Final = {value: str(label) for value, label in SystemType.choices} | {WITHHELD: WITHHELD_LABEL}


class Corrected(Struct, frozen=True):
    """A judge's score, corrected with human grades, with its 95 % interval."""

    value: float
    low: float
    high: float
    n_graded: int
    """Answers that people graded."""
    source: str


class Cell(Struct):
    """One score of a row, or the reason why there is none.

    Exports have the same fields in the same order. A number that is unknown, or was computed from other rows than the
    current ones, is None.
    """

    value: float | None = None
    low: float | None = None
    """Lower end of the 95 % confidence interval."""
    high: float | None = None
    """Upper end of the 95 % confidence interval."""
    rank: int | None = None
    """Rank in this column. Only systems scored on this site with the current signature have a rank."""
    best_rank: int | None = None
    """Best rank of the rank range, which holds with 95 % confidence for all systems of the column at once."""
    worst_rank: int | None = None
    """Worst rank of that range."""
    best: bool = False
    """Whether this is the best value in the column among rows of its kind."""
    marked: bool = False
    """Whether this is the best value in the column or not significantly worse: `best_rank` is 1."""
    p_value: float | None = None
    """Smallest p-value of the differences from better systems, corrected for all pairs of systems of the column; at
    most 0.05 where `best_rank` is above 1. On a hidden split an upper bound: 0.001, 0.01, 0.05 or 1."""
    tie_group: int | None = None
    """Group of statistical ties, from 1: consecutive systems that are not significantly worse than the first."""
    state: str = NOT_SCORED
    """The row's kind, ``not_scored`` or ``other_signature``; of a run fact and of attempts ``stated`` or
    ``computed``."""
    reason: str = ""
    """Why there is no value; empty if there is one."""
    other_value: float | None = None
    """The value under another signature: not comparable with the other rows."""
    corrected: Corrected | UnsetType = UNSET
    """A judge's score corrected with human grades; never shown in its place."""
    attempts: Attempts | UnsetType = UNSET
    """What several attempts at each question say of it."""


class StoredCell(Cell, omit_defaults=True):
    """A cell with what exports do not have."""

    n_items: int | None = None
    """Questions that its score is the mean of."""
    n_answered: int | None = None
    """The answered ones among these."""
    older_revision: bool = False
    """Whether its score belongs to another revision of the questions than the current one."""


class Row(Struct, omit_defaults=True):
    """One source of a system's scores: scored here, reported in a publication or graded by hand; or a reference row."""

    name: str
    slug: str
    """Empty for rows that are not systems."""
    kind: str
    """``scored``, ``reported`` or ``graded``."""
    entry_id: int = 0
    """The key of its `leaderboard.models.Entry`; 0 without one."""
    evidence: str = ""
    """Source of the scores: scored, official, paper, graded or empty."""
    published_at: datetime.datetime | None = None
    authors: str = ""
    citation: str = ""
    link: str = ""
    """The system's own web page, as its authors gave it."""
    type: str = ""
    """WITHHELD under double-blind review, unless its owner shows it."""
    attributes: dict[str, bool | int | float | str] = {}
    facts: RunFacts | None = None
    """What its system states of itself whatever the benchmark; None if it states nothing. What its run took is in the
    columns `leaderboard.run_columns.COLUMNS`."""
    is_human: bool = False
    pinned: str = ""
    """human or upper-bound; empty for a system."""
    source: str = ""
    """Source of a reported row."""
    note: str = ""
    n_answered: int | None = None
    by_column: dict[str, StoredCell] = {}
    """Its cells by the keys of columns, also what its run took and what attempts say, if any row has that."""

    @property
    def type_label(self) -> str:
        """The type in words."""
        return TYPE_LABELS.get(self.type, self.type)

    @property
    def context_size(self) -> int | None:
        """In tokens."""
        return self.attributes.get("context_size")  # type: ignore[return-value]

    @property
    def trained_for_function_calling(self) -> bool | None:
        """Whether the model was trained for function calling; None if it is not stated."""
        return self.attributes.get("trained_for_function_calling")  # type: ignore[return-value]

    def cell(self, key: str) -> StoredCell:
        """The cell of a column; a gap if the column was declared since the document was written."""
        return self.by_column.get(key) or StoredCell(reason=NOT_YET)


class Revision(Struct, frozen=True, omit_defaults=True):
    """A revision of the questions."""

    hash: str
    date: datetime.date
    note: str
    n_questions: int
    metrics: list[str] = []
    """Metrics whose numbers belong to it, if there are several revisions."""

    @property
    def short(self) -> str:
        """The first digits of its hash."""
        return self.hash[:8]


class Baseline(Struct, frozen=True, omit_defaults=True):
    """The baseline that systems are compared with side by side.

    Exports have the same fields in the same order.
    """

    name: str | None
    """None if it is not published, like `slug`."""
    slug: str | None
    setting: str
    """The name of its setting."""
    by_default: bool | None
    """Whether nobody chose it: the benchmark declares it. None for an earlier baseline."""
    judged_length: int | None = None
    """The most characters of an answer that the judge gets."""
    n_cut: int | None = None
    """Answers of the baseline of which the judge got only the beginning."""
    n_cut_others: int | None = None
    """The same of the board's systems."""


class Detectable(Struct, frozen=True):
    """Smallest differences that a board can tell apart."""

    difference: float
    """Smallest difference between two systems that is found with 80 % power. 1 or more: there are too few questions to
    find any. On a hidden split a multiple of a step, at random that below or above it."""
    n_questions: int
    n_systems: int
    """Number of compared systems."""


class Document(Struct, frozen=True, omit_defaults=True):
    """A board with all of its rows and columns, in no order that a reader asked for, and without links."""

    format: Literal[11]
    systems: list[list[Row]]
    """By name: of each system its row, then its rows from other sources."""
    signatures: dict[str, str]
    """By metric."""
    revisions: list[Revision]
    """Those that the numbers belong to, first that of the default score. Without scores the current one, which the
    first score will belong to."""
    current_revision: Revision | None
    subsets: dict[str, Revision] = {}
    """By slug, the current revision of each subset that the board shows."""
    detectable: dict[str, Detectable] = {}
    """By column."""
    shared_k: int = 0
    """The k of the columns pass@k and pass^k: the most attempts that all rows with several have; 0 without these
    columns."""
    statistics_at: datetime.datetime | None = None
    statistics_stale: bool = False
    """Whether statistics are still to be computed for the current rows; until then there are none."""
    baseline: Baseline | None = None
    next_baseline: Baseline | None = None
    """The baseline that was chosen since, while the scores are against an earlier one."""

    @property
    def rows(self) -> list[Row]:
        """All rows: those of one system stand together."""
        return [row for rows in self.systems for row in rows]

    @property
    def revision(self) -> Revision | None:
        """The revision of the default score."""
        return self.revisions[0] if self.revisions else None

    @property
    def short_revision(self) -> str:
        """The first digits of its hash; empty without a revision."""
        return self.revisions[0].short if self.revisions else ""

    @property
    def newer_revision(self) -> Revision | None:
        """The current revision, if some numbers belong to another one."""
        current = self.current_revision
        return current if current and any(revision.hash != current.hash for revision in self.revisions) else None

    @property
    def n_questions(self) -> int:
        """The number of questions of that revision."""
        return self.revisions[0].n_questions if self.revisions else 0


def packed(document: Document) -> bytes:
    """A document as it is stored. Stronger compression takes six times as long for 6 % fewer bytes."""
    return gzip.compress(msgspec.json.encode(document), compresslevel=1, mtime=0)


_decoder: Final = msgspec.json.Decoder(Document)


def unpacked(stored: bytes) -> Document:
    """A stored document.

    Raises:
        msgspec.ValidationError: it is no document of this format.
    """
    return _decoder.decode(gzip.decompress(stored))
