"""Building a board as a reader requests it: the rows, their order, the columns, links and marks.

A `Board` is made of a board's document in memory, without a query.
"""

import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import chain
from typing import Any, Final

import msgspec
from django.urls import reverse

from leaderboard import run_columns
from leaderboard.attributes import filter_fields, further, in_words
from leaderboard.board.document import MADE_HERE, Document, Row
from leaderboard.board.finding import finding_of
from leaderboard.board.lookup import StoredBoard, board_url
from leaderboard.board.table import bars, hand_grades
from leaderboard.board.table.links import (
    Links,
    ShownColumn,
    Tab,
    column,
    column_choices,
    filter_links,
    labelled_signatures,
    other_column,
    ranking_url,
    then_columns,
)
from leaderboard.board.table.ordering import (
    OrderedSystem,
    columns_of_runs,
    filters_of,
    is_apart,
    matching,
    n_matching,
    ordered,
    separations,
    shown_row,
)
from leaderboard.board.table.params import BoardParams, with_runs
from leaderboard.board.table.types import Board, ShownCell, ShownRow, with_alternatives
from leaderboard.disclosure import DisclosureRule
from leaderboard.models import EntryKind
from scoring.benchmarks import definition_of
from scoring.benchmarks.attributes import Attribute
from scoring.benchmarks.base import BenchmarkDefinition
from scoring.benchmarks.facts import OPEN_WEIGHTS, RunFacts
from scoring.benchmarks.names import on_subset, parts_of
from scoring.benchmarks.subsets import WHOLE, on_split
from scoring.metrics.columns import Column
from scoring.metrics.columns import shown as shown_number
from scoring.registry import metric_named

PAGE_ROWS: Final = 50
MOST_BESIDE: Final = 2
"""Score columns beside the headline and its dimensions, unless a reader asks for others."""


def board_for(
    stored: StoredBoard,
    params: BoardParams = BoardParams(),  # noqa: B008
    *,
    paged: bool = True,
    page_rows: int = PAGE_ROWS,
    as_page: bool = False,
    system: str = "",
    url: str = "",
) -> Board:
    """A board with the content of its document.

    Args:
        params: order, filters, columns and page; by default those of the benchmark.
        paged: one page of rows; otherwise all rows, as exports and charts show them.
        page_rows: the most rows of a page.
        as_page: the headline column first, with bars; and unless *params* ask otherwise, few columns, and of the rows
            those that were scored here, if there are any.
        system: a slug: of the systems, only the rows of this one; with ``paged=False``.
        url: the board's address, if it has another than its usual one.

    One query, for the document.

    Raises:
        LookupError: the board has no document; see `leaderboard.board.write.open_board`.
    """
    document = stored.content
    definition = definition_for(stored)
    asked = params.fitting(definition)
    counts = _counts(document, definition.default_sort)
    params = asked
    if as_page:  # which rows it shows by default depends on what there is, so that its links do not repeat it
        params = replace(asked, kind=asked.kind or ("scored" if counts["scored"] else "all"))

    ranked_by = definition.column(asked.ranked_by(definition))
    shown, empty_columns = asked.shown(definition), list[str]()
    if as_page:
        shown, empty_columns = _columns_of_page(document, params, shown, ranked_by)
    if not definition.takes_passages(stored.setting.slug):
        shown = tuple(
            known
            for known in shown
            if known.metric == run_columns.METRIC or not metric_named(known.metric).reads_passages
        )
    links = Links(url or board_url(*stored.slugs), asked, definition)
    columns = [column(known, links) for known in shown]
    if not (as_page and asked.columns is None):
        columns += _hand_grades(document, params, percent=definition.percent)

    # Rows that no current signature scored come after all others, on the last pages.
    entries = ordered(document, params, definition)
    people = [entry for entry in entries if entry.row.is_human]
    systems = [entry for entry in entries if not entry.row.is_human] if people else entries
    shown_systems = sorted(matching(systems, params, definition), key=lambda entry: is_apart(entry.row))
    n_pages = max(1, math.ceil(len(shown_systems) / page_rows)) if paged else 1
    start = (min(params.page, n_pages) - 1) * page_rows if paged else 0
    on_page = shown_systems[start : start + page_rows] if paged else shown_systems
    if system:
        on_page = [entry for entry in on_page if any(row.slug == system for row in (entry.row, *entry.others))]

    rule = stored.rule
    by_part = stored.split.final is not None
    row_maker = _RowMaker(document, columns, ranked_by.key, rule, further(definition), by_part=by_part)
    by_rank = params.by_rank(definition)
    separated = set[int]()  # rows from which on no rank range overlaps one of the rows above
    if by_rank:
        ranked = [entry for entry in shown_systems if entry.rank is not None]
        cells = [entry.row.cell(ranked_by.key) for entry in ranked]
        separated = {ranked[end].place for end in separations([(cell.best_rank, cell.worst_rank) for cell in cells])}
    rows = [
        row_maker.system(entry, is_separated=entry.place in separated) for entry in on_page if not is_apart(entry.row)
    ]
    pinned = sorted(map(row_maker.system, people), key=lambda row: row.pinned)  # "human" first

    # The signatures of columns in which a row that is shown, or an alternative of it, was scored here, under any
    # signature: a signature says nothing of reported numbers.
    scored_here = [
        known
        for known in shown
        if any(
            row.cell(known.key).state in MADE_HERE
            for entry in chain(people, shown_systems)
            for row in (entry.row, *entry.others)
        )
    ]
    board = Board(
        stored=stored,
        links=links,
        split_tabs=[],
        setting_tabs=[],
        columns=columns,
        name_column=other_column("name", "System", links),
        ranked_by=ranked_by,
        rows=rows,
        signatures=labelled_signatures(document.signatures, scored_here),
        params=asked,
        kind=params.kind,
        apart_rows=[row_maker.system(entry) for entry in on_page if is_apart(entry.row)],
        pinned_rows=pinned,
        n_total=len(systems),
        n_scored=counts["scored"],
        n_unscored=counts["unscored"],
        matching=shown_systems,
        n_pages=n_pages,
        first_row=start + 1,
        detectable=document.detectable.get(ranked_by.key),
        filter_fields=filter_fields(params.attributes, further(definition))
        + filter_fields(params.facts, filters_of(document), run_columns.PREFIX),
        ranking_url=ranking_url(*stored.slugs),
        then_columns=then_columns(links, shown),
        empty_columns=empty_columns,
        column_choices=column_choices(links, shown),
    )
    if as_page:
        by_whole = parts_of(ranked_by.metric)[1] == WHOLE  # which ranks nobody
        found = definition.column(definition.default_sort) if by_whole else ranked_by
        board.finding = finding_of(document, found, rule, reported=params.kind == EntryKind.REPORTED)
        board.filter_links = filter_links(links, document, systems, counts, params)
        _draw_bars(board, _ends(document, ranked_by.key, params.kind == "reported"), rule)

    offered = {stored.split, *(other.split for other in stored.neighbours if other.is_offered)}
    for split, setting, n_systems in stored.neighbours:
        address = board_url(stored.benchmark.slug, split.slug, setting.slug)
        if setting == stored.setting and split in offered:
            board.split_tabs.append(Tab(split.name, address, split == stored.split, n_systems or 0))
        if split == stored.split:
            board.setting_tabs.append(Tab(setting.name, address, setting == stored.setting, n_systems or 0))
    if by_rank and any(row.tie_group for row in rows):
        board.groups_url = links.to(groups=not params.groups)
        if params.groups:
            _label_groups(rows)
    pages = {"first": 1, "previous": board.page - 1, "next": board.page + 1, "last": n_pages}
    for name, number in pages.items():
        if 1 <= number <= n_pages and number != board.page:
            board.page_urls[name] = links.to(page=number)
    if any(row.alternatives for row in board.all_rows):
        board.sources_url = links.to(sources="" if params.sources else "all")
    return board


def n_pages_of(stored: StoredBoard, params: BoardParams, page_rows: int) -> int:
    """The number of pages of a board, without making one."""
    definition = definition_for(stored)
    return max(1, math.ceil(n_matching(stored.content, params.fitting(definition), definition) / page_rows))


def definition_for(stored: StoredBoard) -> BenchmarkDefinition:
    """The benchmark's definition with the columns of those subsets of the split that have questions, and of what runs
    took."""
    sizes = {slug: revision.n_questions for slug, revision in stored.content.subsets.items()}
    definition = on_split(definition_of(stored.benchmark.slug), stored.split.slug, sizes)
    return with_runs(definition, columns_of_runs(stored.content), stored.content.shared_k)


def _ends(document: Document, key: str, is_reported: bool) -> tuple[float, ...]:
    """The lowest and the highest number of a column with its intervals, people left out; empty without any.

    Args:
        is_reported: whether the board is one of reported scores.
    """
    rows = [shown_row(sources, is_reported=is_reported) for sources in document.systems]
    cells = [row.cell(key) for row in rows if not row.is_human]
    ends = [end for cell in cells for end in (cell.value, cell.low, cell.high) if end is not None]
    return (min(ends), max(ends)) if ends else ()


def _counts(document: Document, sort: str) -> dict[str, int]:
    """The number of systems with the score that the board is ordered by, made here; of systems that wait for it; of
    systems with reported scores; and of all."""
    counts = dict.fromkeys(("scored", "unscored", "reported", "all"), 0)
    for row, *others in document.systems:
        if row.is_human:
            continue
        counts["all"] += 1
        if row.kind == EntryKind.SCORED:
            counts["scored" if row.cell(sort).state in MADE_HERE else "unscored"] += 1
        counts["reported"] += any(source.kind == EntryKind.REPORTED for source in (row, *others))
    return counts


def _columns_of_page(
    document: Document, params: BoardParams, shown: Sequence[Column], ranked_by: Column
) -> tuple[tuple[Column, ...], list[str]]:
    """The columns of a page, the headline first; and the labels of those left out because no row has a value.

    Unless the reader chose columns, the page has few beside the headline: its dimensions, those that the board is
    sorted by, further scores up to `MOST_BESIDE` without their dimensions, and what runs took.
    """
    if params.columns is not None:
        return (ranked_by, *(column for column in shown if column != ranked_by)), []
    valued = _valued(document, params.kind)
    sorted_by = {key.key for key in params.sort}
    others = [
        column
        for column in shown
        if column != ranked_by
        and column.key in valued | sorted_by
        and (not column.is_dimension or column.metric == ranked_by.metric or column.key in sorted_by)
    ]
    scores = [column for column in others if not _is_always_shown(column, ranked_by)]
    beside = on_subset(ranked_by.key, WHOLE)
    scores.sort(key=lambda column: (column.key not in sorted_by, column.key != beside))
    n_sorted = sum(column.key in sorted_by for column in scores)
    left_out = scores[max(MOST_BESIDE, n_sorted) :]
    kept = [column for column in others if column not in left_out]
    kept.sort(key=lambda column: column.key != beside)
    return (ranked_by, *kept), [column.label for column in shown if column.key not in valued]


def _is_always_shown(column: Column, ranked_by: Column) -> bool:
    return column.metric == run_columns.METRIC or (column.is_dimension and column.metric == ranked_by.metric)


def _valued(document: Document, kind: str) -> frozenset[str]:
    """The columns in which a row of a kind has a value, people left out."""
    rows = [row for row in document.rows if not row.is_human and kind in ("all", row.kind)]
    return frozenset(key for row in rows for key, cell in row.by_column.items() if cell.value is not None)


def _hand_grades(document: Document, params: BoardParams, *, percent: bool) -> list[ShownColumn]:
    """The columns of grades by hand, if the board has some and they are shown."""
    people = [row for row, *_ in document.systems if row.is_human]
    columns = [
        column(replace(known, percent=percent))
        for known in hand_grades.COLUMNS
        if params.shows_hand_grades(known.key) and any(row.cell(known.key).value is not None for row in people)
    ]
    # A single column has no group heading above it.
    return columns if len(columns) > 1 else [replace(known, short_label=hand_grades.ALONE) for known in columns]


def _draw_bars(board: Board, ends: Sequence[float], rule: DisclosureRule) -> None:
    """The bars of the rows of a page, on a scale for all systems of the board.

    Args:
        ends: the lowest and the highest number of the column.
    """
    column = board.ranked_by
    people = board.finding.people.value if board.finding is not None and board.finding.people is not None else None
    scale = bars.scale_of([*ends, *([] if people is None else [people])], column, rule) if ends else None
    if scale is None:
        return
    board.axis = bars.axis(scale, column, people)
    for row in with_alternatives(board.rows + board.apart_rows):
        row.bar = bars.bar(row.cells[0], scale, people, leads=row.rank == 1)


def _label_groups(rows: Sequence[ShownRow]) -> None:
    """Name each group of statistical ties in its first row. Rows without a rank belong to the group around them."""
    last = None
    for row in rows:
        if row.tie_group not in (None, last):
            n_tied = sum(other.tie_group == row.tie_group for other in rows)
            row.group_label = f"{n_tied} systems, statistically tied" if n_tied > 1 else "1 system"
            last = row.tie_group


def about(stated: RunFacts | None) -> str:
    """One line on a system: who runs it, since when it exists and how it can be used."""
    if stated is None:
        return ""
    released = f"{stated.released:%b %Y}" if stated.released else ""
    access = {"api": "API", OPEN_WEIGHTS: "open weights"}.get(stated.access, "")
    return " · ".join(filter(None, (stated.organisation, released, access)))


class _RowMaker:
    """Makes rows for display from the rows of a document."""

    def __init__(
        self,
        document: Document,
        columns: Sequence[ShownColumn],
        ranked_by: str,
        rule: DisclosureRule,
        attributes: Sequence[Attribute],
        *,
        by_part: bool = False,
    ) -> None:
        self.document, self.columns = document, columns
        self.attributes = [attribute for attribute in attributes if attribute.board != "none"]
        self.ranked_by, self.rule, self.by_part = ranked_by, rule, by_part

    def system(self, system: OrderedSystem, *, is_separated: bool = False) -> ShownRow:
        """A system's row with its other sources."""
        names = {name: getattr(system.named, name) for name in ("name", "slug", "authors", "citation")}
        if system.rank is not None:
            cell = system.row.cell(self.ranked_by)
            names |= {name: getattr(cell, name) for name in ("best_rank", "worst_rank", "tie_group")}
        return self._row(
            system.row,
            rank=system.rank,
            tied=system.tied,
            is_apart=is_separated,
            alternatives=[self._row(row) for row in system.others],
            **names,
        )

    def _row(self, row: Row, **changes: Any) -> ShownRow:
        n_answered, n_questions = row.n_answered, None if row.kind == EntryKind.REPORTED else self.document.n_questions
        if self.by_part and not row.is_human:  # an answer left out would tell which part its question is in
            n_answered = n_questions = None
        elif not row.is_human:
            # A system's counts are of the revision of its scores, which may be neither the current revision nor the one
            # that its file was submitted for.
            of_split = (row.cell(column.key) for column in self.columns if not parts_of(column.metric)[1])
            counted = next((cell for cell in of_split if cell.n_items), None)  # none of a score that is no mean
            if counted is not None:
                n_answered, n_questions = counted.n_answered, counted.n_items
        fields: dict[str, Any] = msgspec.structs.asdict(row)
        fields |= {"n_answered": n_answered, "n_questions": n_questions} | changes
        stated = [
            f"{attribute.label}: {in_words(attribute, row.attributes[attribute.name])}"
            for attribute in self.attributes
            if attribute.name in row.attributes
        ]
        tokens, seconds = (row.cell(column.key).value for column in (run_columns.TOKENS, run_columns.SECONDS))
        took = [] if tokens is None else [f"{tokens / 1000:.1f}k tok" if tokens >= 1000 else f"{tokens:.0f} tok"]
        if seconds is not None:
            column = replace(run_columns.SECONDS, digits=0 if seconds >= 10 else 1)
            took.append(f"{shown_number(seconds, column)} s")
        fields |= {"about": about(row.facts), "took": " · ".join(took), "stated": stated, "cells": self._cells(row)}
        fields["n_attempts"] = round(row.cell(run_columns.ATTEMPTS.key).value or 1)
        return ShownRow(**fields, url=reverse("system", args=[fields["slug"]]))

    def _cells(self, row: Row) -> list[ShownCell]:
        return [
            ShownCell(*msgspec.structs.astuple(row.cell(shown.key)), column=shown).disclosed(self.rule)
            for shown in self.columns
        ]
