"""``manage.py import_benchmark NAME`` of ``scoring``, with audit records of its changes."""

from typing import Any

from leaderboard.board.snapshots import write_marked
from leaderboard.operations import audit
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


def record_import(actor: str, split: Split, imported: ImportedSplit) -> None:
    """Record a new or another current revision in the audit log. Never an answer."""
    if not (imported.created or imported.made_current):
        return
    answers = "with reference answers" if imported.revision.has_references else "without reference answers"
    force = "Current revision." if imported.made_current else "Stored as history."
    text = f"Revision {imported.revision.short_hash}: {imported.n_questions} questions, {answers}. {force}"
    audit.record(actor, "split.imported", f"split {split}", " ".join([text, *imported.diff.lines()]))
