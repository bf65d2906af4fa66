"""Importing a declared benchmark: its form, and the site's part of the import, published results and audit records."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any, Final

from django import forms
from django.conf import settings
from django.core.exceptions import ValidationError

from leaderboard.maintenance.benchmark_phases import remove_undeclared
from leaderboard.maintenance.imports import shown_problems
from leaderboard.models import User
from leaderboard.operations import audit
from leaderboard.publishing.reported_rows import import_reported, rows_left
from scoring.benchmarks.base import SourceError
from scoring.benchmarks.declared.reading import Declaration
from scoring.importing import folder_drafts
from scoring.importing.declared import ImportedBenchmark
from scoring.importing.revisions import WITH_REFERENCES, ImportedSplit, references_in_words
from scoring.models import FolderDraft, Split

SHOWN_PROBLEMS: Final = 200


class FolderForm(forms.Form):
    """The zip archive of a benchmark's folder. A valid form has checked it."""

    archive = forms.FileField(
        label="Zip archive",
        help_text="The folder with benchmark.toml, or the files in it, as a zip archive.",
        widget=forms.FileInput(attrs={"accept": ".zip,application/zip"}),
    )
    make_current = forms.BooleanField(
        label="Make these questions current in any case",
        required=False,
        help_text="Even if they are dated earlier or were imported before.",
    )

    def __init__(self, *args: Any, actor: User, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.actor = actor
        self.draft: FolderDraft | None = None
        """The stored draft of a valid form."""

    def clean(self) -> dict[str, Any]:
        """Check the archive, and store it as a draft with its effect.

        Raises:
            ValidationError: every mistake, each with its file, line and field.
        """
        cleaned = super().clean() or {}
        upload = cleaned.get("archive")
        if upload is None:
            return cleaned
        if upload.size > settings.UPLOAD_LIMIT_BYTES:
            limit = settings.UPLOAD_LIMIT_MB
            raise ValidationError(
                f"The archive is larger than {limit} MiB. Import larger ones with manage.py benchmark import."
            )
        try:
            self.draft = folder_drafts.save(
                upload.name,
                upload.read(),
                make_current=cleaned["make_current"],
                made_by=self.actor.get_username(),
                further=lambda done, declaration: site_part(done, declaration, actor=self.actor),
                remove=partial(remove_undeclared, actor=self.actor),
            )
        except SourceError as error:
            raise ValidationError(shown_problems(error, SHOWN_PROBLEMS)) from error
        return cleaned


def activate(draft: FolderDraft, *, shown: str, actor: User) -> ImportedBenchmark:
    """Import a draft as it was *shown*, with its published results, and record the maintainer.

    Raises:
        ChangedSinceError, SourceError: see `folder_drafts.apply`; nothing was imported.
    """
    return folder_drafts.apply(
        draft,
        shown=shown,
        further=lambda done, declaration: site_part(done, declaration, actor=actor),
        remove=partial(remove_undeclared, actor=actor),
    )


def site_part(done: ImportedBenchmark, declaration: Declaration, *, actor: User | str) -> Mapping[str, Any]:
    """Record an import, and import its published results: the numbers of new and of earlier rows, and all warnings."""
    record_declaration(actor, done, declaration)
    for split, imported in done.splits:
        record_import(actor, split, imported)
    results = declaration.definition.published_results
    made, known = import_reported(done.benchmark, results, actor=actor) or (0, 0)
    warnings = [*done.warnings, *rows_left(done.benchmark, results)]
    return {"n_rows": made, "n_rows_known": known, "warnings": warnings}


def record_declaration(actor: User | str, done: ImportedBenchmark, declaration: Declaration) -> None:
    """Record a new or changed declaration in the audit log."""
    if done.created or done.changes:
        what = "New benchmark." if done.created else " ".join(f"{change}." for change in done.changes)
        text = f"Version {declaration.definition.form.version}. {what}"
        audit.record(actor, "benchmark.imported", f"benchmark {done.benchmark.slug}", text[:2000])


def record_import(actor: User | str, split: Split, imported: ImportedSplit) -> None:
    """Record a new or another current revision in the audit log. Never an answer."""
    if not imported.changed:
        return
    answers = WITH_REFERENCES[references_in_words(split, imported.revision)]
    force = (
        "Current revision." if imported.becomes_current else "Stored as history." if imported.created else "Clusters."
    )
    text = f"Revision {imported.revision.short_hash}: {imported.n_questions} questions, {answers}. {force}"
    audit.record(actor, "split.imported", f"split {split}", " ".join([text, *imported.diff.lines()]))
