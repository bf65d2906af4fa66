"""A system's metadata as JSON in the official layout, read like the fields of a form. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from leaderboard.models import SystemType
from leaderboard.submissions.forms import RUN_FACTS, SystemForm
from leaderboard.submissions.json_documents import (
    Document,
    DocumentError,
    Problem,
    kind_of,
    parse_document,
    unknown_keys,
)
from scoring.benchmarks.attributes import OLD_NAMES
from scoring.benchmarks.base import OfficialLayout
from scoring.benchmarks.facts import read_facts
from scoring.generations.problems import clean

GROUPED_NUMBER: Final = re.compile(r"\d{1,3}(?:[, _]\d{3})+|\d+")


def system_fields(
    document: Document, values: Mapping[str, Any], names: Mapping[str, str], path: list[str]
) -> tuple[dict[str, Any] | None, list[Problem]]:
    """A system's metadata by the names of its columns, validated like a form of the site.

    Returns the fields (None if one is invalid) and all problems.
    """
    data, problems = _texts(document, values, names, path)
    form = SystemForm(data)
    if form.is_valid() and not problems:
        return dict(form.cleaned_data), problems
    already = {problem.field for problem in problems}
    keys = {name: key for key, name in names.items()}
    for name, errors in form.errors.as_data().items():
        key = keys.get(name, name)
        if ".".join([*path, key]) in already:
            continue
        if name == "type":
            expected = f"one of {', '.join(SystemType.values)}"
        elif any(error.code == "required" for error in errors):
            expected = "a non-empty string"
        elif name == "url":
            expected = "a URL of at most 500 characters"
        else:
            expected = "; ".join(" ".join(error.messages).rstrip(".").lower() for error in errors)
        problems.append(document.problem([*path, key], kind_of(values.get(key)), expected))
    return None, problems


def _texts(
    document: Document, values: Mapping[str, Any], names: Mapping[str, str], path: list[str]
) -> tuple[dict[str, str], list[Problem]]:
    problems: list[Problem] = []
    data: dict[str, str] = {}
    if isinstance(facts := values.get(RUN_FACTS), Mapping):
        known, wrong = read_facts(facts)
        data |= {f"{RUN_FACTS}.{name}": str(value) for name, value in known.items()}
        problems += [
            document.problem([*path, RUN_FACTS, clean(key)], kind_of(facts[key]), text) for key, text in wrong.items()
        ]
    elif facts is not None:
        problems.append(document.problem([*path, RUN_FACTS], kind_of(facts), "an object of run facts"))
    for key, name in names.items():
        value = values.get(key)
        kind = OLD_NAMES[name].kind if name in OLD_NAMES else "text"
        data[name], expected = "", ""
        if kind == "number":
            if isinstance(value, int) and not isinstance(value, bool):
                data[name] = str(value)
            elif isinstance(value, str) and GROUPED_NUMBER.fullmatch(value.strip()):
                data[name] = re.sub(r"\D", "", value)
            elif value is not None and value != "":
                expected = "a whole number of tokens"
        elif kind == "yes-no":
            if isinstance(value, bool):
                data[name] = str(value).lower()
            elif value is not None:
                expected = "true, false or null"
        elif isinstance(value, str):
            data[name] = value
        elif value is not None:
            expected = "a text"
        if expected:
            problems.append(document.problem([*path, key], kind_of(value), expected))
    return data, problems


def parse_metadata(text: str, layout: OfficialLayout) -> tuple[dict[str, str], list[Problem]]:
    """The valid fields of metadata in the official layout that a user pasted, by the names of the form, and all
    problems."""
    try:
        document = parse_document(text, "The metadata")
    except DocumentError as error:
        return {}, [error.problem]
    known = {*layout.fields, *layout.file_fields.values(), RUN_FACTS}
    problems = list(unknown_keys(document, document.values, known, []))
    data, wrong = _texts(document, document.values, layout.fields, [])
    return {name: value for name, value in data.items() if value}, problems + wrong
