"""Import of official submissions: each becomes an ordinary submission, scored by the ordinary runs.

A submission is identified by its content: its metadata and the hashes of its files. Importing it again adds nothing;
any change creates a new submission beside the old one.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from django.conf import settings
from django.db import transaction
from django.db.models import Q

from leaderboard.models import SYSTEM_FIELDS, Event, Submission, System, User
from leaderboard.official.layout import ReadSystem
from leaderboard.publishing import facts
from leaderboard.publishing.merges import merge_declared
from leaderboard.publishing.services import publish_submission
from leaderboard.publishing.systems import published_system
from leaderboard.submissions import storage
from leaderboard.submissions.forms import known_questions
from leaderboard.submissions.intake import CheckedFile, FileReport
from leaderboard.submissions.json_documents import Problem
from scoring.benchmarks import definition_of
from scoring.generations.reader import KnownQuestions, Limits, read_generations
from scoring.models import Run, Split
from scoring.models.run_states import ACTIVE, RunState


class Outcome(StrEnum):
    """The result of importing a system."""

    NEW = "new"
    NEW_VERSION = "new version"
    KNOWN = "already here"
    WITHDRAWN = "withdrawn here"
    REFUSED = "refused"


@dataclass
class ImportedSystem:
    """A system of the folder, and the result of its import."""

    read: ReadSystem
    outcome: Outcome = Outcome.REFUSED
    reports: dict[str, FileReport] = field(default_factory=dict)
    """Reports on the files that could be read, by its name with its folder."""
    submission: Submission | None = None

    @property
    def name(self) -> str:
        """The system's name, or the name of its metadata file if that cannot be used."""
        return self.read.fields["name"] if self.read.fields else self.read.key


def import_systems(
    systems: Iterable[ReadSystem], *, split: Split, owner: User | None, dry_run: bool = False
) -> Iterator[ImportedSystem]:
    """Import one system after the other; problems of one, which are added to it, do not affect the others.

    A file with errors is left out and the rest of its system is imported. Without an owner, or on a dry run, nothing is
    stored, and *new* means that it would be.
    """
    known = known_questions(split)
    for system in systems:
        yield _import_system(system, split, owner, known, keep=owner is not None and not dry_run)


def _import_system(
    read: ReadSystem, split: Split, owner: User | None, known: KnownQuestions, *, keep: bool
) -> ImportedSystem:
    system = ImportedSystem(read)
    with contextlib.ExitStack() as stack:
        usable = []
        for slug, path in read.files.items():
            setting = split.benchmark.settings.get(slug=slug)
            name = f"{path.parent.name}/{path.name}"
            try:
                stream = stack.enter_context(path.open("rb"))
                limits = Limits(max_bytes=settings.UPLOAD_LIMIT_BYTES)
                read_file = read_generations(stream, known, limits, definition_of(split.benchmark.slug).answer_format())
                report = FileReport.of(read_file, path.name, setting)
            except OSError as error:
                read.problems.append(Problem(name, f"a file that cannot be read ({error.strerror})"))
                continue
            system.reports[name] = report
            if report.ok:
                usable.append(CheckedFile(setting=setting, report=report, stream=stream))
        if read.fields is None or not usable:
            return system
        with transaction.atomic():
            if owner is not None:
                # Of two imports at once, the second waits here, and finds what the first has made.
                User.objects.select_for_update(no_key=True).get(pk=owner.pk)
            name = read.fields["name"]
            named = Q(name=name) | Q(changes__changes__name__0=name)
            namesakes = Submission.objects.filter(named, owner=owner, split=split).distinct()
            namesakes = namesakes.order_by("-created_at").prefetch_related("files__setting")
            stated = facts.stated_by(System(**{n: read.fields[n] for n in SYSTEM_FIELDS if n in read.fields}))
            stated = {name: value for name, value in stated.items() if value is not None}
            digests = {file.setting.slug: file.report.sha256 for file in usable}
            for earlier in namesakes:
                current = {file.setting.slug: file.sha256 for file in earlier.files.all() if file.replaced_at is None}
                if current != digests:
                    continue
                # As it was sent: a fact that somebody changed here makes no other submission, and one that was not
                # stated before is filled in.
                sent = facts.original_of(earlier)
                if all(stated.get(name) == value for name, value in sent.items()):
                    if keep:
                        for subject in dict.fromkeys((earlier, facts.subject_of(earlier))):
                            facts.fill(subject, stated, actor=f"import of {read.name}")
                    system.submission = earlier
                    system.outcome = Outcome.WITHDRAWN if earlier.withdrawn_at else Outcome.KNOWN
                    return system
            system.outcome = Outcome.NEW_VERSION if namesakes else Outcome.NEW
            if keep and owner is not None:
                system.submission = storage.create_submission(
                    owner=owner, split=split, system=read.fields, files=usable, within_quota=False
                )
                text = f"Imported from {read.name[:300]}."
                Event.objects.create(submission=system.submission, actor=owner, text=text)
    return system


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
            with transaction.atomic():
                publish_submission(submission, actor=submission.owner, approved=True)
                _merge(submission)
            published.append(submission)
    return published


def _merge(submission: Submission) -> None:
    """Merge the system of a published submission, if it is on a board as an official one for the first time, with that
    of the benchmark's published results, which may name it otherwise."""
    system = published_system(submission)
    if system is None:  # it joins the board later
        return
    if system.entries.filter(submission__files__imported=True).exclude(submission=submission).exists():
        return
    benchmark = submission.split.benchmark
    results = definition_of(benchmark.slug).published_results
    merge_declared(benchmark, results, new={system.pk}, by=f"import of {submission.name}")
