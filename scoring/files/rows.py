"""The objects of a file as typed rows, by their ids."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final, TypeVar

from scoring.files.mistakes import Mistake, described, refuse, shown_id
from scoring.files.objects import NO_OBJECT, Place, in_words, objects_in, opened
from scoring.files.tables import Row

_AnyRow = TypeVar("_AnyRow", bound=Row)
_ID_KEYS: Final = ("qid", "id")


def read_rows(path: Path, row: type[_AnyRow], example: str) -> dict[str, _AnyRow]:
    """The objects of a file, each as a row, by their ids. The file may be the only one of its kind in a zip archive.

    Raises:
        SourceError: With every mistake.
    """
    mistakes: list[Mistake] = []
    rows = {name: read for _, name, read in rows_in(path, mistakes, row, example)}
    refuse(mistakes)
    return rows


def rows_in(
    path: Path, mistakes: list[Mistake], row: type[_AnyRow], example: str, *, repeats: bool = False
) -> Iterator[tuple[Place, str, _AnyRow]]:
    """The objects of a file as rows, with their places and ids; what is wrong is added to ``mistakes``, and is empty in
    its row.

    Args:
        repeats: Whether several objects may have the same id.
    """
    usual = next(key for key in _ID_KEYS if f'"{key}"' in example)
    fix = f"Write the object as {example}."
    first_lines: dict[str, int] = {}
    with opened(path) as stream:
        for place, values in objects_in(path.name, stream, mistakes):
            key = next((key for key in _ID_KEYS if key in values), usual)
            name = values.get(key)
            if not isinstance(name, str) or not name.strip():
                fix_id = f'Write the id: "{key}": "…".'
                mistakes.append(place.mistake(key, described(name), "a text in double quotes", fix_id))
                continue
            if name in first_lines and not repeats:
                again = f"{shown_id(name)} again after line {first_lines[name]:,}"
                mistakes.append(place.mistake(key, again, "one object for each question", "Remove one of the two."))
            first_lines.setdefault(name, place.line)
            read, faults = row.read(values)
            for fault in faults:
                field = in_words(fault.path)
                mistakes.append(place.mistake(field, fault.found, fault.expected, fault.fix or fix))
            yield place, name, read
    if not first_lines and not mistakes:
        mistakes.append(Mistake(path.name, 0, "", NO_OBJECT, f"objects as {example}", "Check the file."))
