"""How to cite a system: its own reference, and those of the benchmarks it was scored on, as BibTeX."""

from collections.abc import Iterable

from leaderboard.board.exports.bibtex import as_source, entries_in, system_entries
from leaderboard.models import System
from scoring.benchmarks import definition_of
from scoring.models import Benchmark


def bibtex_of(system: System, benchmarks: Iterable[Benchmark]) -> str:
    """A .bib file of a system and of benchmarks.

    A BibTeX citation is copied as it was sent; a citation in free text becomes an entry of its own.
    """
    taken: dict[str, int] = {}
    own = {name: getattr(system, name) for name in ("slug", "name", "authors", "citation", "url")}
    entries = system_entries(taken, **own)
    for benchmark in benchmarks:
        known = entries_in(definition_of(benchmark.slug).form.bibtex)
        if known and all(entry in entries for entry in known):  # benchmarks of one paper
            continue
        taken |= {entry.key: 1 for entry in known}
        cited = {name: getattr(benchmark, name) for name in ("slug", "name", "citation", "url")}
        entries += known or system_entries(taken, authors="", **cited)
    return as_source(entries)
