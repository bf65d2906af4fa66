"""The text of a declaration: what the model says, in the words of the model."""

from __future__ import annotations

import datetime
import tomllib
from collections.abc import Iterator
from typing import Any

import pytest
from pydantic.fields import FieldInfo

from scoring.benchmarks.declared.odd_texts import is_placeholder
from scoring.benchmarks.declared.template import KINDS, template
from scoring.benchmarks.declared.writing import value_text, written
from scoring.benchmarks.form import BenchmarkTable, table_below
from scoring.files.tables import Table

VALUES = {
    "slug": "a",
    "name": 'A "quoted" name, é, \\',
    "bibtex": "@misc{a,\n  title = {A},\n}",
    "citation": "Two lines\nwith ''' and a \r",
    "position": 3,
    "default_columns": ["loose", "strict"],
    "questions": {
        "answer": ["answer", {"field": "label", "join": ", "}],
        "joined": {"names": {"file": "names.json", "key": "id", "by": "name"}},
    },
    "splits": {"dev": {"name": "Development", "hidden": False, "date": datetime.date(2026, 1, 1)}},
    "metrics": {"accuracy": {}, "rouge": {"parameters": {"limit": 0.5}}},
    "links": [{"title": "One", "url": "https://one.example/"}, {"title": "Two", "url": "https://two.example/"}],
    "example": {"question": "Why?", "steps": [{"question": "How?"}, {"question": "When?"}]},
}


def test_what_is_written_reads_back_as_it_was() -> None:
    assert tomllib.loads(written(VALUES)) == VALUES


def test_a_blank_declaration_has_the_values_and_further_texts_to_replace() -> None:
    read = tomllib.loads(written(VALUES, blank=True))
    assert read.items() >= {key: value for key, value in VALUES.items() if not isinstance(value, dict | list)}.items()
    assert is_placeholder(read["licence"])
    assert is_placeholder(read["example"]["steps"][1]["answer"]), "in every table, not only in the first of a list"


def keys_with_meaning(model: type[Table], toml: dict[str, Any]) -> Iterator[tuple[str, FieldInfo]]:
    """The keys of the tables that a declaration has, each with its field."""
    for key, field in model.model_fields.items():
        yield key, field
        below = table_below(field.annotation)
        if below is not None and key in toml:
            step, table = below
            first = {"[]": 0, ".NAME": next(iter(toml[key]))}.get(step)
            yield from keys_with_meaning(table, toml[key] if first is None else toml[key][first])


@pytest.mark.parametrize("kind", KINDS)
def test_the_template_says_what_each_key_means_and_its_default(kind: str) -> None:
    text = template("rivers", kind, blank=True)["benchmark.toml"].decode()
    said = " ".join(text.replace("\n# ", " ").replace('\\"', '"').split())
    fields = list(keys_with_meaning(BenchmarkTable, tomllib.loads(text)))
    given = {"slug", "version", "task_type", "scores", "default_baseline", "field", "questions", "date", "hidden"}
    assert len(fields) > 50
    for key, field in fields:
        assert " ".join((field.description or "").split()) in said, key
        optional = not field.is_required() and key not in given
        if optional and isinstance(field.default, bool | int | str) and field.default != "":
            assert f"default: {value_text(field.default)}" in said, key


def test_notes_stand_below_the_keys_of_their_table() -> None:
    text = written(VALUES, notes={"questions": ["Not read: colour."]})
    table = text.partition("[questions]")[2].partition("\n\n")[0]
    assert table.endswith("# Not read: colour.")
