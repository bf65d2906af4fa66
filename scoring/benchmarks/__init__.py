"""The benchmarks that the site serves: those of this package, and those declared in the database.

Enters: the files in which a benchmark is published. Leaves: its questions, and its definition, which declares splits,
settings, metrics and columns. In this package, a benchmark is a module that defines ``BENCHMARK`` (a
`scoring.benchmarks.base.BenchmarkDefinition`), or a folder with ``benchmark.toml`` (`scoring.benchmarks.declared`).
"""

import importlib
import pkgutil
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path

from scoring.benchmarks.base import BenchmarkDefinition

Definitions = Mapping[str, BenchmarkDefinition]


@cache
def packaged_definitions() -> Definitions:
    """The definitions in this package by slug, in the order in which pages list them."""
    return _in_order({definition.slug: definition for definition in _packaged()})


def _packaged() -> Iterator[BenchmarkDefinition]:
    """The folders' definitions, then the modules': one that has both is read by its module."""
    for file in (file for place in __path__ for file in Path(place).glob("*/benchmark.toml")):
        yield _folder_definition(file.parent)
    for module_info in pkgutil.iter_modules(__path__):
        module = importlib.import_module(f"{__name__}.{module_info.name}")
        definition = getattr(module, "BENCHMARK", None)
        if isinstance(definition, BenchmarkDefinition):
            yield definition


def _folder_definition(folder: Path) -> BenchmarkDefinition:
    from scoring.benchmarks.declared.files import read_folder
    from scoring.benchmarks.declared.reading import read_declaration

    return read_declaration(read_folder(folder)).definition


def _in_order(found: Definitions) -> Definitions:
    return {one.slug: one for one in sorted(found.values(), key=lambda item: (item.position, item.slug))}


class _Source:
    """Where the definitions besides the packaged ones come from; on the command line, from nowhere."""

    def __init__(self) -> None:
        self.declared: Callable[[], Definitions] = dict
        self._merged: tuple[Definitions, Definitions, Definitions] = ({}, {}, {})

    def definitions(self) -> Definitions:
        """All definitions; computed again only if either half is another object than before."""
        packaged, declared = packaged_definitions(), self.declared()
        if not declared:
            return packaged
        if self._merged[0] is not packaged or self._merged[1] is not declared:
            self._merged = packaged, declared, _in_order({**declared, **packaged})
        return self._merged[2]


_source = _Source()


def read_declared_with(reader: Callable[[], Definitions]) -> None:
    """Have `definitions` include those that a function returns. The site reads its database."""
    _source.declared = reader


def definitions() -> Definitions:
    """All benchmark definitions by slug, in the order in which pages list them."""
    return _source.definitions()


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
