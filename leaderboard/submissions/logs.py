"""Logs of evaluation frameworks, uploaded in place of generations files.

Enters: an uploaded file. Leaves: the generations file made of it, which is checked, stored and shown in its place, so
that nothing of the log itself is stored: it may have reference answers.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import BinaryIO, Final, cast

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


def is_log_of_framework(file: UploadedFile[bytes]) -> bool:
    """Whether a file begins as the log of a framework does."""
    return is_log(cast("BinaryIO", file))


def read_upload(file: UploadedFile[bytes], ids: Collection[str]) -> Log:
    """Read a log.

    Args:
        ids: those of the questions, by which the field with the ids is found.

    Raises:
        LogError: it cannot be used.
    """
    limit = settings.UPLOAD_LIMIT_BYTES
    bounds = Bounds(limit, _TIMES * limit, _MOST_ENTRIES, max_entry_bytes=limit, max_values=_MOST_VALUES)
    return read_log([(display_filename(file.name or ""), cast("BinaryIO", file))], Wanted(frozenset(ids)), bounds)


def generations_file(log: Log, name: str, answer_format: AnswerFormat) -> UploadedFile[bytes]:
    """The generations file of a log, under the log's name."""
    return SimpleUploadedFile(f"{display_filename(name)}.jsonl", log.generations(answer_format.answer_key))


def with_note(report: FileReport, log: Log) -> FileReport:
    """The report on the generations file of a log, with a warning that says what was read."""
    found = f"{log.kind}, with answers in {quote(log.answer_field)}"
    fix = (
        "Check that these are the answers; manyhop import --answer-field takes them from another field. Of the log "
        "only ids, answers and usage are stored, and the run facts."
    )
    notes = [found, *log.remarks, *log.warnings]
    problems = tuple(
        Problem(FROM_LOG, Severity.WARNING, None, None, None, None, note.rstrip("."), "a generations file", fix)
        for note in notes
    )
    title = f"The answers were taken from {log.kind} (field {log.answer_field})"
    group = ProblemGroup(FROM_LOG, title, Severity.WARNING, len(problems), problems, fix)
    return replace(report, groups=(*report.groups, group))
