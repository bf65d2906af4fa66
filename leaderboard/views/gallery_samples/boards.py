"""Sample boards."""

from dataclasses import replace
from typing import Any

from leaderboard.board import Board, BoardRow, Cell, Column, ColumnGroup, Tab
from leaderboard.views.gallery_samples.texts import (
    LONG_AUTHORS,
    LONG_NAME,
    LONG_WORD,
    NO_JUDGE,
    NOT_CONFIGURED,
    NOW,
    ROUGE_SIGNATURE,
    SIGNATURES,
    Query,
)
from scoring.benchmarks import definitions


def _columns(sort: str, page: str) -> list[Column]:
    definition = next(iter(definitions().values()))
    key, descending = sort.removeprefix("-"), sort.startswith("-")
    return [
        Column(
            key=column.key,
            label=column.label,
            short_label=column.short_label,
            metric=column.metric,
            metric_label=column.metric,
            group=column.group,
            description=column.description,
            sort_url=f"?page={page}&sort={'' if column.key == key and descending else '-'}{column.key}",
            sorted=("descending" if descending else "ascending") if column.key == key else "",
        )
        for column in definition.default_columns
    ]


def _groups(columns: list[Column]) -> list[ColumnGroup]:
    labels = dict.fromkeys(column.group for column in columns)
    return [ColumnGroup(label, tuple(column for column in columns if column.group == label)) for label in labels]


def _row(name: str, columns: list[Column], values: list[float | None], **changes: Any) -> BoardRow:
    reasons = changes.pop("reasons", {})
    row = BoardRow(
        rank=None,
        tied=False,
        name=name,
        slug="sample",
        url="?page=system",
        authors="Sample authors",
        citation="",
        type="FOUNDATION",
        type_label="Foundation model",
        context_size=128_000,
        kind="scored",
        is_human=False,
        source="",
        note="",
        n_answered=724,
        n_questions=724,
        published_at=NOW,
        cells=[],
    )
    row = replace(row, **changes)
    row.cells = [
        Cell(column, value, row.kind if value is not None else "not_scored", reasons.get(column.key, row.note))
        for column, value in zip(columns, values, strict=True)
    ]
    return row


def _scored_rows(columns: list[Column]) -> list[BoardRow]:
    reasons = {"bleurt": NOT_CONFIGURED, "judge": NO_JUDGE}
    return [
        _row(
            "GPT-4o",
            columns,
            [0.580, 0.193, 0.471, 0.282, 0.391, 0.517, None],
            rank=1,
            authors="OpenAI",
            citation="OpenAI, 2024",
            n_answered=721,
            reasons={"judge": NO_JUDGE},
        ),
        _row(
            "Two systems with one score, A",
            columns,
            [0.4025, 0.094, 0.301, 0.164, 0.255, None, None],
            rank=2,
            tied=True,
            type_label="Prompting method",
            reasons=reasons,
        ),
        _row(
            "Two systems with one score, B",
            columns,
            [0.4025, 0.090, 0.310, 0.160, 0.250, None, None],
            rank=2,
            tied=True,
            type_label="Fine-tuned model",
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


def _apart_row(columns: list[Column]) -> BoardRow:
    reason = f"Scored under another signature: {ROUGE_SIGNATURE}"
    row = _row("Scored long ago", columns, [None] * len(columns), reasons={column.key: reason for column in columns})
    for cell, other in zip(row.cells, (0.401, 0.088), strict=False):
        cell.state, cell.other = "other_signature", other
    return row


def _published_rows(columns: list[Column], setting: str) -> list[BoardRow]:
    definition = next(iter(definitions().values()))
    published_results = definition.published_results()
    rows: list[BoardRow] = []
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
                authors=system.get("authors", ""),
                citation=system.get("citation", ""),
                context_size=published.context_size,
                source=published.source,
                note=published.note,
                n_answered=None,
            )
        )
    return rows


def _mark_best(rows: list[BoardRow]) -> None:
    for kind in ("scored", "reported"):
        systems = [row for row in rows if row.kind == kind and not row.is_human]
        for cells in zip(*(row.cells for row in systems), strict=True):
            best = max((cell.value for cell in cells if cell.value is not None), default=None)
            for cell in cells:
                cell.best = best is not None and cell.value == best


def _sorted(rows: list[BoardRow], sort: str, keys: list[str]) -> list[BoardRow]:
    key, descending = sort.removeprefix("-"), sort.startswith("-")
    if key not in keys:
        return sorted(rows, key=lambda row: row.name.casefold(), reverse=descending)
    place = keys.index(key)
    sign = -1 if descending else 1
    return sorted(
        rows,
        key=lambda row: (row.cells[place].value is None, sign * (row.cells[place].value or 0), row.name.casefold()),
    )


def board(query: Query, *, page: str = "board", only: str = "", setting: str = "openbook") -> Board:
    """A board with the published rows, four made-up ones that were scored here, and people."""
    definition = next(iter(definitions().values()))
    sort = query.get("sort") or "-loose"
    columns = _columns(sort, page)
    rows = _published_rows(columns, setting) + _scored_rows(columns)
    if only:
        rows = [row for row in rows if row.kind == only]
    rows = _sorted(rows, sort, [column.key for column in columns])
    _mark_best(rows)
    names = {"name": "System", "context": "Context"}
    others = {
        key: Column(
            key,
            label,
            label,
            "",
            "",
            "",
            "",
            sort_url=f"?page={page}&sort={'-' if sort == key else ''}{key}",
            sorted={key: "ascending", f"-{key}": "descending"}.get(sort, ""),
        )
        for key, label in names.items()
    }
    return Board(
        benchmark={
            "name": definition.name,
            "slug": definition.slug,
            "description": definition.description,
            "citation": definition.citation,
            "url": definition.url,
            "licence": definition.licence,
        },
        split={
            "slug": "test",
            "name": "Test",
            "hidden": True,
            "n_questions": 724,
            "revision_short": "3f2a9c1b",
            "revision_date": NOW.date(),
            "revision_note": "Sample",
            "has_references": True,
        },
        setting={"slug": "sample", "name": "Open book", "description": definition.settings[1].description},
        split_tabs=[Tab("Development", "?page=board-empty", False, 0), Tab("Test", "?page=board", True, 12)],
        setting_tabs=[
            Tab(one.name, f"?page={page}", number == 1, 11 - number) for number, one in enumerate(definition.settings)
        ],
        columns=columns,
        name_column=others["name"],
        context_column=others["context"],
        rows=rows,
        sort=sort,
        signatures=SIGNATURES,
        url="?page=board",
        column_groups=_groups(columns),
        apart_rows=[] if only else [_apart_row(columns)],
    )


def empty_board(query: Query) -> Board:
    """A board without a row."""
    return replace(board(query), rows=[], apart_rows=[], signatures=[])


def long_board(query: Query) -> Board:
    """A board with long names, twelve score columns and many rows."""
    base = board(query, page="board-long")
    extra = [
        replace(column, key=f"{column.key}-more", label=f"{column.label} again", group="Still more", sorted="")
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
    return replace(base, columns=columns, rows=rows, apart_rows=[], column_groups=_groups(columns))
