"""A benchmark's table of published results: CSV with a line of names, or a JSON list of objects.

Each row has ``system``, ``setting`` and scores by their names; the other fields are optional. What a row says of its
system counts from the system's first row. A score that the publication lacks is left empty.
"""

from __future__ import annotations

import csv
import io
import json
import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from functools import partial
from typing import Annotated, Any, Final, Literal

from pydantic import BeforeValidator, Field

from scoring.benchmarks.attributes import Attribute
from scoring.benchmarks.base import PublishedResults, PublishedRow
from scoring.benchmarks.facts import PREFIX
from scoring.benchmarks.form import ReportedTable
from scoring.benchmarks.names import parts_of
from scoring.files.mistakes import Mistake, decoded, nearest, one_of, shown
from scoring.files.tables import Expected, Slug, Table, Url, wrong
from scoring.metrics.columns import Column

BETWEEN_ALIASES: Final = "|"
_SEPARATORS: Final = {";": "semicolons", "\t": "tabs", "|": "bars"}
Line = Annotated[str, Field(pattern=r"^[^\x00-\x1f]*$(?!\n)"), Expected("a text on one line")]


def _names(value: Any) -> Any:
    return [name.strip() for name in value.split(BETWEEN_ALIASES)] if isinstance(value, str) else value


def _flag(value: Any) -> bool:
    flags = {"true": True, "false": False}
    if str(value).lower() not in flags:
        raise wrong(shown(value), "true or false")
    return flags[str(value).lower()]


class RowTable(Table):
    """What every row may say of its system and of itself, besides attributes, run facts and scores."""

    system: Line = Field(max_length=200)
    setting: Line
    slug: Slug = ""
    aliases: Annotated[list[Annotated[Line, Field(max_length=200)]], BeforeValidator(_names)] = Field(
        default_factory=list
    )
    authors: Line = Field("", max_length=500)
    type: Literal["FOUNDATION", "FINETUNE", "PROMPT", "OTHER"] = "OTHER"
    url: Url = ""
    citation: Line = Field("", max_length=1000)
    details: Line | None = Field(None, max_length=2000)
    is_human: Annotated[bool, BeforeValidator(_flag)] = False
    table: Line = Field("", max_length=100)
    source: Line = Field("", max_length=400)
    note: Line = Field("", max_length=400)


FIELDS: Final = tuple(RowTable.model_fields)


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

    @property
    def names(self) -> list[str]:
        """All that a column may be named."""
        return [*FIELDS, *self.attributes, *self.scores]

    def knows(self, name: str) -> bool:
        """Whether a column may have this name."""
        return name in FIELDS or name in self.attributes or name in self.scores

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
    """The published results of a file, and every mistake in it."""
    mistakes: list[Mistake] = []
    rows = list(_rows(name, data, mistakes))
    published: list[PublishedRow] = []
    systems: dict[str, dict[str, Any]] = {}
    slugs = {name: slug for name, (slug, _) in _first_slugs(rows).items()}
    aliases: dict[str, dict[str, int]] = defaultdict(dict)
    first: dict[tuple[str, str], int] = {}
    unknown = {key: line for line, row in reversed(rows) for key in row if not rules.knows(key)}
    for key, line in reversed(unknown.items()):  # once, however many rows have it
        fix = nearest(key, rules.names) or f"Scores: {', '.join(rules.scores)}."
        at_line = line if name.endswith(".json") else 1
        mistakes.append(Mistake(name, at_line, key[:60], "an unknown name", "a field or a score", fix))
    for line, row in rows:
        at = partial(Mistake, name, line)
        own, faults = RowTable.read({key: value for key, value in row.items() if key in FIELDS})
        aliases[own.system] |= dict.fromkeys(own.aliases, line)
        wrong_here = [at(str(fault.path[0]), fault.found, fault.expected, fault.fix) for fault in faults]
        wrong_here += _row_mistakes(own, row, at, rules)
        since = first.setdefault((own.system, own.setting), line)
        if own.system and line != since:  # a board would show the last one alone
            again = f"{shown(own.system)} again after line {since}"
            fix = "Put its scores into one row, or rename one of the two."
            wrong_here.append(at("system", again, "one row in each setting", fix))
        mistakes += wrong_here
        if not wrong_here:
            key = slugs.get(own.system, own.system)
            stated = {name: attribute.read(row[name]) for name, attribute in rules.attributes.items() if name in row}
            system = {
                "name": own.system,
                "aliases": tuple(own.aliases),
                **own.model_dump(include={"authors", "type", "url", "citation", "is_human"}),
                "attributes": {name: value for name, value in stated.items() if not name.startswith(PREFIX)},
                "run_facts": {
                    name.removeprefix(PREFIX): value for name, value in stated.items() if name.startswith(PREFIX)
                },
            }
            # Not every table has details: others' values stay.
            systems.setdefault(key, system | ({"details": own.details} if own.details is not None else {}))
            numbers = {score: rules.number(score, row[score]) for score in rules.scores if score in row}
            published.append(
                PublishedRow(
                    system=key,
                    setting=own.setting,
                    values={score: number for score, number in numbers.items() if number is not None},
                    context_size=int(row["context_size"]) if "context_size" in row else None,
                    source=own.source or (f"{own.table} of " if own.table else "") + declared.source,
                    note=own.note,
                )
            )
    mistakes += _slug_mistakes(name, rows)
    mistakes += _alias_mistakes(name, aliases)
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
        other = next((words for mark, words in _SEPARATORS.items() if len(names) == 1 and mark in names[0]), "")
        if other:
            fix = "Save the table with commas between its values."
            mistakes.append(Mistake(name, 1, "", f"values separated by {other}", "commas between values", fix))
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


def _row_mistakes(
    own: RowTable, row: Mapping[str, Any], at: partial[Mistake], rules: ReportedRules
) -> Iterator[Mistake]:
    if own.setting and own.setting not in rules.settings:
        yield at("setting", shown(own.setting), one_of(rules.settings), nearest(own.setting, rules.settings))
    for name in rules.attributes.keys() & row.keys():
        if rules.attributes[name].read(row[name]) is None:
            yield at(name, shown(row[name]), rules.attributes[name].expected)
    names = [name for name in row if name not in FIELDS and name not in rules.attributes]
    for name in names:
        if name in rules.scores and rules.number(name, row[name]) is None:
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


def _alias_mistakes(file: str, aliases: Mapping[str, Mapping[str, int]]) -> Iterator[Mistake]:
    """Other names of a system that are the name, or another name, of one more."""
    owners = {system: system for system in aliases}
    for system, own in aliases.items():
        for alias, line in own.items():
            owner = owners.setdefault(alias, system)
            if owner != system or alias == system:
                actual = f"{shown(alias)}, which is a name of {shown(owner)}"
                yield Mistake(file, line, "aliases", actual, "names of this system alone", "Remove it, or correct it.")
