"""The sweeper: finds runs that are waiting, parked or abandoned, and starts them again."""

import datetime
import logging
from collections import Counter, defaultdict

from django.conf import settings
from django.db import transaction
from django.db.models import Count
from django.utils import timezone

from scoring import queries
from scoring.models import Baseline, Run, clock
from scoring.models.run_states import AGAIN, UNLEASED, UNSENT, RunState
from scoring.registry import metric_named, metric_of, signature_of
from scoring.runs.answer_sets import SUPERSEDED
from scoring.runs.dispatch import claimable, send, send_on_commit
from scoring.runs.judging.budget import continue_affordable
from scoring.workers import broker

logger = logging.getLogger(__name__)

STOPPED = "The worker stopped during this run"
UNSENT_SECONDS = 2
"""The age at which a run that was never sent counts as forgotten; a younger one's request is about to send it."""


def sweep() -> dict[str, int]:
    """Find and restart every unfinished run that no worker is processing.

    Runs with expired leases return to waiting (or to failed, after ``RUN_MAX_ATTEMPTS`` without results that are
    stored), runs parked because something was missing start once it is available, runs over budget once the caps allow
    them, and waiting runs whose message was lost are sent again. Returns the number of each.
    """
    now = clock.now()
    # Incomplete runs whose endpoint may answer again by now; they keep their history.
    due = Run.objects.filter(state=RunState.INCOMPLETE, not_before__lte=now)
    return {
        "failed": queries.overdue_runs(now)
        .filter(attempts__gte=settings.RUN_MAX_ATTEMPTS)
        .update(
            **UNLEASED,
            state=RunState.FAILED,
            reason=f"{STOPPED} {settings.RUN_MAX_ATTEMPTS} times. The answers are still stored; a maintainer can "
            "retry the run.",
            finished_at=now,
        ),
        # After "failed": what has attempts left. A dict is evaluated in its order.
        "reclaimed": queries.overdue_runs(now).update(
            **UNLEASED, **UNSENT, state=RunState.WAITING, reason=f"{STOPPED}; the run will be restarted."
        ),
        "configured": start_parked(),
        "returned": due.update(**AGAIN, not_before=None),
        "affordable": continue_affordable(),
        "sent": send(_unsent(now)),
    }


def _unsent(now: datetime.datetime) -> list[str]:
    """The waiting runs that were never sent, and those whose message the broker has lost, longest waiting first.

    Every sent run that waits has a message in its queue, or a worker has just received that message. So a queue that is
    shorter than the number of its waiting runs has lost messages, or a busy worker holds some. The runs sent first are
    sent again, as many as the queue lacks: then the queue is long enough, and the next sweep sends none. A run may have
    two messages: the second finds it claimed. Other messages in the queue count for its length too: until they are
    done, fewer runs are sent again, never more.
    """
    waiting = Run.objects.filter(claimable(now)).order_by()
    never_sent = waiting.filter(sent_at=None, created_at__lt=now - datetime.timedelta(seconds=UNSENT_SECONDS))
    unsent = [str(pk) for pk in never_sent.order_by("created_at").values_list("pk", flat=True)]
    n_sent: Counter[str] = Counter()
    metrics = defaultdict(list)
    sent = waiting.exclude(sent_at=None).values_list("metric")
    for metric, n_runs in sent.annotate(n_runs=Count("pk")):
        queue = metric_named(metric).queue
        n_sent[queue] += n_runs
        metrics[queue].append(metric)
    before = now - datetime.timedelta(seconds=settings.RUN_RESEND_SECONDS)
    for queue, n_runs in n_sent.items():
        try:
            n_lost = n_runs - broker.n_messages(queue)
        except broker.UNREACHABLE as error:
            logger.warning("The length of the queue %s is unknown (%s).", queue, type(error).__name__)
            break
        if n_lost > 0:
            lost = waiting.filter(metric__in=metrics[queue], sent_at__lt=before).order_by("sent_at")
            unsent += [str(pk) for pk in lost.values_list("pk", flat=True)[:n_lost]]
    return unsent


def start_parked() -> int:
    """Start the parked runs of every metric that can run on this machine; returns how many."""
    return sum(_start_parked(run) for run in queries.startable_runs())


@transaction.atomic
def _start_parked(run: Run) -> bool:
    """Start a parked run under its metric's current signature; cancel it if no leaderboard would show its scores."""
    metric = metric_of(run.revision.split.benchmark.slug, run.metric)
    signature, opponent = signature_of(metric, queries.data_of(run)), run.opponent_id
    if metric.compares and opponent is None:  # the baseline was chosen after the run was created
        baseline = Baseline.objects.get(split=run.revision.split)
        opponent = baseline.answer_set_id
        signature = signature_of(metric, queries.compared_data(run.revision.signature_part, baseline.digest))
    # Not `run.save()`: another sweeper may have started or cancelled the run, and then this updates nothing.
    parked = Run.objects.filter(pk=run.pk, state=RunState.NOT_CONFIGURED)
    same = Run.objects.filter(
        answer_set=run.answer_set,
        metric=run.metric,
        subset=run.subset,
        signature=signature,
        opponent=opponent,
    ).exclude(pk=run.pk)
    why_not = ""
    if same.exists():
        why_not = "Another run computes the same scores."
    elif run.revision_id != run.revision.split.current_revision_id and run.revision not in queries.revisions_in_use(
        run.answer_set.split, run.name
    ):
        why_not = SUPERSEDED
    if why_not:
        parked.update(state=RunState.CANCELLED, reason=why_not, finished_at=timezone.now())
        return False
    started = parked.update(**UNSENT, state=RunState.WAITING, reason="", signature=signature, opponent=opponent)
    if started:
        send_on_commit([run.pk])
    return bool(started)
