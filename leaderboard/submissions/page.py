"""One submission as its page, the API and the email about it show it.

A `SubmissionView` depends on its viewer. It has the submission's files and their versions, runs, scores, estimated
times, log and publication, in a fixed number of queries.
"""

from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any

from django.db.models import Prefetch
from django.urls import reverse

from leaderboard.attributes import in_words
from leaderboard.board import table
from leaderboard.board.ranking.reading import equal_length_on_board
from leaderboard.disclosure import DisclosureRule
from leaderboard.models import Entry, Membership, Submission, SubmissionFile
from leaderboard.publishing import flags
from leaderboard.publishing.requests import becomes_baseline
from leaderboard.publishing.status import publication_view
from leaderboard.submissions.queries import fields_of, sender_runs, state_of
from leaderboard.submissions.score_table import score_table
from leaderboard.submissions.types import (
    Event,
    FileView,
    RunView,
    SubmissionView,
    final_scores,
    signature_of,
    state_and_reason,
)
from leaderboard.systems.shown_facts import taken
from scoring.benchmarks import definition_of
from scoring.benchmarks.facts import FACTS
from scoring.benchmarks.names import parts_of
from scoring.metrics.base import SERVED
from scoring.metrics.columns import Column
from scoring.metrics.side_by_side.items import WIN_RATE
from scoring.models import CurrentSignature, Run, Score
from scoring.models.run_states import ACTIVE, RunState
from scoring.queries import definition_on, on_one_revision, revision_in
from scoring.registry import metric_named
from scoring.runs import queue_estimates
from scoring.runs.answer_sets import SUPERSEDED


def submission_view(
    submission: Submission, *, viewer_id: int | None, can_edit: bool | None = None, for_maintainer: bool = False
) -> SubmissionView:
    """A submission with its files, their versions, runs, scores and log, in a fixed number of queries.

    Args:
        can_edit: whether the viewer may change it; by default, only the submission's owner may.
        for_maintainer: whether reasons name what is missing on the site.
    """
    is_owner = viewer_id == submission.owner_id if can_edit is None else can_edit
    records = _Records(submission, for_maintainer)
    files = [_file_view(file, records, may_replace=is_owner and records.state != "withdrawn") for file in records.files]
    publication = publication_view(submission, records.entries)
    reviews = flags.reviews_of(submission) if submission.split.hidden else []
    holds = flags.holds_of(submission, records.shown_files) if submission.split.hidden else []
    known = [estimate.seconds for estimate in records.expected.values() if estimate.seconds is not None]
    split = submission.split
    published_urls = [
        (f"{entry.setting.name} board", table.board_url(split.benchmark.slug, split.slug, entry.setting.slug))
        for entry in records.entries
    ]
    if records.entries:
        system = records.entries[0].system
        published_urls.append((f"{system.name}: the system's page", system.get_absolute_url()))
    # Labels and values; None for values that the submitter did not state.
    metadata: list[tuple[str, str | None]] = [
        ("Authors", submission.authors),
        ("Type", submission.get_type_display()),
        *(
            (attribute.label, in_words(attribute, submission.attributes.get(attribute.name)) or None)
            for attribute in definition_of(split.benchmark.slug).attributes
        ),
        *(
            (fact.label, in_words(fact, submission.run_facts[fact.name]))
            for fact in FACTS
            if fact.name in submission.run_facts
        ),
        ("Web page", submission.url),
        ("Citation", submission.citation),
        ("Details", submission.details),
    ]
    return SubmissionView(
        **fields_of(submission),
        state=records.state,
        owner_name=submission.owner.get_username(),
        is_owner=is_owner,
        is_public=bool(records.entries),
        can_publish=is_owner
        and records.publishable
        and not (reviews or holds or publication.is_waiting or publication.is_joining or publication.is_retracted),
        can_retry=is_owner
        and records.state != "withdrawn"
        and any(run.state == RunState.FAILED for run in records.all_runs),
        finished=records.finished,
        published_urls=published_urls,
        files=files,
        metadata=metadata,
        run_facts=submission.run_facts,
        events=_log(records),
        split_hidden=split.hidden,
        shows_answers=any(entry.shows_answers for entry in records.entries),
        seconds=max(known) if known and len(known) == len(records.expected) else None,
        has_newer=records.has_newer,
        publication=publication,
        for_maintainer=for_maintainer,
        becomes_baseline=records.becomes_baseline,
        table=replace(score_table(files, definition_on(split).columns), awaited=records.awaited),
        reviews=reviews,
        holds=holds,
    )


class _Records:
    """A submission with its records, each part read once."""

    def __init__(self, submission: Submission, for_maintainer: bool) -> None:
        self.submission = submission
        self.for_maintainer = for_maintainer
        self.rule = DisclosureRule.of_submission(submission)
        definition = definition_on(submission.split)
        self.columns: dict[str, Column] = {column.score: column for column in definition.columns}
        """The columns of boards, by score."""
        runs = (
            on_one_revision(Run.objects.counting())
            .select_related("revision__split")
            .exclude(state=RunState.CANCELLED, reason=SUPERSEDED)  # the run in its place is shown
            .prefetch_related(Prefetch("scores", queryset=Score.objects.defer("vector", "attempts", "weights")))
            .order_by("created_at")
        )
        files = SubmissionFile.objects.filter(submission=submission).order_by("setting__position", "-version")
        files = files.select_related("setting", "answer_set__passage_file", "answer_set__usage", "sent_by")
        files = files.defer("answer_set__usage__questions")  # large, and the page shows only the totals
        self.versions = list(files.prefetch_related(Prefetch("answer_set__runs", queryset=runs)))
        """The versions of every file, newest first."""
        order = {name: index for index, name in enumerate(definition.metrics)}
        for_sender = {} if for_maintainer else sender_runs(self.versions, submission)
        self.runs: dict[Any, list[Run]] = {
            file.pk: sorted(
                for_sender.get(file.answer_set_id, file.answer_set.runs.all()), key=lambda run: order.get(run.name, 99)
            )
            for file in self.versions
        }
        """By version, in the order in which the benchmark names their metrics."""
        self.all_runs = [run for file in self.files for run in self.runs[file.pk]]
        """The runs of the current files."""

    @cached_property
    def files(self) -> list[SubmissionFile]:
        return [file for file in self.versions if file.replaced_at is None]

    @cached_property
    def shown_files(self) -> set[int]:
        """The keys of the files of which results are shown to the viewer, or will be once a maintainer acts."""
        return {
            file.pk
            for file in self.versions
            if any(run.state not in ACTIVE and run.finished_at is not None for run in self.runs[file.pk])
            or all(run.state not in ACTIVE for run in self.runs[file.pk])
        }

    @cached_property
    def expected(self) -> Mapping[Any, queue_estimates.QueueEstimate]:
        """The estimated completion time of each unfinished run."""
        if self.submission.split.is_hidden and not self.for_maintainer:  # they depend on how long other runs took
            return {}
        return queue_estimates.estimate_runs(self.all_runs)

    @cached_property
    def signatures(self) -> Mapping[str, str]:
        """The signatures that boards show, by metric; without those of metrics that have no score yet. One query."""
        shown = CurrentSignature.objects.filter(split=self.submission.split_id)
        return {current.name: current.signature for current in shown}

    @cached_property
    def awaited(self) -> str:
        """The earlier revision that boards still show, if they show no score of the current files: first digits."""
        if any(final_scores(run) and _is_shown(run, self.signatures.get(run.name)) for run in self.all_runs):
            return ""
        shown = {revision_in(signature) for metric, signature in self.signatures.items() if not parts_of(metric)[1]}
        return next(iter(sorted(shown - {run.revision.short_hash for run in self.all_runs})), "")

    @cached_property
    def entries(self) -> list[Entry]:
        """The submission's current rows on boards. One query."""
        rows = Entry.objects.filter(submission=self.submission, replaced_at=None)
        return list(rows.select_related("setting", "system"))

    @cached_property
    def on_board(self) -> set[Any]:
        return {entry.answer_set_id for entry in self.entries}

    @property
    def state(self) -> str:
        return state_of(
            self.all_runs, self.submission.split.benchmark.slug, withdrawn=self.submission.withdrawn_at is not None
        )

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


def _log(records: _Records) -> list[Event]:
    """Actions on a submission and outcomes of its runs, oldest first. One query, two for a team's. Maintainers see
    every name; a team sees those of members, present and former, but not which maintainer decided."""
    team = records.submission.team_id
    members = set(Membership.objects.filter(team=team).values_list("user", flat=True)) if team is not None else set()
    log = []
    for event in records.submission.events.select_related("actor"):
        actor = event.actor
        named = records.for_maintainer or (team is not None and actor and (actor.pk in members or not actor.is_staff))
        text = f"{event.text} ({actor.get_username()})" if actor and named else event.text
        log.append(Event(event.at, text))
    for file in records.files:
        for run in records.runs[file.pk]:
            if run.finished_at is not None and run.state not in ACTIVE:
                state, reason = state_and_reason(run, for_maintainer=records.for_maintainer)
                text = f"{file.setting.name}, {metric_named(run.name).label}: {state.lower()}"
                log.append(Event(run.finished_at, f"{text}. {reason}" if reason else f"{text}."))
    return sorted(log, key=lambda event: event.at)


def _file_view(file: SubmissionFile, records: _Records, *, may_replace: bool = False) -> FileView:
    """One version of a file. A current one has its earlier versions."""
    address_of = [file.submission_id, file.setting.slug]
    download_url = reverse("submission-file", args=address_of)
    is_current = file.replaced_at is None
    return FileView(
        setting_name=file.setting.name,
        setting_slug=file.setting.slug,
        filename=file.filename,
        size=file.size,
        text_size=file.text_size,
        compression="gzip" if file.compression else None,
        sha256=file.sha256,
        n_lines=file.n_lines,
        n_answered=file.n_answered,
        n_questions=file.n_questions,
        n_attempts=file.answer_set.n_attempts,
        warnings=file.warnings,
        download_url=download_url if is_current else f"{download_url}?version={file.version}",
        runs=[
            _with_equal_length(
                RunView.of(
                    run,
                    records.columns,
                    records.rule,
                    records.expected.get(run.pk),
                    for_maintainer=records.for_maintainer,
                    shown=_is_shown(run, records.signatures.get(run.name)),
                    is_earlier=run.revision_id != run.revision.split.current_revision_id,
                ),
                run,
                file,
                records,
            )
            for run in records.runs[file.pk]
        ],
        version=file.version,
        sent_at=file.sent_at,
        sent_by=file.sent_by.get_username() if file.sent_by else "",
        replaced_at=file.replaced_at,
        on_board=file.answer_set_id in records.on_board,
        replace_url=reverse("submission-replace", args=address_of) if may_replace else "",
        earlier=[
            _file_view(old, records)
            for old in records.versions
            if is_current and old.setting_id == file.setting_id and old.version < file.version
        ],
        passages=file.passages,
        usage=usage.totals if (usage := getattr(file.answer_set, "usage", None)) else None,
        taken=taken(records.submission.run_facts, usage, totals_only=True, from_log=file.is_from_log),
    )


def _with_equal_length(view: RunView, run: Run, file: SubmissionFile, records: _Records) -> RunView:
    """A run with its win rate at equal length, which belongs to a board: until it is published, on today's board."""
    score = next((score for score in final_scores(run) if score.name == WIN_RATE), None)
    is_own_baseline = run.opponent_id == run.answer_set_id
    if score is None or is_own_baseline or not view.shown or file.replaced_at or file.answer_set_id in records.on_board:
        return view
    if records.rule.withheld(score) or records.rule.step is not None:
        return view
    versions = {version.answer_set_id for version in records.versions if version.setting_id == file.setting_id}
    estimate = equal_length_on_board(run, score.pk, records.submission.split, file.setting, versions)
    scores = [
        replace(score, has_equal_length=True, equal_length=estimate) if score.name == WIN_RATE else score
        for score in view.scores
    ]
    return replace(view, scores=scores)


def _is_shown(run: Run, shown: str | None) -> bool:
    """Whether boards show a run's scores, or will once it has some; *shown* is None if they show none of its metric."""
    if shown is None:
        return True
    # Before its scores come, a run does not know which model will have served it: that part is left out.
    return signature_of(run) == (shown if final_scores(run) else shown.partition(SERVED)[0])
