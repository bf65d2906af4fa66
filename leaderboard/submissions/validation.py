"""Validation: whether an upload can be stored, and every problem with it if not.

Enters: an `Upload` from a form. Leaves: the same, with a problem at each field that has one; `submit` and
`submit_newer` pass an upload without problems to `leaderboard.submissions.storage`.
"""

from __future__ import annotations

from functools import partial

from django.core.exceptions import ValidationError

from leaderboard.access import submissions_visible_to
from leaderboard.models import ApiToken, Submission, SubmissionFile, User
from leaderboard.publishing import names
from leaderboard.publishing.errors import SubmissionError
from leaderboard.submissions import repeats, storage
from leaderboard.submissions.forms import FilesForm, Upload, passages_field
from leaderboard.submissions.intake import FileReport
from leaderboard.submissions.storage import CheckedFile
from leaderboard.web import idempotency
from scoring.models import Split

SENT = (
    "This form was submitted before with other content. Its submission is under My submissions. Send the form again to "
    "make a second one."
)
KEY_REUSED = "key-reused"
"""The code of this error of a form."""
SHOWN_KINDS = 3
"""The kinds of errors of a file that its field names; the report has all."""
SEVERAL_FILES = "Several files were uploaded for this setting. Upload only one."


def check(upload: Upload, sender: User | None = None, replaces: Submission | None = None) -> Upload:
    """The same upload, with the problems of each file, and of the system's name, in its form's errors. Nothing is
    stored.

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
        if report.missing and _unconfirmed(form, "confirm_missing"):
            have = "question has" if len(report.missing) == 1 else "questions have"
            form.add_error(
                "confirm_missing",
                f"{file.setting.name}: {len(report.missing):,} of {report.n_questions:,} {have} no answer and will "
                "score 0. Tick the box to submit anyway, or complete the file.",
            )
        if report.warnings and _unconfirmed(form, "confirm_same") and (what := repeats.repeated(file)):
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
    with_warnings = []
    for file in files:
        digest = file.report.sha256
        others = [other.setting for other in files if other is not file and digest and other.report.sha256 == digest]
        first = before.get(digest)
        with_warnings.append(repeats.with_warnings(file, others, first) if others or first else file)
    return with_warnings


def _unconfirmed(form: FilesForm, name: str) -> bool:
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
