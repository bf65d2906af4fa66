"""Queue position and estimated completion time of runs, from the durations of recent runs.

Nothing is promised. A run's own time is the median of the seconds per item that the last runs of its metric took,
times its items; what stands before it in line is shared among the workers that were seen lately.
"""

from __future__ import annotations

import datetime
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any, Final

from django.conf import settings
from django.core.cache import cache
from django.db.models import Count, F
from django.utils import timezone

from scoring.models import Question, Run, WorkerHeartbeat
from scoring.models import workers as models_workers
from scoring.models.run_states import ACTIVE, RunState
from scoring.registry import METRICS, metric_named
from scoring.runs.judging.execution import METRICS as JUDGED
from scoring.runs.judging.repeats import AGAIN, FIRST

LAST_RUNS: Final = 20
"""How many runs of a metric its pace is measured on, the last ones."""
THROUGHPUT_SECONDS: Final = 60
"""How long a measured pace is used before it is measured anew; pages that follow a run ask every two seconds."""


@dataclass(frozen=True)
class Throughput:
    """How fast runs of a metric went lately."""

    seconds_per_item: float
    """The median over the runs, which one odd run does not move."""
    n_runs: int


@dataclass(frozen=True)
class QueueEstimate:
    """What is to be expected of a run that waits or is under way."""

    position: int | None
    """Its place in line, 1 is next; nothing for one that is under way."""
    seconds: float | None
    """About how long until it is scored, from now; nothing where there is nothing to tell it from."""
    n_runs: int
    """How many runs of its metric that is told from; 0 if it is the first."""
    n_workers: int
    """How many workers that take such work were seen lately."""


def throughputs(metrics: Iterable[str]) -> dict[str, Throughput | None]:
    """The pace of each metric; nothing for one of which no run was ever finished here.

    Kept for `THROUGHPUT_SECONDS`; one query for each metric that is measured anew.
    """
    known = {metric: _throughput(FIRST if metric == AGAIN else metric) for metric in metrics}
    if settings.JUDGE_MODE == "batch":  # then the provider's time counts, which no run's own time tells
        known |= dict.fromkeys(set(known) & set(JUDGED))
    return known


def _throughput(metric: str) -> Throughput | None:
    key = f"pace:{metric}"
    cached: tuple[float, int] | None = cache.get(key)
    if cached is None:
        cached = _measured(metric)
        if cached[1]:  # of a metric's first run the page tells as soon as it is done
            cache.set(key, cached, timeout=THROUGHPUT_SECONDS)
    return Throughput(*cached) if cached[1] else None


def _measured(metric: str) -> tuple[float, int]:
    last = (
        Run.objects.filter(metric=metric, state=RunState.DONE, repeat=0, total_items__gt=0)
        .filter(started_at__isnull=False, finished_at__gte=F("started_at"))
        .order_by("-finished_at")
        .values_list("started_at", "finished_at", "total_items")[:LAST_RUNS]
    )
    each = [(finished - started).total_seconds() / items for started, finished, items in last if started and finished]
    return (median(each), len(each)) if each else (0.0, 0)


def estimate_runs(runs: Sequence[Run]) -> dict[Any, QueueEstimate]:
    """What is to be expected of those of *runs* (one submission's, made together) that wait or are under way.

    No query if none does; otherwise four, and one for each metric in the line whose pace is measured anew.
    """
    active = [run for run in runs if run.state in ACTIVE]
    if not active:
        return {}
    workers = _workers()
    waiting = sorted(
        (run for run in active if run.state == RunState.WAITING), key=lambda run: (run.created_at, run.metric)
    )
    queue = _Queue(waiting, {run.pk for run in runs}, workers)
    sizes = _sizes({run.revision_id for run in active} | {work.revision for work in queue.before})
    known = throughputs({run.metric for run in active} | {work.metric for work in queue.before})

    def whole(metric: str, revision: int) -> float | None:
        throughput = known[metric]
        return None if throughput is None else throughput.seconds_per_item * sizes.get(revision, 0)

    now = timezone.now()
    found: dict[Any, QueueEstimate] = {}
    for run in active:
        throughput = known[run.metric]
        n_workers = len(_workers_for(workers, run.metric))
        if run.state == RunState.RUNNING:
            seconds = whole(run.metric, run.revision_id)
            left = None if seconds is None else seconds * (1 - _share(run.done_items, run.total_items))
            found[run.pk] = QueueEstimate(None, left, throughput.n_runs if throughput else 0, n_workers)
    for index, run in enumerate(waiting):
        queues = queue.queues_of(run.metric)
        before = [work for work in queue.before if work.queue in queues]
        own = [other for other in waiting[:index] if metric_named(other.metric).queue in queues]
        times = [whole(run.metric, run.revision_id), *(whole(other.metric, other.revision_id) for other in own)]
        times += [_time_of(work, whole(work.metric, work.revision)) for work in before]
        throughput = known[run.metric]
        n_workers = len(_workers_for(workers, run.metric))
        seconds = _finish_time(times, 1 if run.metric in JUDGED else n_workers) if n_workers else None
        if seconds is not None and run.not_before is not None:
            seconds = max(seconds, (run.not_before - now).total_seconds() + (times[0] or 0.0))
        found[run.pk] = QueueEstimate(
            position=sum(work.n for work in before) + len(own) + 1,
            seconds=seconds,
            n_runs=throughput.n_runs if throughput else 0,
            n_workers=n_workers,
        )
    return found


def _finish_time(times: Sequence[float | None], at_once: int) -> float | None:
    """When the first of *times* is through if the others come before it and *at_once* are worked on side by side."""
    own, *others = times
    if own is None or any(time is None for time in others):
        return None
    return own + math.fsum(time for time in others if time is not None) / at_once


@dataclass(frozen=True)
class _Work:
    """Runs of one metric on one revision that stand before others in line, or one that is under way."""

    metric: str
    revision: int
    n: int
    left: float
    """What share of each is still to be done, from 0 to 1."""

    @property
    def queue(self) -> str:
        return metric_named(self.metric).queue


def _time_of(work: _Work, whole: float | None) -> float | None:
    return None if whole is None else work.n * work.left * whole


class _Queue:
    """What stands before some waiting runs that were made together. Two queries, none if nothing waits."""

    def __init__(self, waiting: Sequence[Run], own: set[Any], workers: Mapping[str, frozenset[str]]) -> None:
        self._workers = workers
        self.before: list[_Work] = []
        if not waiting:
            return
        queues = {queue for run in waiting for queue in self.queues_of(run.metric)}
        there = Run.objects.filter(metric__in=[name for name, metric in METRICS.items() if metric.queue in queues])
        there = there.exclude(pk__in=own).order_by()
        earlier = there.filter(state=RunState.WAITING, created_at__lt=waiting[0].created_at)
        for metric, revision, n in earlier.values_list("metric", "revision").annotate(n=Count("pk")):
            self.before.append(_Work(metric, revision, n, 1.0))
        under_way = there.filter(state=RunState.RUNNING)
        for metric, revision, done, total in under_way.values_list("metric", "revision", "done_items", "total_items"):
            self.before.append(_Work(metric, revision, 1, 1 - _share(done, total)))

    def queues_of(self, metric: str) -> set[str]:
        """The queues whose work a run of *metric* waits for: its own, and what its workers take besides."""
        queues = {metric_named(metric).queue}
        return queues.union(*(self._workers[name] for name in _workers_for(self._workers, metric)))


def _share(done: int, total: int) -> float:
    return min(done / total, 1.0) if total else 0.0


def _workers() -> dict[str, frozenset[str]]:
    """The queues of each worker that was seen lately. One query."""
    since = timezone.now() - datetime.timedelta(seconds=models_workers.ALIVE_SECONDS)
    heartbeats = WorkerHeartbeat.objects.filter(seen_at__gte=since).values_list("name", "queues")
    return {name: frozenset(queues.split(",")) for name, queues in heartbeats}


def _workers_for(workers: Mapping[str, frozenset[str]], metric: str) -> list[str]:
    """The workers that take a metric's work."""
    return [name for name, queues in workers.items() if metric_named(metric).queue in queues]


def _sizes(revisions: set[int]) -> dict[int, int]:
    """How many questions each revision has. One query."""
    rows = Question.objects.filter(revision__in=revisions).order_by().values_list("revision").annotate(n=Count("pk"))
    return dict(rows)
