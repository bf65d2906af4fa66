"""The checks of large uploads by workers.

Enters: the id of a `ReceivedUpload`. Leaves: the submission with this id, made as a request makes one; or every problem
of the upload, kept for its sender, whose form becomes a draft. A worker may be killed anywhere: the upload stays until
the transaction with its submission or its problems is committed, and is sent again (`send_due`).
"""

from __future__ import annotations

import datetime
import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import IO, Any, Final

from django.conf import settings
from django.core.exceptions import NON_FIELD_ERRORS, PermissionDenied
from django.core.files.storage import default_storage
from django.core.files.uploadedfile import UploadedFile
from django.db import transaction
from django.http import Http404, QueryDict
from django.utils import timezone
from django.utils.datastructures import MultiValueDict

from leaderboard import access
from leaderboard.models import ReceivedFile, ReceivedUpload, Submission, User
from leaderboard.models.submissions import RECEIVED_FOLDER
from leaderboard.publishing.errors import SubmissionError
from leaderboard.submissions import drafts
from leaderboard.submissions.forms import PageSubmissionForm, SubmissionForm, open_settings
from leaderboard.submissions.intake import FileReport
from leaderboard.submissions.receiving import CHECK, QUEUE
from leaderboard.submissions.validation import check, create
from leaderboard.web import idempotency
from leaderboard.web.rate_limits import OverLimitError, processor_time
from scoring.workers import broker
from scoring.workers.locks import only_one

PROGRESS_SECONDS: Final = 1.0
GAVE_UP: Final = (
    "The check stopped {} times because of an error on this site. Nothing was submitted. Send the files again; if this "
    "happens again, ask the maintainers."
)


class _Watched:
    """A stream that reports how many bytes are read from it."""

    def __init__(self, stream: IO[bytes], report: Callable[[int], None]) -> None:
        self._stream, self._report = stream, report

    def read(self, size: int = -1) -> bytes:
        block = self._stream.read(size)
        self._report(len(block))
        return block

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


def sent(user: User, pk: uuid.UUID) -> Submission | ReceivedUpload:
    """A submission that the account may see, or its own upload that is being checked or is invalid.

    Raises:
        Http404: it is neither.
    """
    with suppress(Http404):
        return access.submission_for(user, pk)
    rows = ReceivedUpload.objects.select_related("owner", "team", "split__benchmark")
    received = rows.filter(owner=user, pk=pk).first()
    return received or access.submission_for(user, pk)  # a worker may have finished the check meanwhile


def send_due() -> int:
    """Send the uploads again that no worker has finished in time: their message was lost, or their worker was killed.
    Returns how many."""
    now = timezone.now()
    before = now - datetime.timedelta(seconds=settings.RUN_LEASE_SECONDS)
    n_sent = 0
    for pk in ReceivedUpload.objects.filter(checked_at=None, sent_at__lt=before).values_list("pk", flat=True):
        if not broker.send(CHECK, str(pk), queue=QUEUE, expires=None):
            break
        n_sent += ReceivedUpload.objects.filter(pk=pk).update(sent_at=now)
    return n_sent


def check_upload(pk: str) -> bool:
    """Check a received upload, unless another worker does, and store its submission or its problems; whether it was
    checked."""
    with only_one(f"check {pk}") as is_mine:
        if not is_mine:
            return False
        rows = ReceivedUpload.objects.select_related("owner", "split__benchmark", "split__current_revision")
        received = rows.filter(pk=pk, checked_at=None).first()
        if received is None:
            return False
        if received.attempts >= settings.RUN_MAX_ATTEMPTS:
            _end(received, _form(received), {NON_FIELD_ERRORS: [GAVE_UP.format(received.attempts)]})
            return True
        try:
            with processor_time(f"check:user:{received.owner_id}", settings.CHECK_SECONDS):
                _check(received)
        except OverLimitError:  # others come first; it is sent again
            return False
        return True


def _check(received: ReceivedUpload) -> None:
    received.attempts += 1
    received.n_read = 0
    received.save(update_fields=["attempts", "n_read"])
    due = 0.0

    def report(n_bytes: int) -> None:
        nonlocal due
        received.n_read = min(received.n_read + n_bytes, received.size)
        if time.monotonic() >= due:
            due = time.monotonic() + PROGRESS_SECONDS
            ReceivedUpload.objects.filter(pk=received.pk).update(n_read=received.n_read)

    form = _form(received, report)
    upload = check(form.read(), received.owner, is_received=True)
    if not form.errors:
        try:
            create(upload, received.owner, received=received)
        except (SubmissionError, PermissionDenied) as error:
            form.add_error(None, str(error))
    if form.errors:
        errors = {name: [str(message) for message in messages] for name, messages in form.errors.items()}
        _end(received, form, errors, upload.reports)


def _form(received: ReceivedUpload, report: Callable[[int], None] = lambda n_bytes: None) -> SubmissionForm:
    """The form as it was sent; *report* is called with the bytes of its files that are read."""
    data = QueryDict(mutable=True)
    data.update(received.fields)
    files: MultiValueDict[str, UploadedFile[bytes]] = MultiValueDict()
    for row in received.files.select_related("setting"):
        name = f"{row.setting.slug}_{row.part}" if row.part else row.setting.slug
        stream: Any = _Watched(row.original.open("rb"), report)
        files[name] = UploadedFile(file=stream, name=row.filename, size=row.original.size)
    return (SubmissionForm if received.by_api else PageSubmissionForm)(
        data,
        files,
        splits=[received.split],
        submission_settings=open_settings(received.split.benchmark),
        teams=access.teams_of(received.owner),
    )


@transaction.atomic
def _end(
    received: ReceivedUpload,
    form: SubmissionForm,
    errors: Mapping[str, list[str]],
    reports: Sequence[FileReport] = (),
) -> None:
    """Keep the problems of an upload, and no file but in its sender's draft."""
    locked = ReceivedUpload.objects.select_for_update().filter(pk=received.pk, checked_at=None).first()
    if locked is None:
        return
    if not received.by_api:
        target = received.split.benchmark.slug
        try:
            draft = drafts.save(
                None, owner=received.owner, target=target, fields=received.fields, form=form, reports=reports
            )
            locked.draft_key = draft.pk if draft else None
        except PermissionDenied:  # the account was disabled
            pass
    for row in locked.files.all():
        transaction.on_commit(partial(default_storage.delete, str(row.original.name)), robust=True)
        row.delete()
    request, locked.request = locked.request, None
    locked.checked_at, locked.errors = timezone.now(), dict(errors)
    locked.reports = [
        {**report.as_dict(), "setting_slug": report.setting_slug, "setting_label": report.setting_label}
        for report in reports
    ]
    locked.save()
    if request is not None:  # the same content may be sent again
        request.delete()


def delete_expired() -> int:
    """Delete the problems of uploads that were found invalid as long ago as repeated requests are known, and files that
    an interrupted request or worker left without an upload; returns their number."""
    before = timezone.now() - idempotency.RETENTION
    n_deleted, _ = ReceivedUpload.objects.filter(checked_at__lt=before).delete()
    return n_deleted + drafts.delete_stray(RECEIVED_FOLDER, ReceivedFile)
