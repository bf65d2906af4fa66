"""Building a board as a reader requests it: the rows, their order, the columns, links and marks.

Enters: a board and its document. Leaves: a `Board`. Everything happens in memory.
"""

import datetime
import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from django.urls import reverse

from leaderboard.board.lookup import FoundBoard, document_of
from leaderboard.board.table import controls, hand_grades
from leaderboard.board.table.cells import NOT_IN_SOURCE
from leaderboard.board.table.links import (
    Links,
    board_url,
    column,
    grouped,
    labelled_signatures,
    other_column,
    ranking_url,
)
from leaderboard.board.table.ordering import TYPE_LABELS, RankedEntry, led_by_reports, ordered
from leaderboard.board.table.params import BoardParams
from leaderboard.board.table.reference_rows import CEILING, ORDER
from leaderboard.board.table.types import Board, BoardRow, Cell, Column, CorrectedValue, Detectable, Tab
from leaderboard.disclosure import NOT_YET, DisclosureRule
from leaderboard.models import EntryKind
from scoring.benchmarks import definition_of
from scoring.benchmarks.base import BenchmarkDefinition, ColumnDefinition
from scoring.benchmarks.subsets import on_split, subset_in
from scoring.registry import metric_named

PAGE_ROWS: Final = 100
FORMATS: Final = ("csv", "json", "tex", "bib")
GAP: Final = {"state": "not_scored", "reason": NOT_YET}
"""The cell of a column that a document does not have yet."""


def board_for(found: FoundBoard, params: BoardParams = BoardParams(), *, paged: bool = True) -> Board:  # noqa: B008
    """A board with the content of its document.

    Args:
        params: order, filters, columns and page; by default those of the benchmark.
        paged: one page of `PAGE_ROWS` rows; otherwise all rows, as exports and charts show them.

    At most one query, and none if this process has read the document before.

    Raises:
        LookupError: the board has no document; see `leaderboard.board.snapshots.open_board`.
    """
    return build(found, document_of(found), params, paged=paged)


def build(found: FoundBoard, document: Mapping[str, Any], params: BoardParams, *, paged: bool) -> Board:
    """A board made from the content of a document (see `leaderboard.board.contents`)."""
    params = params.fitting(definition := definition_for(found, document))
    shown = _shown(definition, found.setting["slug"], params)
    links = Links(board_url(*found.slugs), params, definition)
    differing = document.get("differing", ())
    columns = [column(one, links, differing) for one in shown] + _hand_grades(document, params)
    counts = _counts(document["rows"])
    kind = params.kind or ("scored" if paged and counts["scored"] and not params.filtered else "")
    entries = _entries(document["rows"], replace(params, kind=kind), definition)
    systems = [one for one in entries if not one.is_human]
    matching = sorted((one for one in systems if one.matches), key=lambda one: one.apart)
    n_pages = max(1, math.ceil(len(matching) / PAGE_ROWS)) if paged else 1
    start = (min(params.page, n_pages) - 1) * PAGE_ROWS if paged else 0
    rule = DisclosureRule.of_benchmark(found.benchmark["slug"], hidden=found.split["hidden"])
    make = RowBuilder(columns, document["n_questions"], params.ranked_by(definition), rule)
    rows = [(one.apart, make(one)) for one in (matching[start : start + PAGE_ROWS] if paged else matching)]
    people = sorted((make(one) for one in entries if one.is_human), key=lambda row: ORDER.index(row.pinned))
    computed_at = document["statistics_at"]
    board = Board(
        benchmark=dict(found.benchmark),
        split=_split(found, document),
        setting={name: found.setting[name] for name in ("slug", "name", "description")},
        split_tabs=[],
        setting_tabs=[],
        columns=columns,
        name_column=other_column("name", "System", links),
        context_column=other_column("context", "Context", links),
        rows=[row for apart, row in rows if not apart],
        sort=",".join(map(str, params.order(definition))),
        signatures=labelled_signatures(document["signatures"], shown),
        url=links.url,
        params=params,
        apart_rows=[row for apart, row in rows if apart],
        pinned_rows=people + ([make.ceiling(document["ceiling"])] if document["ceiling"] else []),
        n_total=len(systems),
        n_scored=counts["scored"],
        n_matching=len(matching),
        n_pages=n_pages,
        first_row=start + 1,
        statistics_at=datetime.datetime.fromisoformat(computed_at) if computed_at else None,
        statistics_stale=document["statistics_stale"],
        stale=found.is_stale,
        differing=list(dict.fromkeys(one.metric_label for one in columns if one.differs)),
        version=found.version,
    )
    board.detectable = _detectable(document, params.ranked_by(definition))
    board.older_revision = any(cell.older_revision for row in board.all_rows for cell in row.cells)
    _add_links(board, found, links, shown, controls.kind_tabs(links, counts, kind), kind)
    return board


def definition_for(found: FoundBoard, document: Mapping[str, Any]) -> BenchmarkDefinition:
    """The benchmark's definition with the columns of those subsets of the split that have questions."""
    sizes = {slug: one["n_questions"] for slug, one in document.get("subsets", {}).items()}
    return on_split(definition_of(found.benchmark["slug"]), found.split["slug"], sizes)


def _shown(definition: BenchmarkDefinition, setting: str, params: BoardParams) -> tuple[ColumnDefinition, ...]:
    """The columns to show, without those of passages where no passages are taken."""
    shown = params.shown(definition)
    if definition.takes_passages(setting):
        return shown
    return tuple(one for one in shown if not metric_named(one.metric).reads_passages)


def _entries(
    rows: Sequence[Mapping[str, Any]], params: BoardParams, definition: BenchmarkDefinition
) -> list[RankedEntry]:
    return ordered(led_by_reports(rows) if params.kind == "reported" else rows, params, definition)


def _detectable(document: Mapping[str, Any], score: str) -> Detectable | None:
    found = document.get("detectable", {}).get(score)
    return Detectable(*found) if found else None


def _counts(rows: Sequence[Mapping[str, Any]]) -> dict[str, int]:
    """The number of systems with scores made here, of systems with reported scores, and of all."""
    systems = [row for row in rows if not row["is_human"]]
    reported = sum(any(one["kind"] == "reported" for one in (row, *row["alternatives"])) for row in systems)
    return {"scored": sum(row["kind"] == "scored" for row in systems), "reported": reported, "all": len(systems)}


def _hand_grades(document: Mapping[str, Any], params: BoardParams) -> list[Column]:
    """The columns of grades by hand, if the board has some and they are shown."""
    given = {key for row in document["rows"] if row["is_human"] for key in row["cells"]}
    columns = [column(one) for one in hand_grades.COLUMNS if one.key in given and params.shows_hand_grades(one.key)]
    # A single column has no group heading above it.
    return columns if len(columns) > 1 else [replace(one, short_label=hand_grades.ALONE) for one in columns]


def _add_links(
    board: Board,
    found: FoundBoard,
    links: Links,
    shown: Sequence[ColumnDefinition],
    kind_tabs: list[Tab],
    kind: str,
) -> None:
    """Add the links to other boards, and to other views of this one, which shows rows of a kind."""
    board.kind_tabs = kind_tabs
    benchmark, split, setting = found.slugs
    for other in found.neighbours:
        url = board_url(benchmark, other.split, other.setting)
        if other.setting == setting:
            board.split_tabs.append(Tab(other.split_name, url, other.split == split, other.n_systems or 0))
        if other.split == split:
            board.setting_tabs.append(Tab(other.setting_name, url, other.setting == setting, other.n_systems or 0))
    board.ranking_url = ranking_url(*found.slugs)
    board.columns_url = links.to_other_columns()
    board.column_groups = grouped(board.columns)
    board.type_column = other_column("type", "Type", links)
    board.order = controls.order_keys(links)
    board.then_columns = controls.then_columns(links, shown)
    board.filters = controls.active_filters(links)
    board.reset_url = controls.reset_url(links) if board.params.filtered else ""
    board.type_choices = controls.type_choices(links)
    board.column_choices = controls.column_choices(links, shown)
    if board.params.by_rank(links.definition) and any(row.tie_group for row in board.rows):
        board.groups_url = links.to(groups=not board.params.groups)
        if board.params.groups:
            _label_groups(board.rows)
    board.page_urls = controls.page_urls(links, board.page, board.n_pages)
    has_sources = any(row.alternatives for row in board.all_rows)
    board.sources_url = links.to(sources="" if board.params.sources else "all") if has_sources else ""
    query = board.params.query_string(page=1, kind=kind if board.kind_tabs else board.params.kind, sources="")
    for name in FORMATS:
        url = reverse("board-export", args=[*found.slugs, name])
        board.export_urls[name] = f"{url}?{query}" if query else url


def _label_groups(rows: Sequence[BoardRow]) -> None:
    """Label the first row of each group of statistical ties. Rows without a rank belong to the group around them."""
    last = None
    for row in rows:
        if row.tie_group is not None and row.tie_group != last:
            n_systems = sum(other.tie_group == row.tie_group for other in rows)
            row.group_label = f"{n_systems} systems, statistically tied" if n_systems > 1 else "1 system"
            last = row.tie_group


class RowBuilder:
    """Makes rows for display from the rows of a document."""

    def __init__(self, columns: Sequence[Column], n_questions: int, ranked_by: str, rule: DisclosureRule) -> None:
        self.rule = rule
        self.columns = columns
        self.n_questions = n_questions
        self.ranked_by = ranked_by

    def __call__(self, entry: RankedEntry) -> BoardRow:
        """One row."""
        row = entry.row
        cells = self._cells(row["cells"], _not_graded(row))
        n_answered, n_questions = row["n_answered"], self.n_questions
        # A system's counts are of the revision of its scores, which may be neither the current revision nor the one
        # that its file was submitted for.
        of_split = (cell for cell in cells if cell.n_items is not None and not subset_in(cell.column.metric))
        counted = None if entry.is_human else next(of_split, None)
        if counted is not None and counted.n_items is not None:
            n_answered, n_questions = counted.n_answered, counted.n_items
        ranked = row["cells"].get(self.ranked_by, {}) if entry.rank is not None else {}
        same = (
            *("name", "slug", "authors", "citation", "type", "context_size", "kind", "is_human", "source", "note"),
            *("entry_id", "trained_for_function_calling", "pinned", "link", "evidence"),
        )
        return BoardRow(
            rank=entry.rank,
            tied=entry.tied,
            url=reverse("system", args=[row["slug"]]),
            type_label=TYPE_LABELS.get(row["type"], row["type"]),
            n_answered=n_answered,
            n_questions=n_questions,
            published_at=datetime.datetime.fromisoformat(row["published_at"]),
            cells=cells,
            best_rank=ranked.get("best_rank"),
            worst_rank=ranked.get("worst_rank"),
            tie_group=ranked.get("tie_group"),
            alternatives=[self(RankedEntry(other, True, None, False, False)) for other in row.get("alternatives", ())],
            **{name: row[name] for name in same},
        )

    def ceiling(self, cells: Mapping[str, Mapping[str, Any]]) -> BoardRow:
        """The row of the scores of a verbatim copy of the reference answers."""
        return BoardRow(
            rank=None,
            tied=False,
            name="Ceiling",
            slug="",
            url="",
            authors="",
            citation="",
            type="",
            type_label="",
            context_size=None,
            source="",
            note="",
            kind=CEILING,
            is_human=False,
            n_answered=None,
            n_questions=self.n_questions,
            published_at=None,
            cells=self._cells(cells, hand_grades.NOT_PEOPLE),
            pinned=CEILING,
        )

    def _cells(self, cells: Mapping[str, Mapping[str, Any]], not_graded: str) -> list[Cell]:
        """A row's cells; *not_graded* is the reason for a missing grade by hand."""
        gaps = {key: {"state": "not_scored", "reason": not_graded} for key in hand_grades.KEYS}
        return [_cell(cells.get(one.key, gaps.get(one.key, GAP)), one, self.rule) for one in self.columns]


def _not_graded(row: Mapping[str, Any]) -> str:
    """Why a row has no grades by hand."""
    if not row["is_human"]:
        return hand_grades.NOT_PEOPLE
    return NOT_IN_SOURCE if row["kind"] == EntryKind.REPORTED else hand_grades.A_ROW_APART


def _cell(fields: Mapping[str, Any], column: Column, rule: DisclosureRule) -> Cell:
    corrected = fields.get("corrected")
    known = {"value": None, **fields, "corrected": CorrectedValue(*corrected) if corrected else None}
    return Cell(column=column, **known).disclosed(rule)


def _split(found: FoundBoard, document: Mapping[str, Any]) -> dict[str, Any]:
    revision = document["revision"] or {"hash": "", "date": None, "note": "", "has_references": False}
    current = document["current_revision"] or revision
    several = len(document["revisions"]) > 1
    return {
        **{name: found.split[name] for name in ("slug", "name", "hidden")},
        "n_questions": document["n_questions"],
        "revision_hash": revision["hash"],
        "revision_short": revision["hash"][:8],
        "revision_date": _day(revision["date"]),
        "revision_note": revision["note"],
        "has_references": current["has_references"],
        "revisions": [_shown_revision(one, with_metrics=several) for one in document["revisions"]],
        "newer_revision": _shown_revision(current) if _is_newer(document) else None,
        "subsets": _subsets(found, document),
        "baseline": document.get("baseline"),
        "next_baseline": document.get("next_baseline"),
        "voting_url": document.get("voting_url", ""),
    }


def _subsets(found: FoundBoard, document: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The subsets of the split that have questions, each with its current revision."""
    revisions = document.get("subsets", {})
    names = {one.slug: one.name for one in definition_of(found.benchmark["slug"]).subsets}
    return [
        {"slug": slug, "name": names[slug], "n_questions": one["n_questions"], **_shown_revision(one)}
        for slug, one in revisions.items()
        if slug in names
    ]


def _day(text: str | None) -> datetime.date | None:
    return datetime.date.fromisoformat(text) if text else None


def _is_newer(document: Mapping[str, Any]) -> bool:
    """Whether the split has a newer revision than that of some of the board's numbers."""
    current = document["current_revision"]
    return current is not None and any(one["hash"] != current["hash"] for one in document["revisions"])


def _shown_revision(revision: Mapping[str, Any], *, with_metrics: bool = False) -> dict[str, Any]:
    metrics = [metric_named(name).label for name in revision.get("metrics", ())] if with_metrics else []
    return {
        "hash": revision["hash"],
        "short": revision["hash"][:8],
        "date": _day(revision["date"]),
        "note": revision["note"],
        "metrics": metrics,
    }
