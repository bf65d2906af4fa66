"""``manage.py benchmark`` of ``scoring``, with published results and audit records of its changes."""

from typing import Any

from leaderboard.board.snapshots import write_marked
from leaderboard.maintenance.benchmark_imports import import_reported, record_declaration, record_import
from scoring.benchmarks.declared.reading import Declaration
from scoring.importing.declared import ImportedBenchmark
from scoring.importing.revisions import ImportedSplit
from scoring.management.commands.benchmark import Command as Benchmark
from scoring.models import Split

ACTOR = "manage.py benchmark"


class Command(Benchmark):
    """Write, check or import the folder of a benchmark; repeating an import changes and records nothing."""

    def handle(self, *args: Any, **options: Any) -> None:
        super().handle(*args, **options)
        if options["action"] == "import" and not options["dry_run"]:
            write_marked()

    def imported(self, split: Split, imported: ImportedSplit) -> None:
        """Record a new or another current revision, in the transaction that imports it. Never an answer."""
        record_import(ACTOR, split, imported)

    def imported_benchmark(self, done: ImportedBenchmark, declaration: Declaration) -> None:
        """Record a new or changed declaration."""
        record_declaration(ACTOR, done, declaration)

    def import_results(self, done: ImportedBenchmark, declaration: Declaration) -> None:
        """Import the published results as reported rows."""
        rows = import_reported(done.benchmark, declaration, actor="" if self.dry_run else ACTOR)
        if rows is not None:
            loaded = "would be loaded" if self.dry_run else "loaded"
            self.stdout.write(f"Reported rows: {rows[0]} {loaded}, {rows[1]} already loaded.")
