"""Putting a board together: which rows, in which order, with which columns, links and marks."""

import math
from typing import Any, Final

from django.db.models import Count, Q
from django.urls import NoReverseMatch, reverse

from leaderboard.board.table import controls
from leaderboard.board.table.cache import remembered
from leaderboard.board.table.cells import Stored, best_of, stored_of
from leaderboard.board.table.links import Links, board_url, column, grouped, labelled_signatures, other_column
from leaderboard.board.table.ordering import Place, places, values_of
from leaderboard.board.table.params import Asked
from leaderboard.board.table.reference_rows import ORDER, ceiling_row, pin_of
from leaderboard.board.table.types import Board, BoardRow, Column, Tab
from leaderboard.board.table.version import version_of
from leaderboard.models import BoardStatistics, Entry, EntryKind
from scoring.benchmarks import definition_of
from scoring.benchmarks.base import BenchmarkDefinition
from scoring.models import Setting, Split
from scoring.queries import shown_signatures

PAGE_ROWS: Final = 100
FORMATS: Final = ("csv", "json", "tex", "bib")


def board_for(split: Split, setting: Setting, asked: Asked = Asked(), *, paged: bool = True) -> Board:  # noqa: B008
    """The board of one split and setting.

    Args:
        asked: order, filters, columns and page; by default the benchmark's own first choices.
        paged: one page of `PAGE_ROWS` rows; otherwise all rows, as exports and pictures have them.

    Sixteen queries, whatever the number of rows; one more to read statistics, and five, once for each version of the
    board, to see whether they are of the scores there now.
    """
    definition = definition_of(split.benchmark.slug)
    signatures = shown_signatures(split)
    shown = asked.shown(definition)
    needed = {column.key for column in shown} | {key.key for key in asked.order(definition)}
    needed.add(asked.ranked_by(definition))
    values = values_of(split, setting, [one for one in definition.columns if one.key in needed], signatures)
    found = places(split, setting, asked, definition, signatures, values)
    systems = [place for place in found if not place.is_human]
    matching = [place for place in systems if place.matches]
    matching.sort(key=lambda place: place.apart)
    n_pages = max(1, math.ceil(len(matching) / PAGE_ROWS)) if paged else 1
    start = (min(asked.page, n_pages) - 1) * PAGE_ROWS if paged else 0
    on_page = matching[start : start + PAGE_ROWS] if paged else matching

    on_board = Entry.objects.filter(split=split, setting=setting, replaced_at=None)
    wanted = on_board
    if len(on_page) < len(systems):
        wanted = on_board.filter(Q(pk__in=[place.pk for place in on_page]) | Q(system__is_human=True))
    entries = {entry.pk: entry for entry in wanted.select_related("system")}
    statistics = BoardStatistics.objects.filter(split=split, setting=setting).first()
    n_scored = sum(place.kind == EntryKind.SCORED for place in systems)
    version = version_of(split, setting)
    stale = bool(n_scored) and not _are_current(split, setting, statistics, version)
    best = best_of(((place.pk, place.kind) for place in systems), values)
    stored = stored_of(
        wanted, best, shown, definition, signatures, None if stale else statistics, split.current_revision_id
    )
    links = Links(board_url(split.benchmark.slug, split.slug, setting.slug), asked, definition)
    columns = [column(one, links) for one in shown]
    n_questions = split.current_revision.questions.count() if split.current_revision else 0
    build = RowBuilder(columns, stored, n_questions, definition, asked.ranked_by(definition))
    rows = [(place, build(entries[place.pk], place)) for place in on_page if place.pk in entries]
    pinned = [build(entries[place.pk], place) for place in found if place.is_human and place.pk in entries]
    ceiling = ceiling_row(split, columns, signatures, n_questions)
    if ceiling is not None and found:
        pinned.append(ceiling)
    return Board(
        benchmark=_benchmark(split),
        split=_split(split, n_questions),
        setting={"slug": setting.slug, "name": setting.name, "description": setting.description},
        split_tabs=_split_tabs(split, setting),
        setting_tabs=_setting_tabs(split, setting),
        columns=columns,
        name_column=other_column("name", "System", links),
        context_column=other_column("context", "Context", links),
        rows=[row for place, row in rows if not place.apart],
        sort=",".join(map(str, asked.order(definition))),
        signatures=labelled_signatures(signatures, shown),
        url=links.url,
        columns_url=links.to_other_columns(),
        column_groups=grouped(columns),
        apart_rows=[row for place, row in rows if place.apart],
        asked=asked,
        pinned_rows=sorted(pinned, key=lambda row: ORDER.index(row.pinned)),
        n_total=len(systems),
        n_scored=n_scored,
        n_matching=len(matching),
        n_pages=n_pages,
        first_row=start + 1,
        statistics_at=statistics.computed_at if statistics is not None else None,
        statistics_stale=stale,
        older_revision=stored.older_revision,
        type_column=other_column("type", "Type", links),
        order=controls.order_keys(links),
        then_columns=controls.then_columns(links, shown),
        filters=controls.active_filters(links),
        reset_url=controls.reset_url(links) if asked.filtered else "",
        type_choices=controls.type_choices(links),
        column_choices=controls.column_choices(links, shown),
        page_urls=controls.page_urls(links, min(asked.page, n_pages), n_pages),
        version=version,
        export_urls=_export_urls(split, setting, asked),
    )


def _are_current(split: Split, setting: Setting, statistics: BoardStatistics | None, version: str) -> bool:
    """Whether statistics are of the scores there now. What a row is called or where it was published is no matter.

    To see it means to read every score of the board, so it is done once for each version of it.
    """
    from leaderboard.board import standings  # which keeps states of boards, so it stands above this module

    if statistics is None:
        return False

    def look() -> bool:
        return standings.ground_of(split, setting).numbers == statistics.basis[: standings.HALF]

    return remembered(f"current:{version}", look)


class RowBuilder:
    """Makes rows of entries, with what is stored of them."""

    def __init__(
        self,
        columns: list[Column],
        stored: Stored,
        n_questions: int,
        definition: BenchmarkDefinition,
        ranked_by: str,
    ) -> None:
        self.columns = columns
        self.stored = stored
        self.n_questions = n_questions
        self.definition = definition
        self.ranked_by = ranked_by

    def __call__(self, entry: Entry, place: Place) -> BoardRow:
        """One row."""
        system = entry.system
        standing = self.stored.standing(entry, self.ranked_by) if place.rank is not None else None
        context = entry.context_size if entry.context_size is not None else system.context_size
        n_answered, n_questions = self.stored.answered(entry, self.n_questions)
        return BoardRow(
            rank=place.rank,
            tied=place.tied,
            name=system.name,
            slug=system.slug,
            url=system.get_absolute_url(),
            authors=system.authors,
            citation=system.citation,
            type=system.type,
            type_label=system.get_type_display(),
            context_size=context,
            kind=entry.kind,
            is_human=system.is_human,
            source=entry.source,
            note=entry.note,
            n_answered=n_answered,
            n_questions=n_questions,
            published_at=entry.published_at,
            cells=self.stored.cells(entry, self.columns),
            best_rank=standing.best_rank if standing else None,
            worst_rank=standing.worst_rank if standing else None,
            entry_id=entry.pk,
            trained_for_function_calling=system.trained_for_function_calling,
            pinned=pin_of(system, self.definition),
            link=system.url,
        )


def _benchmark(split: Split) -> dict[str, Any]:
    benchmark = split.benchmark
    return {
        "name": benchmark.name,
        "slug": benchmark.slug,
        "description": benchmark.description,
        "citation": benchmark.citation,
        "url": benchmark.url,
        "licence": benchmark.licence,
    }


def _split(split: Split, n_questions: int) -> dict[str, Any]:
    revision = split.current_revision
    return {
        "slug": split.slug,
        "name": split.name,
        "hidden": split.hidden,
        "n_questions": n_questions,
        "revision_hash": revision.content_hash if revision else "",
        "revision_short": revision.short_hash if revision else "",
        "revision_date": revision.date if revision else None,
        "revision_note": revision.note if revision else "",
        "has_references": bool(revision and revision.has_references),
    }


def _export_urls(split: Split, setting: Setting, asked: Asked) -> dict[str, str]:
    query = asked.query_string(page=1)
    urls = {}
    for name in FORMATS:
        try:
            url = reverse("board-export", args=[split.benchmark.slug, split.slug, setting.slug, name])
        except NoReverseMatch:
            continue
        urls[name] = f"{url}?{query}" if query else url
    return urls


def _split_tabs(split: Split, setting: Setting) -> list[Tab]:
    counts = dict(
        Entry.objects.filter(
            replaced_at=None, setting=setting, split__benchmark=split.benchmark_id, system__is_human=False
        )
        .values_list("split")
        .annotate(n=Count("pk"))
        .order_by()
    )
    return [
        Tab(
            other.name,
            board_url(split.benchmark.slug, other.slug, setting.slug),
            other == split,
            counts.get(other.pk, 0),
        )
        for other in Split.objects.filter(benchmark=split.benchmark_id)
    ]


def _setting_tabs(split: Split, setting: Setting) -> list[Tab]:
    systems = Q(entries__split=split, entries__replaced_at=None, entries__system__is_human=False)
    others = (
        Setting.objects.filter(benchmark=split.benchmark_id)
        .annotate(n=Count("entries", filter=systems))
        .order_by("position", "pk")
    )
    return [
        Tab(other.name, board_url(split.benchmark.slug, split.slug, other.slug), other == setting, other.n)
        for other in others
    ]
