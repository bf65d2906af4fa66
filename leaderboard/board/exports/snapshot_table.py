"""A document as the rows and columns of a table, so that the templates of a board can show a snapshot."""

from typing import Any

from django.urls import reverse
from msgspec import UNSET
from msgspec.structs import asdict

from leaderboard.board.exports import schema
from leaderboard.board.exports.snapshots import PARTS, SnapshotView
from leaderboard.board.table import ShownCell, ShownColumn, ShownRow
from leaderboard.board.table.types import notes_of, with_alternatives
from scoring.benchmarks import definitions


def table_of(snapshot: SnapshotView) -> dict[str, Any]:
    """The table of a snapshot, with a note on each row that has left the board since, and links to existing pages."""
    document = snapshot.document
    columns = columns_of(document)

    def shown(row: schema.Row) -> ShownRow:
        left = snapshot.notes.get(row.slug, "")
        same = (
            *("rank", "tied", "slug", "authors", "citation", "type", "kind", "is_human", "source", "evidence"),
            *("n_answered", "n_questions", "best_rank", "worst_rank", "pinned"),
        )
        return ShownRow(
            name=row.system,
            url=reverse("system", args=[row.slug]) if row.slug in snapshot.public else "",
            link=row.url,
            attributes={} if row.context_size is None else {"context_size": row.context_size},
            facts=row.run_facts or None,
            note=" ".join(part for part in (row.note, left) if part),
            alternatives=[shown(other) for other in row.alternatives or ()],
            cells=[ShownCell(**asdict(row.cells[column.key]), column=column) for column in columns],
            **{name: getattr(row, name) for name in same},
        )

    parts = {part: list(map(shown, getattr(document, part))) for part in PARTS}
    all_rows = with_alternatives([row for rows in parts.values() for row in rows])
    return {
        "columns": columns,
        **parts,
        "all_rows": all_rows,
        "notes": notes_of(all_rows),
        "signatures": list(document.signatures.items()),
        "shows_sources": True,
    }


def columns_of(document: schema.Board) -> list[ShownColumn]:
    """The columns of a document; shares are shown as its benchmark shows them today."""
    definition = definitions().get(document.benchmark.slug)
    percent = definition is not None and definition.percent
    names = ("label", "short_label", "metric", "metric_label", "group", "description")
    return [
        ShownColumn(
            score=column.key,
            digits=column.decimals,
            percent=percent,
            higher_is_better=column.higher_is_better is not False,
            unit=column.unit or "share",
            bounds=(0.0, 1.0) if column.bounds is UNSET else column.bounds,
            **{name: getattr(column, name) for name in names},
        )
        for column in document.columns
    ]
