"""A board as a table in Markdown, for a README or an issue: the digits of its page, with the interval of each score."""

import re

from leaderboard.board.document import Cell
from leaderboard.board.exports.latex_escape import one_line
from leaderboard.board.exports.schema import Board, Origin
from leaderboard.board.exports.snapshot_table import columns_of
from leaderboard.board.table import ShownColumn
from leaderboard.disclosure import rounded_down, rounded_up
from leaderboard.models import EntryKind
from leaderboard.templatetags.display import in_per_cent
from scoring.metrics.columns import shown

_SYNTAX = re.compile(r"([\\`*_{}\[\]()#+!|~$:@-])")


def as_markdown(document: Board, origin: Origin) -> str:
    """The table, with a line below it that says where it comes from."""
    columns = columns_of(document)
    # Full labels: short ones are read below the name of their group, for which this table has no place.
    labels = [plain(column.label + column.unit_label) + ("" if column.higher_is_better else " ↓") for column in columns]
    lines = [["Ranks", "System", *labels], ["---:", "---", *["---:"] * len(columns)]]
    parts = ((document.pinned_rows, ""), (document.rows, ""), (document.apart_rows, " (not comparable)"))
    for rows, mark in parts:
        for row in rows:
            name = plain(row.system) + (" (reported)" if row.kind == EntryKind.REPORTED else "") + mark
            ends = dict.fromkeys(str(rank) for rank in (row.best_rank, row.worst_rank) if rank is not None)
            lines.append(["–".join(ends), name, *(_cell(row.cells[column.key], column) for column in columns)])
    about = f"{document.benchmark.name}, {document.setting.name.lower()}, {document.split.name.lower()} split"
    notes = [f"{about}, with 95 % intervals, as of {origin.date.isoformat()}.", in_per_cent(columns)]
    notes = [*(plain(note) for note in notes if note), f"Source: <{origin.address}>"]
    return "\n".join([*(f"| {' | '.join(line)} |" for line in lines), "", " ".join(notes), ""])


def plain(text: str) -> str:
    """Text on one line that is neither markup of Markdown nor of HTML.

    >>> print(plain("a|b <b> [x](y) *z*"))
    a\\|b &lt;b&gt; \\[x\\]\\(y\\) \\*z\\*
    """
    safe = one_line(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return _SYNTAX.sub(r"\\\1", safe)


def _cell(cell: Cell, column: ShownColumn) -> str:
    if cell.value is None:
        return "–"
    value = f"**{shown(cell.value, column)}**" if cell.marked else shown(cell.value, column)
    if cell.low is None or cell.high is None:
        return value
    low, high = rounded_down(cell.low, column.digits), rounded_up(cell.high, column.digits)
    return rf"{value} \[{shown(low, column)}, {shown(high, column)}\]"
