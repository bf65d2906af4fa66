"""JSON objects from outside: read as a whole, with every problem at its file, line and field. Pure: no models."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from scoring.generations.problems import clean, quote

SHOWN: Final = 60


@dataclass(frozen=True)
class Problem:
    """One problem in one file (or a *remark*, which does not stop anything)."""

    file: str
    found: str
    expected: str = ""
    field: str = ""
    line: int | None = None
    remark: bool = False

    def __str__(self) -> str:
        where = ", ".join(
            [self.file]
            + ([f"line {self.line:,}"] if self.line else [])
            + ([f"field “{self.field}”"] if self.field else [])
        )
        return f"{where}: found {self.found}" + (f", expected {self.expected}" if self.expected else "") + "."


@dataclass(frozen=True)
class Document:
    """A JSON object from a file, with its text, so that problems can give line numbers."""

    file: str
    text: str
    values: Mapping[str, Any]

    def problem(
        self, path: Sequence[str], found: str, expected: str = "", *, remark: bool = False, line: int | None = None
    ) -> Problem:
        """A problem with the value at the keys of *path*."""
        return Problem(self.file, found, expected, ".".join(path), line or self.line_of(path), remark)

    def line_of(self, path: Sequence[str]) -> int | None:
        """The line of the last key of *path* that exists; None if none does."""
        position, line = 0, None
        for key in path:
            match = re.compile(rf"{re.escape(json.dumps(key))}\s*:").search(self.text, position)
            if match is None:
                break
            position = match.end()
            line = self.text.count("\n", 0, match.start()) + 1
        return line


class DocumentError(ValueError):
    """A file that is not a JSON object; ``problem`` says where and why."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        super().__init__(str(problem))


def parse_document(text: str, name: str) -> Document:
    """Parse a text that should be one JSON object; *name* is its name in problems.

    Raises:
        DocumentError: it is something else.
    """
    try:
        values = json.loads(text, object_pairs_hook=_unique, parse_constant=_refuse)
    except json.JSONDecodeError as error:
        where = f"{error.msg} at column {error.colno}"
        raise DocumentError(Problem(name, where, "valid JSON", line=error.lineno)) from error
    except (ValueError, RecursionError) as error:
        what = str(error) if isinstance(error, _ValueError) else "a value that cannot be read"
        raise DocumentError(Problem(name, what, "valid JSON with each key once")) from error
    if not isinstance(values, dict):
        raise DocumentError(Problem(name, kind_of(values), "a JSON object"))
    return Document(name, text, values)


class _ValueError(ValueError):
    pass


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    values = dict(pairs)
    if len(values) < len(pairs):
        seen: set[str] = set()
        twice = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
        raise _ValueError(f"the key {quote(twice, SHOWN)} twice in one object")
    return values


def _refuse(name: str) -> None:
    raise _ValueError(f"{name}, which is not a JSON number")


def kind_of(value: Any) -> str:
    """A value as problems quote it: its type, and the value itself if it is a primitive."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return f"the text {quote(value, SHOWN)}"
    if isinstance(value, (int, float)):
        return f"the number {clean(str(value), SHOWN)}"
    return "a list" if isinstance(value, list) else "an object"


def unknown_keys(
    document: Document, values: Mapping[str, Any], known: set[str], path: Sequence[str]
) -> Iterator[Problem]:
    """A remark for each key that is not used."""
    for key in values:
        if key not in known:
            yield document.problem([*path, clean(key, SHOWN)], "an unknown key, which is ignored", remark=True)
