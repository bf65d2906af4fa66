"""Values about submissions for pages, the API and emails, made from runs that are already loaded."""

from __future__ import annotations

import datetime
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal, NamedTuple

from django.conf import settings

from leaderboard.board.ranking.types import Estimate
from leaderboard.disclosure import DisclosureRule
from leaderboard.models import Publication
from leaderboard.publishing.flags import Hold, Review
from leaderboard.publishing.status import PublicationView
from leaderboard.systems.shown_facts import ShownFact
from scoring.metrics.columns import Column
from scoring.models import PassageFile, Run, Score
from scoring.models.run_states import RunState
from scoring.registry import metric_named
from scoring.runs.answer_sets import NO_BASELINE, NO_REFERENCES
from scoring.runs.errors import NO_ANSWERS, without_message
from scoring.runs.queue_estimates import QueueEstimate

NOT_YET: Final = "Not scored yet"
CANNOT_RUN: Final = "This site cannot compute this metric yet. The score is added automatically once it can."


OF_STATE: Final = {
    RunState.NOT_CONFIGURED: CANNOT_RUN,
    RunState.OVER_BUDGET: "A maintainer must release the cost of judging.",
    RunState.INCOMPLETE: "Some answers have no verdict. The maintainers see the cause.",
    RunState.FAILED: "An error on this site stopped this run. Your file is valid and stored, and nothing is lost: the "
    "maintainers see the cause, and the run can be retried. If you have questions, ask {contact}.",
}
"""By state: why a run has no score, for everybody but maintainers."""


@dataclass(frozen=True)
class ScoreView:
    """A named score: at full precision for an open split, rounded as on the board for a hidden split."""

    column: Column
    value: float | None
    """None where it is not shown; see reason."""
    low: float | None = None
    """Lower end of the 95 % confidence interval."""
    high: float | None = None
    """Upper end of the 95 % confidence interval."""
    reason: str = ""
    """Why there is no value; empty if there is one."""
    has_equal_length: bool = False
    """Whether it is the win rate of an unpublished submission."""
    equal_length: Estimate | None = None
    """What that would be at equal length, on today's board; None if it cannot be estimated."""

    @property
    def name(self) -> str:
        """Name of the score, as of columns."""
        return self.column.score

    @property
    def label(self) -> str:
        """How boards name it."""
        return self.column.label


def final_scores(run: Run) -> list[Score]:
    """The loaded scores of a run, if it may be seen that it is done (`leaderboard.disclosure.runs_for_sender`)."""
    return list(run.scores.all()) if run.state == RunState.DONE else []


def scores_of(run: Run, columns: Mapping[str, Column], rule: DisclosureRule) -> list[ScoreView]:
    """The scores of a run that have a column, by their names in *columns*, as far as *rule* allows showing them."""
    views = []
    for score in final_scores(run):
        column = columns.get(score.key)
        if column is None:
            continue
        if reason := rule.withheld(score):
            views.append(ScoreView(column, None, reason=reason))
        else:
            views.append(ScoreView(column, rule.number(score.value, column), *rule.ends(score.low, score.high, column)))
    return views


def signature_of(run: Run) -> str:
    """The signature of a run's scores, which may also name the models that replied; without scores, the run's own."""
    return next((score.signature for score in final_scores(run)), run.signature)


def state_and_reason(run: Run, *, for_maintainer: bool) -> tuple[str, str]:
    """A run's state and its reason. The stored reason is for maintainers, because it may name settings, files and
    services of the site; only those about the submission or the split are shown to others."""
    if for_maintainer:
        return run.get_state_display(), without_message(run.reason)
    label = NOT_YET if run.state == RunState.NOT_CONFIGURED else run.get_state_display()
    if run.state == RunState.CANCELLED or run.reason in (NO_REFERENCES, NO_BASELINE, NO_ANSWERS):
        return label, run.reason
    return label, OF_STATE.get(RunState(run.state), "").format(contact=settings.SITE_CONTACT or "the maintainers")


@dataclass(frozen=True)
class RunView:
    """The run of one metric on one file."""

    metric: str
    metric_label: str
    state: str
    """waiting, running, done, failed, not_configured or cancelled."""
    state_label: str
    reason: str
    """Why the run is waiting, failed or cannot run."""
    done: int
    total: int
    percent: int | None
    position: int | None
    """Position in the queue; 1 is next."""
    scores: list[ScoreView]
    signature: str
    started_at: datetime.datetime | None
    finished_at: datetime.datetime | None
    attempts: int
    seconds: float | None = None
    """Estimated seconds until the run is scored; None without an estimate."""
    n_measured: int = 0
    """Number of earlier runs of this metric behind the estimate."""
    has_workers: bool = True
    """Whether a worker for this metric was active recently."""
    revision: str = ""
    """Revision of the questions that the run scores against."""
    revision_date: datetime.date | None = None
    shown: bool = True
    """Whether boards show scores with this signature."""
    is_earlier: bool = False
    """Whether the split has another revision than that one by now."""
    n_answered: int | None = None
    """With ``n_items``, once it is scored: how many questions of its revision have an answer."""
    n_items: int | None = None

    @classmethod
    def of(
        cls,
        run: Run,
        columns: Mapping[str, Column],
        rule: DisclosureRule,
        estimate: QueueEstimate | None = None,
        *,
        for_maintainer: bool = False,
        shown: bool = True,
        is_earlier: bool = False,
    ) -> RunView:
        """The view of a run, with the scores that are in *columns*, by the scores' names."""
        score = next(iter(final_scores(run)), None)
        state_label, reason = state_and_reason(run, for_maintainer=for_maintainer)
        return cls(
            metric=run.name,
            metric_label=metric_named(run.name).label,
            state=run.state,
            state_label=state_label,
            reason=reason,
            done=run.done_items,
            total=run.total_items,
            percent=100 * run.done_items // run.total_items if run.total_items else None,
            position=estimate.position if estimate else None,
            scores=scores_of(run, columns, rule),
            signature=signature_of(run),
            started_at=run.started_at,
            finished_at=run.finished_at,
            attempts=run.attempts,
            seconds=estimate.seconds if estimate else None,
            n_measured=estimate.n_runs if estimate else 0,
            has_workers=estimate is None or estimate.n_workers > 0,
            revision=run.revision.short_hash,
            revision_date=run.revision.date,
            shown=shown,
            is_earlier=is_earlier,
            # That of a part of the questions would tell which of these are in it.
            n_answered=score.n_answered if score and not run.revision.split.part else None,
            n_items=score.n_items if score and not run.revision.split.part else None,
        )


@dataclass(frozen=True)
class FileView:
    """A version of an uploaded file: the current one, or an earlier one that a newer one replaced."""

    setting_name: str
    setting_slug: str
    filename: str
    size: int
    """In bytes, as sent."""
    sha256: str
    n_lines: int
    n_answered: int
    n_questions: int
    warnings: list[dict[str, Any]]
    download_url: str
    runs: list[RunView]
    n_attempts: int = 1
    """How often it answers each question."""
    version: int = 1
    sent_at: datetime.datetime | None = None
    sent_by: str = ""
    replaced_at: datetime.datetime | None = None
    on_board: bool = False
    """Whether the board shows this version; an earlier one, until the newer one is published."""
    replace_url: str = ""
    """Where a newer version is uploaded; empty for users without the right."""
    earlier: list[FileView] = field(default_factory=list)
    """Earlier versions, newest first."""
    text_size: int | None = None
    """In bytes of text; None for files sent before this was recorded."""
    compression: Literal["gzip"] | None = None
    """Compression of the file, if any."""
    passages: PassageFile | None = None
    """Retrieved passages that were sent with it."""
    usage: Mapping[str, float] | None = None
    """What its run took in all, with `n_answers`."""
    taken: list[ShownFact] = field(default_factory=list)
    """What the answers took, in words."""

    @property
    def scores(self) -> list[ScoreView]:
        """Scores by name: of several, the one that boards show, or the last made."""
        shown_last = sorted(self.runs, key=lambda run: run.shown)
        return list({score.name: score for run in shown_last for score in run.scores}.values())


@dataclass(frozen=True)
class ScoreCell:
    """One cell of a table of scores: a score, or the run that has none yet; without both, the metric has no run, or a
    note says why."""

    score: ScoreView | None = None
    run: RunView | None = None
    n_rows: int = 1
    """The number of rows that the cell spans."""
    note: int = 0
    """The number of the note with the reason; 0 without one."""


@dataclass(frozen=True)
class ScoreRow:
    """One row of a table of scores: a score in each setting."""

    column: Column
    cells: list[ScoreCell]
    """In the order of the files, without the cells that one from a row above spans."""


@dataclass(frozen=True)
class ScoreNote:
    """A reason that cells of a table of scores refer to."""

    number: int
    text: str
    left_out: list[str]
    """The labels of the scores that have no row, because the reason applies to them in every setting."""


@dataclass(frozen=True)
class ScoreTable:
    """The scores of a submission: one row for each score, one column for each setting."""

    files: list[FileView]
    rows: list[ScoreRow]
    """The scores that boards show by default."""
    more: list[ScoreRow]
    """All others, such as precision and recall."""
    more_label: str
    notes: list[ScoreNote]
    """Each reason once."""
    revision: str = ""
    """The first digits of the revision that its scores belong to."""
    revision_date: datetime.date | None = None
    is_earlier: bool = False
    """Whether the split has another revision by now."""
    on_boards: list[str] = field(default_factory=list)
    """The metrics whose scores boards show from this revision."""
    awaited: str = ""
    """The earlier revision that boards still show, if they show none of these scores: first digits."""
    others: list[ScoreTable] = field(default_factory=list)
    """The scores that belong to other revisions, newest revision first."""

    @property
    def n_unanswered(self) -> int:
        """The number of the revision's questions without an answer, the largest of all settings."""
        return max((file.n_questions - file.n_answered for file in self.files), default=0)


class Event(NamedTuple):
    """An event in the history of a submission."""

    at: datetime.datetime
    text: str


STATE_LABELS: Final = {
    "waiting": "Queued",
    "running": "Running",
    "done": "Scored",
    "failed": "Failed",
    "withdrawn": "Withdrawn",
    "not_configured": "Not scored yet",
}
"""By state of a submission (`leaderboard.submissions.queries.state_of`): how pages name it."""


@dataclass(frozen=True, kw_only=True)
class SubmissionLine:
    """A submission in a list."""

    uuid: uuid.UUID
    name: str
    benchmark: str
    benchmark_slug: str
    split: str
    split_slug: str
    team_name: str = ""
    team_slug: str = ""
    """The team that owns it; empty if the submitter owns it alone."""
    created_at: datetime.datetime
    url: str
    """URL of its web page."""
    state: str
    is_public: bool
    """Whether it is on the board."""

    @property
    def state_label(self) -> str:
        """The state in words."""
        return STATE_LABELS[self.state]


@dataclass(frozen=True, kw_only=True)
class SubmissionView(SubmissionLine):
    """A submission with its files, runs and scores."""

    owner_name: str
    is_owner: bool
    can_publish: bool
    can_retry: bool
    finished: bool
    """Whether no run is waiting or running any more."""
    published_urls: list[tuple[str, str]]
    files: list[FileView]
    metadata: list[tuple[str, str | None]]
    events: list[Event] = field(default_factory=list)
    """History of the submission, oldest first."""
    run_facts: Mapping[str, Any] = field(default_factory=dict)
    split_hidden: bool = True
    shows_answers: bool = False
    """Whether its answers are public."""
    seconds: float | None = None
    """Estimated seconds until all runs are finished; None without an estimate."""
    has_newer: bool = False
    """Whether the board shows an older version of a file than the current one."""
    publication: PublicationView = field(default_factory=PublicationView)
    for_maintainer: bool = False
    """Whether its viewer is shown what is missing on the site."""
    becomes_baseline: bool = False
    """Whether publishing it makes its answers the baseline that others are compared with."""
    table: ScoreTable | None = None
    """The scores of its files."""
    reviews: list[Review] = field(default_factory=list)
    """Why scores wait for a maintainer, or stay private; empty if they do not."""
    holds: list[Hold] = field(default_factory=list)
    """Files whose scores are held for a maintainer, or stay private, for a cause that is not shown."""

    @property
    def revisions(self) -> list[ScoreTable]:
        """Revisions that the runs score against, that of the boards first."""
        tables = (self.table, *self.table.others) if self.table else ()
        return [table for table in tables if table.revision]


@dataclass(frozen=True, kw_only=True)
class SubmissionRow(SubmissionLine):
    """A submission in a list."""

    scores: list[tuple[str, ScoreView]] = field(default_factory=list)
    """By setting: the score that boards are ordered by, if there is one."""
    missing: list[tuple[str, str]] = field(default_factory=list)
    """Metrics that have no score, with their settings unless these are all, and the reason."""
    publication: Publication | None = None
    """The newest request, if it waits, was returned or ended with a retraction."""
