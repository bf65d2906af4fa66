"""What commands that import questions print and record."""

from collections.abc import Sequence
from typing import ClassVar

from django.core.management.base import BaseCommand

from leaderboard.maintenance.benchmark_imports import record_import
from scoring.importing.folder_drafts import SHOWN_ANSWERS
from scoring.importing.hidden_splits import warnings_of_import
from scoring.importing.revisions import WITH_REFERENCES, ImportedSplit, references_in_words
from scoring.models import Split

DRY_RUN = "Dry run: nothing is written."
NOTHING_CHANGED = "already imported; nothing changed"
CLUSTERS_CHANGED = "already imported; clusters of questions changed, nothing is scored again"


class ImportReports(BaseCommand):
    """A command that imports splits, and prints what changed or, in a dry run, would change."""

    actor: ClassVar[str]
    """Who changed something, in the audit log."""
    dry_run = False

    def remark(self, remarks: Sequence[str]) -> None:
        """Print warnings about files."""
        for remark in remarks:
            self.stdout.write(self.style.WARNING(remark))

    def report(self, split: Split, imported: ImportedSplit) -> None:
        """Record what importing a split changed, in the transaction that imports it, and print it.

        Never an answer of a hidden split.
        """
        if not self.dry_run:
            record_import(self.actor, split, imported)
        revision = imported.revision
        answers = WITH_REFERENCES[references_in_words(split, revision)]
        what = f"{split}: {imported.n_questions} questions, {answers}, revision {revision.short_hash}"
        if not imported.created and not imported.becomes_current:
            self.stdout.write(f"{what}: {NOTHING_CHANGED if not imported.changed else CLUSTERS_CHANGED}.")
            if imported.current is not None and imported.current != revision:
                self.stdout.write(f"  The current revision stays {imported.current.short_hash}.")
            return
        done = "imported" if imported.created else "current again"
        if self.dry_run:
            done = "would be imported" if imported.created else "would become current again"
        self.stdout.write(self.style.SUCCESS(f"{what}: {done}."))
        if imported.current is not None:
            self.stdout.write(f"  Against {imported.current.short_hash}:")
            for line in imported.diff.lines() or ["no visible change"]:
                self.stdout.write(f"  - {line}")
            for change in imported.diff.new_answers[:SHOWN_ANSWERS]:
                self.stdout.write(f"    {change.qid}: {change.before} → {change.after}")
            if len(imported.diff.new_answers) > SHOWN_ANSWERS:
                self.stdout.write(f"    and {len(imported.diff.new_answers) - SHOWN_ANSWERS} more")
        self.remark(warnings_of_import(split, imported))
        if imported.becomes_current and imported.current is not None:
            board_split = split if split.subset_of is None else split.subset_of
            command = f"manage.py rescore {split.benchmark.slug} {board_split.slug}"
            self.stdout.write(
                f"  Boards show {imported.current.short_hash} until they are switched, and new submissions join "
                f"them then. Next: {command}; with --compare; with --switch."
            )
        if not imported.becomes_current:
            self.stdout.write(
                self.style.WARNING(
                    "  It is dated before the current revision: stored as history, the boards are unchanged."
                )
            )
        if imported.runs_made:
            made = "would be" if self.dry_run else "were"
            self.stdout.write(f"  {imported.runs_made} runs {made} created for submissions that needed these answers.")
