"""The packages of a distribution, and the client's types, which are made whenever it is built or installed.

Everything else about the distribution is in pyproject.toml. The templates and static files of the site lie beside the
code, and become packages inside it. ``python setup.py records`` makes the types alone.
"""

import json
import re
from pathlib import Path

from setuptools import Command, find_packages, setup
from setuptools.command.build_py import build_py

FOLDERS = {"leaderboard.templates": "templates", "leaderboard.static": "static"}
SCHEMA = Path(__file__).with_name("manyhop") / "openapi.json"
LEFT_OUT = re.compile(r"Study.*|.*Request|Confirmation|Publication|.*Enum|EntryKind|SystemType")
"""What the client does not read, and enumerations, which are texts: a newer site may have more values."""
SCALARS = {"string": "str", "integer": "int", "number": "float", "boolean": "bool"}
DATES = {"date": "datetime.date", "date-time": "datetime.datetime"}
ADDED = {
    ("Benchmark", "task_type"): '""',
    ("Benchmark", "remove_reasoning"): "False",
    ("Benchmark", "takes_citations"): "False",
    ("Answer", "citations"): "[]",
    ("QuestionAnswer", "citations"): "None",
    ("Question", "context"): "[]",
    ("Question", "language"): '""',
}
"""Fields that sites of an earlier version lack, with what they are there: a client may be newer than its site."""
RENAMED = {"File": "SubmittedFile", "Source": "ScoreSource"}
HEAD = '''"""The answers of a site's API, as types, which setup.py makes of openapi.json.

Fields that a newer site adds are ignored. `/api/v1/docs/` of each site explains every field.
"""

from __future__ import annotations

import datetime
from typing import Any

import msgspec


class Record(msgspec.Struct, frozen=True, kw_only=True):
    """An object of an answer."""
'''


def records() -> str:
    """The module of the types."""
    schemas = json.loads(SCHEMA.read_text(encoding="utf-8"))["components"]["schemas"]
    kept = {name: it for name, it in schemas.items() if "properties" in it and not LEFT_OUT.fullmatch(name)}
    lines = [HEAD]
    for name, schema in sorted(kept.items()):
        lines += ["", f"class {RENAMED.get(name, name)}(Record, frozen=True, kw_only=True):"]
        for field, of in schema["properties"].items():
            type_ = type_of(of, kept)
            if (name, field) in ADDED:
                type_ += f" = {ADDED[name, field]}"
            elif field not in schema.get("required", ()):
                type_ = f"{type_.removesuffix(' | None')} | None = None"
            lines.append(f"    {field}: {type_}")
        lines.append("")
    return "\n".join(lines)


def type_of(schema: dict, kept: dict) -> str:
    """The type of a field."""
    parts = [part for key in ("allOf", "oneOf", "anyOf") for part in schema.get(key, ())]
    reference = next((part["$ref"] for part in (schema, *parts) if "$ref" in part), "").rpartition("/")[2]
    if reference:
        plain = RENAMED.get(reference, reference) if reference in kept else "str"
    elif schema.get("type") == "array":
        plain = f"list[{type_of(schema['items'], kept)}]"
    elif schema.get("type") == "object":
        inner = schema.get("additionalProperties")
        plain = f"dict[str, {type_of(inner, kept) if isinstance(inner, dict) and inner else 'Any'}]"
    else:
        plain = DATES.get(schema.get("format", "")) or SCALARS.get(schema.get("type", ""), "Any")
    nullable = schema.get("nullable") or any(part.get("$ref", "").endswith("NullEnum") for part in parts)
    return f"{plain} | None" if nullable and plain != "Any" else plain


class Records(Command):
    """Writes the module of the types into the package."""

    user_options = []

    def initialize_options(self) -> None:
        """There are none."""

    finalize_options = initialize_options

    def run(self) -> None:
        SCHEMA.with_name("records.py").write_text(records(), encoding="utf-8")


class WithRecords(build_py):
    """Setuptools runs it for a wheel and for an editable installation."""

    def run(self) -> None:
        self.run_command("records")
        super().run()


setup(
    packages=[*find_packages(include=["leaderboard*", "humaneval*", "manyhop*", "scoring*"]), *FOLDERS],
    package_dir=FOLDERS,
    cmdclass={"build_py": WithRecords, "records": Records},
)
