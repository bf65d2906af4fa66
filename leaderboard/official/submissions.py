"""Import of official submissions: each becomes an ordinary submission, scored by the ordinary runs.

A submission is identified by its content: its metadata and the hashes of its files. Importing it again adds nothing;
any change creates a new submission beside the old one.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from django.conf import settings
from django.db import transaction

from leaderboard.models import SYSTEM_FIELDS, Event, Submission, User
from leaderboard.publishing.services import publish_submission
from leaderboard.submissions import storage
from leaderboard.submissions.forms import known_questions
from leaderboard.submissions.intake import FileReport, check_file
from leaderboard.submissions.json_documents import Problem
from leaderboard.submissions.metadata_json import Found, FoundSystem
from leaderboard.submissions.storage import CheckedFile
from scoring.benchmarks import definition_of
from scoring.generations.reader import KnownQuestions, Limits
from scoring.models import Run, Setting, Split
from scoring.models.run_states import ACTIVE, RunState
from scoring.registry import task_type_of


class Outcome(StrEnum):
    """The result of importing a system."""

    NEW = "new"
    NEW_VERSION = "new version"
    KNOWN = "already here"
    WITHDRAWN = "withdrawn here"
    REFUSED = "refused"


@dataclass(frozen=True)
class ImportedFile:
    """A file that was read: its report has its content and its problems."""

    name: str
    report: FileReport

    @property
    def n_retired(self) -> int:
        """How many of its answers are to questions that a later revision retired."""
        return self._count("retired-id")

    @property
    def n_empty(self) -> int:
        """How many of its answers are empty."""
        return self._count("empty-answer")

    def _count(self, code: str) -> int:
        return sum(group.count for group in self.report.groups if group.code == code)


@dataclass
class ImportedSystem:
    """A system of the folder, and the result of its import."""

    found: FoundSystem
    outcome: Outcome = Outcome.REFUSED
    files: list[ImportedFile] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    submission: Submission | None = None

    @property
    def name(self) -> str:
        """The system's name, or the name of its metadata file if that cannot be used."""
        return self.found.fields["name"] if self.found.fields else self.found.key


def import_systems(
    found: Found, *, split: Split, owner: User | None, dry_run: bool = False
) -> Iterator[ImportedSystem]:
    """Import what was found, one system after the other; problems of one do not affect the others.

    A file with errors is left out and the rest of its system is imported. Without an owner, or on a dry run, nothing is
    stored, and *new* means that it would be.
    """
    known = known_questions(split)
    by_slug = {setting.slug: setting for setting in split.benchmark.settings.all()}
    for system in found.systems:
        yield _import_system(system, split, owner, known, by_slug, keep=owner is not None and not dry_run)


def _import_system(
    found: FoundSystem,
    split: Split,
    owner: User | None,
    known: KnownQuestions,
    by_slug: Mapping[str, Setting],
    *,
    keep: bool,
) -> ImportedSystem:
    done = ImportedSystem(found, problems=list(found.problems))
    limits = Limits(max_bytes=settings.UPLOAD_LIMIT_BYTES)
    with contextlib.ExitStack() as stack:
        checked = []
        for file in found.files:
            setting = by_slug[file.setting]
            try:
                stream = stack.enter_context(file.path.open("rb"))
                report = check_file(
                    stream,
                    filename=file.path.name,
                    setting_slug=setting.slug,
                    setting_label=setting.name,
                    known=known,
                    limits=limits,
                    answer_format=task_type_of(split.benchmark.slug).answer_format(None),
                )
            except OSError as error:
                done.problems.append(Problem(file.name, f"a file that cannot be read ({error.strerror})"))
                continue
            done.files.append(ImportedFile(file.name, report))
            if report.ok:
                checked.append(CheckedFile(setting=setting, report=report, stream=stream))
        if found.fields is None or not checked:
            return done
        with transaction.atomic():
            if owner is not None:
                User.objects.select_for_update(no_key=True).get(pk=owner.pk)
            same, others = _known(owner, split, found.fields, checked)
            if same is not None:
                done.submission = same
                done.outcome = Outcome.WITHDRAWN if same.withdrawn_at else Outcome.KNOWN
                return done
            done.outcome = Outcome.NEW_VERSION if others else Outcome.NEW
            if keep and owner is not None:
                done.submission = storage.create_submission(
                    owner=owner, split=split, system=found.fields, files=checked, within_quota=False
                )
                Event.objects.create(submission=done.submission, actor=owner, text=f"Imported from {found.name[:300]}.")
    return done


def _known(
    owner: User | None, split: Split, fields: Mapping[str, Any], files: Sequence[CheckedFile]
) -> tuple[Submission | None, bool]:
    """The owner's submission with this content, if there is one, and whether there is one with the system's name."""
    wanted = {file.setting.slug: file.report.sha256 for file in files}
    namesakes = Submission.objects.filter(owner=owner, split=split, name=fields["name"])
    others = False
    for submission in namesakes.order_by("-created_at").prefetch_related("files__setting"):
        others = True
        current = [file for file in submission.files.all() if file.replaced_at is None]
        same_files = {file.setting.slug: file.sha256 for file in current} == wanted
        if same_files and all(getattr(submission, name) == fields[name] for name in SYSTEM_FIELDS if name in fields):
            return submission, others
    return None, others


# --- Publishing what is scored -------------------------------------------------------------------------------------


class Readiness(StrEnum):
    """The progress of a submission towards the board."""

    PUBLISHED = "published"
    SCORING = "being scored"
    SCORED = "scored"
    UNSCORED = "without a score"


def readiness(submission: Submission) -> Readiness:
    """The progress of a submission; three queries."""
    if submission.entries.filter(replaced_at=None).exists():
        return Readiness.PUBLISHED
    current = submission.files.filter(replaced_at=None)
    runs = Run.objects.filter(answer_set__submission_file__in=current)
    if runs.filter(state__in=ACTIVE).exists():
        return Readiness.SCORING
    headline = runs.filter(metric=definition_of(submission.split.benchmark.slug).headline_metric)
    return Readiness.SCORED if headline.filter(state=RunState.DONE).exists() else Readiness.UNSCORED


def publish_scored(submissions: Sequence[Submission]) -> list[Submission]:
    """Publish the submissions that are scored and not on the board; returns them."""
    published = []
    for submission in submissions:
        if readiness(submission) == Readiness.SCORED:
            publish_submission(submission, actor=submission.owner, approved=True)
            published.append(submission)
    return published
