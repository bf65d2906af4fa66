"""The folder of an official repository: its systems, each with its metadata file and generations files. Pure."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from leaderboard.submissions.forms import RUN_FACTS
from leaderboard.submissions.json_documents import (
    Document,
    DocumentError,
    Problem,
    kind_of,
    parse_document,
    unknown_keys,
)
from leaderboard.submissions.metadata_json import system_fields
from scoring.benchmarks.base import OfficialLayout
from scoring.generations.problems import quote

FILE_SUFFIXES: Final = (".jsonl", ".jsonl.gz", ".json", ".json.gz")
MAX_BYTES: Final = 2**20
"""No metadata file and no results file is nearly as large."""


@dataclass
class ReadSystem:
    """A system with its files, as far as there are any; without ``fields`` its metadata cannot be used."""

    key: str
    name: str
    """The name of the metadata file, with its folder."""
    fields: dict[str, Any] | None = None
    files: dict[str, Path] = field(default_factory=dict)
    """Generations files of the system, by setting."""
    values: dict[str, dict[str, float]] = field(default_factory=dict)
    """The numbers of a results file, by setting, then by score; a score that the file omits is absent."""
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


# --- Reading files -------------------------------------------------------------------------------------------------


def read_document(path: Path, name: str) -> Document:
    """Read a file that should hold one JSON object; *name* is its name in problems.

    Raises:
        DocumentError: it cannot be read, is too large, or holds something else.
    """
    try:
        with path.open("rb") as stream:
            content = stream.read(MAX_BYTES + 1)
    except OSError as error:
        raise DocumentError(Problem(name, f"a file that cannot be read ({error.strerror})", "a JSON file")) from error
    if len(content) > MAX_BYTES:
        raise DocumentError(Problem(name, "more than 1 MiB", "a JSON object with a few fields"))
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise DocumentError(Problem(name, f"byte 0x{content[error.start]:02X}", "UTF-8 text", line=line)) from error
    return parse_document(text, name)


def json_files(folder: Path) -> list[Path]:
    """The JSON files of a folder, ordered by their names without suffix."""
    return sorted((path for path in folder.glob("*.json") if path.is_file()), key=lambda path: path.stem)


def plain_file_in(folder: Path, root: Path, name: str) -> Path | None:
    """The file *name* of *folder* if it is a file, and lies below *root* even if it is a link; otherwise None."""
    path = folder / name
    try:
        inside = path.resolve(strict=True).is_relative_to(root.resolve())
    except (OSError, RuntimeError):
        return None
    return path if inside and path.is_file() else None
