"""The sweeper: finds runs that are waiting, parked or abandoned, and starts them again."""

import datetime

from django.conf import settings
from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from scoring import queries
from scoring.models import Baseline, Run
from scoring.models.run_states import AGAIN, UNLEASED, UNSENT, RunState
from scoring.registry import metric_of, signature_of
from scoring.runs.answer_sets import SUPERSEDED
from scoring.runs.dispatch import claimable, send, send_on_commit

STOPPED = "The worker stopped during this run"
MAX_RESEND_SECONDS = 3600


def sweep() -> dict[str, int]:
    """Find and restart every unfinished run that no worker is processing.

    Runs with expired leases return to waiting (or to failed, after ``RUN_MAX_ATTEMPTS``), runs parked because something
    was missing start once it is available, and waiting runs whose message was lost are sent again, at growing
    intervals. Returns the number of each.
    """
    now = timezone.now()
    # Incomplete runs whose endpoint may answer again by now; they keep their history.
    due = Run.objects.filter(state=RunState.INCOMPLETE, not_before__lte=now)
    never_sent = Q(sent_at__isnull=True, created_at__lt=now - datetime.timedelta(seconds=2))
    sent_before = Q(sent_at__lt=now - datetime.timedelta(seconds=settings.RUN_RESEND_SECONDS))
    candidates = Run.objects.filter(claimable(now), never_sent | sent_before).order_by("created_at")
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
        "reclaimed": queries.overdue_runs(now).update(
            **UNLEASED, **UNSENT, state=RunState.WAITING, reason=f"{STOPPED}; the run will be restarted."
        ),
        "configured": start_parked(),
        "returned": due.update(**AGAIN, not_before=None),
        "sent": send(str(run.pk) for run in candidates.only("pk", "sent_at", "times_sent") if _is_due(run, now)),
    }


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
    parked = Run.objects.filter(pk=run.pk, state=RunState.NOT_CONFIGURED)
    same = Run.objects.filter(
        answer_set=run.answer_set,
        metric=run.metric,
        subset=run.subset,
        signature=signature,
        repeat=run.repeat,
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


def _is_due(run: Run, now: datetime.datetime) -> bool:
    wait = min(settings.RUN_RESEND_SECONDS * 2 ** max(run.times_sent - 1, 0), MAX_RESEND_SECONDS)
    return run.sent_at is None or run.sent_at <= now - datetime.timedelta(seconds=wait)
