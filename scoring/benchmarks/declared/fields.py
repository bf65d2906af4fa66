"""Kinds of values in ``benchmark.toml`` and other declarations, and the mistakes that pydantic finds in them.

A declaration is a `Table`: its fields say type, default, bounds and help of each key, and the JSON Schema follows.
"""

from __future__ import annotations

import datetime
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Annotated, Any, Final, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError
from pydantic_core import ErrorDetails

from scoring.benchmarks.attributes import URL
from scoring.benchmarks.declared.problems import Mistake, nearest, one_of, shown
from scoring.benchmarks.declared.toml_lines import Path, TomlFile

SLUG: Final = r"[a-z0-9](?:[a-z0-9-]*[a-z0-9])?"
_PATTERNS: Final[dict[str, str]] = {}
"""What each pattern means, in words."""


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


def matching(pattern: str, longest: int | None, words: str) -> Any:
    """The rules of a text that a pattern matches as a whole."""
    whole = rf"^(?:{pattern})$(?!\n)"
    _PATTERNS[whole] = words
    return Field(pattern=whole, max_length=longest)


def _as_list(value: Any) -> Any:
    return [value] if isinstance(value, str) else value


def _or_alone(schema: dict[str, Any]) -> None:
    schema["anyOf"] = [dict(schema["items"]), {name: schema.pop(name) for name in ("type", "items", "minItems")}]


Text = Annotated[str, matching(r"(?=\s*\S)[^\x00-\x08\x0b-\x1f]*", None, "a text")]
Url = Annotated[str, matching(URL, 200, "a URL that begins with https://")]
Slug = Annotated[str, matching(SLUG, 50, "small letters, digits and hyphens")]
Name = Annotated[str, matching(r"[a-z0-9][A-Za-z0-9_.-]*", 60, "a name")]
File = Annotated[
    str,
    matching(
        r"(?!/)(?!.*(?:^|/)\.\.?(?:/|$))[^\\:\x00-\x1f]+",
        200,
        "a file in the folder, such as questions/dev.jsonl",
    ),
]
Files = Annotated[list[File], BeforeValidator(_as_list), Field(min_length=1, json_schema_extra=_or_alone)]
"""The name of a file, or a list of names."""
Date = datetime.date


class Table(BaseModel):
    """A table of a declaration: its keys are the fields, and others are mistakes."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, allow_inf_nan=False, regex_engine="python-re")

    @classmethod
    def read(cls, values: Mapping[str, Any]) -> tuple[Self | None, list[Fault]]:
        """The table with these values, or everything that is wrong with them."""
        try:
            return cls.model_validate(values), []
        except ValidationError as error:
            faults = [_fault(cls, details, values) for details in error.errors(include_url=False)]
        return None, list({fault.path: fault for fault in reversed(faults)}.values())[::-1]


def _fault(table: type[Table], details: ErrorDetails, values: Mapping[str, Any]) -> Fault:
    """One of pydantic's errors, with what was expected in words."""
    kind, given, context = details["type"], details["input"], details.get("ctx", {})
    if kind == "missing":
        path = details["loc"]
        return Fault(path, "nothing", in_words(*_schema_at(table, path)), f"Add {path[-1]}.")
    path, value = (), values
    for step in details["loc"]:  # its other steps are parts of a type
        if not isinstance(value, dict | list) or (step not in value if isinstance(value, dict) else step == "[key]"):
            break
        path, value = (*path, step), value[step]
    if kind == "extra_forbidden":
        known = _schema_at(table, path[:-1])[1]["properties"]
        fix = nearest(str(path[-1]), known) or f"The keys are {', '.join(known)}."
        return Fault(path, "an unknown key", "a known one", fix)
    expected = _PATTERNS.get(context.get("pattern", ""))
    if details["loc"][-1] == "[key]":
        return Fault(path, f"the name {given[:60]!r}", expected or f"at most {context['max_length']} characters")
    if kind == "string_too_long":
        return Fault(path, f"{len(given):,} characters", f"at most {context['max_length']:,}", "Shorten it.")
    root, schema = _schema_at(table, path)
    fix = nearest(str(given), schema.get("enum", ())) or schema.get("description", "")
    return Fault(path, shown(value), expected or in_words(root, schema), fix)


# --- The JSON Schema -----------------------------------------------------------------------------------------------

Schema = Mapping[str, Any]


@cache
def schema_of(table: type[Table]) -> Schema:
    """The JSON Schema of a table."""
    schema: Schema = _without_null(table.model_json_schema())
    return schema


def _without_null(schema: Any) -> Any:
    """A schema without null, which TOML lacks."""
    if isinstance(schema, list):
        return [_without_null(part) for part in schema if part != {"type": "null"}]
    if not isinstance(schema, dict):
        return schema
    kept = {key: _without_null(part) for key, part in schema.items() if key != "default" or part is not None}
    return kept | kept.pop("anyOf")[0] if len(kept.get("anyOf", ())) == 1 else kept


def _resolved(root: Schema, schema: Schema) -> Schema:
    """A schema itself instead of a reference to it."""
    if "$ref" not in schema:
        return schema
    return {**root["$defs"][schema["$ref"].rpartition("/")[2]], "description": schema.get("description", "")}


def _inside(root: Schema, schema: Schema) -> Schema:
    """The schema of the items of a list, or of the tables of a table by their names; else itself."""
    named = [*schema.get("patternProperties", {}).values(), schema.get("additionalProperties")]
    return _resolved(root, schema.get("items") or named[0] or schema)


def _schema_at(table: type[Table], path: Sequence[str | int]) -> tuple[Schema, Schema]:
    """The schema of a table, and that of the value at a path."""
    root = schema = schema_of(table)
    for step in path:
        known = schema.get("properties", {})
        alone = next((part for part in schema.get("anyOf", ()) if "items" in part), schema)
        schema = _resolved(root, known[step]) if step in known else _inside(root, alone)
    return root, schema


def in_words(root: Schema, schema: Schema) -> str:
    """What a value is."""
    schema = _resolved(root, schema)
    if "enum" in schema:
        return one_of(schema["enum"])
    if "anyOf" in schema:
        return " or ".join(dict.fromkeys(in_words(root, part) for part in schema["anyOf"]))
    if "pattern" in schema:
        return _PATTERNS[schema["pattern"]]
    least = schema.get("minItems", 0)
    return {
        "string": "a date such as 2026-01-31" if schema.get("format") == "date" else "a text",
        "integer": "a whole number"
        + (f" from {schema['minimum']:,} to {schema['maximum']:,}" if "minimum" in schema else ""),
        "number": "a number",
        "boolean": "false" if "const" in schema else "true or false",
        "array": f"a list with at least {least}" if least else "a list",
        "object": "a table",
    }[schema["type"]]


def keys_of(table: type[Table]) -> Iterator[tuple[str, Schema, bool]]:
    """The keys of a table and of those inside it, as paths such as ``splits.NAME.hidden``; each with its schema, and
    whether it is required."""
    root = schema_of(table)

    def below(schema: Schema, place: str) -> Iterator[tuple[str, Schema, bool]]:
        for name, own in schema["properties"].items():
            yield f"{place}{name}", own, name in schema.get("required", ())
            kind = _resolved(root, own)
            inner = _inside(root, kind)
            if "properties" in inner:
                step = "" if inner is kind else "[]" if "items" in kind else ".NAME"
                yield from below(inner, f"{place}{name}{step}.")

    return below(root, "")
