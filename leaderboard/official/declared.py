"""The site's part of importing a declared benchmark: published results, and audit records."""

from __future__ import annotations

from leaderboard.models import User
from leaderboard.official.reported_rows import import_published
from leaderboard.operations import audit
from scoring.benchmarks.declared.reading import Declaration
from scoring.importing.declared import ImportedBenchmark
from scoring.models import Benchmark


def import_reported(benchmark: Benchmark, declaration: Declaration, *, actor: User | str) -> tuple[int, int] | None:
    """Import a declaration's published results; the numbers of new and of earlier rows, or None without any.

    An empty actor records nothing.
    """
    results = declaration.definition.published_results()
    if results is None:
        return None
    made, known = import_published(benchmark, results)
    if made and actor:
        audit.record(actor, "results.imported", f"split {benchmark.slug} {results.split}", f"{made} rows.")
    return made, known


def record_declaration(actor: User | str, done: ImportedBenchmark, declaration: Declaration) -> None:
    """Record a new or changed declaration in the audit log."""
    if done.created or done.changes:
        what = "New benchmark." if done.created else " ".join(f"{change}." for change in done.changes)
        text = f"Version {declaration.definition.version}. {what}"
        audit.record(actor, "benchmark.imported", f"benchmark {done.benchmark.slug}", text[:2000])
