"""Importing a split's questions and answers on a page: uploaded, compared, and activated as shown."""

from __future__ import annotations

import re
import uuid
from dataclasses import dataclass
from typing import Any, Final

from django import forms
from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.files.uploadedfile import UploadedFile
from django.db import transaction

from leaderboard.maintenance.rescoring import pending_switches
from leaderboard.models import User
from leaderboard.operations import audit
from scoring.benchmarks.base import SourceError, SourceFile
from scoring.importing import drafts
from scoring.importing.drafts import Upload
from scoring.importing.hidden_splits import warnings_of_plan
from scoring.importing.revisions import ImportedSplit, ImportPlan
from scoring.models import ImportDraft, Split
from scoring.runs.answer_sets import waiting_for_references

RESCORE_NEXT: Final = " Next, re-score the split and switch its boards."
SHOWN_IDS: Final = 200
"""The maximum number of listed ids for one kind of change."""
SHOWN_PROBLEMS: Final = 20
NOTHING_GIVEN: Final = "Provide questions, reference answers, or both."


class ImportForm(forms.Form):
    """Files with questions and reference answers. A valid form has parsed them: see `source`."""

    questions_file = forms.FileField(label="Question file", required=False)
    answers_file = forms.FileField(label="Reference answer file", required=False)
    date = forms.DateField(
        label="Published on",
        widget=forms.DateInput(attrs={"type": "date"}),
        help_text="A revision dated before the current one is stored, but does not affect the leaderboards.",
    )
    note = forms.CharField(
        required=False,
        max_length=1000,
        help_text="A description of this revision, for readers. Leave empty to use the file names.",
    )
    make_current = forms.BooleanField(
        label="Make this the current revision in any case",
        required=False,
        help_text="Even if it is dated earlier or was imported before. Select this to return to an earlier revision.",
    )

    def __init__(self, *args: Any, split: Split, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.split = split
        self.source: SourceFile | None = None
        """The parsed input of a valid form."""
        self.names: list[str] = []

    def clean(self) -> dict[str, Any]:
        """Parse the input."""
        cleaned = super().clean() or {}
        questions, answers = self._given("questions"), self._given("answers")
        if self.errors:
            return cleaned
        if questions is None and answers is None:
            raise ValidationError(NOTHING_GIVEN)
        self.names = [given[0] for given in (questions, answers) if given]
        try:
            self.source = drafts.read(self.split, questions=questions, answers=answers)
        except SourceError as error:
            raise ValidationError(shown_problems(error)) from error
        return cleaned

    def _given(self, what: str) -> Upload | None:
        upload: UploadedFile[bytes] | None = self.cleaned_data.get(f"{what}_file")
        if upload is None:
            return None
        if (upload.size or 0) > settings.UPLOAD_LIMIT_BYTES:
            self.add_error(f"{what}_file", f"The file is larger than {settings.UPLOAD_LIMIT_MB} MiB.")
            return None
        plain = re.sub(r"[^\w.-]+", "-", upload.name or "").strip(".-")[-80:]  # safe in a path and on a page
        return plain or f"{what}.json", upload.read()

    @property
    def stored_note(self) -> str:
        """The revision's note: as entered, or the source of the import."""
        return self.cleaned_data["note"] or f"From {' with '.join(self.names)}."


def shown_problems(error: SourceError, most: int = SHOWN_PROBLEMS) -> list[str]:
    """The first problems of a file, and the number of further ones."""
    more = len(error.problems) - most
    return error.problems[:most] + ([f"… and {more} more problems."] if more > 0 else [])


@dataclass(frozen=True)
class DraftPage:
    """A draft compared with the current revision, for a maintainer's decision."""

    draft: ImportDraft
    plan: ImportPlan
    fingerprint: str
    n_waiting: int
    """Answer sets without a score, which would be scored after activation."""

    @property
    def warnings(self) -> list[str]:
        """Warnings of what readers can learn of a hidden split after this import."""
        return warnings_of_plan(self.draft.split, self.plan)

    @property
    def changes(self) -> list[tuple[str, int, tuple[str, ...], int]]:
        """Every kind of change in the draft: its name, the number of questions, the ids that are listed, and the number
        of further ids. Never an answer."""
        return [
            (kind, len(qids), qids[:SHOWN_IDS], max(0, len(qids) - SHOWN_IDS))
            for kind, qids in self.plan.diff.kinds().items()
        ]

    @property
    def n_unchanged(self) -> int:
        changed = set().union(*self.plan.diff.kinds().values()) - set(self.plan.diff.removed)
        return self.plan.n_questions - len(changed)


def save_draft(form: ImportForm, *, actor: User) -> ImportDraft:
    """Store the parsed content of a valid form as a draft.

    Raises:
        SourceError: it cannot be imported, whatever the decision about its changes.
    """
    assert form.source is not None  # noqa: S101 - the form is valid
    return drafts.save(
        form.split,
        form.source,
        date=form.cleaned_data["date"],
        note=form.stored_note,
        make_current=form.cleaned_data["make_current"],
        made_by=actor.get_username(),
    )


def draft_page(split: Split, pk: uuid.UUID) -> DraftPage | None:
    """A draft, compared with the current revision; None if it no longer exists. Nine queries, whatever its size.

    Raises:
        SourceError: some of its questions have become questions of another split since.
    """
    draft = drafts.find(split, pk)
    if draft is None:
        return None
    plan = drafts.plan_of(draft)
    waits = plan.becomes_current and plan.has_references
    return DraftPage(
        draft=draft,
        plan=plan,
        fingerprint=drafts.fingerprint(draft, plan),
        n_waiting=waiting_for_references(draft.split).count() if waits else 0,
    )


@transaction.atomic
def activate(draft: ImportDraft, *, shown: str, actor: User) -> ImportedSplit:
    """Import a draft as it was *shown*, and record the maintainer.

    Raises:
        ChangedSinceError, SourceError: see `drafting.apply`; nothing was imported.
    """
    imported = drafts.apply(draft, shown=shown)
    if imported.changed:
        became = "clusters changed"
        if imported.becomes_current or imported.created:
            became = "current" if imported.becomes_current else "stored as history"
        changes = "; ".join(imported.diff.lines()) or "no earlier revision to compare with"
        text = f"Revision {imported.revision.short_hash}, {imported.n_questions} questions, {became}: {changes}."
        audit.record(actor, "split.imported", f"split {draft.split}", text)
    return imported


def summary(imported: ImportedSplit) -> str:
    """The result of importing a draft, in one or two sentences."""
    revision = imported.revision.short_hash
    if not imported.created and not imported.becomes_current and imported.changed:
        return f"Clusters of questions were changed. Intervals and rank ranges of {revision} are computed again."
    if not imported.changed:
        return f"Revision {revision} has already been imported. No changes were made."
    if not imported.becomes_current:
        return f"Revision {revision} was stored as history. The leaderboards are unchanged."
    runs = f" {imported.runs_made} runs were created for submissions without a score." if imported.runs_made else ""
    waits = any(switch.split == imported.revision.split for switch in pending_switches())
    return f"Revision {revision} is now current.{runs}{RESCORE_NEXT * waits}"
