"""A declaration as text: its keys in the order of the model, with what the model says of them."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from pydantic.fields import FieldInfo

from scoring.benchmarks.declared.odd_texts import PLACEHOLDER
from scoring.benchmarks.form import BenchmarkTable, table_below
from scoring.files.tables import Table, unwrapped, words_of

_WIDTH: Final = 120
_PLAIN: Final = "a text"
_FIRST: Final = f"Replace the texts that begin with {PLACEHOLDER[:-1]}. Keys and tables in comments may be added."


def written(values: Mapping[str, Any], *, blank: bool = False, notes: Mapping[str, Collection[str]] = {}) -> str:
    """A declaration in TOML.

    Args:
        values: What it says, by key.
        blank: Whether a required key without a value gets a text to replace, which a check refuses, and comments say
            what each key of the model means.
        notes: By table, further comments below its keys.
    """
    first = [*_comment(_FIRST), ""] if blank else []
    return "\n".join([*first, *_Writer(blank, notes).keys(BenchmarkTable, values, "", explained=blank)]).strip() + "\n"


@dataclass(frozen=True)
class _Writer:
    """The lines of tables; see `written`."""

    blank: bool
    notes: Mapping[str, Collection[str]]

    def keys(self, model: type[Table], values: Mapping[str, Any], path: str, *, explained: bool) -> Iterator[str]:
        """What is below the heading of a table: first its own keys, as TOML wants it, then the tables inside it."""
        below = {key: found for key, field in model.model_fields.items() if (found := table_below(field.annotation))}
        own = {key: field for key, field in model.model_fields.items() if key not in below}
        for key, field in own.items():
            if key in values:
                yield from _comment(_meaning(field)) if explained else ()
                yield f"{key} = {value_text(values[key])}"
            elif self.blank and field.is_required():
                yield f"{key} = {value_text(f'{PLACEHOLDER} {_meaning(field)}')}"
        for key, field in own.items():
            if explained and key not in values and not field.is_required():
                yield from _comment(f"{key}: {_meaning(field)}")
        for note in self.notes.get(path, ()):
            yield from _comment(note)
        for key, (step, table) in below.items():
            place = f"{path}.{key}".removeprefix(".")
            heading = f"[[{place}]]" if step == "[]" else f"[{place}{step}]"
            meaning = model.model_fields[key].description
            if key in values:
                yield from ("", *_comment(meaning or "")) if explained else ()
                yield from self._tables(table, heading, _named(values[key], step), explained=explained)
            elif explained:
                yield from ("", *_comment(f"{heading}: {meaning} Its keys: {', '.join(table.model_fields)}."))

    def _tables(
        self, model: type[Table], heading: str, named: Sequence[tuple[str, Mapping[str, Any]]], *, explained: bool
    ) -> Iterator[str]:
        """The tables under one key; the first one is explained. Empty ones follow each other without a blank line."""
        for position, (name, values) in enumerate(named):
            is_first = position == 0
            own_heading = heading.replace(".NAME", f".{name}")
            lines = list(self.keys(model, values, own_heading.strip("[]"), explained=explained and is_first))
            if not (is_first and explained) and (lines or is_first):
                yield ""
            yield own_heading
            yield from lines


def _named(value: Any, step: str) -> list[tuple[str, Mapping[str, Any]]]:
    """The tables under a key with their names, which are empty unless the step to them is a name."""
    if step == ".NAME":
        return list(value.items())
    return [("", own) for own in (value if step == "[]" else [value])]


def _meaning(field: FieldInfo) -> str:
    """What a key means, what a value is, and the default."""
    kind, further = unwrapped(field.annotation)
    words = words_of(kind, [*further, *field.metadata])
    facts = [] if words == _PLAIN else [words]
    if not field.is_required() and isinstance(field.default, bool | int | str) and field.default != "":
        facts.append(f"default: {value_text(field.default)}")
    return f"{field.description} ({'; '.join(facts)})" if facts else field.description or ""


def _comment(text: str) -> list[str]:
    return [f"# {line}" for line in textwrap.wrap(text, _WIDTH - 2, break_long_words=False, break_on_hyphens=False)]


def value_text(value: Any) -> str:
    """A value in TOML.

    >>> print(value_text(["a", {"field": "b", "join": ", "}]), value_text(True))
    ["a", { field = "b", join = ", " }] true
    """
    if isinstance(value, Mapping):
        return f"{{ {', '.join(f'{key} = {value_text(own)}' for key, own in value.items())} }}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(value_text, value))}]"
    if (
        isinstance(value, str)
        and "\n" in value.strip()
        and "'''" not in value
        and value.replace("\n", "").isprintable()
    ):
        return f"'''\n{value}'''"  # the first line break is no part of the text
    return json.dumps(value, ensure_ascii=False) if isinstance(value, str | bool | int | float) else str(value)
