"""From a filled form to a submission or to every problem with it: shared by the page and the API."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import BinaryIO, cast

from django.conf import settings
from django.core.files.uploadedfile import UploadedFile

from leaderboard.models import Submission, User
from leaderboard.submissions import services
from leaderboard.submissions.forms import FilesForm, ReplacementForm, SubmissionForm
from leaderboard.submissions.intake import FileReport, check_file
from scoring import queries as scoring_queries
from scoring.generations.reader import KnownQuestions, Limits
from scoring.models import Split

CheckedFiles = list[services.CheckedFile]


@dataclass
class Outcome:
    """What became of a form: a submission, or reports of the files that were sent with it."""

    submission: Submission | None = None
    reports: list[FileReport] = field(default_factory=list)


@dataclass
class Checked:
    """What was found in a form and in its files; whatever is wrong with fields stands in ``form.errors``."""

    form: FilesForm
    split: Split | None = None
    files: CheckedFiles = field(default_factory=list)

    @property
    def ok(self) -> bool:
        """Whether a submission can be made of it."""
        return self.split is not None and not self.form.errors

    @property
    def reports(self) -> list[FileReport]:
        """What was found in each file."""
        return [file.report for file in self.files]


def check(form: FilesForm) -> Checked:
    """Check the form and every file, and keep nothing.

    Everything wrong is reported at once: in ``form.errors``, and per file in the reports. Files are checked even when
    the rest of the form has errors, as far as a split was chosen to check them against.
    """
    form.is_valid()
    split = form.chosen_split()
    if split is None:
        return Checked(form)
    for setting in form.submission_settings:
        if len(form.files.getlist(setting.slug)) > 1:
            form.add_error(setting.slug, "Several files were sent for this setting. Send one.")
    checked = check_files(form, split)
    for file in checked:
        if not file.report.ok:
            form.add_error(file.setting.slug, _summary(file.report))
        elif file.report.missing and "confirm_missing" in form.fields and not form.cleaned_data["confirm_missing"]:
            form.add_error("confirm_missing", _missing(file))
    return Checked(form, split, checked)


def submit(form: SubmissionForm, owner: User) -> Outcome:
    """Check the form and every file as `check` does, and keep the submission if nothing is wrong."""
    checked = check(form)
    outcome = Outcome(reports=checked.reports)
    if checked.ok:
        try:
            outcome.submission = create(checked, owner)
        except services.SubmissionError as error:
            form.add_error(None, str(error))
    return outcome


def submit_newer(form: ReplacementForm, submission: Submission, actor: User) -> Outcome:
    """Check the form and every file, and have them take the place of the submission's if nothing is wrong."""
    checked = check(form)
    outcome = Outcome(reports=checked.reports)
    if checked.ok:
        try:
            services.replace_files(submission, files=checked.files, actor=actor)
            outcome.submission = submission
        except services.SubmissionError as error:
            form.add_error(None, str(error))
    return outcome


def create(checked: Checked, owner: User) -> Submission:
    """Keep a submission in which nothing is wrong.

    Raises:
        SubmissionError: something is.
    """
    if checked.split is None or not checked.ok or not isinstance(checked.form, SubmissionForm):
        raise services.SubmissionError("A form with errors cannot be submitted.")
    return services.create_submission(
        owner=owner,
        team=checked.form.cleaned_data.get("team"),
        split=checked.split,
        system=checked.form.system_fields(),
        files=checked.files,
    )


def check_files(form: FilesForm, split: Split) -> CheckedFiles:
    """Read every file that was sent, against the ids of *split*."""
    sent = form.sent_files()
    known = known_questions(split) if sent else None
    limits = Limits(max_bytes=settings.UPLOAD_LIMIT_BYTES)
    return [
        services.CheckedFile(
            setting=setting,
            report=check_file(
                stream_of(upload),
                filename=upload.name or "",
                setting_slug=setting.slug,
                setting_label=setting.name,
                known=known,
                limits=limits,
            ),
            stream=stream_of(upload),
        )
        for setting, upload in sent
    ]


def stream_of(upload: UploadedFile[bytes]) -> BinaryIO:
    """The bytes of an upload, from their beginning."""
    upload.seek(0)
    return cast("BinaryIO", upload)


def known_questions(split: Split) -> KnownQuestions:
    """The ids that files for *split* may use."""
    ids = scoring_queries.split_ids(split)
    return KnownQuestions(current=ids.current, retired=ids.retired, other_splits=ids.other_splits)


def _summary(report: FileReport) -> str:
    count = sum(group.count for group in report.errors)
    return f"{report.filename}: {count:,} error{'s' if count != 1 else ''}; each is listed with its line."


def _missing(file: services.CheckedFile) -> str:
    report = file.report
    n_missing = len(report.missing)
    have = "question has" if n_missing == 1 else "questions have"
    return (
        f"{file.setting.name}: {n_missing:,} of {report.n_questions:,} {have} no answer and will score 0. "
        "Tick this box to send it all the same, or complete the file."
    )
