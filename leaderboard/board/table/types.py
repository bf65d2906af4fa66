"""The parts of a board, ready to be shown: tabs, columns, rows and cells. Only `Cell.disclosed` rounds."""

import datetime
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from leaderboard.board.table.params import BoardParams
from leaderboard.disclosure import DisclosureRule

ALL_COLUMNS: Final = "All columns are shown."


@dataclass(frozen=True)
class Column:
    """A column of scores as a page shows it."""

    key: str
    label: str
    short_label: str
    metric: str
    metric_label: str
    group: str
    description: str
    sort_url: str = ""
    """Sorts by this column alone; in the reverse direction if it is the first key already."""
    sorted: str = ""
    """``ascending`` or ``descending`` if this column is a sort key, the first or a later one."""
    decimals: int = 3
    sort_place: int = 0
    """The position of this column among the sort keys, from 1; 0 if it is not one."""
    then_url: str = ""
    """Sorts by this column after the current keys; empty if it is one of them or no more can be added."""
    differs: bool = False
    """Whether the latest audit of its metric found a difference from the official code."""


@dataclass(frozen=True)
class ColumnGroup:
    """Neighbouring columns under one heading."""

    label: str
    columns: tuple[Column, ...]


@dataclass(frozen=True)
class CorrectedValue:
    """A judge's score, corrected with human grades, with its 95 % interval."""

    value: float
    low: float
    high: float
    n_graded: int
    """Answers that people graded."""
    source: str


@dataclass
class Cell:
    """One number, or the reason why there is none.

    ``low`` and ``high`` are the ends of the value's 95 % interval, in its unit. Ranks are among the systems that were
    scored under the same signature; ``best_rank`` to ``worst_rank`` is the range of these that holds for all
    systems at once with 95 % confidence. A value
    that is unknown, or was computed from other rows than the current ones, is ``None``.
    """

    column: Column
    value: float | None
    state: str
    reason: str = ""
    best: bool = False
    """Whether it is the highest of its column among rows of its kind."""
    other: float | None = None
    """The value under another signature, if there is none under the current one: never compared, always marked."""
    low: float | None = None
    high: float | None = None
    noise: float | None = None
    """The standard deviation of the value over repeated judgings of the same answers, pooled over answers; ``None`` if
    there are none, or if all replies were identical."""
    noise_low: float | None = None
    noise_high: float | None = None
    n_repeats: int = 0
    """The number of repeated judgings of the same answers."""
    marked: bool = False
    """Whether it is the best of its column, or not significantly different from it."""
    rank: int | None = None
    best_rank: int | None = None
    worst_rank: int | None = None
    tie_group: int | None = None
    """The group of statistical ties in this column, from 1."""
    p_value: float | None = None
    """The p-value of the difference from the best of the column, Holm-corrected."""
    corrected: CorrectedValue | None = None
    """A judge's score corrected with human grades; never shown in its place."""
    n_answered: int | None = None
    """The number of answered questions among the score's ``n_items``."""
    n_items: int | None = None
    older_revision: bool = False
    """Whether a score belongs to another revision of the questions than the current one."""

    def disclosed(self, rule: DisclosureRule) -> "Cell":
        """This cell, its numbers changed to what the rule of its split allows to show."""
        if rule.hidden:
            for name in ("value", "low", "high", "noise", "noise_low", "noise_high", "other"):
                setattr(self, name, rule.number(getattr(self, name)))
            self.p_value = rule.p_value(self.p_value)
            if self.corrected is not None:
                ends = {name: rule.number(getattr(self.corrected, name)) for name in ("value", "low", "high")}
                self.corrected = replace(self.corrected, **ends)  # type: ignore[arg-type]
        return self


@dataclass
class BoardRow:
    """One system in one split and setting, or a reference row (``pinned``)."""

    rank: int | None
    tied: bool
    name: str
    slug: str
    url: str
    authors: str
    citation: str
    type: str
    type_label: str
    context_size: int | None
    kind: str
    is_human: bool
    source: str
    note: str
    n_answered: int | None
    n_questions: int
    published_at: datetime.datetime | None
    cells: list[Cell]
    best_rank: int | None = None
    """With ``worst_rank`` the 95 % range of the rank, in the column that ranks are computed from."""
    worst_rank: int | None = None
    tie_group: int | None = None
    """The group of statistical ties, in the same column."""
    group_label: str = ""
    """The heading of the group that begins with this row, where rows are grouped."""
    entry_id: int | None = None
    trained_for_function_calling: bool | None = None
    pinned: str = ""
    """``human``, ``upper-bound`` or ``ceiling``; empty for a system."""
    link: str = ""
    """The system's own web page, as its authors gave it."""
    evidence: str = ""
    """The source of its scores: ``scored`` here, ``official`` results, a ``paper``, ``graded`` by hand."""
    alternatives: "list[BoardRow]" = field(default_factory=list)
    """The system's other sources on this board, best evidence first."""

    @property
    def apart(self) -> bool:
        """Whether this row has scores, but only under other signatures than those the board shows."""
        return all(cell.value is None for cell in self.cells) and any(cell.other is not None for cell in self.cells)


def with_alternatives(rows: Sequence[BoardRow]) -> list[BoardRow]:
    """Rows, each followed by its other sources."""
    return [one for row in rows for one in (row, *row.alternatives)]


@dataclass(frozen=True)
class Tab:
    """A link between boards."""

    label: str
    url: str
    current: bool
    count: int


@dataclass(frozen=True)
class OrderKey:
    """One current sort key."""

    key: str
    label: str
    direction: str
    """``ascending`` or ``descending``."""
    turn_url: str
    drop_url: str
    """The order without this key; empty if it is the only one."""


@dataclass(frozen=True)
class ActiveFilter:
    """A current filter, in words, with the URL of the board without it."""

    label: str
    drop_url: str


@dataclass(frozen=True)
class Choice:
    """An option of the form, and whether it is selected."""

    value: str
    label: str
    chosen: bool


@dataclass(frozen=True)
class ChoiceGroup:
    """Options under one heading."""

    label: str
    choices: tuple[Choice, ...]


@dataclass(frozen=True)
class Detectable:
    """What a board can tell apart in the column that ranks are computed from."""

    difference: float
    """The smallest difference between two systems that is found with 80 % power."""
    n_questions: int
    n_systems: int
    """Compared systems; with one, ``difference`` is that of the worst case."""

    @property
    def is_possible(self) -> bool:
        """Whether two scores from 0 to 1 can differ so much: not if there are too few questions."""
        return self.difference < 1


@dataclass
class Board:
    """A board ready to be shown."""

    benchmark: dict[str, Any]
    split: dict[str, Any]
    setting: dict[str, Any]
    split_tabs: list[Tab]
    setting_tabs: list[Tab]
    columns: list[Column]
    name_column: Column
    context_column: Column
    rows: list[BoardRow]
    """The comparable rows of this page, in the requested order."""
    sort: str
    """The current order, in the format of a URL."""
    signatures: list[tuple[str, str]]
    url: str
    columns_url: str = ""
    """The same board with all columns, or, if they are shown, with the default ones; empty if there are no others."""
    column_groups: list[ColumnGroup] = field(default_factory=list)
    apart_rows: list[BoardRow] = field(default_factory=list)
    """Rows scored only under signatures other than the current ones: not comparable with ``rows``; shown last."""
    params: BoardParams = field(default_factory=BoardParams)
    pinned_rows: list[BoardRow] = field(default_factory=list)
    """People, the upper bound and the metrics' ceiling: shown whatever the filters, never ranked."""
    n_total: int = 0
    """Rows on the whole board that are not pinned."""
    n_scored: int = 0
    """The number of these rows that were scored here."""
    n_matching: int = 0
    """The number of rows among ``n_total`` that pass the filters."""
    n_pages: int = 1
    first_row: int = 1
    """The position of this page's first row among the matching rows, from 1."""
    statistics_at: datetime.datetime | None = None
    """When ranges and marks were computed."""
    statistics_stale: bool = False
    """Whether they are still to be computed for the current rows; until then none are shown."""
    stale: bool = False
    """Whether there is a change that is not shown yet."""
    detectable: Detectable | None = None
    ranking_url: str = ""
    """The ranking of the systems, if a judge compares them side by side."""
    groups_url: str = ""
    """The same board with or without groups of statistical ties; empty if there are none."""
    older_revision: bool = False
    """Whether some shown scores belong to another revision of the questions than the current one."""
    differing: list[str] = field(default_factory=list)
    """Labels of the shown metrics whose latest audit found a difference from the official code."""
    version: str = ""
    """Changes whenever the board's content does; hexadecimal."""
    type_column: Column | None = None
    order: list[OrderKey] = field(default_factory=list)
    then_columns: list[Column] = field(default_factory=list)
    """The columns that can be added as further sort keys."""
    filters: list[ActiveFilter] = field(default_factory=list)
    reset_url: str = ""
    """The same order and columns without filters."""
    type_choices: list[Choice] = field(default_factory=list)
    column_choices: list[ChoiceGroup] = field(default_factory=list)
    kind_tabs: list[Tab] = field(default_factory=list)
    """The switch between ranked and reported rows; empty if the board has only one of them."""
    sources_url: str = ""
    """The same board with every row's other sources, or without them; empty if no row has any."""
    page_urls: dict[str, str] = field(default_factory=dict)
    """The URLs of the ``previous`` and the ``next`` page, if they exist."""
    export_urls: dict[str, str] = field(default_factory=dict)
    """By format: the URL of an export of exactly the shown content."""

    @property
    def all_columns(self) -> bool:
        """Whether all columns were requested."""
        return self.params.columns == "all"

    @property
    def all_rows(self) -> list[BoardRow]:
        """The pinned rows, the comparable rows of this page, then the rows that are not comparable; with their other
        sources if the page shows them."""
        rows = self.pinned_rows + self.rows + self.apart_rows
        return with_alternatives(rows) if self.shows_sources else rows

    @property
    def shows_sources(self) -> bool:
        """Whether the page shows each row's other sources."""
        return self.params.sources == "all"

    @property
    def n_reported(self) -> int:
        """Rows of published numbers on the whole board, pinned ones left out."""
        return self.n_total - self.n_scored

    @property
    def last_row(self) -> int:
        """The position of this page's last row among the matching rows."""
        return self.first_row + len(self.rows) + len(self.apart_rows) - 1

    @property
    def page(self) -> int:
        """The current page, from 1."""
        return min(self.params.page, self.n_pages)

    @property
    def announcement(self) -> str:
        """The text for screen readers after the table was swapped."""
        order = ", then ".join(f"{key.label}, {key.direction}" for key in self.order)
        shown = f"{self.n_matching} of {self.n_total} systems. Sorted by {order}."
        if self.n_pages > 1:
            shown += f" Page {self.page} of {self.n_pages}."
        return f"{shown} {ALL_COLUMNS}" if self.all_columns else shown

    @property
    def widest_group(self) -> int:
        """The number of columns of the largest group: what a phone shows at once."""
        return max((len(group.columns) for group in self.column_groups), default=0)

    @property
    def empty(self) -> bool:
        """Whether the board is empty, whatever the filters."""
        return not self.n_total and not self.pinned_rows
