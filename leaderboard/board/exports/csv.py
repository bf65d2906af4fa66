"""A board as CSV."""

import csv
import io
import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

ROW_FIELDS: Final = (
    "rank",
    "best_rank",
    "worst_rank",
    "tied",
    "tie_group",
    "system",
    "slug",
    "authors",
    "citation",
    "url",
    "type",
    "context_size",
    "trained_for_function_calling",
    "kind",
    "pinned",
    "comparable",
    "source",
    "note",
    "n_answered",
    "n_questions",
    "published_at",
)
LAST_FIELDS: Final = ("evidence", "alternative_of")
"""The kind of source, and, for a further source of a system, the slug of the row that it is an alternative of."""
CELL_FIELDS: Final = (
    "low",
    "high",
    "best",
    "marked",
    "p_value",
    "rank",
    "best_rank",
    "worst_rank",
    "tie_group",
    "noise",
    "noise_low",
    "noise_high",
    "n_repeats",
    "state",
    "reason",
)
"""Additional fields besides the value, which has the column's own key; these have ``<key>_<field>``."""

_FORMULA = re.compile(r"(^|[;\t\r\n])(\s*)(?=[=+\-@\uFF1D\uFF0B\uFF0D\uFF20\t\r])")
"""Where a spreadsheet may interpret text as a formula: at the start of a cell, or after a possible cell separator."""


def as_csv(document: Mapping[str, Any]) -> str:
    """The rows of a document as CSV (RFC 4180: commas, CRLF, quotes doubled), with one line of headings.

    Pinned rows come first, then the rows in their order, then the rows that are not comparable with them
    (``comparable`` is ``false``; their cells are empty). A system's other sources follow its row (``alternative_of`` is
    its slug). Numbers have full precision; an empty field is a missing value; booleans are ``true`` and ``false``. Text
    that a spreadsheet would run as a formula gets a leading apostrophe.

    >>> as_csv({"columns": [], "pinned_rows": [], "rows": [], "apart_rows": []})[:29]
    'rank,best_rank,worst_rank,tie'
    """
    keys = [column["key"] for column in document["columns"]]
    of_cells = (name for key in keys for name in (key, *(f"{key}_{field}" for field in CELL_FIELDS)))
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow([*ROW_FIELDS, *of_cells, *LAST_FIELDS])
    for part, comparable in (("pinned_rows", True), ("rows", True), ("apart_rows", False)):
        for row in document[part]:
            others = [other | {"alternative_of": row["slug"]} for other in row.get("alternatives", ())]
            for one in (row, *others):
                writer.writerow(_line(one | {"comparable": comparable}, keys))
    return out.getvalue()


def _line(row: Mapping[str, Any], keys: Sequence[str]) -> list[str]:
    line = [row.get(name) for name in ROW_FIELDS]
    for key in keys:
        cell = row["cells"].get(key, {})
        line += [cell.get("value"), *(cell.get(field) for field in CELL_FIELDS)]
    return [as_field(value) for value in (*line, *(row.get(name) for name in LAST_FIELDS))]


def as_field(value: Any) -> str:
    """A value as the text of a field: empty if it is missing; a text without what a spreadsheet would run."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return repr(value)
    return neutralised(str(value))


def neutralised(text: str) -> str:
    """Text that no spreadsheet interprets as a formula: an apostrophe precedes what could begin one.

    >>> neutralised("=HYPERLINK(1)"), neutralised("GPT-4 + tools"), neutralised(" @a;-1")
    ("'=HYPERLINK(1)", 'GPT-4 + tools', " '@a;'-1")
    """
    return _FORMULA.sub(r"\1\2'", text.replace("\0", ""))
