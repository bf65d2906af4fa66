"""Warnings about files that were sent more than once: one file in two settings, or a file of an earlier submission."""

import datetime
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from leaderboard.models import SubmissionFile
from leaderboard.submissions.storage import CheckedFile
from scoring.generations.problems import Problem, ProblemGroup, Severity
from scoring.models import Setting

SAME_FILE: Final = "same-file"
SENT_BEFORE: Final = "sent-before"
REPEATED: Final = frozenset({SAME_FILE, SENT_BEFORE})
MAX_NAME_CHARACTERS: Final = 80


def with_warnings(file: CheckedFile, settings: Sequence[Setting], earlier: SubmissionFile | None) -> CheckedFile:
    """A file, with a warning for another setting that it was also sent for, and for an earlier submission."""
    groups = []
    if settings:
        setting = settings[0].name.lower()
        groups.append(
            _group(
                SAME_FILE,
                f"The same file was also sent for the setting {setting}",
                f"the bytes of the file for {setting}",
                "a file of its own for each setting",
                "Check that the file belongs to this setting.",
            )
        )
    if earlier is not None:
        name = earlier.submission.name
        name = name if len(name) <= MAX_NAME_CHARACTERS else f"{name[:MAX_NAME_CHARACTERS]}…"
        day = earlier.sent_at.astimezone(datetime.UTC).date()
        where = f"“{name}”, {earlier.setting.name.lower()}, on {day}"
        groups.append(
            _group(
                SENT_BEFORE,
                f"The same file was sent before: {where}",
                f"the bytes of {where}",
                "a file that was not sent before",
                "Check that it is the right file. Its scores will be the same as before.",
            )
        )
    return replace(file, report=replace(file.report, groups=(*file.report.groups, *groups)))


def repeated(file: CheckedFile) -> str:
    """What a file repeats, in one sentence; empty if it repeats nothing."""
    return " ".join(f"{group.title}." for group in file.report.warnings if group.code in REPEATED)


def _group(code: str, title: str, what: str, expected: str, fix: str) -> ProblemGroup:
    problem = Problem(code, Severity.WARNING, None, None, None, None, what, expected, fix)
    return ProblemGroup(code, title, Severity.WARNING, 1, (problem,), fix)
