"""The benchmarks that the site serves: one module or package each, discovered in this package.

Enters: the files in which a benchmark is published. Leaves: its questions, and its definition, which declares splits,
settings, metrics and columns. A module of this package that defines ``BENCHMARK`` (a
`scoring.benchmarks.base.BenchmarkDefinition`) is a benchmark.
"""

import importlib
import pkgutil
from functools import cache

from scoring.benchmarks.base import BenchmarkDefinition


@cache
def definitions() -> dict[str, BenchmarkDefinition]:
    """All benchmark definitions by slug, in the order in which pages list them."""
    found = []
    for module_info in pkgutil.iter_modules(__path__):
        module = importlib.import_module(f"{__name__}.{module_info.name}")
        definition = getattr(module, "BENCHMARK", None)
        if isinstance(definition, BenchmarkDefinition):
            found.append(definition)
    return {definition.slug: definition for definition in sorted(found, key=lambda item: (item.position, item.slug))}


def definition_of(slug: str) -> BenchmarkDefinition:
    """The definition of one benchmark.

    Raises:
        KeyError: no benchmark has that slug; the message lists the existing slugs.
    """
    try:
        return definitions()[slug]
    except KeyError:
        raise KeyError(f"No benchmark {slug!r}. Available: {', '.join(definitions()) or 'none'}.") from None
