"""The schema ``manyhop-board``: a board as one JSON document, from which every other export is made and in which
snapshots are stored; and what a format of exports is. ``docs/exports.md`` describes the schema field by field.

Fields have the order and the names of the JSON. Those that are left out when they are empty are ``UNSET`` by default.
Others with a default were added after the first snapshots, which lack them.
"""

import datetime
import json
from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

import msgspec
from msgspec import UNSET, Struct, UnsetType

from leaderboard.board.document import MADE_HERE, Baseline, Cell, Detectable
from leaderboard.board.table.params import SortKey
from leaderboard.models import EntryKind
from scoring.benchmarks.facts import RunFacts
from scoring.metrics.columns import Unit

SCHEMA: Final = "manyhop-board"
SCHEMA_VERSION: Final = 1
"""Incremented whenever a field changes its meaning or is removed, but not when a field is added."""


class Benchmark(Struct, frozen=True):
    slug: str
    name: str
    citation: str
    url: str
    licence: str


class Split(Struct, frozen=True):
    slug: str
    name: str
    hidden: bool
    n_questions: int


class Setting(Struct, frozen=True):
    slug: str
    name: str
    description: str


class Revision(Struct, frozen=True):
    hash: str
    date: str | None
    note: str
    metrics: list[str] | UnsetType = UNSET
    """Labels of the metrics whose numbers belong to it, if there are several revisions."""


class Subset(Struct, frozen=True):
    """A subset of the split with its revision."""

    slug: str
    name: str
    n_questions: int
    hash: str
    date: str | None
    note: str


class Asked(Struct, frozen=True):
    """Filters and order that an export was requested with."""

    sort: list[SortKey]
    ranked_by: str
    q: str
    types: list[str]
    context_min: int | None
    context_max: int | None
    function_calling: str
    kind: str
    attributes: dict[str, str] | UnsetType = UNSET
    """The filters by attributes, such as ``size.min``."""
    run: dict[str, str] | UnsetType = UNSET
    """The filters by run facts, such as ``parameters.max``."""


class Column(Struct, frozen=True):
    """A column of scores."""

    key: str
    label: str
    short_label: str
    group: str
    metric: str
    metric_label: str
    description: str
    decimals: int
    signature: str
    higher_is_better: bool | UnsetType = UNSET
    """False where less is better. Like the next two, it is left out of what all columns once were: shares of which more
    are better."""
    unit: Unit | UnsetType = UNSET
    bounds: tuple[float, float] | UnsetType | None = UNSET


class Attribute(Struct, frozen=True):
    """Attribute that the benchmark asks of its systems, besides what every row has."""

    name: str
    label: str
    kind: str
    unit: str


class Row(Struct, kw_only=True):
    """A source of a system's scores, or a reference row."""

    rank: int | None
    best_rank: int | None
    worst_rank: int | None
    tie_group: int | None = None
    tied: bool
    system: str
    slug: str
    authors: str
    citation: str
    url: str
    type: str
    type_label: str
    context_size: int | None
    trained_for_function_calling: bool | None
    attributes: dict[str, bool | int | float | str | None] | UnsetType = UNSET
    """What it states of the attributes in `Board.attributes`."""
    run_facts: RunFacts | UnsetType = UNSET
    """What it states of itself whatever the benchmark; left out without any."""
    kind: str
    is_human: bool
    pinned: str
    source: str
    note: str
    n_answered: int | None
    n_questions: int | None
    published_at: str | None
    evidence: str = ""
    cells: dict[str, Cell]
    alternatives: "list[Row] | UnsetType" = UNSET
    """The other sources of the system; left out for these."""

    @property
    def with_alternatives(self) -> "list[Row]":
        """This row and the other sources of its system."""
        return [self, *(self.alternatives or ())]


class Board(Struct, kw_only=True):
    """A board with the rows and columns that were asked for."""

    schema: str
    schema_version: int
    benchmark: Benchmark
    split: Split
    setting: Setting
    revision: Revision | None
    revisions: list[Revision] = []
    newer_revision: Revision | None = None
    subsets: list[Subset] | UnsetType = UNSET
    baseline: Baseline | UnsetType = UNSET
    next_baseline: Baseline | UnsetType = UNSET
    asked: Asked
    attributes: list[Attribute] | UnsetType = UNSET
    columns: list[Column]
    rows: list[Row]
    apart_rows: list[Row]
    pinned_rows: list[Row]
    detectable: Detectable | None = None
    statistics: dict[str, float | int | str]

    @property
    def all_rows(self) -> list[Row]:
        """The rows in their order, without other sources."""
        return [*self.pinned_rows, *self.rows, *self.apart_rows]

    @property
    def signatures(self) -> dict[str, str]:
        """Signatures, by label, of the metrics that scored a row here. Documents of earlier versions name those of
        all metrics, also where every number is reported."""
        rows = self.all_rows
        return {
            column.metric_label: column.signature
            for column in self.columns
            if column.signature and any(row.cells[column.key].state in MADE_HERE for row in rows)
        }

    @property
    def reported_sources(self) -> list[str]:
        """Sources in which the reported rows were published, each once."""
        rows = [*self.pinned_rows, *self.rows]
        return list(dict.fromkeys(row.source for row in rows if row.kind == EntryKind.REPORTED and row.source))


def canonical_json(document: Struct | Mapping[str, Any]) -> bytes:
    """The canonical UTF-8 text of a document: keys in their order, no white space, numbers as Python writes them, which
    the digests of snapshots depend on: msgspec writes 1e-05 as 0.00001.

    Raises:
        ValueError: a number is not finite.
    """
    plain = msgspec.to_builtins(document)
    return json.dumps(plain, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode("utf-8")


class Origin(NamedTuple):
    """Origin of an exported document, and the way in which it is written."""

    address: str
    """The absolute URL of its board or snapshot."""
    date: datetime.date
    """The date of its content."""
    site: str
    """The site's name."""
    benchmark: str = ""
    """The benchmark's own BibTeX entry; without it, its citation is written as text."""
    uncertainty: str = ""
    """For LaTeX: ``interval`` (or ``1``), ``pm``, or anything else for none."""


class Format(NamedTuple):
    """A format of exports; `leaderboard.board.exports.files` lists them."""

    name: str
    """The file extension; for one system, the file's name."""
    label: str
    media_type: str
    write: Callable[[Board, Origin], bytes]
