"""Queue position and estimated completion time of runs, from the durations of recent runs.

The estimates are not guarantees. A run's own time is the median of the seconds per item of the latest runs of its
metric, times its items; the work queued before it is shared among the workers with a recent heartbeat.
"""

from __future__ import annotations

import datetime
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any, Final

from django.core.cache import cache
from django.db.models import Count, F
from django.utils import timezone

from scoring.benchmarks.columns import JUDGES
from scoring.models import Question, Run, WorkerHeartbeat
from scoring.models import workers as models_workers
from scoring.models.run_states import ACTIVE, RunState
from scoring.registry import METRICS, metric_named

LAST_RUNS: Final = 20
"""The number of latest runs of a metric from which its pace is measured."""
THROUGHPUT_SECONDS: Final = 60
"""Seconds for which a measured pace is cached; pages that follow a run ask every two seconds."""


@dataclass(frozen=True)
class QueueEstimate:
    """The estimate for a waiting or running run."""

    position: int | None
    """Position of the run in the queue, 1 is next; ``None`` for a running run."""
    seconds: float | None
    """The approximate time from now until it is scored; ``None`` if there is no basis for an estimate."""
    n_runs: int
    """The number of runs of its metric that the estimate is based on; 0 if it is the first."""
    n_workers: int
    """The number of workers for such runs with a recent heartbeat."""


def throughputs(metrics: Iterable[str]) -> dict[str, tuple[float, int] | None]:
    """The pace of each metric: the seconds per item, as the median over the latest runs, which a single unusual run
    does not change; and their number. ``None`` for a metric of which no run was ever finished on this site.

    Cached for `THROUGHPUT_SECONDS`; one query for each metric that is not in the cache.
    """
    known: dict[str, tuple[float, int] | None] = {}
    for metric in metrics:
        key = f"pace:{metric}"
        pace: tuple[float, int] | None = cache.get(key)
        if pace is None:
            last = (
                # By the clocks of two machines, a run may seem to end before it begins: such a run says nothing.
                Run.objects.filter(metric=metric, state=RunState.DONE, total_items__gt=0)
                .filter(started_at__isnull=False, finished_at__gte=F("started_at"))
                .order_by("-finished_at")
                .values_list("started_at", "finished_at", "total_items")[:LAST_RUNS]
            )
            each = [(end - start).total_seconds() / items for start, end, items in last if start and end]
            pace = (median(each), len(each)) if each else (0.0, 0)
            if each:  # a metric's first pace is shown as soon as its run is done
                cache.set(key, pace, timeout=THROUGHPUT_SECONDS)
        known[metric] = pace if pace[1] else None
    return known


def estimate_runs(runs: Sequence[Run]) -> dict[Any, QueueEstimate]:
    """The estimates for those of *runs* (one submission's, created together) that are waiting or running.

    No query if there are none; otherwise four, and one for each queued metric whose pace is not in the cache.
    """
    active = [run for run in runs if run.state in ACTIVE]
    if not active:
        return {}
    workers = _workers()
    waiting = sorted(
        (run for run in active if run.state == RunState.WAITING), key=lambda run: (run.created_at, run.metric)
    )
    queue = _Queue(waiting, {run.pk for run in runs}, workers)
    revisions = {run.revision_id for run in active} | {revision for _, revision, _, _ in queue.before}
    questions = Question.objects.filter(revision__in=revisions).order_by().values_list("revision")
    sizes: dict[int, int] = dict(questions.annotate(n=Count("pk")))
    known = throughputs({run.metric for run in active} | {metric for metric, _, _, _ in queue.before})

    def whole(metric: str, revision: int) -> float | None:
        pace = known[metric]
        return None if pace is None else pace[0] * sizes.get(revision, 0)

    now = timezone.now()
    estimates: dict[Any, QueueEstimate] = {}
    for run in active:
        pace = known[run.metric]
        n_workers = len(_workers_for(workers, run.metric))
        if run.state == RunState.RUNNING:
            seconds = whole(run.metric, run.revision_id)
            left = None if seconds is None else seconds * (1 - _share(run.done_items, run.total_items))
            estimates[run.pk] = QueueEstimate(None, left, pace[1] if pace else 0, n_workers)
    for index, run in enumerate(waiting):
        queues = queue.queues_of(run.metric)
        own = [other for other in waiting[:index] if metric_named(other.metric).queue in queues]
        mine = whole(run.metric, run.revision_id)
        others = [whole(other.metric, other.revision_id) for other in own]
        n_before = len(own)
        for metric, revision, n, share_left in queue.before:
            if metric_named(metric).queue in queues:
                each = whole(metric, revision)
                others.append(None if each is None else n * share_left * each)
                n_before += n
        pace = known[run.metric]
        n_workers = len(_workers_for(workers, run.metric))
        seconds = None
        if n_workers and mine is not None and None not in others:
            at_once = 1 if run.metric in JUDGES else n_workers  # one run at a time has the turn to ask the judge
            seconds = mine + math.fsum(time for time in others if time is not None) / at_once
            if run.not_before is not None:
                seconds = max(seconds, (run.not_before - now).total_seconds() + mine)
        estimates[run.pk] = QueueEstimate(
            position=n_before + 1,
            seconds=seconds,
            n_runs=pace[1] if pace else 0,
            n_workers=n_workers,
        )
    return estimates


class _Queue:
    """The work queued before some waiting runs that were created together. Two queries, none if no run waits."""

    def __init__(self, waiting: Sequence[Run], own: set[Any], workers: Mapping[str, frozenset[str]]) -> None:
        self._workers = workers
        self.before: list[tuple[str, int, int, float]] = []
        """Runs of one metric on one revision, or a single running one: the metric, the revision, the number of runs,
        and the remaining share of each, from 0 to 1."""
        if not waiting:
            return
        queues = {queue for run in waiting for queue in self.queues_of(run.metric)}
        there = Run.objects.filter(metric__in=[name for name, metric in METRICS.items() if metric.queue in queues])
        there = there.exclude(pk__in=own).order_by()
        earlier = there.filter(state=RunState.WAITING, created_at__lt=waiting[0].created_at)
        for metric, revision, n in earlier.values_list("metric", "revision").annotate(n=Count("pk")):
            self.before.append((metric, revision, n, 1.0))
        under_way = there.filter(state=RunState.RUNNING)
        for metric, revision, done, total in under_way.values_list("metric", "revision", "done_items", "total_items"):
            self.before.append((metric, revision, 1, 1 - _share(done, total)))

    def queues_of(self, metric: str) -> set[str]:
        """The queues whose work a run of *metric* waits for: its own, and the others that its workers serve."""
        queues = {metric_named(metric).queue}
        return queues.union(*(self._workers[name] for name in _workers_for(self._workers, metric)))


def _share(done: int, total: int) -> float:
    return min(done / total, 1.0) if total else 0.0


def _workers() -> dict[str, frozenset[str]]:
    """The queues of each worker with a recent heartbeat. One query."""
    since = timezone.now() - datetime.timedelta(seconds=models_workers.ALIVE_SECONDS)
    heartbeats = WorkerHeartbeat.objects.filter(seen_at__gte=since).exclude(queues="").values_list("name", "queues")
    return {name: frozenset(queues.split(",")) for name, queues in heartbeats}


def _workers_for(workers: Mapping[str, frozenset[str]], metric: str) -> list[str]:
    """The workers that serve a metric's queue."""
    return [name for name, queues in workers.items() if metric_named(metric).queue in queues]
