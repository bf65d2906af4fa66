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
from typing import Any, Final, NamedTuple

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
    before = _work_before(waiting, {run.pk for run in runs}, workers)
    revisions = {run.revision_id for run in active} | {work.revision for work in before}
    questions = Question.objects.filter(revision__in=revisions).order_by().values_list("revision")
    sizes: dict[int, int] = dict(questions.annotate(n=Count("pk")))
    known = throughputs({run.metric for run in active} | {work.metric for work in before})

    def whole(metric: str, revision: int) -> float | None:
        pace = known[metric]
        return None if pace is None else pace[0] * sizes.get(revision, 0)

    now = timezone.now()
    estimates: dict[Any, QueueEstimate] = {}
    for run in active:
        pace, n_workers = known[run.metric], len(_workers_for(workers, run.metric))
        mine = whole(run.metric, run.revision_id)
        position = seconds = None
        if run.state == RunState.RUNNING:
            seconds = None if mine is None else mine * (1 - _share(run.done_items, run.total_items))
        else:
            queues = _queues_of(run.metric, workers)
            own = (_Work(other.metric, other.revision_id) for other in waiting[: waiting.index(run)])
            ahead = [work for work in (*own, *before) if metric_named(work.metric).queue in queues]
            position = 1 + sum(work.n_runs for work in ahead)
            times = [whole(work.metric, work.revision) for work in ahead]
            if n_workers and mine is not None and None not in times:
                at_once = 1 if run.metric in JUDGES else n_workers  # one run at a time has the turn to ask the judge
                left = (work.n_runs * work.share_left * (time or 0.0) for work, time in zip(ahead, times, strict=True))
                seconds = mine + math.fsum(left) / at_once
                if run.not_before is not None:
                    seconds = max(seconds, (run.not_before - now).total_seconds() + mine)
        estimates[run.pk] = QueueEstimate(position, seconds, pace[1] if pace else 0, n_workers)
    return estimates


class _Work(NamedTuple):
    """Runs of one metric on one revision."""

    metric: str
    revision: int
    n_runs: int = 1
    share_left: float = 1.0
    """The remaining share of each, from 0 to 1."""


def _work_before(waiting: Sequence[Run], own: set[Any], workers: Mapping[str, frozenset[str]]) -> list[_Work]:
    """The work before some waiting runs that were created together: other runs that are running or were created
    before. Two queries, none if no run waits."""
    if not waiting:
        return []
    queues = {queue for run in waiting for queue in _queues_of(run.metric, workers)}
    there = Run.objects.filter(metric__in=[name for name, metric in METRICS.items() if metric.queue in queues])
    there = there.exclude(pk__in=own).order_by()
    earlier = there.filter(state=RunState.WAITING, created_at__lt=waiting[0].created_at)
    work = [_Work(*row) for row in earlier.values_list("metric", "revision").annotate(n=Count("pk"))]
    under_way = there.filter(state=RunState.RUNNING)
    for metric, revision, done, total in under_way.values_list("metric", "revision", "done_items", "total_items"):
        work.append(_Work(metric, revision, share_left=1 - _share(done, total)))
    return work


def _queues_of(metric: str, workers: Mapping[str, frozenset[str]]) -> set[str]:
    """The queues whose work a run of *metric* waits for: its own, and the others that its workers serve."""
    queues = {metric_named(metric).queue}
    return queues.union(*(workers[name] for name in _workers_for(workers, metric)))


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
