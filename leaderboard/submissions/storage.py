"""Storage of submissions: new ones, and newer versions of their files.

One transaction stores the submission with the system's metadata, the files that intake found usable, byte for byte on
disk, and one answer set per setting, whose runs `scoring.runs.answer_sets` makes and sends. If any of it fails, nothing
is stored.
"""

from __future__ import annotations

import contextlib
import datetime
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import partial
from typing import Any

from django.core.files import File
from django.db import transaction
from django.db.models import Max
from django.utils import timezone

from leaderboard.access import require_active_token, splits_visible_to
from leaderboard.models import (
    SYSTEM_FIELDS,
    ApiToken,
    Entry,
    Event,
    Membership,
    PublicationState,
    Submission,
    SubmissionFile,
    Team,
    User,
)
from leaderboard.operations.object_storage import StoreUnavailableError
from leaderboard.publishing import flags
from leaderboard.publishing.changing import lock, record_event
from leaderboard.publishing.errors import SubmissionError
from leaderboard.publishing.requests import UNDONE
from leaderboard.submissions import quotas
from leaderboard.submissions.intake import CheckedFile, Upload
from leaderboard.web import idempotency
from leaderboard.web.failures import may_be_committed
from scoring.models import AnswerSet, PassageFile, Split, SplitPhase
from scoring.runs import answer_sets

StoredFile = SubmissionFile | PassageFile
_written: ContextVar[list[StoredFile] | None] = ContextVar("written", default=None)
REPLACED = "A newer version of the file replaced this one."
WITHDRAWN = "A withdrawn submission cannot be changed."


class SameFileError(SubmissionError):
    """A newer version that is identical, byte for byte, to the current one."""


def create_submission(
    *,
    owner: User,
    split: Split,
    system: Mapping[str, Any],
    files: Sequence[CheckedFile],
    team: Team | None = None,
    within_quota: bool = True,
    token: ApiToken | None = None,
) -> Submission:
    """Store a submission: its metadata, its files byte for byte, its answers and their runs, all or nothing.

    Args:
        system: the fields of the official template, by the names of `SYSTEM_FIELDS`.
        files: at least one, each for another setting, each free of errors, as forms and imports have checked.
        team: the team that it also belongs to; the owner is a member.
        within_quota: false for imports by the site's operator, which count against no quota.
        token: the API token with which it was sent, if any.

    Raises:
        SubmissionError: a team that the owner is no longer in, or a split that is archived, or a draft that the owner
            does not see.
        QuotaExceededError: the quota of this week is used up.
        PermissionDenied: the account was disabled.
        TokenError: the token is no longer valid.
    """
    with files_removed_on_error() as written, transaction.atomic():
        transaction.on_commit(written.clear)  # from then on the files belong to committed rows
        _require_member(owner, team)
        if within_quota:
            _require_open(split, owner)
            if token is not None:
                require_active_token(token)
            # A second upload of the person or team waits here until the commit: both would read the same number of used
            # ones.
            quotas.lock(owner, team)
            quotas.consume(owner, split, team, n_files=len(files))
        submission = Submission.objects.create(
            owner=owner,
            team=team,
            split=split,
            **{name: system[name] for name in SYSTEM_FIELDS if name in system},
        )
        stored = [
            _store(
                submission,
                file,
                version=1,
                sent_by=owner,
                sent_at=submission.created_at,
                written=written,
                imported=not within_quota,
            )
            for file in files
        ]
        answer_sets.ensure_runs(*(file.answer_set for file in stored))
        names = ", ".join(file.setting.name.lower() for file in files)
        text = f"Received: {len(files)} file{'s' if len(files) > 1 else ''} ({names})."
        Event.objects.create(submission=submission, actor=owner, text=text, at=submission.created_at)
    return submission


def create(
    upload: Upload, owner: User, *, key: str = "", content: str = "", token: ApiToken | None = None
) -> tuple[Submission, bool]:
    """Store a checked upload as a new submission; returns it, and whether a request with the same *key*, if there is
    one, stored it before.

    Raises:
        SubmissionError: it has a problem, or is not an upload of a whole submission.
        KeyReusedError: the key was used with other content.
        TokenError: *token*, with which it was sent, is no longer valid.
    """
    if upload.split is None or upload.form.errors or not upload.system:
        raise SubmissionError("A form with errors cannot be submitted.")
    make = partial(
        create_submission,
        owner=owner,
        team=upload.team,
        split=upload.split,
        system=upload.system,
        files=upload.files,
        token=token,
    )
    if not key:
        return make(), False
    with files_removed_on_error():
        return idempotency.once(owner=owner, key=key, content=content, make=make)


def _require_member(owner: User, team: Team | None) -> None:
    """Refuse an upload for a team that its owner has left since the form was shown."""
    # The lock on the membership makes a removal from the team wait until the submission is committed.
    if team is not None and not Membership.objects.select_for_update().filter(team=team, user=owner).exists():
        raise SubmissionError(f"You are no longer in the team {team.name}.")


def _require_open(split: Split, sender: User) -> None:
    """Refuse files for a split that was archived since the form was shown, or a draft whose invitation ended."""
    if not splits_visible_to(sender).filter(pk=split.pk).exclude(phase=SplitPhase.ARCHIVED).exists():
        raise SubmissionError(f"{split} accepts no files from you now. Nothing was stored.")


def replace_files(
    submission: Submission,
    *,
    files: Sequence[CheckedFile],
    actor: User,
    run_facts: Mapping[str, Any] | None = None,
    token: ApiToken | None = None,
) -> list[SubmissionFile]:
    """Replace a submission's files by newer versions; the old versions stay stored with their scores.

    Rows on the board do not change until the new version is published. An old version that is not on the board and not
    scored yet is not scored. A pending publication request is withdrawn, because it was for other files. A file that is
    identical, byte for byte, to the one that it would replace is left out.

    Args:
        run_facts: of the new versions; None if they are those of the old ones.

    Returns:
        The new versions.

    Raises:
        SameFileError: every file is identical to the current one.
        SubmissionError: it is withdrawn; or as in `create_submission`.
        QuotaExceededError: the quota of this week is used up.
        PermissionDenied: the account was disabled.
        TokenError: *token*, with which they were sent, is no longer valid.
    """
    with files_removed_on_error() as written, transaction.atomic():
        transaction.on_commit(written.clear)
        if token is not None:
            require_active_token(token)
        # The account and team first, then the submission: every service that takes these locks takes them in this
        # order, so that two of them never wait for each other.
        quotas.lock(actor, submission.team)
        lock(submission)
        # The caller read the row before it was locked; it may have been withdrawn or scored since.
        submission.refresh_from_db(fields=["withdrawn_at", "notified_at"])
        if submission.withdrawn_at:
            raise SubmissionError(WITHDRAWN)
        _require_open(submission.split, actor)
        files_now = submission.files.filter(replaced_at=None).select_related("answer_set__passage_file")
        current = {file.setting_id: file for file in files_now}
        newer = [file for file in files if file.digests != current[file.setting.pk].digests]
        if not newer:
            raise SameFileError("The submission already has exactly this file. Nothing was changed.")
        quotas.consume(actor, submission.split, submission.team, n_files=len(newer))
        now = timezone.now()
        latest = dict(submission.files.order_by().values_list("setting").annotate(latest=Max("version")))
        stored = []
        for file in newer:
            old, version = current[file.setting.pk], latest[file.setting.pk] + 1
            old.replaced_at = now
            old.save(update_fields=["replaced_at"])
            if not Entry.objects.filter(answer_set=old.answer_set_id, replaced_at=None).exists():  # no board shows it
                answer_sets.cancel_runs(AnswerSet.objects.filter(pk=old.answer_set_id), reason=REPLACED)
            stored.append(_store(submission, file, version=version, sent_by=actor, sent_at=now, written=written))
            record_event(submission, actor, "replaced", f"Received version {version} ({file.setting.name.lower()}).")
        answer_sets.ensure_runs(*(file.answer_set for file in stored))
        submission.publications.filter(state__in=UNDONE).update(
            state=PublicationState.TAKEN_BACK, message="A newer version of a file was received.", decided_at=now
        )
        submission.notified_at = None  # its sender gets an email when it is scored
        changed = ["notified_at"]
        if run_facts is not None:
            submission.run_facts = dict(run_facts)
            changed.append("run_facts")
        submission.save(update_fields=changed)
        return stored


@contextmanager
def files_removed_on_error() -> Iterator[list[StoredFile]]:
    """A list of rows whose files are deleted if the body fails, unless the rows may be committed; empty the list once
    they are. Inside another such body it is that one's list: put it around the outermost transaction."""
    outer = _written.get()
    if outer is not None:
        yield outer
        return
    written: list[StoredFile] = []
    token = _written.set(written)
    try:
        yield written
    except BaseException as error:
        # If the connection broke during the commit, nobody knows whether the rows exist. A file without a row only
        # takes space, but a row without its file has lost what was sent, so the files stay. They also stay if the
        # store does not answer, which would let the sender wait again.
        stays = may_be_committed(error) or isinstance(error, StoreUnavailableError)
        for row in () if stays else written:
            with contextlib.suppress(OSError):
                if row.original.name:
                    row.original.storage.delete(row.original.name)
        raise
    finally:
        _written.reset(token)


def _store(
    submission: Submission,
    file: CheckedFile,
    *,
    version: int,
    sent_by: User,
    sent_at: datetime.datetime,
    written: list[StoredFile],
    imported: bool = False,
) -> SubmissionFile:
    """Store one file of a submission with its answers, and with its passages if it has any. Rows whose bytes are on
    disk are noted in *written*, to be deleted if the transaction fails; *imported* files have no flags."""
    report = file.report
    passages = None
    if file.passages is not None:
        passages = PassageFile(n_questions=file.passages.report.n_answered)
        _write(passages, file.passages, written)
    answer_set = answer_sets.create_answer_set(
        split=submission.split,
        setting=file.setting,
        answers=report.answers,
        n_attempts=report.n_attempts,
        submission_group=submission.pk,
        party=f"user-{submission.owner_id}" if submission.team_id is None else f"team-{submission.team_id}",
        passages=passages,
        usage=report.usage,
        totals=file.totals,
        citations=report.citations,
    )
    row = SubmissionFile(
        submission=submission,
        setting=file.setting,
        answer_set=answer_set,
        version=version,
        sent_at=sent_at,
        sent_by=sent_by,
        imported=imported,
        counts_hidden=submission.split.hidden and not imported,
        counts_for_sender=quotas.counts_for_sender(submission.split.benchmark, submission.team),
        text_size=report.text_size,
        compression=report.compression or "",
        n_lines=report.n_lines,
        n_questions=report.n_questions,
        n_answered=report.n_answered,
    )
    _write(row, file, written)
    row.save()
    if submission.split.hidden and not imported:  # what is imported is the maintainer's own
        flags.record_holds(row, report.answers)
    return row


def _write(row: SubmissionFile | PassageFile, file: CheckedFile, written: list[StoredFile]) -> None:
    """Store the bytes of a file, with what its row says of them; the row is not saved yet."""
    row.filename = file.report.filename[:255]
    row.size = file.report.size
    row.sha256 = file.report.sha256
    row.warnings = [group.as_dict() for group in file.report.warnings]
    written.append(row)  # before the file is saved, because saving may fail after a part of it is on disk
    file.stream.seek(0)  # intake has read it to its end
    row.original.save("original", File(file.stream), save=False)
