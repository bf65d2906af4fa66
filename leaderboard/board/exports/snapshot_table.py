"""A document as the rows and columns of a table, so that the templates of a board can show a snapshot."""

import datetime
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.urls import reverse

from leaderboard.board.exports.snapshots import SnapshotView
from leaderboard.board.table import BoardRow, Cell, Column, ColumnGroup, CorrectedValue
from leaderboard.board.table.links import grouped
from leaderboard.board.table.types import with_alternatives


@dataclass(frozen=True)
class ShownTable:
    """The content of a snapshot's table."""

    columns: list[Column]
    column_groups: list[ColumnGroup]
    pinned_rows: list[BoardRow]
    rows: list[BoardRow]
    apart_rows: list[BoardRow]
    signatures: list[tuple[str, str]]
    shows_sources: bool = True

    @property
    def all_rows(self) -> list[BoardRow]:
        """All rows, in their order, each with its other sources."""
        return with_alternatives(self.pinned_rows + self.rows + self.apart_rows)


def table_of(snapshot: SnapshotView) -> ShownTable:
    """The table of a snapshot, with a note on each row that has left the board since, and links to existing pages."""
    document = snapshot.document
    columns = [_column(column) for column in document["columns"]]
    by_key = {column.key: column for column in columns}
    return ShownTable(
        columns=columns,
        column_groups=grouped(columns),
        pinned_rows=[_row(row, by_key, snapshot) for row in document["pinned_rows"]],
        rows=[_row(row, by_key, snapshot) for row in document["rows"]],
        apart_rows=[_row(row, by_key, snapshot) for row in document["apart_rows"]],
        signatures=list({column["metric_label"]: column["signature"] for column in document["columns"]}.items()),
    )


def _column(column: Mapping[str, Any]) -> Column:
    names = ("key", "label", "short_label", "metric", "metric_label", "group", "description", "decimals")
    return Column(**{name: column[name] for name in names})


def _row(row: Mapping[str, Any], columns: Mapping[str, Column], snapshot: SnapshotView) -> BoardRow:
    slug = row["slug"]
    left = snapshot.notes.get(slug, "")
    published = row["published_at"]
    same = (
        *("rank", "tied", "slug", "authors", "citation", "type", "type_label", "context_size", "kind", "is_human"),
        *("source", "n_answered", "n_questions", "best_rank", "worst_rank", "trained_for_function_calling", "pinned"),
    )
    return BoardRow(
        name=row["system"],
        url=reverse("system", args=[slug]) if slug in snapshot.public else "",
        link=row["url"],
        note=" ".join(part for part in (row["note"], left) if part),
        published_at=datetime.datetime.fromisoformat(published) if published else None,
        evidence=row.get("evidence", ""),
        alternatives=[_row(other, columns, snapshot) for other in row.get("alternatives", ())],
        cells=[_cell(row["cells"][key], column) for key, column in columns.items()],
        **{name: row[name] for name in same},
    )


def _cell(cell: Mapping[str, Any], column: Column) -> Cell:
    same = (
        *("value", "state", "reason", "best", "low", "high", "noise", "n_repeats", "marked", "rank", "best_rank"),
        *("worst_rank", "p_value"),
    )
    later = ("tie_group", "noise_low", "noise_high")  # added after the first snapshots
    corrected = CorrectedValue(**cell["corrected"]) if "corrected" in cell else None
    fields = {name: cell[name] for name in same} | {name: cell.get(name) for name in later}
    return Cell(column=column, other=cell["other_value"], corrected=corrected, **fields)
