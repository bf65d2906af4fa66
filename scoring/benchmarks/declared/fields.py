"""The kinds of values in ``benchmark.toml`` and other declarations: each checks a value, and is JSON Schema as well.

One declaration serves both (`scoring.benchmarks.declared.form`), so that checks and schema cannot disagree.
"""

from __future__ import annotations

import datetime
import math
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, Protocol

from scoring.benchmarks.declared.problems import Mistake, nearest, one_of, shown
from scoring.benchmarks.declared.toml_lines import Path, TomlFile

URL: Final = r"https?://[^\s<>\"]+"
SLUG: Final = r"[a-z0-9](?:[a-z0-9-]*[a-z0-9])?"
SCHEMA_DATE: Final = {"type": "string", "format": "date"}


@dataclass(frozen=True)
class Fault:
    """What is wrong with the value at a path."""

    path: Path
    found: str
    expected: str
    fix: str = ""


def mistake_at(fault: Fault, toml: TomlFile) -> Mistake:
    """A fault with its line, and its path as text: ``questions[1].name``, counted from 1."""
    field = ""
    for step in fault.path:
        field += f"[{step + 1}]" if isinstance(step, int) else f"{'.' if field else ''}{step}"
    return Mistake(toml.name, toml.line(fault.path), field, fault.found, fault.expected, fault.fix)


class Kind(Protocol):
    """A kind of value."""

    @property
    def description(self) -> str:
        """What the value means, for editors."""

    def faults(self, value: Any, path: Path) -> Iterator[Fault]:
        """Everything that is wrong with a value."""

    def schema(self) -> dict[str, Any]:
        """The same rules as JSON Schema (draft 2020-12)."""


@dataclass(frozen=True)
class Text:
    """A text that is not blank; ``pattern`` is matched as a whole and described by ``expected``."""

    description: str
    expected: str = "a text"
    pattern: str = ""
    choices: tuple[str, ...] = ()
    longest: int = 20_000

    def faults(self, value: Any, path: Path) -> Iterator[Fault]:
        if not isinstance(value, str):
            yield Fault(path, shown(value), one_of(self.choices) if self.choices else self.expected)
        elif self.choices and value not in self.choices:
            yield Fault(path, shown(value), one_of(self.choices), nearest(value, self.choices))
        elif not value.strip():
            yield Fault(path, "an empty text", self.expected, "Fill it in, or remove the line.")
        elif any(character < " " and character not in "\n\t" for character in value):
            yield Fault(path, "an invisible control character", "text that can be read", "Remove it.")
        elif self.pattern and not re.fullmatch(self.pattern, value):
            yield Fault(path, shown(value), self.expected)
        elif len(value) > self.longest:
            yield Fault(path, f"{len(value):,} characters", f"at most {self.longest:,}", "Shorten it.")

    def schema(self) -> dict[str, Any]:
        schema: dict[str, Any] = {"type": "string", "description": self.description}
        if self.choices:
            return schema | {"enum": list(self.choices)}
        pattern = f"^(?:{self.pattern})$" if self.pattern else r"\S"
        return schema | {"pattern": pattern, "maxLength": self.longest}


@dataclass(frozen=True)
class Plain:
    """A value that needs no rules of its own besides whether it is accepted."""

    description: str
    expected: str
    accepts: Callable[[Any], bool]
    rules: Mapping[str, Any]
    """The same as JSON Schema."""
    fix: str = ""

    def faults(self, value: Any, path: Path) -> Iterator[Fault]:
        if not self.accepts(value):
            yield Fault(path, shown(value), self.expected, self.fix)

    def schema(self) -> dict[str, Any]:
        return {**self.rules, "description": self.description}


def flag(description: str) -> Plain:
    """True or false."""
    fix = "Write it without quotation marks."
    return Plain(description, "true or false", lambda value: isinstance(value, bool), {"type": "boolean"}, fix)


def number(description: str) -> Plain:
    """A finite number."""
    return Plain(description, "a number", _is_number, {"type": "number"})


def whole(description: str, low: int = 0, high: int = 1_000_000) -> Plain:
    """A whole number between two others, both included."""
    rules = {"type": "integer", "minimum": low, "maximum": high}
    expected = f"a whole number from {low:,} to {high:,}"
    return Plain(description, expected, lambda value: type(value) is int and low <= value <= high, rules)


def bounds(description: str) -> Plain:
    """Two numbers, the smaller first; or false."""

    def accepts(value: Any) -> bool:
        is_pair = isinstance(value, list) and len(value) == 2 and all(map(_is_number, value))
        return value is False or (is_pair and value[0] < value[1])

    pair = {"type": "array", "items": {"type": "number"}, "minItems": 2, "maxItems": 2}
    expected = "two numbers, the smaller first, such as [0, 1]; or false"
    return Plain(description, expected, accepts, {"anyOf": [pair, {"const": False}]})


def date(description: str) -> Plain:
    """A date, without time and without quotation marks; editors of TOML check dates as strings in that format."""

    def accepts(value: Any) -> bool:
        return isinstance(value, datetime.date) and not isinstance(value, datetime.datetime)

    return Plain(description, "a date such as 2026-01-31", accepts, SCHEMA_DATE, "Write it without quotation marks.")


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


@dataclass(frozen=True)
class ListOf:
    """A list with at least ``least`` items of one kind."""

    description: str
    item: Kind
    least: int = 1

    def faults(self, value: Any, path: Path) -> Iterator[Fault]:
        if not isinstance(value, list) or len(value) < self.least:
            yield Fault(path, shown(value), f"a list with at least {self.least}" if self.least else "a list")
            return
        for index, item in enumerate(value):
            yield from self.item.faults(item, (*path, index))

    def schema(self) -> dict[str, Any]:
        return {"type": "array", "items": self.item.schema(), "minItems": self.least, "description": self.description}


@dataclass(frozen=True)
class Table:
    """A table with known keys, of which some are required."""

    description: str
    fields: Mapping[str, Kind]
    required: tuple[str, ...] = ()

    def faults(self, value: Any, path: Path) -> Iterator[Fault]:
        if not isinstance(value, dict):
            names = ".".join(str(part) for part in path if isinstance(part, str))
            heading = f"[[{names}]]" if path and isinstance(path[-1], int) else f"[{names}]"
            yield Fault(path, shown(value), "a table", f"Write it below {heading}.")
            return
        for name in self.required:
            if name not in value:
                yield Fault((*path, name), "nothing", expected_of(self.fields[name]), f"Add {name}.")
        for name, inner in value.items():
            if name in self.fields:
                yield from self.fields[name].faults(inner, (*path, name))
            else:
                fix = nearest(name, self.fields) or f"The keys are {', '.join(self.fields)}."
                yield Fault((*path, name), "an unknown key", "a known one", fix)

    def schema(self) -> dict[str, Any]:
        return {
            "type": "object",
            "properties": {name: kind.schema() for name, kind in self.fields.items()},
            "required": list(self.required),
            "additionalProperties": False,
            "description": self.description,
        }


@dataclass(frozen=True)
class Named:
    """At least one table each of which has a name that the author chooses: ``[splits.dev]``."""

    description: str
    item: Kind
    pattern: str = SLUG
    expected: str = "small letters, digits and hyphens"
    longest: int = 50
    """As a slug in the database."""

    def faults(self, value: Any, path: Path) -> Iterator[Fault]:
        if not isinstance(value, dict) or not value:
            name = ".".join(map(str, path))
            fix = f"Add one as [{name}.NAME]."
            if isinstance(value, list) and any(isinstance(item, dict) for item in value):
                fix = f"Write [{name}.NAME], with a name and single brackets, instead of [[{name}]]."
            yield Fault(path, shown(value), "at least one table", fix)
            return
        for name, inner in value.items():
            if not re.fullmatch(self.pattern, name) or len(name) > self.longest:
                yield Fault((*path, name), f"the name {name[:60]!r}", f"{self.expected}, at most {self.longest}")
            yield from self.item.faults(inner, (*path, name))

    def schema(self) -> dict[str, Any]:
        return {
            "type": "object",
            "minProperties": 1,
            "propertyNames": {"pattern": f"^(?:{self.pattern})$", "maxLength": self.longest},
            "additionalProperties": self.item.schema(),
            "description": self.description,
        }


@dataclass(frozen=True)
class Parameters:
    """A table of numbers, texts and flags, whose names are checked elsewhere."""

    description: str

    def faults(self, value: Any, path: Path) -> Iterator[Fault]:
        if not isinstance(value, dict):
            yield Fault(path, shown(value), "a table")
            return
        for name, inner in value.items():
            if not isinstance(inner, str | int | float):
                yield Fault((*path, name), shown(inner), "a number, a text, true or false")

    def schema(self) -> dict[str, Any]:
        values = {"type": ["number", "string", "boolean"]}
        return {"type": "object", "additionalProperties": values, "description": self.description}


@dataclass(frozen=True)
class Either:
    """A value of one kind or, if it is a list, or what ``when`` says, of another."""

    first: Kind
    second: Kind
    when: type = list

    @property
    def description(self) -> str:
        return self.first.description

    def faults(self, value: Any, path: Path) -> Iterator[Fault]:
        yield from (self.second if isinstance(value, self.when) else self.first).faults(value, path)

    def schema(self) -> dict[str, Any]:
        return {"anyOf": [self.first.schema(), self.second.schema()], "description": self.description}


def expected_of(kind: Kind) -> str:
    """What a missing value should be."""
    if isinstance(kind, Text):
        return one_of(kind.choices) if kind.choices else kind.expected
    if isinstance(kind, Plain):
        return kind.expected
    return "a list" if isinstance(kind, ListOf) else "a table" if isinstance(kind, Table | Named) else "a value"
