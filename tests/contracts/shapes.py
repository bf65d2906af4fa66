"""The shape of a document: its keys and the types of its values, without the values."""

import re
from collections.abc import Iterable
from functools import reduce
from typing import Any, Final

_ID: Final = re.compile(r"^(dev|test)-\d+$")
CELLS: Final = "cells"
"""An object whose keys are the board's columns; the CSV heading lists these."""
ABSENT: Final = "absent"
MIXED: Final = "any of"
SCALARS: Final = ((type(None), "null"), (bool, "boolean"), (int, "integer"), (float, "number"), (str, "text"))


def shape_of(value: Any, *, same: bool = False) -> Any:
    """The shape of a JSON value: objects by key, lists by the shape of their items, scalars such as ``integer | null``.

    Args:
        same: the values of the object all have the same shape, so that its keys do not matter.
    """
    if isinstance(value, dict):
        by_key: dict[str, list[Any]] = {}
        for key, inner in value.items():
            shown = "<column>" if same else "<question>" if _ID.match(key) else key
            by_key.setdefault(shown, []).append(shape_of(inner, same=key == CELLS))
        return {key: merged(shapes) for key, shapes in by_key.items()}
    if isinstance(value, list):
        return [merged(map(shape_of, value))] if value else []
    return next(name for kind, name in SCALARS if isinstance(value, kind))


def merged(shapes: Iterable[Any]) -> Any:
    """One shape that covers several."""
    return reduce(_both, shapes)


def _both(one: Any, other: Any) -> Any:
    if one == other:
        return one
    kinds = [*_kinds(one), *_kinds(other)]
    scalars = sorted({kind for kind in kinds if isinstance(kind, str)})
    lists = [kind for kind in kinds if isinstance(kind, list)]
    objects = [kind for kind in kinds if isinstance(kind, dict)]
    found: list[Any] = [" | ".join(scalars)] if scalars else []
    if lists:
        items = [item for kind in lists for item in kind]
        found.append([merged(items)] if items else [])
    if objects:
        keys = dict.fromkeys(key for kind in objects for key in kind)
        found.append({key: merged(kind.get(key, ABSENT) for kind in objects) for key in keys})
    return found[0] if len(found) == 1 else {MIXED: found}


def _kinds(shape: Any) -> list[Any]:
    """The alternatives in a shape: names of scalars, at most one list, at most one object."""
    if isinstance(shape, dict) and list(shape) == [MIXED]:
        return [kind for part in shape[MIXED] for kind in _kinds(part)]
    return shape.split(" | ") if isinstance(shape, str) else [shape]


def csv_heading(text: str) -> list[str]:
    """The names of a CSV's columns."""
    return text.splitlines()[0].lstrip("\ufeff").split(",")


def latex_structure(text: str) -> dict[str, Any]:
    """The structure of a LaTeX table, without words and numbers."""
    body = "\n".join(line for line in text.splitlines() if not line.startswith("%"))
    columns = re.search(r"\\begin\{tabular\}\{([^}]*)\}", body)
    rows = [line for line in body.splitlines() if re.search(r"\\\\(\s*%.*)?$", line)]
    return {
        "environments": sorted(set(re.findall(r"\\begin\{(\w+)\}", body))),
        "commands": sorted(set(re.findall(r"\\[A-Za-z]+", body))),
        "columns": columns[1] if columns else "",
        "cells_in_a_row": sorted({len(re.findall(r"(?<!\\)&", line)) + 1 for line in rows}),
    }


def bibtex_structure(text: str) -> list[dict[str, Any]]:
    """The types of entries in a BibTeX file, each with its fields."""
    found: dict[str, set[str]] = {}
    for entry in re.split(r"^@", text, flags=re.MULTILINE)[1:]:
        found.setdefault(entry.split("{", 1)[0], set()).update(re.findall(r"^\s*(\w+) = ", entry, flags=re.MULTILINE))
    return [{"entry": kind, "fields": sorted(fields)} for kind, fields in sorted(found.items())]
