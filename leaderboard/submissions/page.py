"""One submission as its page, the API and the email about it show it.

Enters: a submission and its viewer. Leaves: a `SubmissionView` with its files and their versions, runs, scores,
estimated times, log and publication, in a fixed number of queries.
"""

import datetime
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from django.db.models import Prefetch
from django.urls import reverse

from leaderboard.board import table
from leaderboard.disclosure import DisclosureRule
from leaderboard.models import Entry, Membership, Receipt, Submission, SubmissionFile
from leaderboard.publishing.requests import becomes_baseline
from leaderboard.publishing.status import publication_view
from leaderboard.submissions.queries import STATE_LABELS, state_of
from leaderboard.submissions.score_table import score_table
from leaderboard.submissions.types import (
    FileView,
    PassagesView,
    RunView,
    SubmissionView,
    VersionView,
    scores_of,
    signature_of,
    state_and_reason,
)
from scoring.metrics.base import SERVED
from scoring.metrics.judge.pairs import PAIR
from scoring.models import CurrentSignature, Run, Score
from scoring.models.run_states import ACTIVE, RunState
from scoring.queries import definition_on
from scoring.registry import metric_named
from scoring.runs import queue_estimates
from scoring.runs.answer_sets import SUPERSEDED


def submission_view(
    submission: Submission, *, viewer_id: int | None, can_edit: bool | None = None, for_maintainer: bool = False
) -> SubmissionView:
    """A submission with its files, their versions, runs, scores and log. Nine queries (ten for a team's), whatever
    the number of files and runs, and during scoring those of `scoring.runs.queue_estimates.estimate_runs` in addition.

    Args:
        can_edit: whether the viewer may change it; by default, only the submission's owner may.
        for_maintainer: whether reasons name what is missing on the site.
    """
    is_owner = viewer_id == submission.owner_id if can_edit is None else can_edit
    found = _Found(submission, _files_with_runs(submission), for_maintainer)
    files = [_file_view(file, found, may_replace=is_owner and found.state != "withdrawn") for file in found.files]
    publication = publication_view(submission, found.entries)
    split = submission.split
    return SubmissionView(
        uuid=submission.pk,
        name=submission.name,
        state=found.state,
        state_label=STATE_LABELS[found.state],
        owner_name=submission.owner.get_username(),
        team_name=submission.team.name if submission.team else "",
        team_slug=submission.team.slug if submission.team else "",
        created_at=submission.created_at,
        benchmark=split.benchmark.name,
        benchmark_slug=split.benchmark.slug,
        split=split.name,
        split_slug=split.slug,
        is_owner=is_owner,
        is_public=bool(found.entries),
        can_publish=is_owner and found.publishable and not (publication.is_waiting or publication.is_retracted),
        can_retry=is_owner and found.retriable,
        finished=found.finished,
        published_urls=_published_urls(submission, found.entries),
        files=files,
        metadata=_metadata(submission),
        url=submission.get_absolute_url(),
        events=_log(found),
        receipt_url=_receipt_url(submission),
        split_hidden=split.hidden,
        shows_answers=any(entry.shows_answers for entry in found.entries),
        seconds=_longest(found.expected.values()),
        has_newer=found.has_newer,
        publication=publication,
        for_maintainer=for_maintainer,
        becomes_baseline=found.becomes_baseline,
        table=score_table(files, definition_on(split).columns),
    )


@dataclass
class _Found:
    """A submission with its records, each part read once."""

    submission: Submission
    versions: list[SubmissionFile]
    """The versions of every file, newest first, each with its runs."""
    for_maintainer: bool
    labels: dict[str, str] = field(init=False)
    """How boards name each score."""
    runs: dict[Any, list[Run]] = field(init=False)
    """By version, in the order in which the benchmark names their metrics."""

    def __post_init__(self) -> None:
        definition = definition_on(self.submission.split)
        order = {name: index for index, name in enumerate(definition.metrics)}
        self.rule = DisclosureRule.of(self.submission.split)
        self.labels = {column.score: column.label for column in definition.columns}
        self.runs = {
            file.pk: sorted(file.answer_set.runs.all(), key=lambda run: order.get(run.metric, 99))
            for file in self.versions
        }
        self.all_runs = [run for file in self.files for run in self.runs[file.pk]]
        """The runs of the current files."""

    @cached_property
    def files(self) -> list[SubmissionFile]:
        """The current version of each file."""
        return [file for file in self.versions if file.replaced_at is None]

    @cached_property
    def expected(self) -> Mapping[Any, queue_estimates.QueueEstimate]:
        """The estimated completion time of each unfinished run."""
        return queue_estimates.estimate_runs(self.all_runs)

    @cached_property
    def signatures(self) -> Mapping[str, str]:
        """The signatures that boards show, by metric; without those of metrics that have no score yet. One query."""
        return dict(CurrentSignature.objects.filter(split=self.submission.split_id).values_list("metric", "signature"))

    @cached_property
    def entries(self) -> list[Entry]:
        """The submission's current rows on boards. One query."""
        rows = Entry.objects.filter(submission=self.submission, replaced_at=None)
        return list(rows.select_related("setting", "system"))

    @cached_property
    def on_board(self) -> set[Any]:
        """The answer sets that a board shows."""
        return {entry.answer_set_id for entry in self.entries}

    @property
    def state(self) -> str:
        """The submission's state as one word; see `state_of`."""
        return state_of(self.all_runs, withdrawn=self.submission.withdrawn_at is not None)

    @property
    def finished(self) -> bool:
        """Whether no run of a current file is waiting or running."""
        return not any(run.state in ACTIVE for run in self.all_runs)

    @property
    def has_newer(self) -> bool:
        """Whether the board shows an older version of a file than the current one."""
        shown = self.on_board
        return bool(shown) and any(file.answer_set_id not in shown for file in self.files if file.version > 1)

    @property
    def publishable(self) -> bool:
        """Whether its files are scored, or become the baseline, and not all of them are on a board."""
        has_score = any(run.state == RunState.DONE for run in self.all_runs)
        is_new = not self.entries or self.has_newer
        can_rank = has_score or self.becomes_baseline
        return is_new and self.finished and can_rank and self.state != "withdrawn"

    @cached_property
    def becomes_baseline(self) -> bool:
        """Whether publishing it makes its answers the baseline; see `leaderboard.publishing.requests`."""
        waits = any(run.state == RunState.NOT_CONFIGURED for run in self.all_runs)
        return waits and becomes_baseline(self.submission)

    @property
    def retriable(self) -> bool:
        """Whether a run of a current file has failed."""
        return any(run.state == RunState.FAILED for run in self.all_runs) and self.state != "withdrawn"


def _files_with_runs(submission: Submission) -> list[SubmissionFile]:
    runs = (
        Run.objects.filter(repeat=0)
        .select_related("revision")
        .exclude(state=RunState.CANCELLED, reason=SUPERSEDED)
        .exclude(metric=PAIR)
        .prefetch_related(Prefetch("scores", queryset=Score.objects.defer("vector")))
        .order_by("created_at")
    )
    files = SubmissionFile.objects.filter(submission=submission).select_related(
        "setting", "answer_set__passage_file", "sent_by"
    )
    files = files.order_by("setting__position", "-version")
    return list(files.prefetch_related(Prefetch("answer_set__runs", queryset=runs)))


def _published_urls(submission: Submission, entries: Sequence[Entry]) -> list[tuple[str, str]]:
    split = submission.split
    published = [
        (f"{entry.setting.name} board", table.board_url(split.benchmark.slug, split.slug, entry.setting.slug))
        for entry in entries
    ]
    if entries:
        published.append((f"{entries[0].system.name}: the system's page", entries[0].system.get_absolute_url()))
    return published


def _log(found: _Found) -> list[tuple[datetime.datetime, str]]:
    """Actions on a submission and outcomes of its runs, oldest first. One query, two for a team's: a member's name is
    shown, a maintainer's is not."""
    members: dict[Any, str] = {}
    if found.submission.team_id is not None:
        members = dict(Membership.objects.filter(team=found.submission.team_id).values_list("user", "user__username"))
    log = []
    for event in found.submission.events.all():
        name = members.get(event.actor_id, "")
        log.append((event.at, f"{event.text} ({name})" if name else event.text))
    for file in found.files:
        for run in found.runs[file.pk]:
            if run.finished_at is not None and run.state not in ACTIVE:
                state, reason = state_and_reason(run, for_maintainer=found.for_maintainer)
                text = f"{file.setting.name}, {metric_named(run.metric).label}: {state.lower()}"
                log.append((run.finished_at, f"{text}. {reason}" if reason else f"{text}."))
    return sorted(log, key=lambda line: line[0])


def _longest(expected: Iterable[queue_estimates.QueueEstimate]) -> float | None:
    times = [outlook.seconds for outlook in expected]
    known = [time for time in times if time is not None]
    return max(known) if known and len(known) == len(times) else None


def _file_view(file: SubmissionFile, found: _Found, *, may_replace: bool) -> FileView:
    address_of = [file.submission_id, file.setting.slug]
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
        download_url=reverse("submission-file", args=address_of),
        runs=[
            RunView.of(
                run,
                found.labels,
                found.rule,
                found.expected.get(run.pk),
                for_maintainer=found.for_maintainer,
                shown=_is_shown(run, found.signatures.get(run.metric)),
                is_earlier=run.revision_id != found.submission.split.current_revision_id,
            )
            for run in found.runs[file.pk]
        ],
        version=file.version,
        sent_at=file.sent_at,
        sent_by=file.sent_by.get_username() if file.sent_by else "",
        on_board=file.answer_set_id in found.on_board,
        replace_url=reverse("submission-replace", args=address_of) if may_replace else "",
        earlier=[
            _version_view(old, found)
            for old in found.versions
            if old.setting_id == file.setting_id and old.version < file.version
        ],
        passages=_passages_view(file),
    )


def _is_shown(run: Run, shown: str | None) -> bool:
    """Whether boards show a run's scores, or will once it has some; *shown* is None if they show none of its metric."""
    if shown is None:
        return True
    return signature_of(run) == (shown if run.scores.all() else shown.partition(SERVED)[0])


def _passages_view(file: SubmissionFile) -> PassagesView | None:
    passages = file.passages
    if passages is None:
        return None
    address = reverse("submission-file", args=[file.submission_id, file.setting.slug])
    return PassagesView(
        filename=passages.filename,
        size=passages.size,
        sha256=passages.sha256,
        n_questions=passages.n_questions,
        download_url=f"{address}?version={file.version}&part=passages",
    )


def _version_view(file: SubmissionFile, found: _Found) -> VersionView:
    address = reverse("submission-file", args=[file.submission_id, file.setting.slug])
    runs = sorted(found.runs[file.pk], key=lambda run: _is_shown(run, found.signatures.get(run.metric)))
    scores = {
        score.name: score for run in runs for score in scores_of(run, found.labels, found.rule)
    }  # of several, the one that boards show, or the last made
    return VersionView(
        version=file.version,
        filename=file.filename,
        n_answered=file.n_answered,
        n_questions=file.n_questions,
        sha256=file.sha256,
        sent_at=file.sent_at,
        sent_by=file.sent_by.get_username() if file.sent_by else "",
        replaced_at=file.replaced_at or file.sent_at,
        on_board=file.answer_set_id in found.on_board,
        download_url=f"{address}?version={file.version}",
        scores=list(scores.values()),
    )


def _receipt_url(submission: Submission) -> str:
    receipt = Receipt.objects.filter(submission=submission, has_exact_values=False).only("pk").first()
    return receipt.get_absolute_url() if receipt else ""


def _metadata(submission: Submission) -> list[tuple[str, str | None]]:
    """Labels and values; None for values that the submitter did not state."""
    trained = {True: "Yes", False: "No", None: None}[submission.trained_for_function_calling]
    context = None if submission.context_size is None else f"{submission.context_size:,} tokens"
    return [
        ("Authors", submission.authors),
        ("Type", submission.get_type_display()),
        ("Context size", context),
        ("Trained for function calling", trained),
        ("Web page", submission.url),
        ("Citation", submission.citation),
        ("Details", submission.details),
    ]
