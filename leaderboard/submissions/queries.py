"""Reading the site: what pages and the API show besides the board itself (that is `leaderboard.board.table`)."""

import datetime
import uuid
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.db.models import Count, Prefetch, Q, QuerySet
from django.urls import reverse

from leaderboard.board import table
from leaderboard.models import Entry, Membership, Receipt, Submission, SubmissionFile
from leaderboard.publishing.status import PublicationView, publication_view
from scoring.benchmarks import definition_of
from scoring.models import Run, Score
from scoring.models.run_states import ACTIVE, RunState
from scoring.registry import metric_named
from scoring.runs import queue_estimates as line
from scoring.runs.answer_sets import SUPERSEDED

# --- A submission --------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class ScoreView:
    """A named number."""

    name: str
    label: str
    value: float
    low: float | None = None
    """With ``high`` the 95 % interval of the value, once it is computed."""
    high: float | None = None


@dataclass(frozen=True)
class RunView:
    """One metric's work on one file."""

    metric: str
    metric_label: str
    state: str
    state_label: str
    reason: str
    done: int
    total: int
    percent: int | None
    position: int | None
    scores: list[ScoreView]
    signature: str
    started_at: datetime.datetime | None
    finished_at: datetime.datetime | None
    attempts: int
    seconds: float | None = None
    """About how long until it is scored; nothing where nothing can be told."""
    n_measured: int = 0
    """How many earlier runs that is told from."""
    has_workers: bool = True
    """Whether a worker that takes such work was seen lately."""

    @classmethod
    def of(cls, run: Run, labels: Mapping[str, str], estimate: line.Outlook | None = None) -> "RunView":
        """The view of a run.

        Args:
            labels: of the scores that are shown, by their names.
            estimate: the run's place in the queue, if it waits.
        """
        return cls(
            metric=run.metric,
            metric_label=metric_named(run.metric).label,
            state=run.state,
            state_label=run.get_state_display(),
            reason=run.reason,
            done=run.done_items,
            total=run.total_items,
            percent=100 * run.done_items // run.total_items if run.total_items else None,
            position=estimate.position if estimate else None,
            scores=_scores(run, labels),
            signature=run.signature,
            started_at=run.started_at,
            finished_at=run.finished_at,
            attempts=run.attempts,
            seconds=estimate.seconds if estimate else None,
            n_measured=estimate.n_runs if estimate else 0,
            has_workers=estimate is None or estimate.n_workers > 0,
        )


@dataclass(frozen=True)
class VersionView:
    """A version of a file whose place a newer one took."""

    version: int
    filename: str
    n_answered: int
    n_questions: int
    sha256: str
    sent_at: datetime.datetime
    sent_by: str
    replaced_at: datetime.datetime
    on_board: bool
    """Whether it is what the board shows, until the newer one is published."""
    download_url: str
    scores: list[ScoreView]


@dataclass(frozen=True)
class FileView:
    """One uploaded file."""

    setting_name: str
    setting_slug: str
    filename: str
    size: int
    sha256: str
    n_lines: int
    n_answered: int
    n_questions: int
    warnings: list[dict[str, Any]]
    download_url: str
    runs: list[RunView]
    version: int = 1
    sent_at: datetime.datetime | None = None
    sent_by: str = ""
    on_board: bool = False
    replace_url: str = ""
    """Where a newer version is sent; empty for whoever may not."""
    earlier: list[VersionView] = field(default_factory=list)
    """The versions before it, the latest first."""
    text_size: int | None = None
    """Bytes of text; ``size`` is as it was sent. Unknown of files sent before it was kept."""
    compression: str | None = None


@dataclass(frozen=True)
class SubmissionView:
    """A submission as its page and the API show it."""

    uuid: uuid.UUID
    name: str
    state: str
    state_label: str
    owner_name: str
    created_at: datetime.datetime
    benchmark: str
    benchmark_slug: str
    split: str
    split_slug: str
    is_owner: bool
    is_public: bool
    can_publish: bool
    can_retry: bool
    finished: bool
    published_urls: list[tuple[str, str]]
    files: list[FileView]
    metadata: list[tuple[str, str]]
    url: str
    events: list[tuple[datetime.datetime, str]] = field(default_factory=list)
    receipt_url: str = ""
    split_hidden: bool = True
    shows_answers: bool = False
    """Whether everybody may read the answers."""
    team_name: str = ""
    """Whose it is, if not its sender's alone."""
    team_slug: str = ""
    seconds: float | None = None
    """About how long until everything is scored; nothing where nothing can be told, or nothing is under way."""
    has_newer: bool = False
    """Whether the board shows an older version of a file than the current one."""
    publication: PublicationView = field(default_factory=PublicationView)
    """How it stands with the board."""


STATE_LABELS = {
    "waiting": "Waiting in line",
    "running": "Being scored",
    "done": "Scored",
    "failed": "Failed",
    "withdrawn": "Withdrawn",
    "not_configured": "Not scored yet",
}


def state_of(runs: list[Run], *, withdrawn: bool) -> str:
    """One word for a submission, derived from its runs."""
    states = {run.state for run in runs}
    if withdrawn:
        return "withdrawn"
    if RunState.RUNNING in states or (RunState.WAITING in states and RunState.DONE in states):
        return "running"
    if RunState.WAITING in states:
        return "waiting"
    if RunState.FAILED in states:
        return "failed"
    return "done" if RunState.DONE in states else "not_configured"


def _files_with_runs(submission: Submission) -> list[SubmissionFile]:
    runs = (
        Run.objects.filter(repeat=0)
        .exclude(state=RunState.CANCELLED, reason=SUPERSEDED)
        .prefetch_related(Prefetch("scores", queryset=Score.objects.defer("vector")))
        .order_by("created_at")
    )
    files = SubmissionFile.objects.filter(submission=submission).select_related("setting", "answer_set", "sent_by")
    files = files.order_by("setting__position", "-version")
    return list(files.prefetch_related(Prefetch("answer_set__runs", queryset=runs)))


def submission_view(submission: Submission, *, viewer_id: int | None, may_act: bool | None = None) -> SubmissionView:
    """A submission with its files, their versions, runs, scores and log. Eight queries (nine for a team's), whatever
    the number of files and runs, and while it is being scored those of `scoring.runs.queue_estimates.outlooks` besides.

    Args:
        may_act: whether the viewer may do something with it; unsaid, that is whoever sent it.
    """
    versions = _files_with_runs(submission)
    files = [file for file in versions if file.replaced_at is None]
    definition = definition_of(submission.split.benchmark.slug)
    order = {name: place for place, name in enumerate(definition.metrics)}
    labels = {column.score: column.label for column in definition.columns}
    runs = {file.pk: sorted(file.answer_set.runs.all(), key=lambda run: order.get(run.metric, 99)) for file in versions}
    all_runs = [run for file in files for run in runs[file.pk]]
    expected = line.outlooks(all_runs)
    entries = list(Entry.objects.filter(submission=submission, replaced_at=None).select_related("setting", "system"))
    state = state_of(all_runs, withdrawn=submission.withdrawn_at is not None)
    finished = not any(run.state in ACTIVE for run in all_runs)
    has_score = any(run.state == RunState.DONE for run in all_runs)
    is_owner = viewer_id == submission.owner_id if may_act is None else may_act
    shown = {entry.answer_set_id for entry in entries}
    split = submission.split
    publication = publication_view(submission, entries)
    has_newer = bool(shown) and any(file.answer_set_id not in shown for file in files if file.version > 1)
    published = [
        (f"{entry.setting.name} board", table.board_url(split.benchmark.slug, split.slug, entry.setting.slug))
        for entry in entries
    ]
    if entries:
        published.append((f"{entries[0].system.name}: the system's page", entries[0].system.get_absolute_url()))
    return SubmissionView(
        uuid=submission.pk,
        name=submission.name,
        state=state,
        state_label=STATE_LABELS[state],
        owner_name=submission.owner.get_username(),
        team_name=submission.team.name if submission.team else "",
        team_slug=submission.team.slug if submission.team else "",
        created_at=submission.created_at,
        benchmark=split.benchmark.name,
        benchmark_slug=split.benchmark.slug,
        split=split.name,
        split_slug=split.slug,
        is_owner=is_owner,
        is_public=bool(entries),
        can_publish=(is_owner and (not entries or has_newer) and finished and has_score and state != "withdrawn")
        and not (publication.waits or publication.is_retracted),
        can_retry=is_owner and any(run.state == RunState.FAILED for run in all_runs) and state != "withdrawn",
        finished=finished,
        published_urls=published,
        files=[
            _file_view(
                file,
                [RunView.of(run, labels, expected.get(run.pk)) for run in runs[file.pk]],
                [_version_view(old, runs[old.pk], labels, shown) for old in versions if _is_earlier(old, file)],
                on_board=file.answer_set_id in shown,
                may_replace=is_owner and state != "withdrawn",
            )
            for file in files
        ],
        metadata=_metadata(submission),
        url=submission.get_absolute_url(),
        events=_log(submission, files, runs),
        receipt_url=_receipt_url(submission),
        split_hidden=split.hidden,
        shows_answers=any(entry.shows_answers for entry in entries),
        seconds=_longest(expected.values()),
        has_newer=has_newer,
        publication=publication,
    )


def _log(
    submission: Submission, files: Sequence[SubmissionFile], runs: Mapping[Any, Sequence[Run]]
) -> list[tuple[datetime.datetime, str]]:
    """What was done with a submission and what became of its runs, the oldest first. One query, two for a team's: of a
    member who did something the name is told, of a maintainer it is not."""
    members: dict[Any, str] = {}
    if submission.team_id is not None:
        members = dict(Membership.objects.filter(team=submission.team_id).values_list("user", "user__username"))
    told = []
    for event in submission.events.all():
        name = members.get(event.actor_id, "")
        told.append((event.at, f"{event.text} ({name})" if name else event.text))
    for file in files:
        for run in runs[file.pk]:
            if run.finished_at is not None and run.state not in ACTIVE:
                text = f"{file.setting.name}, {metric_named(run.metric).label}: {run.get_state_display().lower()}"
                told.append((run.finished_at, f"{text}. {run.reason}" if run.reason else f"{text}."))
    return sorted(told, key=lambda line: line[0])


def _is_earlier(old: SubmissionFile, file: SubmissionFile) -> bool:
    return old.setting_id == file.setting_id and old.version < file.version


def _longest(expected: Iterable[line.Outlook]) -> float | None:
    times = [outlook.seconds for outlook in expected]
    known = [time for time in times if time is not None]
    return max(known) if known and len(known) == len(times) else None


def _file_view(
    file: SubmissionFile, runs: list[RunView], earlier: list[VersionView], *, on_board: bool, may_replace: bool
) -> FileView:
    where = [file.submission_id, file.setting.slug]
    return FileView(
        setting_name=file.setting.name,
        setting_slug=file.setting.slug,
        filename=file.filename,
        size=file.size,
        text_size=file.text_size,
        compression=file.compression or None,
        sha256=file.sha256,
        n_lines=file.n_lines,
        n_answered=file.n_answered,
        n_questions=file.n_questions,
        warnings=file.warnings,
        download_url=reverse("submission-file", args=where),
        runs=runs,
        version=file.version,
        sent_at=file.sent_at,
        sent_by=file.sent_by.get_username() if file.sent_by else "",
        on_board=on_board,
        replace_url=reverse("submission-replace", args=where) if may_replace else "",
        earlier=earlier,
    )


def _version_view(file: SubmissionFile, runs: list[Run], labels: dict[str, str], shown: set[Any]) -> VersionView:
    address = reverse("submission-file", args=[file.submission_id, file.setting.slug])
    scores = {score.name: score for run in runs for score in _scores(run, labels)}  # of several, the last made
    return VersionView(
        version=file.version,
        filename=file.filename,
        n_answered=file.n_answered,
        n_questions=file.n_questions,
        sha256=file.sha256,
        sent_at=file.sent_at,
        sent_by=file.sent_by.get_username() if file.sent_by else "",
        replaced_at=file.replaced_at or file.sent_at,
        on_board=file.answer_set_id in shown,
        download_url=f"{address}?version={file.version}",
        scores=list(scores.values()),
    )


def _receipt_url(submission: Submission) -> str:
    receipt = Receipt.objects.filter(submission=submission).only("pk").first()
    return receipt.get_absolute_url() if receipt else ""


def _scores(run: Run, labels: Mapping[str, str]) -> list[ScoreView]:
    return [
        ScoreView(score.name, labels[score.name], score.value, score.low, score.high)
        for score in run.scores.all()
        if score.name in labels
    ]


def _metadata(submission: Submission) -> list[tuple[str, str]]:
    trained = {True: "Yes", False: "No", None: "Not stated"}[submission.trained_for_function_calling]
    context = "Not stated" if submission.context_size is None else f"{submission.context_size:,} tokens"
    return [
        ("Authors", submission.authors),
        ("Type", submission.get_type_display()),
        ("Context size", context),
        ("Trained for function calling", trained),
        ("Address", submission.url),
        ("Citation", submission.citation),
        ("Details", submission.details),
    ]


@dataclass(frozen=True)
class SubmissionLine:
    """A submission in a list."""

    uuid: uuid.UUID
    name: str
    split: str
    benchmark: str
    created_at: datetime.datetime
    state: str
    state_label: str
    is_public: bool
    url: str
    split_slug: str = ""
    benchmark_slug: str = ""
    team_name: str = ""
    team_slug: str = ""


def submission_lines(chosen: QuerySet[Submission]) -> list[SubmissionLine]:
    """Submissions in a list, newest first. Four queries, whatever their number."""
    submissions = (
        chosen.order_by("-created_at", "-pk")
        .select_related("split__benchmark", "team")
        .prefetch_related(
            Prefetch("files", queryset=SubmissionFile.objects.filter(replaced_at=None).select_related("answer_set")),
            Prefetch("files__answer_set__runs", queryset=Run.objects.filter(repeat=0)),
        )
        .annotate(n_public=Count("entries", filter=Q(entries__replaced_at=None)))
    )
    lines = []
    for submission in submissions:
        runs = [run for file in submission.files.all() for run in file.answer_set.runs.all()]
        state = state_of(runs, withdrawn=submission.withdrawn_at is not None)
        lines.append(
            SubmissionLine(
                uuid=submission.pk,
                name=submission.name,
                split=submission.split.name,
                split_slug=submission.split.slug,
                benchmark=submission.split.benchmark.name,
                benchmark_slug=submission.split.benchmark.slug,
                created_at=submission.created_at,
                state=state,
                state_label=STATE_LABELS[state],
                is_public=submission.n_public > 0,
                url=submission.get_absolute_url(),
                team_name=submission.team.name if submission.team else "",
                team_slug=submission.team.slug if submission.team else "",
            )
        )
    return lines
