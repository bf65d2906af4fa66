"""What commands print about imports."""

from collections.abc import Sequence

from django.core.management.base import BaseCommand

from scoring.importing.hidden_splits import warnings_of_import
from scoring.importing.revisions import WITH_REFERENCES, ImportedSplit, references_in_words
from scoring.models import Split

DRY_RUN = "Dry run: nothing is written."
NOTHING_CHANGED = "already imported; nothing changed"


class ImportReports(BaseCommand):
    """A command that imports splits, and prints what changed or, in a dry run, would change."""

    dry_run = False

    def imported(self, split: Split, imported: ImportedSplit) -> None:
        """A hook for subclasses: further work after a split was imported, in the same transaction."""

    def remark(self, remarks: Sequence[str]) -> None:
        """Print warnings about files."""
        for remark in remarks:
            self.stdout.write(self.style.WARNING(remark))

    def report(self, split: Split, imported: ImportedSplit) -> None:
        """Print what importing a split changed, after the further work."""
        if not self.dry_run:
            self.imported(split, imported)
        revision = imported.revision
        answers = WITH_REFERENCES[references_in_words(split, revision)]
        what = f"{split}: {imported.n_questions} questions, {answers}, revision {revision.short_hash}"
        if not imported.created and not imported.made_current:
            self.stdout.write(f"{what}: {NOTHING_CHANGED}.")
            if imported.compared_with is not None and imported.compared_with != revision:
                self.stdout.write(f"  The current revision stays {imported.compared_with.short_hash}.")
            return
        self.stdout.write(self.style.SUCCESS(f"{what}: {self._done(imported)}."))
        if imported.compared_with is not None:
            self.stdout.write(f"  Against {imported.compared_with.short_hash}:")
            for line in imported.diff.lines() or ["no visible change"]:
                self.stdout.write(f"  - {line}")
        self.remark(warnings_of_import(split, imported))
        if not imported.made_current:
            self.stdout.write(
                self.style.WARNING(
                    "  It is dated before the current revision: stored as history, the boards are unchanged."
                )
            )
        if imported.runs_made:
            made = "would be" if self.dry_run else "were"
            self.stdout.write(f"  {imported.runs_made} runs {made} created for submissions that needed these answers.")

    def _done(self, imported: ImportedSplit) -> str:
        if self.dry_run:
            return "would be imported" if imported.created else "would become current again"
        return "imported" if imported.created else "current again"
