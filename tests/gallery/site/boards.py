"""Sample boards."""

from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlencode

from django.http import QueryDict

from leaderboard.board.document import FORMAT, Document, Revision
from leaderboard.board.exports.files import FORMATS
from leaderboard.board.table import Board, BoardParams, ShownCell, ShownColumn, ShownRow, Tab, controls
from leaderboard.board.table.links import Links, column, grouped, other_column
from scoring.benchmarks import definitions
from tests.gallery.site.texts import (
    LONG_AUTHORS,
    LONG_NAME,
    LONG_WORD,
    NOT_CONFIGURED,
    NOW,
    ROUGE_SIGNATURE,
    SIGNATURES,
    Query,
)

EXPORTS = [(extension, known.label, "?page=board") for extension, known in FORMATS.items()]


@dataclass(frozen=True)
class GalleryLinks(Links):
    """Links that stay in the gallery."""

    page: str = "board"

    def to(self, **changes: object) -> str:
        """The same sample, asked otherwise."""
        query = self.params.query_string(**changes)
        return f"?page={self.page}&{query}" if query else f"?page={self.page}"


def _links(query: Query, page: str) -> GalleryLinks:
    definition = next(iter(definitions().values()))
    params = BoardParams.of(query if isinstance(query, QueryDict) else QueryDict(urlencode(query)), definition)
    return GalleryLinks("", replace(params, page=1), definition, page)


def _columns(links: GalleryLinks) -> list[ShownColumn]:
    return [column(one, links) for one in links.params.shown(links.definition)]


def _row(name: str, columns: list[ShownColumn], values: list[float | None], **changes: Any) -> ShownRow:
    reasons = changes.pop("reasons", {})
    context_size = changes.pop("context_size", 128_000)
    known: dict[str, Any] = {
        "slug": "sample",
        "url": "?page=system",
        "authors": "Sample authors",
        "type": "FOUNDATION",
        "attributes": {"context_size": context_size} if context_size else {},
        "kind": "scored",
        "n_answered": 724,
        "n_questions": 724,
        "published_at": NOW,
    }
    row = ShownRow(name=name, **known | changes)
    given = values
    if len(values) != len(columns):  # columns on demand have no sample values
        default = next(iter(definitions().values())).default_columns
        by_key = dict(zip((one.key for one in default), values, strict=False))
        given = [by_key.get(one.key) for one in columns]
    row.cells = [
        ShownCell(
            column=column,
            value=value,
            state=row.kind if value is not None else "not_scored",
            reason=reasons.get(column.key, row.note),
        )
        for column, value in zip(columns, given, strict=True)
    ]
    return row


def _with_statistics(rows: list[ShownRow]) -> None:
    """Intervals, ranges of ranks and marks, as a worker would have computed them of about 700 questions."""
    for row in rows:
        if row.kind != "scored":
            continue
        for cell in row.cells:
            if cell.value is None:
                continue
            half = 0.03 + 0.02 * cell.value * (1 - cell.value)
            cell.low, cell.high = max(0.0, cell.value - half), min(1.0, cell.value + 0.9 * half)
            cell.marked = cell.best or (row.rank == 2 and cell.column.key.startswith("rouge"))
            cell.p_value = 1.0 if cell.marked else 0.001
            if cell.column.key == "judge":
                cell.noise, cell.n_repeats = 0.0043, 3
        if row.rank is not None:
            row.best_rank, row.worst_rank = (1, 1) if row.rank == 1 else (2, 4)


def _ceiling(columns: list[ShownColumn]) -> ShownRow:
    row = _row(
        "Ceiling",
        columns,
        [1.0, 1.0, 1.0, 0.998, 1.0, 0.972, None],
        kind="ceiling",
        pinned="ceiling",
        slug="",
        url="",
        authors="",
        context_size=None,
        n_answered=None,
        reasons={"judge": "Not measured: the judge is not asked about the references."},
    )
    for cell in row.cells:
        if cell.value is not None:
            cell.state = "ceiling"
    return row


def _scored_rows(columns: list[ShownColumn]) -> list[ShownRow]:
    reasons = {"bleurt": NOT_CONFIGURED, "judge": NOT_CONFIGURED}
    return [
        _row(
            "GPT-4o",
            columns,
            [0.580, 0.193, 0.471, 0.282, 0.391, 0.517, 0.482],
            rank=1,
            authors="OpenAI",
            citation="OpenAI, 2024",
            n_answered=721,
        ),
        _row(
            "Two systems with one score, A",
            columns,
            [0.4025, 0.094, 0.301, 0.164, 0.255, None, None],
            rank=2,
            tied=True,
            type="PROMPT",
            reasons=reasons,
        ),
        _row(
            "Two systems with one score, B",
            columns,
            [0.4025, 0.090, 0.310, 0.160, 0.250, None, None],
            rank=2,
            tied=True,
            type="FINETUNE",
            context_size=1_000_000,
            reasons=reasons,
        ),
        _row(
            "Gemma 1.1 7B IT",
            columns,
            [0.14782, 0.00829, 0.16492, 0.07882, 0.13467, 0.34564, None],
            rank=4,
            authors=LONG_AUTHORS,
            citation="Gemma Team, 2024",
            context_size=8192,
            n_answered=707,
            reasons={"judge": "Failed: the judge did not answer after 5 attempts."},
        ),
    ]


def _apart_row(columns: list[ShownColumn]) -> ShownRow:
    reason = f"Another signature: {ROUGE_SIGNATURE}"
    row = _row("Scored long ago", columns, [None] * len(columns), reasons={column.key: reason for column in columns})
    for cell, other in zip(row.cells, (0.401, 0.088), strict=False):
        cell.state, cell.other_value = "other_signature", other
    return row


def _published_rows(columns: list[ShownColumn], setting: str) -> list[ShownRow]:
    definition = next(iter(definitions().values()))
    published_results = definition.published_results()
    rows: list[ShownRow] = []
    if published_results is None:
        return rows
    for published in published_results.rows:
        if published.setting != setting:
            continue
        system = published_results.systems[published.system]
        is_human = bool(system.get("is_human"))
        rows.append(
            _row(
                system["name"],
                columns,
                [published.values.get(column.score) for column in definition.default_columns],
                kind="reported",
                is_human=is_human,
                pinned=("upper-bound" if system["name"] in definition.upper_bounds else "human") if is_human else "",
                authors=system.get("authors", ""),
                citation=system.get("citation", ""),
                context_size=published.context_size,
                source=published.source,
                note=published.note,
                n_answered=None,
            )
        )
    return rows


def _mark_best(rows: list[ShownRow]) -> None:
    for kind in ("scored", "reported"):
        systems = [row for row in rows if row.kind == kind and not row.is_human]
        for cells in zip(*(row.cells for row in systems), strict=True):
            best = max((cell.value for cell in cells if cell.value is not None), default=None)
            for cell in cells:
                cell.best = best is not None and cell.value == best


def _sorted(rows: list[ShownRow], links: GalleryLinks) -> list[ShownRow]:
    def value(row: ShownRow, key: str) -> Any:
        others = {"name": row.name.casefold(), "type": row.type_label, "context": row.context_size}
        return next((cell.value for cell in row.cells if cell.column.key == key), others.get(key))

    rows = sorted(rows, key=lambda row: row.name.casefold())
    for one in reversed(links.params.order(links.definition)):
        known = [row for row in rows if value(row, one.key) is not None]
        known.sort(key=lambda row, key=one.key: value(row, key), reverse=one.descending)  # type: ignore[misc]
        rows = known + [row for row in rows if value(row, one.key) is None]
    return rows


def _passes(row: ShownRow, params: BoardParams) -> bool:
    return (
        params.q.casefold() in f"{row.name} {row.authors}".casefold()
        and (not params.types or row.type in params.types)
        and (not params.kind or row.kind == params.kind)
    )


def document(**changes: Any) -> Document:
    """What a board says of its questions and its statistics."""
    revision = Revision("3f2a9c1b" * 8, NOW.date(), "Sample", True, 724, ["accuracy"])
    known: dict[str, Any] = {"revisions": [revision], "current_revision": revision, "statistics_at": NOW}
    return Document(format=FORMAT, rows=[], columns={}, reasons=[""], signatures={}, **known | changes)


def _names(links: GalleryLinks) -> dict[str, Any]:
    """What the board says of its benchmark, split and setting, and the tabs to others."""
    definition, page = links.definition, links.page
    return {
        "benchmark": {
            "name": definition.name,
            "slug": definition.slug,
            "description": definition.description,
            "citation": definition.citation,
            "url": definition.url,
            "licence": definition.licence,
        },
        "split": {
            "slug": "test",
            "name": "Test",
            "hidden": True,
        },
        "document": document(),
        "setting": {"slug": "sample", "name": "Open book", "description": definition.settings[1].description},
        "split_tabs": [Tab("Development", "?page=board-empty", False, 0), Tab("Test", "?page=board", True, 12)],
        "setting_tabs": [
            Tab(one.name, f"?page={page}", number == 1, 11 - number) for number, one in enumerate(definition.settings)
        ],
    }


def _controls(links: GalleryLinks) -> dict[str, Any]:
    """The order, the filters, the choice of columns and the exports of a board."""
    params, shown = links.params, links.params.shown(links.definition)
    return {
        "name_column": other_column("name", "System", links),
        "context_column": other_column("context", "Context", links),
        "ranked_by": links.definition.column(links.definition.default_sort),
        "type_column": other_column("type", "Type", links),
        "sort": ",".join(map(str, params.order(links.definition))),
        "url": f"?page={links.page}",
        "columns_url": links.to_other_columns(),
        "params": params,
        "order": controls.order_keys(links),
        "then_columns": controls.then_columns(links, shown),
        "filters": controls.active_filters(links),
        "reset_url": controls.reset_url(links),
        "column_choices": controls.column_choices(links, shown),
    }


def board(query: Query, *, page: str = "board", only: str = "", setting: str = "openbook") -> Board:
    """A board with the published rows, four made-up ones that were scored here, and people."""
    links = _links(query, page)
    columns = _columns(links)
    rows = _published_rows(columns, setting) + _scored_rows(columns)
    if only:
        rows = [row for row in rows if row.kind == only]
    _mark_best(rows)
    _with_statistics(rows)
    pinned = [row for row in rows if row.pinned]
    systems = [row for row in rows if not row.pinned]
    if not only:
        pinned.append(_ceiling(columns))
    rows = _sorted([row for row in systems if _passes(row, links.params)], links)
    return Board(
        **_names(links),
        **_controls(links),
        columns=columns,
        column_groups=grouped(columns),
        rows=rows,
        apart_rows=[] if only else [_apart_row(columns)],
        pinned_rows=pinned,
        signatures=SIGNATURES,
        n_total=len(systems),
        n_scored=sum(row.kind == "scored" for row in systems),
        n_matching=len(rows),
    )


def empty_board(query: Query) -> Board:
    """A board without a row."""
    return replace(board(query), rows=[], apart_rows=[], pinned_rows=[], signatures=[], n_total=0, n_matching=0)


def stale_board(query: Query) -> Board:
    """A board whose ranges and marks are still to be computed."""
    found = board(query, page="board-stale")
    for row in found.rows:
        row.best_rank = row.worst_rank = None
        for cell in row.cells:
            cell.marked, cell.noise = False, None
    return replace(found, document=document(statistics_stale=True, statistics_at=None))


def tied_board(query: Query) -> Board:
    """A board in groups of statistical ties."""
    found = board({**query, "groups": "ties"}, page="board-ties")
    for row in found.rows:
        row.tie_group = 1 if row.rank == 1 else 2 if row.rank else None
    labels = {1: "1 system", 2: "3 systems, statistically tied"}
    for row in found.rows:
        row.group_label = labels.pop(row.tie_group, "") if row.tie_group else ""
    return replace(found, groups_url="?page=board")


def in_seconds(column: ShownColumn) -> ShownColumn:
    """The column as one of times, of which less is better."""
    time = {"label": "Time per question", "short_label": "Time", "unit": "seconds", "digits": 1, "bounds": None}
    return replace(column, **time, higher_is_better=False, sorted="ascending")  # type: ignore[arg-type]


def seconds(value: float | None) -> float | None:
    """The time in the place of a share."""
    return None if value is None else 60 * (1 - value)


def seconds_board(query: Query) -> Board:
    """A board that is ranked by a time."""
    found = board(query, page="board-seconds")
    columns = [in_seconds(found.columns[0]), *found.columns[1:]]
    for row in found.all_rows:
        cell = row.cells[0]
        cell.column, cell.value, cell.other_value = columns[0], seconds(cell.value), seconds(cell.other_value)
        cell.low, cell.high = seconds(cell.high), seconds(cell.low)
    return replace(found, columns=columns, column_groups=grouped(columns), ranked_by=columns[0])


def differing_board(query: Query) -> Board:
    """A board with a metric whose latest audit found a difference, and a newer revision."""
    found = board(query, page="board-differing")
    columns = [replace(one, differs=one.metric == "accuracy") for one in found.columns]
    revision = Revision("0c1d9a5f" * 8, NOW.date(), "", True, 724)
    return replace(
        found,
        columns=columns,
        column_groups=grouped(columns),
        differing=["String accuracy"],
        document=document(current_revision=revision),
    )


def paged_board(query: Query) -> Board:
    """The second of three pages, with ties all over it."""
    base = board(query, page="board-paged")
    values: list[float | None] = [0.25, 0.02, 0.2, 0.1, 0.15, 0.3, 0.1]
    rows = [
        _row(f"Tied system {number}", base.columns, values, rank=101, tied=True, slug=f"tied-{number}")
        for number in range(101, 113)
    ]
    _with_statistics(rows)
    urls = {"previous": "?page=board-paged", "next": "?page=board-paged"}
    return replace(
        base,
        rows=rows,
        apart_rows=[],
        params=replace(base.params, page=2),
        n_total=250,
        n_scored=250,
        n_matching=250,
        n_pages=3,
        first_row=101,
        page_urls=urls,
    )


def long_board(query: Query) -> Board:
    """A board with long names, twelve score columns and many rows."""
    base = board(query, page="board-long")
    extra = [
        replace(column, score=f"{column.key}-more", label=f"{column.label} again", group="Still more", sorted="")
        for column in base.columns[:5]
    ]
    columns = [*base.columns, *extra]
    values: list[float | None] = [0.5 - 0.01 * number for number in range(len(columns))]
    rows = [
        _row(name, columns, values, rank=rank, authors=LONG_AUTHORS, citation=LONG_WORD, context_size=10**12)
        for rank, name in enumerate((LONG_NAME, LONG_WORD, *(f"System {number}" for number in range(40))), start=1)
    ]
    rows.append(
        _row(
            LONG_WORD,
            columns,
            [None] * len(columns),
            kind="reported",
            source="Somewhere",
            note=f"No value. {LONG_WORD}",
        )
    )
    _with_statistics(rows)
    pinned = [_ceiling(columns)]
    n_rows = len(rows)
    return replace(
        base,
        columns=columns,
        rows=rows,
        apart_rows=[],
        pinned_rows=pinned,
        column_groups=grouped(columns),
        n_total=n_rows,
        n_matching=n_rows,
    )


def cards() -> list[dict[str, Any]]:
    """Three benchmarks of the home page: with systems, with names that are far too long, and without a row."""
    return [
        {
            "board": made,
            "column": made.columns[0],
            "systems": [(row, row.cells[0]) for row in made.rows[:3]],
            "n_systems": 12 * len(made.rows[:3]),
            "newest_at": newest_at,
        }
        for made, newest_at in ((board({}), NOW), (long_board({}), NOW), (empty_board({}), None))
    ]
