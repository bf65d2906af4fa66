"""The metadata files of an official repository: systems, and their generations files. Pure."""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

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
from scoring.benchmarks.facts import read_facts
from scoring.generations.problems import clean, quote

GROUPED_NUMBER: Final = re.compile(r"\d{1,3}(?:[, _]\d{3})+|\d+")
FILE_SUFFIXES: Final = (".jsonl", ".jsonl.gz", ".json", ".json.gz")


@dataclass
class ReadSystem:
    """A system with its files, as far as there are any; without ``fields`` its metadata cannot be used."""

    key: str
    name: str
    """The name of the metadata file, with its folder."""
    fields: dict[str, Any] | None = None
    files: dict[str, Path] = field(default_factory=dict)
    """Its generations files, by setting."""
    values: dict[str, dict[str, float]] = field(default_factory=dict)
    """Of a results file: by setting, then by score. A score that the file omits is absent: it is not zero."""
    problems: list[Problem] = field(default_factory=list)

    @property
    def ok(self) -> bool:
        """Whether its file has no problem; a results file with one is skipped entirely."""
        return self.fields is not None and all(problem.remark for problem in self.problems)


class LayoutError(ValueError):
    """The folder does not have the layout; the message says what was expected."""


def read_systems(folder: Path, layout: OfficialLayout) -> tuple[list[ReadSystem], list[Problem]]:
    """Every system that a folder in the official layout describes, ordered by the names of the metadata files, and the
    problems of the folder itself.

    Raises:
        LayoutError: the folder has another layout.
    """
    roots = [folder / start for start in layout.roots]
    root = next((path for path in roots if (path / layout.metadata).is_dir()), None)
    if root is None:
        wanted = " or ".join(str(Path(start) / layout.metadata) for start in layout.roots)
        raise LayoutError(f"{folder}: found no folder {wanted}, expected the layout of the benchmark's own repository.")
    systems = [_read_system(path, root, layout) for path in json_files(root / layout.metadata)]
    disambiguate_names(systems)
    named = {path for system in systems for path in system.files.values()}
    problems = [
        Problem(f"{name}/{file}", "a file that no metadata file names; it is skipped", remark=True)
        for name in layout.generations.values()
        for file in _names(root / name)
        if root / name / file not in named and file.endswith(FILE_SUFFIXES)
    ]
    if not systems:
        problems.append(Problem(layout.metadata, "no JSON file", "a metadata file for each system"))
    return systems, problems


def _read_system(path: Path, root: Path, layout: OfficialLayout) -> ReadSystem:
    system = ReadSystem(key=path.stem, name=f"{layout.metadata}/{path.name}")
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
    system.fields, problems = system_fields(document, document.values, layout.fields, [])
    system.problems += problems
    for setting in layout.file_fields:
        _find_file(system, document, setting, root, layout)
    if not system.files and all(problem.remark for problem in system.problems):
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
    """The values as a form's fields send them, and those that no field could hold."""
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


def disambiguate_names(systems: Sequence[ReadSystem]) -> None:
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


def _find_file(system: ReadSystem, document: Document, setting: str, root: Path, layout: OfficialLayout) -> None:
    key, folder_name = layout.file_fields[setting], layout.generations[setting]
    folder = root / folder_name
    value = document.values.get(key)
    if key not in document.values:
        # Without the key: the only file named after the metadata, ``KEY.jsonl`` or ``anything-KEY.jsonl``.
        stems = {name: name[: name.index(".json")] for name in _names(folder) if name.endswith(FILE_SUFFIXES)}
        exact = [name for name, stem in stems.items() if stem == system.key]
        ending = [name for name, stem in stems.items() if stem.endswith(f"-{system.key}")]
        value = next((names[0] for names in (exact, ending) if len(names) == 1), None)
        if value is not None and plain_file_in(folder, root, value):
            system.files[setting] = folder / value
            what = f"no such key; {folder_name}/{value} was found by its name instead"
            system.problems.append(document.problem([key], what, remark=True))
    elif value is None or value == "":
        return
    elif not isinstance(value, str) or Path(value).name != value:
        expected = f"the name of a file in {folder_name}, or null"
        system.problems.append(document.problem([key], kind_of(value), expected))
    elif (path := plain_file_in(folder, root, value)) is None:
        nearest = difflib.get_close_matches(value, _names(folder), n=1)
        hint = f" (the nearest name there is {quote(nearest[0], 80)})" if nearest else ""
        expected = f"a file in {folder_name}{hint}"
        system.problems.append(document.problem([key], f"{quote(value, 80)}, which does not exist", expected))
    else:
        system.files[setting] = path


def _names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir() if path.is_file()) if folder.is_dir() else []
