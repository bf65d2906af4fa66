"""A board as CSV."""

import csv
import io
import re
from collections.abc import Iterable, Iterator
from typing import Any, Final

from msgspec import UNSET

from leaderboard.board.exports.schema import Board
from scoring.benchmarks.facts import FACTS

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
DECLARED: Final = ("higher_is_better", "unit")
"""Further fields, the same in each row, that describe columns other than shares of which more are better."""
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
    "state",
    "reason",
)
"""Additional fields besides the value, which has the column's own key; these have ``<key>_<field>``."""

_FORMULA = re.compile(r"(^|[;\t\r\n])(\s*)(?!@[A-Za-z]+\{)(?=[=+\-@\uFF1D\uFF0B\uFF0D\uFF20\t\r])")
"""Places where a spreadsheet may interpret text as a formula: at the start of a cell, or after a possible cell
separator. A BibTeX entry (``@misc{``) is none: no function's name is followed by a brace."""


def as_csv(document: Board) -> str:
    """The rows of a document as CSV (RFC 4180: commas, CRLF, quotes doubled), with one line of headings.

    Pinned rows come first, then the rows in their order, then the rows that are not comparable with them
    (``comparable`` is ``false``; their cells are empty). A system's other sources follow its row (``alternative_of`` is
    its slug). Numbers have full precision; an empty field is a missing value; booleans are ``true`` and ``false``. Text
    that a spreadsheet would run as a formula gets a leading apostrophe.
    """
    return written(_lines(document))


def written(lines: Iterable[Iterable[Any]]) -> str:
    """Lines of values as CSV, each value as `as_field` writes it."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerows([as_field(value) for value in line] for line in lines)
    return out.getvalue()


def _lines(document: Board) -> Iterator[list[Any]]:
    """The headings, then the rows as `as_csv` describes them, with values instead of text."""
    keys = [column.key for column in document.columns]
    of_cells = (name for key in keys for name in (key, *(f"{key}_{field}" for field in CELL_FIELDS)))
    attributes = [attribute.name for attribute in document.attributes or ()]
    declared = {
        f"{column.key}_{name}": value
        for column in document.columns
        for name in DECLARED
        if (value := getattr(column, name)) is not UNSET
    }
    rows = [row for system in document.all_rows for row in system.with_alternatives]
    facts = [fact.name for fact in FACTS if any(getattr(row.run_facts, fact.name, None) for row in rows)]
    last = (*LAST_FIELDS, *(f"attribute.{name}" for name in attributes), *(f"run.{name}" for name in facts), *declared)
    yield [*ROW_FIELDS, *of_cells, *last]
    for part, comparable in ((document.pinned_rows, True), (document.rows, True), (document.apart_rows, False)):
        for system in part:
            for row in system.with_alternatives:
                line = [comparable if name == "comparable" else getattr(row, name) for name in ROW_FIELDS]
                for key in keys:
                    line += [getattr(row.cells[key], name) for name in ("value", *CELL_FIELDS)]
                line += [row.evidence, None if row is system else system.slug]
                line += [(row.attributes or {}).get(name) for name in attributes]
                yield [*line, *(getattr(row.run_facts, name, None) for name in facts), *declared.values()]


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

    >>> neutralised("=HYPERLINK(1)"), neutralised("GPT-4 + tools"), neutralised(" @a;-1"), neutralised("@misc{a}")
    ("'=HYPERLINK(1)", 'GPT-4 + tools', " '@a;'-1", '@misc{a}')
    """
    return _FORMULA.sub(r"\1\2'", text.replace("\0", ""))
