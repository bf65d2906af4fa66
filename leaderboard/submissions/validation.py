"""Validation: whether an upload can be stored, and every problem with it if not.

Enters: an `Upload` from a form. Leaves: the same, with a problem at each field that has one; `submit` and
`submit_newer` pass an upload without problems to `leaderboard.submissions.storage`.
"""

from __future__ import annotations

import datetime
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Final

from django.core.exceptions import ValidationError

from leaderboard.access import submissions_visible_to
from leaderboard.models import ApiToken, Submission, SubmissionFile, User
from leaderboard.publishing import names
from leaderboard.publishing.errors import SubmissionError
from leaderboard.submissions import storage
from leaderboard.submissions.forms import FilesForm, Upload, passages_field
from leaderboard.submissions.intake import FileReport
from leaderboard.submissions.storage import CheckedFile
from leaderboard.web import idempotency
from scoring.generations.problems import TO_CONFIRM, Problem, ProblemGroup, Severity
from scoring.models import Split

SENT = (
    "This form was submitted before with other content. Its submission is under My submissions. Send the form again to "
    "make a second one."
)
KEY_REUSED = "key-reused"
"""The code of this error of a form."""
SHOWN_KINDS = 3
"""The kinds of errors of a file that its field names; the report has all."""
SAME_FILE: Final = "same-file"
SENT_BEFORE: Final = "sent-before"
REPEATED: Final = (SAME_FILE, SENT_BEFORE)
"""The codes of the warnings that a file was sent more than once."""
SHOWN_NAME: Final = 80
"""The characters of an earlier submission's name that a warning shows."""
SEVERAL_FILES = "Several files were uploaded for this setting. Upload only one."


def check(upload: Upload, sender: User | None = None, replaces: Submission | None = None) -> Upload:
    """An upload, with the problems of each file, and of the system's name, in its form's errors. Nothing is stored.

    Args:
        sender: whose earlier files the files are compared with, and whose systems may have the name.
        replaces: the submission whose files are replaced, if they are: a file that is equal to the one that it
            replaces is refused later.
    """
    form = upload.form
    name = upload.system.get("name", "")
    if name and (refused := names.why_refused(name, owner=sender, team=upload.team)):
        form.add_error("name", refused)
    if upload.split is None:
        return upload
    upload.files = _with_repeats(upload.files, upload.split, sender, replaces)
    for name in form.file_names:
        if len(form.files.getlist(name)) > 1:
            form.add_error(name, SEVERAL_FILES)
    for file in upload.files:
        report = file.report
        if file.passages is not None and not file.passages.report.ok:
            form.add_error(passages_field(file.setting), _summary(file.passages.report))
        if not report.ok:
            form.add_error(file.setting.slug, _summary(report))
            continue
        n_unanswered = report.n_questions - report.n_answered
        if n_unanswered and _unconfirmed(form, "confirm_missing"):
            have = "question has" if n_unanswered == 1 else "questions have"
            form.add_error(
                "confirm_missing",
                f"{file.setting.name}: {n_unanswered:,} of {report.n_questions:,} {have} no answer and will "
                "score 0. Tick the box to submit anyway, or complete the file.",
            )
        noticed = " ".join(f"{group.title}." for group in report.warnings if group.code in TO_CONFIRM)
        if noticed and _unconfirmed(form, "confirm_noticed"):
            form.add_error(
                "confirm_noticed", f"{file.setting.name}: {noticed} Tick the box to submit anyway, or correct the file."
            )
        what = " ".join(f"{group.title}." for group in report.warnings if group.code in REPEATED)
        if what and _unconfirmed(form, "confirm_same"):
            form.add_error("confirm_same", f"{file.setting.name}: {what} Tick the box to submit it all the same.")
    return upload


def _with_repeats(
    files: list[CheckedFile], split: Split, sender: User | None, replaces: Submission | None
) -> list[CheckedFile]:
    """The files, with warnings for those that repeat another one, or one that the sender can see. One query."""
    digests = {file.report.sha256 for file in files if file.report.sha256}
    before: dict[str, SubmissionFile] = {}
    if sender is not None and digests:
        own = submissions_visible_to(sender).filter(split=split, withdrawn_at=None)
        earlier = SubmissionFile.objects.filter(submission__in=own, sha256__in=digests, replaced_at=None)
        earlier = earlier.exclude(submission=replaces, setting__in=[file.setting for file in files])
        before = {row.sha256: row for row in earlier.select_related("submission", "setting").order_by("sent_at", "pk")}
    return [
        replace(
            file,
            report=replace(
                file.report, groups=(*file.report.groups, *_repeats(file, files, before.get(file.report.sha256)))
            ),
        )
        for file in files
    ]


def _repeats(file: CheckedFile, files: list[CheckedFile], earlier: SubmissionFile | None) -> Iterator[ProblemGroup]:
    """The warnings that a file is also among the others of its upload, and that it was sent before as *earlier*."""
    digest = file.report.sha256  # empty for a file that could not be read
    others = [other for other in files if other is not file and digest and other.report.sha256 == digest]
    if others:
        setting = others[0].setting.name.lower()
        yield _warning(
            SAME_FILE,
            f"The same file was also sent for the setting {setting}",
            f"the bytes of the file for {setting}",
            "a file of its own for each setting",
            "Check that the file belongs to this setting.",
        )
    if earlier is not None:
        name = earlier.submission.name
        name = name if len(name) <= SHOWN_NAME else f"{name[:SHOWN_NAME]}…"
        day = earlier.sent_at.astimezone(datetime.UTC).date()
        where = f"“{name}”, {earlier.setting.name.lower()}, on {day}"
        yield _warning(
            SENT_BEFORE,
            f"The same file was sent before: {where}",
            f"the bytes of {where}",
            "a file that was not sent before",
            "Check that it is the right file. Its scores will be the same as before.",
        )


def _warning(code: str, title: str, found: str, expected: str, fix: str) -> ProblemGroup:
    """A warning about a whole file, as a group of one problem without a line or field."""
    problem = Problem(code, Severity.WARNING, None, None, None, None, found, expected, fix)
    return ProblemGroup(code, title, Severity.WARNING, 1, (problem,), fix)


def _unconfirmed(form: FilesForm, name: str) -> bool:
    """Whether a form has the checkbox *name* and it is not ticked. Only forms that store files from a page have it."""
    return name in form.fields and not form.cleaned_data.get(name)


def submit(upload: Upload, owner: User, *, key: str = "", content: str = "") -> Submission | None:
    """Validate an upload and store it as `create`; None if it has a problem, which is in its form's errors.

    Args:
        key: of a form that is stored once: for the same *content* it is the first submission.
    """
    check(upload, owner)
    try:
        if not upload.form.errors:
            return create(upload, owner, key=key, content=content)[0]
        return idempotency.first_of(owner=owner, key=key, content=content) if key else None
    except SubmissionError as error:
        upload.form.add_error(None, str(error))
    except idempotency.KeyReusedError:
        upload.form.add_error(None, ValidationError(SENT, code=KEY_REUSED))
    return None


def submit_newer(upload: Upload, submission: Submission, actor: User) -> bool:
    """Validate an upload and replace the submission's files by its files if it has no problem; whether it has none."""
    if check(upload, actor, submission).form.errors:
        return False
    try:
        storage.replace_files(submission, files=upload.files, actor=actor, run_facts=upload.run_facts)
    except SubmissionError as error:
        upload.form.add_error(None, str(error))
    return not upload.form.errors


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
        storage.create_submission,
        owner=owner,
        team=upload.team,
        split=upload.split,
        system=upload.system,
        files=upload.files,
        token=token,
    )
    if not key:
        return make(), False
    with storage.files_removed_on_error():
        return idempotency.once(owner=owner, key=key, content=content, make=make)


def _summary(report: FileReport) -> str:
    """What is wrong and where; the report says once what helps."""
    kinds = [f"{group.title}: {group.where or group.problems[0].found}" for group in report.errors[:SHOWN_KINDS]]
    return f"{report.filename}: {'; '.join(kinds)}{'; …' if len(report.errors) > SHOWN_KINDS else ''}"
