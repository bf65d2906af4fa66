"""Writes `manyhop/records.py`, the types of the API's answers, from its OpenAPI document: ``python -m
tests.contracts.records``."""

import re
import subprocess
import sys
import textwrap
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

FILE: Final = Path(__file__).parents[2] / "manyhop" / "records.py"
PREFIX: Final = "#/components/schemas/"
LEFT_OUT: Final = re.compile(r"Study.*|.*Request|Confirmation|Publication|.*Enum|EntryKind|SystemType")
"""What the client does not read, and enumerations, which are texts: a newer site may have more values."""
SCALARS: Final = {"string": "str", "integer": "int", "number": "float", "boolean": "bool"}
ADDED: Final = {("Benchmark", "task_type"): '""'}
"""Fields that sites of an earlier version lack, with what they are there: a client may be newer than its site."""
RENAMED: Final = {"File": "SubmittedFile", "Source": "ScoreSource"}

HEAD: Final = '''"""The answers of a site's API, as types; ``python -m tests.contracts.records`` writes them.

Fields that a newer site adds are ignored. `/api/v1/docs/` of each site explains every field.
"""

from __future__ import annotations

import datetime
from typing import Any

import msgspec


class Record(msgspec.Struct, frozen=True, kw_only=True):
    """An object of an answer."""
'''


def source(document: Mapping[str, Any]) -> str:
    """The module, formatted as the linter requires."""
    schemas = document["components"]["schemas"]
    kept = {name: it for name, it in schemas.items() if "properties" in it and not LEFT_OUT.fullmatch(name)}
    text = HEAD + "".join(_record(name, schema, kept) for name, schema in sorted(kept.items()))
    command = [sys.executable, "-m", "ruff", "format", "--stdin-filename", str(FILE), "-"]
    return subprocess.run(command, input=text, capture_output=True, text=True, check=True).stdout


def _record(name: str, schema: Mapping[str, Any], kept: Mapping[str, Any]) -> str:
    lines = [f"\n\nclass {RENAMED.get(name, name)}(Record, frozen=True, kw_only=True):"]
    said = " ".join(schema.get("description", "").split()) or f"A {name}."
    lines += textwrap.wrap(f'"""{said}"""', 116, initial_indent="    ", subsequent_indent="    ")
    lines += ["", *(f"    {line}" for line in _fields(name, schema, kept))]
    return "\n".join(lines) + "\n"


def _fields(record: str, schema: Mapping[str, Any], kept: Mapping[str, Any]) -> Iterator[str]:
    required = schema.get("required", ())
    for name, field in schema["properties"].items():
        type_ = _type(field, kept)
        if (record, name) in ADDED:
            yield f"{name}: {type_} = {ADDED[record, name]}"
            continue
        yield f"{name}: {type_}" if name in required else f"{name}: {type_.removesuffix(' | None')} | None = None"


def _type(schema: Mapping[str, Any], kept: Mapping[str, Any]) -> str:
    parts = [part for key in ("allOf", "oneOf", "anyOf") for part in schema.get(key, ())]
    reference = next((part["$ref"] for part in (schema, *parts) if "$ref" in part), "").removeprefix(PREFIX)
    if reference in kept:
        plain = RENAMED.get(reference, reference)
    elif reference:
        plain = "str"
    elif schema.get("type") == "array":
        plain = f"list[{_type(schema['items'], kept)}]"
    elif schema.get("type") == "object":
        inner = schema.get("additionalProperties")
        plain = f"dict[str, {_type(inner, kept) if isinstance(inner, dict) and inner else 'Any'}]"
    elif schema.get("format") in ("date", "date-time"):
        plain = "datetime.date" if schema["format"] == "date" else "datetime.datetime"
    else:
        plain = SCALARS.get(schema.get("type", ""), "Any")
    nullable = schema.get("nullable") or any(part.get("$ref", "").endswith("NullEnum") for part in parts)
    return f"{plain} | None" if nullable and plain != "Any" else plain


if __name__ == "__main__":
    import os

    import django

    os.environ["DJANGO_SETTINGS_MODULE"] = "tests.settings"
    django.setup()
    from drf_spectacular.generators import SchemaGenerator  # after the settings are there

    FILE.write_text(source(SchemaGenerator().get_schema(request=None, public=True)), encoding="utf-8")  # type: ignore[no-untyped-call]
