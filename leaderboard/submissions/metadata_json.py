"""The metadata files of an official repository: systems, and their generations files. Pure."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Protocol

from django.core.exceptions import ValidationError

from leaderboard.facts import read_facts
from leaderboard.models import SystemType
from leaderboard.submissions.forms import RUN_FACTS, SystemForm
from leaderboard.submissions.json_documents import (
    Document,
    DocumentError,
    Problem,
    json_files,
    kind_of,
    parse_document,
    plain_file_in,
    read_document,
    unknown_keys,
)
from scoring.benchmarks.attributes import OLD_NAMES
from scoring.benchmarks.base import OfficialLayout
from scoring.generations.problems import clean, quote

GROUPED_NUMBER: Final = re.compile(r"\d{1,3}(?:[, _]\d{3})+|\d+")
FILE_SUFFIXES: Final = (".jsonl", ".jsonl.gz", ".json", ".json.gz")


class Named(Protocol):
    """A system's metadata, from a file."""

    key: str
    name: str
    fields: dict[str, Any] | None
    problems: list[Problem]


@dataclass(frozen=True)
class FoundFile:
    """A generations file: its setting and its path."""

    setting: str
    path: Path
    name: str
    """With its folder, as problems show it."""


@dataclass
class FoundSystem:
    """A system with its files, as far as they were found; without ``fields`` its metadata cannot be used."""

    key: str
    name: str
    """The name of the metadata file, with its folder."""
    fields: dict[str, Any] | None = None
    files: list[FoundFile] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)


@dataclass(frozen=True)
class Found:
    """The content of a folder in the official layout."""

    root: Path
    systems: list[FoundSystem]
    problems: list[Problem]


class LayoutError(ValueError):
    """The folder does not have the layout; the message says what was expected."""


def find_root(folder: Path, layout: OfficialLayout) -> Path:
    """The root of the layout in a folder.

    Raises:
        LayoutError: the folder does not contain it.
    """
    for start in layout.roots:
        if (folder / start / layout.metadata).is_dir():
            return folder / start
    wanted = " or ".join(str(Path(start) / layout.metadata) for start in layout.roots)
    raise LayoutError(f"{folder}: found no folder {wanted}, expected the layout of the benchmark's own repository.")


def find_systems(folder: Path, layout: OfficialLayout) -> Found:
    """Every system that a folder in the official layout describes, ordered by the names of the metadata files.

    Raises:
        LayoutError: the folder has another layout.
    """
    root = find_root(folder, layout)
    systems = [_read_system(path, root, layout) for path in json_files(root / layout.metadata)]
    disambiguate_names(systems)
    problems = list(_orphans(root, layout, systems))
    if not systems:
        problems.append(Problem(layout.metadata, "no JSON file", "a metadata file for each system"))
    return Found(root, systems, problems)


def _read_system(path: Path, root: Path, layout: OfficialLayout) -> FoundSystem:
    system = FoundSystem(key=path.stem, name=f"{layout.metadata}/{path.name}")
    if plain_file_in(path.parent, root, path.name) is None:
        system.problems.append(Problem(system.name, "a link that leads out of the folder", "a file"))
        return system
    try:
        document = read_document(path, system.name)
    except DocumentError as error:
        system.problems.append(error.problem)
        return system
    known = {*layout.fields, *layout.file_fields.values(), RUN_FACTS}
    system.problems += unknown_keys(document, document.values, known, [])
    fields, problems = system_fields(document, document.values, layout.fields, [])
    system.problems += problems
    system.fields = fields
    for setting in layout.file_fields:
        _find_file(system, document, setting, root, layout)
    if not system.files and not any(not problem.remark for problem in system.problems):
        names = ", ".join(layout.file_fields.values())
        system.problems.append(Problem(system.name, "no generations file", f"one under {names}"))
    return system


# --- The statement -------------------------------------------------------------------------------------------------


def system_fields(
    document: Document, values: Mapping[str, Any], names: Mapping[str, str], path: list[str]
) -> tuple[dict[str, Any] | None, list[Problem]]:
    """A system's metadata by the names of its columns, validated like a form of the site.

    Returns the fields (None if one is invalid) and all problems.
    """
    data, problems = _texts(document, values, names, path)
    form = SystemForm(data)
    if problems or not form.is_valid():
        already = {problem.field for problem in problems}
        keys = {name: key for key, name in names.items()}
        for name, errors in form.errors.as_data().items():
            where = [*path, keys.get(name, name)]
            if ".".join(where) not in already:
                found = kind_of(values.get(keys.get(name, name)))
                problems.append(document.problem(where, found, _expected(name, errors)))
        return None, problems
    return dict(form.cleaned_data), problems


def _texts(
    document: Document, values: Mapping[str, Any], names: Mapping[str, str], path: list[str]
) -> tuple[dict[str, str], list[Problem]]:
    """The values as a form's fields send them, and those that no field could hold."""
    problems: list[Problem] = []
    data: dict[str, str] = {}
    if isinstance(facts := values.get(RUN_FACTS), Mapping):
        known, expected = read_facts(facts)
        data |= {f"{RUN_FACTS}.{name}": str(value) for name, value in known.items()}
        problems += [
            document.problem([*path, RUN_FACTS, clean(key)], kind_of(facts[key]), text)
            for key, text in expected.items()
        ]
    elif facts is not None:
        problems.append(document.problem([*path, RUN_FACTS], kind_of(facts), "an object of run facts"))
    for key, name in names.items():
        value = values.get(key)
        where = [*path, key]
        kind = OLD_NAMES[name].kind if name in OLD_NAMES else "text"
        if kind == "number":
            data[name] = _number(document, where, value, problems)
        elif kind == "yes-no":
            if value is not None and not isinstance(value, bool):
                problems.append(document.problem(where, kind_of(value), "true, false or null"))
            data[name] = "" if not isinstance(value, bool) else str(value).lower()
        elif value is None or isinstance(value, str):
            data[name] = value or ""
        else:
            problems.append(document.problem(where, kind_of(value), "a text"))
    return data, problems


@dataclass(frozen=True)
class ParsedMetadata:
    """Parsed metadata that a user pasted: fields by the names of the form, as texts, and all problems."""

    fields: Mapping[str, str]
    problems: tuple[Problem, ...]


def parse_metadata(text: str, layout: OfficialLayout) -> ParsedMetadata:
    """Parse metadata in the official layout that a user pasted. Valid fields are used even if others are invalid."""
    try:
        document = parse_document(text, "The metadata")
    except DocumentError as error:
        return ParsedMetadata({}, (error.problem,))
    known = {*layout.fields, *layout.file_fields.values(), RUN_FACTS}
    problems = unknown_keys(document, document.values, known, [])
    data, wrong = _texts(document, document.values, layout.fields, [])
    return ParsedMetadata({name: value for name, value in data.items() if value}, (*problems, *wrong))


def _number(document: Document, where: list[str], value: Any, problems: list[Problem]) -> str:
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if isinstance(value, str) and GROUPED_NUMBER.fullmatch(value.strip()):
        return re.sub(r"\D", "", value)
    if value is not None and value != "":
        problems.append(document.problem(where, kind_of(value), "a whole number of tokens"))
    return ""


def _expected(name: str, errors: Sequence[ValidationError]) -> str:
    if name == "type":
        return f"one of {', '.join(SystemType.values)}"
    if any(error.code == "required" for error in errors):
        return "a non-empty string"
    if name == "url":
        return "a URL of at most 500 characters"
    return "; ".join(" ".join(error.messages).rstrip(".").lower() for error in errors)


def disambiguate_names(systems: Sequence[Named]) -> None:
    """Make names unique, since two systems with one name would be the same system here: the later one gets its file's
    name appended."""
    first: dict[str, str] = {}
    for system in systems:
        if system.fields is None:
            continue
        name = system.fields["name"]
        owner = first.setdefault(name, system.name)
        if owner != system.name:
            system.fields["name"] = f"{name[: 190 - len(system.key)]} ({system.key})"
            system.problems.append(
                Problem(
                    system.name,
                    f"the name {quote(name)} of {owner} again; it is imported as {quote(system.fields['name'])}",
                    field="name",
                    remark=True,
                )
            )


# --- Its files -----------------------------------------------------------------------------------------------------


def _find_file(system: FoundSystem, document: Document, setting: str, root: Path, layout: OfficialLayout) -> None:
    key, folder_name = layout.file_fields[setting], layout.generations[setting]
    folder = root / folder_name
    if key not in document.values:
        matched = _by_name(folder, system.key)
        if matched is not None and plain_file_in(folder, root, matched):
            system.files.append(FoundFile(setting, folder / matched, f"{folder_name}/{matched}"))
            found = f"no such key; {folder_name}/{matched} was found by its name instead"
            system.problems.append(document.problem([key], found, remark=True))
        return
    value = document.values[key]
    if value is None or value == "":
        return
    if not isinstance(value, str) or Path(value).name != value:
        expected = f"the name of a file in {folder_name}, or null"
        system.problems.append(document.problem([key], kind_of(value), expected))
        return
    path = plain_file_in(folder, root, value)
    if path is None:
        nearest = difflib.get_close_matches(value, _names(folder), n=1)
        hint = f" (the nearest name there is {quote(nearest[0], 80)})" if nearest else ""
        expected = f"a file in {folder_name}{hint}"
        system.problems.append(document.problem([key], f"{quote(value, 80)}, which does not exist", expected))
        return
    system.files.append(FoundFile(setting, path, f"{folder_name}/{value}"))


def _names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir() if path.is_file()) if folder.is_dir() else []


def _by_name(folder: Path, key: str) -> str | None:
    """The only file of a folder that is named after the metadata: ``KEY.jsonl`` or ``anything-KEY.jsonl``."""
    names = [name for name in _names(folder) if name.endswith(FILE_SUFFIXES)]
    stems = {name: name[: name.index(".json")] for name in names}
    exact = [name for name, stem in stems.items() if stem == key]
    ending = [name for name, stem in stems.items() if stem.endswith(f"-{key}")]
    for matches in (exact, ending):
        if len(matches) == 1:
            return matches[0]
    return None


def _orphans(root: Path, layout: OfficialLayout, systems: list[FoundSystem]) -> Iterator[Problem]:
    named = {file.name for system in systems for file in system.files}
    for folder in layout.generations.values():
        for name in _names(root / folder):
            if f"{folder}/{name}" not in named and name.endswith(FILE_SUFFIXES):
                yield Problem(f"{folder}/{name}", "a file that no metadata file names; it is skipped", remark=True)
