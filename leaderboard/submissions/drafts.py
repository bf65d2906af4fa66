"""Upload drafts: the files of a form that was returned with errors, saved for an hour for its sender alone.

Enters: a form with the files of its request, and the reports on them. Leaves: the same files for the next request of
the same form, so that only a file that is to be replaced is chosen again. Storing a draft creates no submission.
"""

from __future__ import annotations

import datetime
import uuid
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from django.core.files import File
from django.core.files.storage import default_storage
from django.core.files.uploadedfile import UploadedFile
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.datastructures import MultiValueDict

from leaderboard.access import require_enabled
from leaderboard.models import DraftFile, ReceivedFile, UploadDraft, User
from leaderboard.models.submissions import DRAFTS_FOLDER
from leaderboard.submissions.forms import FilesForm
from leaderboard.submissions.intake import PASSAGES, FileReport, display_filename
from leaderboard.submissions.logs import FromLog, from_log_of

EXPIRY: Final = datetime.timedelta(hours=1)
MAX_DRAFTS: Final = 3
"""Drafts of one account; a further one replaces the oldest."""
GONE: Final = "The saved files no longer exist: files are saved for one hour. Choose all files again."
NOT_SAVED: Final = frozenset({"csrfmiddlewaretoken", "draft", "drop", "statement", "confirm_missing", "confirm_same"})


if TYPE_CHECKING:
    _UploadedFile = UploadedFile[bytes]
else:
    _UploadedFile = UploadedFile


class SavedFile(_UploadedFile):
    """A file of a draft, in the place of an uploaded one."""

    from_log: FromLog | None


def find(owner: User, key: str, target: str) -> UploadDraft | None:
    """A draft of this account for this form that has not expired; None if there is none. One query at most."""
    pk = _pk(key)
    return _current(owner, target).filter(pk=pk).first() if pk else None


def idempotency_key(key: str) -> str:
    """The key under which the form of a draft is submitted once; empty if it is none. The API accepts no space."""
    pk = _pk(key)
    return f"draft {pk}" if pk else ""


def _pk(key: str) -> uuid.UUID | None:
    try:
        return uuid.UUID(key)
    except ValueError:
        return None


def latest(owner: User, target: str) -> UploadDraft | None:
    """The newest draft of this account for this form that has not expired. One query."""
    return _current(owner, target).order_by("-updated_at").first()


def _current(owner: User, target: str) -> QuerySet[UploadDraft]:
    return UploadDraft.objects.filter(owner=owner, target=target, updated_at__gte=timezone.now() - EXPIRY)


def files_with(
    draft: UploadDraft, sent: MultiValueDict[str, UploadedFile[bytes]], dropped: Collection[str]
) -> MultiValueDict[str, UploadedFile[bytes]]:
    """The files of a request, and those of the draft for the settings that the request has no file for.

    Args:
        dropped: the settings whose file of the draft is not used any more.

    Raises:
        OSError: a file of the draft no longer exists.
    """
    files = sent.copy()
    for row in draft.files.select_related("setting"):
        if row.field not in sent and row.field not in dropped:
            stored = row.original.open("rb")
            saved = SavedFile(file=stored, name=row.filename, size=row.original.size)
            saved.from_log = row.from_log
            files[row.field] = saved
    return files


@transaction.atomic
def save(
    draft: UploadDraft | None,
    *,
    owner: User,
    target: str,
    fields: Mapping[str, Any],
    form: FilesForm,
    reports: Sequence[FileReport],
) -> UploadDraft | None:
    """Store the files of a form, with its fields and the reports on the files; None if there is no file.

    A file that already belongs to the draft is not written again; one that the form no longer has is deleted. If
    another request discarded the draft, a new one is made.

    Raises:
        PermissionDenied: the account was disabled.
    """
    require_enabled(owner)
    draft = _locked(draft) if draft else None
    sent = [(part, *file) for part in ("", PASSAGES) for file in form.sent_files(part).items()]
    if draft is None:
        if not sent:
            return None
        for old in UploadDraft.objects.filter(owner=owner).order_by("-updated_at")[MAX_DRAFTS - 1 :]:
            discard(old)
        draft = UploadDraft(owner=owner, target=target)
    draft.fields = {
        name: value
        for name, value in fields.items()
        if name in form.fields and name not in NOT_SAVED and "\0" not in value  # PostgreSQL stores no null characters
    }
    draft.updated_at = timezone.now()
    draft.save()
    rows = {(row.part, row.setting_id): row for row in draft.files.all()}
    by_file = {(report.part, report.setting_slug): report for report in reports}
    for part, setting, upload in sent:
        row = rows.pop((part, setting.pk), None)
        if row is None or not isinstance(upload, SavedFile):
            if row is not None:
                _delete(row)
            row = DraftFile(draft=draft, setting=setting, part=part, filename=display_filename(upload.name or ""))
            upload.seek(0)
            row.original.save("original", File(upload), save=False)
            row.from_log = from_log_of(upload)
        if report := by_file.get((part, setting.slug)):
            row.report = {**report.as_dict(), "setting_slug": setting.slug, "setting_label": report.setting_label}
        row.save()
    for row in rows.values():
        _delete(row)
    return draft


@transaction.atomic
def discard(draft: UploadDraft) -> None:
    """Delete a draft with its files."""
    _locked(draft)
    for row in draft.files.all():
        _delete(row)
    draft.delete()


def _locked(draft: UploadDraft) -> UploadDraft | None:
    return UploadDraft.objects.select_for_update().filter(pk=draft.pk).first()


def delete_expired() -> int:
    """Delete expired drafts, and files that an interrupted request left without a draft; returns their number."""
    before = timezone.now() - EXPIRY
    expired = list(UploadDraft.objects.filter(updated_at__lt=before))
    for draft in expired:
        discard(draft)
    return len(expired) + delete_stray(DRAFTS_FOLDER, DraftFile)


def delete_stray(folder: str, model: type[DraftFile | ReceivedFile]) -> int:
    """Delete the old files of a folder that no row names; returns their number."""
    before = timezone.now() - EXPIRY
    try:
        paths = {f"{folder}/{name}" for name in default_storage.listdir(folder)[1]}
    except FileNotFoundError:  # nothing was stored in it yet
        paths = set()
    stray = paths - set(model.objects.values_list("original", flat=True))
    old = [path for path in stray if default_storage.get_modified_time(path) < before]
    for path in old:
        default_storage.delete(path)
    return len(old)


def _delete(row: DraftFile) -> None:
    name = row.original.name
    row.delete()
    if name:
        transaction.on_commit(lambda: default_storage.delete(name))
