"""The benchmarks that the site serves: those of this package, and those declared in the database.

A benchmark is a folder with ``benchmark.toml``, which `scoring.benchmarks.declared` reads: it declares splits,
settings, metrics and columns. Where the folder is a Python package as well, ``IMPORTER`` reads the published files of
questions. The folders below ``folders`` are no part of a site until it imports them, as it imports a folder of its own.
"""

import logging
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path

from scoring.benchmarks.base import BenchmarkDefinition, SourceError

logger = logging.getLogger(__name__)

Definitions = Mapping[str, BenchmarkDefinition]
_unreadable: dict[str, SourceError] = {}


@cache
def packaged_definitions() -> Definitions:
    """The definitions in this package by slug, in the order in which pages list them.

    A folder that cannot be read is left out, with a line in the log: the others go on.
    """
    from scoring.benchmarks.declared.reading import read_declaration

    packaged = {}
    _unreadable.clear()
    for folder in (file.parent for place in __path__ for file in Path(place).glob("*/benchmark.toml")):
        try:
            definition = read_declaration(files_in(folder)).definition
        except SourceError as error:
            logger.error("The benchmark in %s cannot be read: %s", folder, error)
            _unreadable[folder.name] = error
        else:
            packaged[definition.slug] = definition
    return _in_order(packaged)


def files_in(folder: Path) -> dict[str, bytes]:
    """The files of a folder in this package, by name. Links are followed: some installers make them."""
    files = (path for path in folder.rglob("*") if path.is_file() and path.suffix not in (".py", ".pyc"))
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


def shipped_folders() -> Mapping[str, Path]:
    """The folders in this package that a site may import, by slug. None is read, so that starting takes no longer."""
    files = (file for place in __path__ for file in Path(place).glob("folders/*/benchmark.toml"))
    return {file.parent.name: file.parent for file in sorted(files)}


def unreadable_packages() -> Mapping[str, SourceError]:
    """What is wrong with the folders in this package that cannot be read, by their names."""
    packaged_definitions()
    return _unreadable


def _in_order(unordered: Definitions) -> Definitions:
    ordered = sorted(unordered.values(), key=lambda definition: (definition.form.position, definition.slug))
    return {definition.slug: definition for definition in ordered}


class _Declared:
    """The definitions besides the packaged ones; on the command line, none."""

    def __init__(self) -> None:
        self.read: Callable[[], Definitions | None] = dict
        self.is_due = False
        self.definitions: Definitions = {}
        self.merged: tuple[Definitions, Definitions, Definitions] = ({}, {}, {})


_declared = _Declared()


def read_declared_with(reader: Callable[[], Definitions | None]) -> None:
    """Have `definitions` include those that a function returns (None: it could not look). The site reads its database.

    The function is called when the definitions are used next, and again after each call of `expire_declared`.
    """
    _declared.read, _declared.is_due = reader, True


def expire_declared() -> None:
    """Have the next use of the definitions read the declared ones again."""
    _declared.is_due = True


def know_declared(known: Definitions) -> None:
    """Use these declared definitions until the next `expire_declared`."""
    _declared.definitions, _declared.is_due = known, False


def definitions() -> Definitions:
    """All benchmark definitions by slug, in the order in which pages list them."""
    packaged = packaged_definitions()
    if _declared.is_due:
        known = _declared.read()
        if known is not None:
            know_declared(known)
    if not _declared.definitions:
        return packaged
    if _declared.merged[0] is not packaged or _declared.merged[1] is not _declared.definitions:
        merged = _in_order({**_declared.definitions, **packaged})
        _declared.merged = packaged, _declared.definitions, merged
    return _declared.merged[2]


class UnknownBenchmarkError(KeyError):
    """No definition has a slug: its package was removed, or its folder cannot be read."""


def definition_of(slug: str) -> BenchmarkDefinition:
    """The definition of one benchmark.

    Raises:
        UnknownBenchmarkError: no benchmark has that slug; the message lists the existing slugs.
    """
    try:
        return definitions()[slug]
    except KeyError:
        available = ", ".join(definitions()) or "none"
        raise UnknownBenchmarkError(f"No benchmark {slug!r}. Available: {available}.") from None
