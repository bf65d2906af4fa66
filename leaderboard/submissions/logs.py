"""Logs of evaluation frameworks, uploaded in place of generations files.

Enters: an uploaded file. Leaves: the generations file made of it, which is checked, stored and shown in its place, so
that nothing of the log itself is stored: it may have reference answers.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Any, BinaryIO, Final, cast

from django.conf import settings
from django.core.files.uploadedfile import SimpleUploadedFile, UploadedFile

from leaderboard.models.submissions import FROM_LOG
from leaderboard.submissions.intake import FileReport, display_filename
from scoring.generations.problems import Problem, ProblemGroup, Severity, quote
from scoring.generations.records import AnswerFormat
from scoring.logs.log import Log, Wanted
from scoring.logs.opening import Bounds
from scoring.logs.reading import is_log, read_log

_TIMES: Final = 16
"""How many times the limit of an upload the text of a log may have."""
_MOST_ENTRIES: Final = 50_000
_MOST_VALUES: Final = 3_000_000


@dataclass(frozen=True)
class FromLog:
    """What is said of a log beside its generations file."""

    title: str
    notes: list[str]
    facts: dict[str, Any]
    """The run facts that the log states."""


def is_log_of_framework(file: UploadedFile[bytes]) -> bool:
    """Whether a file begins as the log of a framework does."""
    return is_log(cast("BinaryIO", file))


def read_upload(file: UploadedFile[bytes], ids: Collection[str], *, answer_field: str = "") -> Log:
    """Read a log.

    Args:
        ids: those of the questions, by which the field with the ids is found.
        answer_field: the field with the answers, if not the usual one.

    Raises:
        LogError: it cannot be used.
    """
    limit = settings.UPLOAD_LIMIT_BYTES
    bounds = Bounds(limit, _TIMES * limit, _MOST_ENTRIES, max_entry_bytes=limit, max_values=_MOST_VALUES)
    return read_log(
        [(display_filename(file.name or ""), cast("BinaryIO", file))], Wanted(frozenset(ids), answer_field), bounds
    )


def generations_file(log: Log, name: str, answer_format: AnswerFormat) -> tuple[UploadedFile[bytes], FromLog]:
    """The generations file of a log, under the log's name, and what is said of the log."""
    file = SimpleUploadedFile(f"{display_filename(name)}.jsonl", log.generations(answer_format.answer_key))
    others = [quote(name) for name in log.answer_fields if name != log.answer_field]
    return file, FromLog(
        title=f"The answers were taken from the field {quote(log.answer_field)} of a log",
        notes=[
            log.kind,
            *([f"other fields that may be the answers: {', '.join(others)}"] if others else []),
            *log.remarks,
            *log.warnings,
        ],
        facts=dict(log.run_facts),
    )


def with_note(report: FileReport, from_log: FromLog) -> FileReport:
    """The report on the generations file of a log, with a warning that says what was read."""
    fix = (
        "Check that these are the answers; name another field (answer_field) to take them from it. Of the log only "
        "ids, answers and usage are stored, and the run facts."
    )
    problems = tuple(
        Problem(FROM_LOG, Severity.WARNING, None, None, None, None, note.rstrip("."), "a generations file", fix)
        for note in from_log.notes
    )
    group = ProblemGroup(FROM_LOG, from_log.title, Severity.WARNING, len(problems), problems, fix)
    return replace(report, groups=(*report.groups, group))
