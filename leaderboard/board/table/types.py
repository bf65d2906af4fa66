"""A board ready to be shown, with its rows in their places. Only `ShownCell.disclosed` rounds."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, Self
from urllib.parse import parse_qsl

import msgspec

from leaderboard.attributes import FilterField
from leaderboard.board.attempts import Attempts
from leaderboard.board.document import Detectable, Revision, Row, StoredCell
from leaderboard.board.finding import Finding
from leaderboard.board.lookup import StoredBoard
from leaderboard.board.table.links import Links, ShownColumn, Tab
from leaderboard.board.table.ordering import OrderedSystem
from leaderboard.board.table.params import BoardParams
from leaderboard.disclosure import DisclosureRule
from leaderboard.models import SystemType
from scoring.benchmarks import definition_of
from scoring.benchmarks.subsets import names_of_subsets
from scoring.metrics.columns import Column
from scoring.registry import metric_named

ALL_COLUMNS: Final = "All columns are shown."


class ShownCell(StoredCell, kw_only=True):
    """One score of a row, or the reason why there is none, with its column."""

    column: ShownColumn

    @property
    def several_attempts(self) -> Attempts | None:
        """What attempts say of it, if there are several."""
        return self.attempts or None

    def disclosed(self, rule: DisclosureRule) -> Self:
        """This cell with its numbers as the rule of its split allows to show them."""
        if not rule.hidden:
            return self
        for name in ("value", "other_value"):
            setattr(self, name, rule.number(getattr(self, name), self.column))
        self.low, self.high = rule.ends(self.low, self.high, self.column)
        self.p_value = rule.p_value(self.p_value)
        if self.corrected:
            low, high = rule.ends(self.corrected.low, self.corrected.high, self.column)
            value = rule.number(self.corrected.value, self.column)
            self.corrected = msgspec.structs.replace(self.corrected, value=value, low=low, high=high)
        if self.attempts:
            self.attempts = self.attempts.disclosed(rule, self.column)
        return self


class ShownRow(Row, kw_only=True):
    """The scores of a system from one source, in their place on a board.

    `n_answered` and `n_questions` are those of the scores that the row shows.
    """

    cells: list[ShownCell] = []
    rank: int | None = None
    """Rank by the first score in `sort`. Only systems scored on this site with the current signature have a rank."""
    tied: bool = False
    best_rank: int | None = None
    """Best rank of the rank range, which holds with 95 % confidence for all systems of the column at once."""
    worst_rank: int | None = None
    """Worst rank of that range."""
    tie_group: int | None = None
    """Group of statistical ties, from 1: consecutive systems that are not significantly worse than the first."""
    group_label: str = ""
    """The heading of the group that begins with this row, where rows are grouped."""
    is_apart: bool = False
    """Whether no rank range of the rows above overlaps one from this row on."""
    bar: str = ""
    """Headline number of the row with the interval on the scale of all rows, as a drawing; empty without one."""
    n_questions: int | None = None
    """Number of questions that were asked; None for reported scores: their source may have asked others than this site
    has."""
    url: str = ""
    """The page of its system; empty without one."""
    about: str = ""
    """Line on who runs the system, since when it exists and how it can be used; empty if nobody states it."""
    took: str = ""
    """The tokens and seconds that a question took, in one line."""
    n_attempts: int = 1
    """How often it answered each question."""
    stated: list[str] = []
    """Statements of the system about the attributes that boards of its benchmark show, in words."""
    alternatives: "list[ShownRow]" = []
    """Other sources of scores of the same system on this board, best evidence first; unranked."""

    @property
    def n_unanswered(self) -> int:
        """Questions that a system scored here did not answer."""
        if self.kind != "scored" or self.is_human or self.n_answered is None or self.n_questions is None:
            return 0
        return max(self.n_questions - self.n_answered, 0)


def with_alternatives(rows: Sequence[ShownRow]) -> list[ShownRow]:
    """Rows, each followed by its other sources."""
    return [source for row in rows for source in (row, *row.alternatives)]


def notes_of(rows: Sequence[ShownRow]) -> dict[str, list[str]]:
    """The notes below a table, each with the names of its rows: unanswered questions, the rows' own notes, and why
    numbers are missing."""
    notes: dict[str, dict[str, None]] = {}
    for row in rows:
        texts = [row.note, *row.stated]
        if row.n_unanswered:
            texts.append(f"{row.n_unanswered:,} of {row.n_questions:,} questions unanswered, scored 0")
        texts += [f"{cell.column.label}: {cell.reason}" for cell in row.cells if cell.value is None and cell.reason]
        for text in filter(None, texts):
            notes.setdefault(text.rstrip("."), {})[row.name] = None
    return {text: list(names) for text, names in notes.items()}


@dataclass
class Board:
    """A board ready to be shown."""

    stored: StoredBoard
    """The board with its document (``stored.content``)."""
    links: Links
    """Links to the board with other orders, filters and columns."""
    split_tabs: list[Tab]
    setting_tabs: list[Tab]
    columns: list[ShownColumn]
    name_column: ShownColumn
    ranked_by: Column
    """The column that ranks are computed from, shown or not."""
    rows: list[ShownRow]
    """The comparable rows of this page, in the requested order."""
    signatures: list[tuple[str, str]]
    """Labels and signatures of the metrics that scored some row here."""
    finding: Finding | None = None
    """Leader of the board; None for an export."""
    empty_columns: list[str] = field(default_factory=list)
    """Labels of columns that are not shown because nobody has a value."""
    axis: str = ""
    """The scale of the bars, as a drawing; empty without bars."""
    apart_rows: list[ShownRow] = field(default_factory=list)
    """Rows scored only under signatures other than the current ones: not comparable with ``rows``; shown last."""
    params: BoardParams = field(default_factory=BoardParams)
    kind: str = ""
    """The kind of rows that the page shows, chosen or by default."""
    pinned_rows: list[ShownRow] = field(default_factory=list)
    """People and the upper bound: shown whatever the filters, never ranked."""
    n_total: int = 0
    """Rows on the whole board that are not pinned."""
    n_scored: int = 0
    """The number of these rows that were scored here."""
    n_unscored: int = 0
    """The number of these rows whose answers are here, but not yet the score that the board is ordered by."""
    matching: Sequence[OrderedSystem] = ()
    """The systems among ``n_total`` that pass the filters."""
    n_pages: int = 1
    first_row: int = 1
    """The position of this page's first row among the matching rows, from 1."""
    detectable: Detectable | None = None
    ranking_url: str = ""
    """The ranking of the systems, if a judge compares them side by side."""
    groups_url: str = ""
    """URL of the same board with or without groups of statistical ties; empty if there are none."""
    then_columns: list[ShownColumn] = field(default_factory=list)
    """The columns that can be added as further sort keys."""
    filter_fields: list[tuple[str, list[FilterField]]] = field(default_factory=list)
    """Filters by attributes that the benchmark declares, each under its label."""
    column_choices: dict[str, list[tuple[str, str, bool]]] = field(default_factory=dict)
    """The available columns by group: key, label, and whether the page shows it."""
    filter_links: list[Tab] = field(default_factory=list)
    """The filters that are links."""
    sources_url: str = ""
    """URL of the same board with every row's other sources, or without them; empty if no row has any."""
    page_urls: dict[str, str] = field(default_factory=dict)
    """The URLs of the ``first``, ``previous``, ``next`` and ``last`` page, as far as they are other pages."""

    @property
    def n_matching(self) -> int:
        """The number of rows among ``n_total`` that pass the filters."""
        return len(self.matching)

    @property
    def all_columns(self) -> bool:
        return self.params.columns == "all"

    @property
    def hides_columns(self) -> bool:
        """Whether there are columns that the page does not show."""
        return any(not is_shown for choices in self.column_choices.values() for *_, is_shown in choices)

    @property
    def all_rows(self) -> list[ShownRow]:
        """The pinned rows, the comparable rows of this page, then the rows that are not comparable; with their other
        sources if the page shows them."""
        rows = self.pinned_rows + self.rows + self.apart_rows
        return with_alternatives(rows) if self.shows_sources else rows

    @property
    def comparing(self) -> bool:
        """Whether rows can be selected for comparison: this page has one with answers, and the board has another."""
        return self.n_scored + self.n_unscored > 1 and any(row.kind == "scored" for row in self.rows + self.apart_rows)

    @property
    def revisions(self) -> list[Revision]:
        """The revisions that the numbers belong to; if there are several, with the labels of their metrics."""
        several = len(self.stored.content.revisions) > 1
        return [
            msgspec.structs.replace(
                revision, metrics=[metric_named(name).label for name in revision.metrics] if several else []
            )
            for revision in self.stored.content.revisions
        ]

    @property
    def subsets(self) -> list[tuple[str, str, Revision]]:
        """The subsets of the split that have questions: slug, name, and current revision."""
        known = names_of_subsets(definition_of(self.stored.benchmark.slug), self.stored.split.slug)
        shown = self.stored.content.subsets.items()
        return [(slug, known[slug], revision) for slug, revision in shown if slug in known]

    @property
    def older_revision(self) -> bool:
        return any(cell.older_revision for row in self.all_rows for cell in row.cells)

    @property
    def shows_sources(self) -> bool:
        return self.params.sources == "all"

    @property
    def n_reported(self) -> int:
        """Rows of published numbers on the whole board, pinned ones left out."""
        return self.n_total - self.n_scored - self.n_unscored

    @property
    def last_row(self) -> int:
        """The position of this page's last row among the matching rows."""
        return self.first_row + len(self.rows) + len(self.apart_rows) - 1

    @property
    def type_choices(self) -> list[tuple[str, str, bool]]:
        """The system types to choose from: value, label, and whether it is selected."""
        return [(value, str(label), value in self.params.types) for value, label in SystemType.choices]

    @property
    def page(self) -> int:
        """The current page, from 1."""
        return min(self.params.page, self.n_pages)

    @property
    def announcement(self) -> str:
        """The text for screen readers after the table was swapped."""
        order = ", then ".join(f"{key['label']}, {key['direction']}" for key in self.links.order)
        shown = f"{self.n_matching} of {self.n_total} systems. Sorted by {order}."
        if self.n_pages > 1:
            shown += f" Page {self.page} of {self.n_pages}."
        return f"{shown} {ALL_COLUMNS}" if self.all_columns else shown

    @property
    def columns_asked(self) -> str:
        """The columns that a reader asked for, as in a URL."""
        columns = self.params.columns
        return columns if isinstance(columns, str) else ",".join(columns or ())

    @property
    def fields_besides_columns(self) -> list[tuple[str, str]]:
        """The current parameters without the columns, as fields of a form that changes these."""
        return parse_qsl(self.params.query_string(columns=None))

    @property
    def brief(self) -> bool:
        """Whether the page chose the columns: the headline and few others."""
        return self.params.columns is None

    @property
    def notes(self) -> dict[str, list[str]]:
        return notes_of(self.all_rows)

    @property
    def empty(self) -> bool:
        """Whether the board is empty, whatever the filters."""
        return not self.n_total and not self.pinned_rows
