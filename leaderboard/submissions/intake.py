"""Intake of an upload: each of its files read, and every problem with them.

An `Upload` has a `FileReport` for each file of a form (`leaderboard.submissions.forms`): its answers, or all its
problems, which `check` adds to the form's errors. Nothing is stored. The answers of a log (`scoring.logs`) become a
generations file, which is checked, stored and shown in its place: a log may have reference answers, so nothing of it is
stored.
"""

from __future__ import annotations

import datetime
import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, BinaryIO, Final, cast

from django import forms
from django.core.files.uploadedfile import UploadedFile

from leaderboard.access import submissions_visible_to
from leaderboard.models import Submission, SubmissionFile, Team, User
from leaderboard.publishing import names
from scoring.generations.problems import TO_CONFIRM, Problem, ProblemGroup, Severity
from scoring.generations.reader import GenerationsReport, KnownQuestions, Limits
from scoring.generations.records import AnswerFormat
from scoring.logs.opening import Bounds
from scoring.logs.reading import read_answers
from scoring.models import Setting, Split, SplitPhase, clock
from scoring.models.benchmarks import times_of

PASSAGES: Final = "passages"
NAMELESS: Final = "unnamed file"
MAX_NAME_CHARACTERS: Final = 100
_MAX_SUFFIX_CHARACTERS: Final = 16
_MAX_CHARACTERS_READ: Final = 4096
_TIMES: Final = 16
"""Largest size of a log's text, in limits of an upload."""
_MOST_ENTRIES: Final = 50_000
_MOST_VALUES: Final = 3_000_000
_SEPARATORS: Final = re.compile(r"[/\\\u2044\u2215\u29f5\u29f8\uff0f\uff3c]")
_NOT_SHOWN: Final = frozenset({"Cc", "Cf", "Cs", "Cn", "Co", "Zl", "Zp"})


SHOWN_KINDS = 3
"""The kinds of errors of a file that its field names; the report has all."""
SAME_FILE: Final = "same-file"
SENT_BEFORE: Final = "sent-before"
REPEATED: Final = (SAME_FILE, SENT_BEFORE)
"""The codes of the warnings that a file was sent more than once."""
SHOWN_NAME: Final = 80
"""The characters of an earlier submission's name that a warning shows."""


@dataclass(frozen=True, kw_only=True)
class FileReport(GenerationsReport):
    """The validation report of one file: what was read, the displayed name, and the setting that the file is for."""

    filename: str
    setting_slug: str
    setting_label: str
    part: str = ""
    """``passages``; empty for answers."""

    @classmethod
    def of(cls, report: GenerationsReport, filename: str, setting: Setting, part: str = "") -> FileReport:
        """The report of a file with the name that its sender gave it."""
        label = f"{setting.name}: retrieved passages" if part == PASSAGES else setting.name
        return cls(
            **vars(report),
            filename=display_filename(filename),
            setting_slug=setting.slug,
            setting_label=label,
            part=part,
        )

    def as_dict(self) -> dict[str, Any]:
        """The report as JSON-ready data; of the answers only their number."""
        part = self.part or "answers"
        return {"setting": self.setting_slug, "part": part, "filename": self.filename, **super().as_dict()}


@dataclass(frozen=True)
class CheckedFile:
    """A generations file: its setting, the result of intake, and its bytes."""

    setting: Setting
    report: FileReport
    stream: BinaryIO
    passages: CheckedFile | None = None
    """The file of passages that belongs to it."""
    totals: Mapping[str, Any] = field(default_factory=dict)
    """Totals of what the run took, as stated for it as a whole."""

    @property
    def digests(self) -> tuple[str, str]:
        """The hashes of the file and of its passages; empty without any."""
        return self.report.sha256, self.passages.report.sha256 if self.passages else ""


@dataclass
class Upload:
    """A filled form with its files, each as it was read."""

    form: forms.Form
    split: Split | None
    """Selected split; None while there is none, which is an error of the form; then no file is read either."""
    files: list[CheckedFile] = field(default_factory=list)
    system: dict[str, Any] = field(default_factory=dict)
    """The system's metadata, by the names of its columns; empty if the form has none."""
    team: Team | None = None
    run_facts: Mapping[str, Any] | None = None
    """Run facts of newer files; None if the request says nothing of them."""
    received_at: datetime.datetime = field(default_factory=clock.now)
    """When the whole upload had arrived, by the database's clock: before its files were read, which takes a while."""

    @property
    def reports(self) -> list[FileReport]:
        return [part.report for file in self.files for part in (file, file.passages) if part is not None]


def check_answers(
    upload: UploadedFile[bytes],
    setting: Setting,
    *,
    known: KnownQuestions,
    limits: Limits,
    answer_format: AnswerFormat,
    answer_field: str,
) -> tuple[FileReport, BinaryIO, dict[str, Any]]:
    """Read the answers of an upload, which is a generations file or a log.

    Args:
        answer_field: the field of a log with the answers, if not the usual one.

    Returns:
        The report, the generations file, and the run facts that a log states.

    Raises:
        LogError: the log cannot be used.
    """
    most = limits.max_bytes
    read = read_answers(
        cast("BinaryIO", upload),
        display_filename(upload.name or ""),
        known=known,
        ids=frozenset({*known.current, *known.retired, *known.other_splits}),
        limits=limits,
        answer_format=answer_format,
        answer_field=answer_field,
        bounds=Bounds(most, _TIMES * most, _MOST_ENTRIES, max_entry_bytes=most, max_values=_MOST_VALUES),
    )
    filename = f"{display_filename(upload.name or '')}.jsonl" if read.is_of_log else upload.name or ""
    return FileReport.of(read.report, filename, setting), read.stream, dict(read.run_facts)


def passages_field(setting: Setting) -> str:
    """The name of the field for a setting's retrieved passages; no slug has an underscore."""
    return f"{setting.slug}_{PASSAGES}"


def display_filename(filename: str) -> str:
    r"""A name that is safe to show and to offer for a download, made from an untrusted name.

    Only the part after the last path separator counts. Control characters, characters that change the writing
    direction, invisible characters and lone surrogates are removed; white space becomes single spaces; look-alike path
    separators count as separators. A long name is shortened between its beginning and its suffix. Never empty, at most
    100 characters.

    >>> display_filename("C:\\runs\\open book.jsonl"), display_filename("../../etc/passwd"), display_filename("..")
    ('open book.jsonl', 'passwd', 'unnamed file')
    >>> display_filename("evil\u202elnosj.exe"), len(display_filename("a" * 10_000 + ".jsonl.gz"))
    ('evillnosj.exe', 100)
    """
    last_part = _SEPARATORS.split(filename)[-1]
    if len(last_part) > _MAX_CHARACTERS_READ:
        last_part = last_part[:_MAX_CHARACTERS_READ] + last_part[-_MAX_SUFFIX_CHARACTERS:]
    visible = "".join(
        character for character in " ".join(last_part.split()) if unicodedata.category(character) not in _NOT_SHOWN
    )
    name = unicodedata.normalize("NFC", " ".join(visible.split()))
    if not name.strip(". "):
        return NAMELESS
    if len(name) <= MAX_NAME_CHARACTERS:
        return name
    suffix = re.search(r"(?:\.\w{1,7}){1,2}\Z", name[-_MAX_SUFFIX_CHARACTERS:])
    ending = suffix.group() if suffix else ""
    return name[: MAX_NAME_CHARACTERS - 1 - len(ending)].rstrip() + "…" + ending


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
    if upload.split.phase == SplitPhase.ARCHIVED:  # of a new submission it cannot be chosen
        form.add_error(None, f"{upload.split} is archived: it accepts no further files. Its boards stay.")
        return upload
    if refused := why_refused(upload.split, upload.received_at):
        form.add_error(None, refused)
        return upload
    upload.files = _with_repeats(upload.files, upload.split, sender, replaces)
    for file in upload.files:
        report = file.report
        if file.passages is not None and not file.passages.report.ok:
            form.add_error(passages_field(file.setting), _summary(file.passages.report))
        if not report.ok:
            form.add_error(file.setting.slug, _summary(report))
            continue
        n_unanswered, total, have = report.n_questions - report.n_answered, report.n_questions, "question"
        if report.n_attempts > 1:
            n_unanswered, total, have = report.n_empty_attempts, report.n_questions * report.n_attempts, "attempt"
        if n_unanswered and _unconfirmed(form, "confirm_missing"):
            have = f"{have} has" if n_unanswered == 1 else f"{have}s have"
            form.add_error(
                "confirm_missing",
                f"{file.setting.name}: {n_unanswered:,} of {total:,} {have} no answer and will "
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


def why_refused(split: Split, received_at: datetime.datetime) -> str:
    """Why files for a split come too early or too late; empty if they do not.

    Args:
        received_at: when the whole upload had arrived, by the database's clock.
    """
    times = times_of(split.opens, split.closes, received_at)
    arrived = f"Your upload arrived at {_in_utc(received_at)}."
    if times == "upcoming" and split.opens is not None and split.phase != SplitPhase.DRAFT:  # which is tried before
        return f"{split} opens at {_in_utc(split.opens)}, and accepts no files before. {arrived}"
    if times == "closed" and split.closes is not None:
        return f"{split} closed at {_in_utc(split.closes)}, and accepts no further files. {arrived}"
    return ""


def _in_utc(time: datetime.datetime) -> str:
    return f"{time.astimezone(datetime.UTC):%Y-%m-%d %H:%M:%S} UTC"


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
        # Of several files with the same bytes the last one stays in the dictionary: the newest.
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
    problem = Problem(code, Severity.WARNING, None, None, None, None, found, expected, fix)
    return ProblemGroup(code, title, Severity.WARNING, 1, (problem,), fix)


def _unconfirmed(form: forms.Form, name: str) -> bool:
    """Whether a form has the checkbox *name* and it is not ticked. Only forms that store files from a page have it."""
    return name in form.fields and not form.cleaned_data.get(name)


def _summary(report: FileReport) -> str:
    """Mistakes in short, with their places; the report says once what helps."""
    kinds = [f"{group.title}: {group.where or group.problems[0].found}" for group in report.errors[:SHOWN_KINDS]]
    return f"{report.filename}: {'; '.join(kinds)}{'; …' if len(report.errors) > SHOWN_KINDS else ''}"
