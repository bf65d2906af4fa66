"""``manage.py import_benchmark NAME`` of ``scoring``, with audit records of its changes."""

from typing import Any

from leaderboard.board.snapshots import write_marked
from leaderboard.maintenance.benchmark_imports import record_import
from scoring.importing.revisions import ImportedSplit
from scoring.management.commands.import_benchmark import Command as ImportBenchmark
from scoring.models import Split

ACTOR = "manage.py import_benchmark"


class Command(ImportBenchmark):
    """Import a benchmark from its package or from files; repeating it changes and records nothing."""

    def handle(self, *args: Any, **options: Any) -> None:
        super().handle(*args, **options)
        write_marked()

    def imported(self, split: Split, imported: ImportedSplit) -> None:
        """Record a new or another current revision, in the transaction that imports it. Never an answer."""
        record_import(ACTOR, split, imported)
