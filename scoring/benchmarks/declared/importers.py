"""Importers by their names: those of the software's own benchmarks, then those of installed packages (docs/plugins.md).

An importer reads the question files of a benchmark as its authors publish them, which no declaration describes.
"""

from __future__ import annotations

from functools import cache
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Final

from scoring.benchmarks.base import Importer
from scoring.files.mistakes import DECLARATION

GROUP: Final = "manyhop.importers"
_FOLDERS: Final = Path(__file__).parents[1]


def importer_names() -> list[str]:
    """The names of all importers."""
    own = (file.parent.name for file in _FOLDERS.glob("*/benchmark.toml"))
    return sorted({*entry_points(group=GROUP).names, *filter(_own, own)})


def _own(name: str) -> EntryPoint | None:
    """The importer of a folder of the software that is a Python package."""
    has_one = (_FOLDERS / name / "__init__.py").is_file() and (_FOLDERS / name / DECLARATION).is_file()
    return EntryPoint(name, f"{_FOLDERS.parent.name}.{_FOLDERS.name}.{name}:IMPORTER", GROUP) if has_one else None


@cache
def importer_named(name: str) -> Importer | None:
    """An importer by its name; None if there is none of that name.

    Raises:
        ValueError: what is wrong with its package.
    """
    # The entry points of all installed packages are read only if the name is none of the software's.
    where = _own(name) or next(iter(entry_points(group=GROUP, name=name)), None)
    if where is None:
        return None
    try:
        importer = where.load()
    except Exception as error:
        raise ValueError(f"{name}, which cannot be loaded ({type(error).__name__}: {error})") from error
    if not isinstance(importer, Importer):
        raise ValueError(f"{name}, which is no {Importer.__module__}.{Importer.__name__}")
    return importer
