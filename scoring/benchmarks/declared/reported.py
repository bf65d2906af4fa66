"""A benchmark's table of published results: CSV with a line of names, or a JSON list of objects.

Each row has ``system``, ``setting`` and scores by their names; the other fields are optional. What a row says of its
system counts from the system's first row. A score that the publication lacks is left empty.
"""

from __future__ import annotations

import csv
import io
import json
import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from functools import partial
from typing import Any, Final

from scoring.benchmarks.attributes import URL, Attribute
from scoring.benchmarks.base import PublishedResults, PublishedRow
from scoring.benchmarks.declared.fields import SLUG
from scoring.benchmarks.declared.form import ReportedTable
from scoring.benchmarks.declared.problems import Mistake, decoded, nearest, one_of, shown
from scoring.benchmarks.facts import PREFIX
from scoring.benchmarks.names import parts_of
from scoring.metrics.columns import Column

FIELDS: Final = (
    *("system", "setting", "slug", "authors", "type", "url", "citation", "details"),
    *("is_human", "table", "source", "note"),
)
TYPES: Final = ("FOUNDATION", "FINETUNE", "PROMPT", "OTHER")
_LONGEST: Final = {
    "system": 200,
    "slug": 50,
    "authors": 500,
    "url": 200,
    "citation": 1000,
    "details": 2000,
    "table": 100,
    "source": 400,
    "note": 400,
}
_STORABLE: Final = re.compile("[^\x00-\x1f\ud800-\udfff]*")
"""No control character, and no half of a surrogate pair."""


@dataclass(frozen=True)
class ReportedRules:
    """What rows may name."""

    settings: Sequence[str]
    scores: Sequence[str]
    percent: bool
    attributes: Mapping[str, Attribute]
    """With the run facts, whose names begin with `PREFIX`."""
    columns: Mapping[str, Column]
    """By score, as far as they have one; others are shares."""

    def number(self, score: str, value: Any) -> float | None:
        """A published number in the unit of its column; None if it is none. Decimal, so that 28.8 per cent is 0.288."""
        column = self._column(score)
        try:
            number = Decimal(str(value).strip()) / (100 if self.percent and column.is_share else 1)
        except (InvalidOperation, ValueError):
            return None
        if isinstance(value, bool) or not number.is_finite():
            return None
        low, high = column.bounds or (-math.inf, math.inf)
        return float(number) if low <= number <= high else None

    def expected(self, score: str) -> str:
        """What numbers a score can have, in words."""
        column = self._column(score)
        if column.bounds is None:
            return "a number"
        low, high = (100 * end if self.percent and column.is_share else end for end in column.bounds)
        return f"a number from {low:g} to {high:g}"

    def _column(self, score: str) -> Column:
        return self.columns.get(parts_of(score)[0], Column(score, "", score, score, "", ""))


def read_reported(
    name: str, data: bytes, declared: ReportedTable, rules: ReportedRules
) -> tuple[PublishedResults | None, list[Mistake]]:
    """The published results of a file, and every mistake in it.

    Args:
        name: the file's name.
        declared: the table ``[reported]``.
        rules: what rows may name; with ``percent``, the file has per cent, from 0 to 100.
    """
    mistakes: list[Mistake] = []
    rows = list(_rows(name, data, mistakes))
    published: list[PublishedRow] = []
    systems: dict[str, dict[str, Any]] = {}
    slugs = {name: slug for name, (slug, _) in _first_slugs(rows).items()}
    first: dict[tuple[str, str], int] = {}
    for line, row in rows:
        at = partial(Mistake, name, line)
        wrong = [*_row_mistakes(row, at, rules)]
        since = first.setdefault((str(row.get("system")), str(row.get("setting"))), line)
        if "system" in row and line != since:  # a board would show the last one alone
            again = f"{shown(row['system'])} again after line {since}"
            fix = "Put its scores into one row, or rename one of the two."
            wrong.append(at("system", again, "one row in each setting", fix))
        mistakes += wrong
        if not wrong:
            key = slugs.get(row["system"], row["system"])
            stated = {name: attribute.read(row[name]) for name, attribute in rules.attributes.items() if name in row}
            facts = {name.removeprefix(PREFIX): value for name, value in stated.items() if name.startswith(PREFIX)}
            system = {
                "name": row["system"],
                "authors": row.get("authors", ""),
                "type": row.get("type", "OTHER"),
                "url": row.get("url", ""),
                "citation": row.get("citation", ""),
                "is_human": _flag(row.get("is_human")) is True,
                "attributes": {name: value for name, value in stated.items() if not name.startswith(PREFIX)},
                "run_facts": facts,
            }
            # Not every table has details: others' values stay.
            systems.setdefault(key, system | ({"details": row["details"]} if "details" in row else {}))
            numbers = {score: rules.number(score, row[score]) for score in rules.scores if score in row}
            published.append(
                PublishedRow(
                    system=key,
                    setting=row["setting"],
                    values={score: number for score, number in numbers.items() if number is not None},
                    context_size=int(row["context_size"]) if "context_size" in row else None,
                    source=row.get("source") or (f"{row['table']} of " if "table" in row else "") + declared.source,
                    note=row.get("note", ""),
                )
            )
    mistakes += _slug_mistakes(name, rows)
    if not rows and not mistakes:
        mistakes.append(Mistake(name, 0, "", "no row", "a row for each system and setting", "Add rows."))
    if mistakes:
        return None, mistakes
    return PublishedResults(declared.split, declared.published, systems, tuple(published)), []


def _rows(name: str, data: bytes, mistakes: list[Mistake]) -> Iterator[tuple[int, dict[str, Any]]]:
    """The rows with their lines; rows of JSON are counted from 1 instead. Empty values are left out."""
    text = decoded(name, data, mistakes)
    if text is None:
        return
    try:
        records: Any = json.loads(text) if name.endswith(".json") else None
    except (ValueError, RecursionError) as error:
        line = getattr(error, "lineno", 0)
        mistakes.append(Mistake(name, line, "", f"no JSON ({error})", "a JSON list of objects", "Correct the line."))
        return
    if records is None:
        yield from _csv_rows(name, text, mistakes)
    elif not isinstance(records, list) or not all(isinstance(record, dict) for record in records):
        mistakes.append(Mistake(name, 1, "", shown(records), "a JSON list of objects"))
    else:
        for number, record in enumerate(records, start=1):
            yield number, {key: value for key, value in record.items() if value not in (None, "")}


def _csv_rows(name: str, text: str, mistakes: list[Mistake]) -> Iterator[tuple[int, dict[str, Any]]]:
    # With universal line ends: a lone carriage return, as older programs for Mac write it, ends a line too.
    reader = csv.DictReader(io.StringIO(text, newline=None))
    try:
        names = [name.strip() for name in reader.fieldnames or ()]
        if len(names) == 1 and names[0].count(";") > 0:
            fix = "Save the table with commas between its values."
            mistakes.append(Mistake(name, 1, "", "values separated by semicolons", "commas between values", fix))
            return
        reader.fieldnames = names
        # Of columns with one name, a row would have the value of the last one alone.
        for column in (column for column, count in Counter(names).items() if column and count > 1):
            fix = "Rename or remove a column."
            mistakes.append(Mistake(name, 1, column[:60], "this name again", "each name once", fix))
        for row in reader:
            if None in row:
                mistakes.append(Mistake(name, reader.line_num, "", "more values than names", "a value for each name"))
            cells = {key: value.strip() for key, value in row.items() if key is not None and value}
            if any(cells.values()):
                yield reader.line_num, {key: value for key, value in cells.items() if value}
    except csv.Error as error:
        line = reader.line_num + 1  # the reader counts the lines of whole rows
        mistakes.append(Mistake(name, line, "", f"no CSV ({error})", "a line for each system", "Correct the line."))


def _row_mistakes(row: Mapping[str, Any], at: partial[Mistake], rules: ReportedRules) -> Iterator[Mistake]:
    for key in ("system", "setting"):
        if key not in row:
            yield at(key, "nothing", "a text", f"Fill in {key}.")
    if "setting" in row and row["setting"] not in rules.settings:
        yield at("setting", shown(row["setting"]), one_of(rules.settings), nearest(str(row["setting"]), rules.settings))
    if "type" in row and row["type"] not in TYPES:
        yield at("type", shown(row["type"]), one_of(TYPES), nearest(str(row["type"]), TYPES))
    for name in rules.attributes.keys() & row.keys():
        if rules.attributes[name].read(row[name]) is None:
            yield at(name, shown(row[name]), rules.attributes[name].expected)
    if "is_human" in row and _flag(row["is_human"]) is None:
        yield at("is_human", shown(row["is_human"]), "true or false")
    if "slug" in row and not re.fullmatch(SLUG, str(row["slug"])):
        yield at("slug", shown(row["slug"]), "small letters, digits and hyphens")
    if "url" in row and not re.fullmatch(URL, str(row["url"])):
        yield at("url", shown(row["url"]), "a URL that begins with https:// or http://")
    for key, longest in _LONGEST.items():
        if key in row and not (
            isinstance(row[key], str) and len(row[key]) <= longest and _STORABLE.fullmatch(row[key])
        ):
            yield at(key, shown(row[key]), f"a text of at most {longest} characters, without control characters")
    names = [name for name in row if name not in FIELDS and name not in rules.attributes]
    for name in names:
        if name not in rules.scores:
            fix = nearest(name, [*FIELDS, *rules.attributes, *rules.scores])
            yield at(name[:60], "an unknown name", "a field or a score", fix or f"Scores: {', '.join(rules.scores)}.")
        elif rules.number(name, row[name]) is None:
            yield at(name, shown(row[name]), rules.expected(name), "Leave it empty if it was not published.")
    if not names and "note" not in row:
        fix = "Add a score, or a note that says why there is none."
        yield at("", "no score", f"at least one of {', '.join(rules.scores)}", fix)


def _first_slugs(rows: Sequence[tuple[int, Mapping[str, Any]]]) -> dict[str, tuple[str, int]]:
    """By system: its slug, and the line that gives it first."""
    slugs: dict[str, tuple[str, int]] = {}
    for line, row in rows:
        if "slug" in row:
            slugs.setdefault(str(row.get("system")), (str(row["slug"]), line))
    return slugs


def _slug_mistakes(file: str, rows: Sequence[tuple[int, Mapping[str, Any]]]) -> Iterator[Mistake]:
    """Two slugs of one system, or two systems with one slug: a board would show one of them alone.

    A system without a slug is found by its name.
    """
    slugs = _first_slugs(rows)
    owners: dict[str, tuple[str, int]] = {}
    for line, row in rows:
        system = str(row.get("system"))
        first, since = slugs.get(system, (system, line))
        slug = str(row.get("slug", first))
        if slug != first:
            actual = f"{shown(slug)} and, at line {since}, {shown(first)}"
            yield Mistake(file, line, "slug", actual, "one slug for each system", "Correct it, or leave it empty.")
            continue
        owner, since = owners.setdefault(slug, (system, line))
        if owner != system:
            actual = f"{shown(slug)}, which the system of line {since} has"
            yield Mistake(file, line, "slug", actual, "another slug for each system", "Rename one of the two.")


def _flag(value: Any) -> bool | None:
    return {"true": True, "false": False}.get(str(value).lower())
