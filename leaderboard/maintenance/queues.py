"""Runs and queues for maintainers: lengths, workers, and failures with their reasons."""

from __future__ import annotations

import datetime
import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from django.db import transaction
from django.db.models import Count, Max, Min, Q
from django.utils import timezone

from leaderboard.models import KnownNeed, User
from leaderboard.operations import audit
from scoring.models import RUN_NAME, Run, WorkerHeartbeat
from scoring.models.run_states import PARKED, RunState
from scoring.models.workers import SWEEP, overdue_sweep
from scoring.registry import METRICS, metric_named
from scoring.runs import answer_sets
from scoring.runs.errors import without_message

SHOWN_GROUPS: Final = 50
"""The maximum number of listed reasons; most frequent first."""
DAY: Final = datetime.timedelta(days=1)


@dataclass(frozen=True)
class Queue:
    """The waiting runs for one kind of worker."""

    name: str
    metrics: tuple[str, ...]
    """The metrics whose runs it takes, in words."""
    n_waiting: int
    n_later: int
    """The number of these that are postponed (for example because a judge was unavailable)."""
    n_running: int
    n_overdue: int
    """Running runs whose worker is dead or has lost the database; the next sweep restarts them."""
    waited: datetime.timedelta | None
    """Time for which the first run of the queue has waited; None if none waits."""
    n_done: int
    """Runs done in the last day."""
    n_workers: int
    """Workers with a recent heartbeat."""

    @property
    def is_stalled(self) -> bool:
        return bool(self.n_waiting) and not self.n_workers


@dataclass(frozen=True)
class Stopped:
    """Runs of one metric that stopped for the same reason."""

    metric: str
    state: RunState
    reason: str
    n_runs: int
    first_at: datetime.datetime | None
    last_at: datetime.datetime | None
    read_until: datetime.datetime | None = None
    """Up to when a maintainer has marked these errors as read."""

    @property
    def is_read(self) -> bool:
        """Whether a maintainer has marked the error as read, and no run stopped for it since."""
        return self.read_until is not None and self.last_at is not None and self.last_at <= self.read_until

    @property
    def label(self) -> str:
        return metric_named(self.metric).label

    @property
    def key(self) -> str:
        """The identifier of this group in a form."""
        return _key_of(self.metric, self.state, self.reason)

    @property
    def cause(self) -> str:
        """The reason without the message of a package's error."""
        return without_message(self.reason)

    @property
    def message(self) -> str:
        """The message of a package's error, for people who may see reference answers."""
        return self.reason.removeprefix(self.cause)

    @property
    def can_retry(self) -> bool:
        """Whether a retry could help; other parked runs start automatically or after a release."""
        return self.state in answer_sets.RETRIABLE

    @property
    def tone(self) -> str:
        return "bad" if self.state == RunState.FAILED else "warn"


@dataclass(frozen=True)
class QueuesPage:
    """The content of the queues page."""

    at: datetime.datetime
    queues: list[Queue]
    workers: list[WorkerHeartbeat]
    swept_at: datetime.datetime | None
    """Time at which the last sweep finished."""
    stopped: list[Stopped]
    n_more_reasons: int

    @property
    def overdue_sweep(self) -> str:
        """Problem with the sweeps that the scheduler requests, in words; empty if there is none."""
        return overdue_sweep(None if self.swept_at is None else (self.at - self.swept_at).total_seconds())


def queues_page() -> QueuesPage:
    """The current state of the queues. Five queries, whatever their length."""
    now = timezone.now()
    heartbeats = list(WorkerHeartbeat.objects.all())
    workers = [heartbeat for heartbeat in heartbeats if heartbeat.name != SWEEP]
    counts: dict[str, dict[str, Any]] = {
        row["full_name"]: dict(row)
        for row in Run.objects.filter(state__in=(RunState.WAITING, RunState.RUNNING))
        .order_by()
        .annotate(full_name=RUN_NAME)
        .values("full_name")
        .annotate(
            waiting=Count("pk", filter=Q(state=RunState.WAITING)),
            later=Count("pk", filter=Q(state=RunState.WAITING, not_before__gt=now)),
            running=Count("pk", filter=Q(state=RunState.RUNNING)),
            overdue=Count("pk", filter=Q(state=RunState.RUNNING, lease_until__lt=now)),
            since=Min("created_at", filter=Q(state=RunState.WAITING)),
        )
    }
    # By metric, like the index on recently finished runs: the table grows without bound.
    done = dict(
        Run.objects.filter(metric__in=METRICS, state=RunState.DONE, finished_at__gte=now - DAY)
        .order_by()
        .values_list("metric")
        .annotate(n=Count("pk"))
    )
    queues = []
    for name in dict.fromkeys(metric.queue for metric in METRICS.values()):
        metrics = [metric for metric, registered in METRICS.items() if registered.queue == name]
        rows = [counts[metric] for metric in metrics if metric in counts]
        queues.append(
            Queue(
                name=name,
                metrics=tuple(metric_named(metric).label for metric in metrics),
                n_waiting=sum(row["waiting"] for row in rows),
                n_later=sum(row["later"] for row in rows),
                n_running=sum(row["running"] for row in rows),
                n_overdue=sum(row["overdue"] for row in rows),
                waited=max((now - row["since"] for row in rows if row["since"]), default=None),
                n_done=sum(done.get(metric, 0) for metric in metrics),
                n_workers=sum(worker.is_alive and name in worker.queue_names for worker in workers),
            )
        )
    groups = sorted(_stopped(), key=lambda group: (not group.can_retry, -group.n_runs, group.metric, group.reason))
    return QueuesPage(
        at=now,
        queues=queues,
        workers=workers,
        swept_at=next((heartbeat.seen_at for heartbeat in heartbeats if heartbeat.name == SWEEP), None),
        stopped=groups[:SHOWN_GROUPS],
        n_more_reasons=max(0, len(groups) - SHOWN_GROUPS),
    )


def _stopped() -> Iterator[Stopped]:
    rows = (
        Run.objects.filter(state__in=[RunState.FAILED, *PARKED])
        .order_by()
        .annotate(full_name=RUN_NAME)
        .values_list("full_name", "state", "reason")
        .annotate(n=Count("pk"), first=Min("finished_at"), last=Max("finished_at"))
    )
    read = dict(KnownNeed.objects.values_list("key", "read_until"))
    for metric, state, reason, n_runs, first, last in rows:
        read_until = read.get(_key_of(metric, state, reason))
        yield Stopped(metric, RunState(state), reason, n_runs, first, last, read_until)


def _key_of(metric: str, state: str, reason: str) -> str:
    return hashlib.sha256("\0".join((metric, state, reason)).encode()).hexdigest()[:20]


def mark_read(key: str, until: datetime.datetime, *, actor: User) -> None:
    """Record that a maintainer has read the errors of a `Stopped.key`, up to a time that was shown: they need attention
    no more, later ones do."""
    group = next((group for group in _stopped() if group.key == key), None)
    if group is None:
        return
    KnownNeed.objects.update_or_create(key=key, defaults={"read_until": min(until, timezone.now())})
    audit.record(actor, "errors.read", f"{group.label}, {group.state.label.lower()}", group.cause)


@transaction.atomic
def retry(key: str, *, actor: User) -> int:
    """Queue all runs of one metric that stopped for one reason again; returns how many.

    Args:
        key: the `Stopped.key` of the group; 0 runs if the group no longer exists.
    """
    group = next((group for group in _stopped() if group.key == key and group.can_retry), None)
    if group is None:
        return 0
    runs = Run.objects.annotate(full_name=RUN_NAME).filter(
        full_name=group.metric, state=group.state, reason=group.reason
    )
    retried = answer_sets.retry_runs(runs)
    if retried:
        text = f"Requeued {retried} runs that had stopped: {group.cause}"
        audit.record(actor, "runs.retried", f"{group.label}, {group.state.label.lower()}", text)
    return retried
