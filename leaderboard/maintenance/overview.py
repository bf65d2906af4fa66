"""The maintainers' start page: pending work, and links to all pages."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from django.db.models import Count, Exists, F, OuterRef
from django.db.models.functions import Coalesce

from leaderboard.maintenance.moderation.queries import n_flagged
from leaderboard.maintenance.queues import Queue, queues_page
from leaderboard.maintenance.rescoring import PendingSwitch, pending_switches
from leaderboard.models import Entry, Publication, PublicationState
from leaderboard.operations import health
from scoring.declarations import known_benchmarks
from scoring.models import Answer, Split
from scoring.models.run_states import RunState
from scoring.runs.judging import budget


@dataclass(frozen=True)
class Overview:
    """The state of the site in a few numbers, and the splits with their actions."""

    n_to_approve: int
    """Submissions that wait for approval."""
    n_flagged: int
    """Submissions with flags that no maintainer decided about."""
    n_failed: int
    """Runs that stopped and can be retried."""
    n_over_budget: int
    """Runs over budget that wait for a release."""
    n_rows_to_publish_again: int
    """Rows of people on boards that count answers which were withdrawn since, and others."""
    n_rows_to_remove: int
    """Rows of people on boards all of whose answers were withdrawn since."""
    pending_switches: list[PendingSwitch]
    """Splits whose boards show scores of an earlier revision, or under other signatures than new scores have."""
    spent_usd: Decimal
    """The cost of judging this month."""
    queues: list[Queue]
    queue_answers: bool
    """Whether messages reach the workers."""
    overdue_sweep: str
    """What is wrong with the sweeps, which the scheduler requests; empty if nothing is."""
    splits: list[Split]
    """With ``n_questions`` of the current revision and ``n_revisions``."""

    @property
    def n_waiting(self) -> int:
        """The number of waiting runs in all queues."""
        return sum(queue.n_waiting for queue in self.queues)

    @property
    def n_running(self) -> int:
        """The number of running runs."""
        return sum(queue.n_running for queue in self.queues)

    @property
    def stalled_queues(self) -> list[Queue]:
        """Queues with waiting runs and without a worker, and the one that must always have a worker, if it has none."""
        needed = health.NEEDED_QUEUE
        return [queue for queue in self.queues if queue.is_stalled or (queue.name == needed and not queue.n_workers)]

    @property
    def unanswered(self) -> list[Split]:
        """Splits with questions but without reference answers, whose submissions cannot be scored."""
        return [split for split in self.splits if split.current_revision and not split.current_revision.has_references]

    @property
    def all_quiet(self) -> bool:
        """Whether no work is pending."""
        return not (
            self.n_to_approve
            or self.n_flagged
            or self.n_failed
            or self.n_over_budget
            or self.n_rows_to_publish_again
            or self.n_rows_to_remove
            or self.stalled_queues
            or not self.queue_answers
            or self.overdue_sweep
            or self.unanswered
            or self.pending_switches
        )


def overview() -> Overview:
    """The current state of the site. Fifteen queries, whatever its size, and some for each split whose boards wait for
    a switch."""
    page = queues_page()
    answers = Answer.objects.filter(answer_set=OuterRef("answer_set"))
    outdated = Entry.objects.filter(Exists(answers.exclude(withdrawn_at=None)), replaced_at=None)
    rows = outdated.aggregate(all=Count("pk"), left=Count("pk", filter=Exists(answers.filter(withdrawn_at=None))))
    return Overview(
        n_to_approve=Publication.objects.filter(state=PublicationState.PENDING).count(),
        n_flagged=n_flagged(),
        n_failed=sum(group.n_runs for group in page.stopped if group.can_retry),
        n_over_budget=sum(group.n_runs for group in page.stopped if group.state == RunState.OVER_BUDGET),
        n_rows_to_publish_again=rows["left"],
        n_rows_to_remove=rows["all"] - rows["left"],
        pending_switches=pending_switches(),
        spent_usd=budget.spent(budget.verdicts_of_this_month()),
        queues=page.queues,
        queue_answers=health.queue_answers(),
        overdue_sweep=page.overdue_sweep,
        splits=list(
            Split.every.filter(benchmark__in=known_benchmarks())
            .select_related("benchmark", "current_revision", "subset_of")
            .annotate(
                n_questions=Count("current_revision__questions", distinct=True),
                n_revisions=Count("revisions", distinct=True),
            )
            .order_by(
                "benchmark__position", Coalesce("subset_of__position", "position"), F("subset_of").asc(nulls_first=True)
            )
        ),
    )
