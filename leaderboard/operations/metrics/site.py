"""The current state of the site, from the database: the same in every process."""

from __future__ import annotations

import math
from collections.abc import Iterator

from django.db.models import Count, Min, Sum
from django.utils import timezone
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from leaderboard.models import Submission
from scoring.benchmarks import names
from scoring.models import Run, Verdict, clock
from scoring.models.run_states import RunState
from scoring.models.workers import ALIVE_SECONDS, ages_by_queue, sweep_age
from scoring.queries import overdue_runs
from scoring.registry import METRICS, metric_named


class SiteCollector(Collector):
    """Runs, queues, workers, the last sweep, the judge, submissions. Nine queries, two for the time.

    No label names a person, a system or a question.
    """

    def collect(self) -> Iterator[Metric]:
        yield from _runs()
        yield from _queues()
        yield from _workers()
        yield from _judge()
        submissions = CounterMetricFamily("manyhop_submissions", "Submissions, including withdrawn ones.")
        submissions.add_metric([], Submission.objects.count())
        yield submissions


def _runs() -> Iterator[Metric]:
    runs = GaugeMetricFamily("manyhop_runs", "Runs by metric and state.", labels=["metric", "state"])
    counts = dict.fromkeys(((metric, state.value) for metric in METRICS for state in RunState), 0)
    # Grouped by the columns that a name consists of: to put a name together for each run takes most of the time.
    groups = Run.objects.order_by().values_list("metric", "subset", "counts", "state")
    for metric, subset, is_counting, state, count in groups.annotate(count=Count("pk")):
        labels = names.of_run(metric, subset, counts=is_counting), state
        counts[labels] = counts.get(labels, 0) + count
    for labels, count in sorted(counts.items()):
        runs.add_metric(labels, count)
    yield runs
    overdue = GaugeMetricFamily("manyhop_runs_overdue", "Running runs whose worker has not renewed its lease.")
    overdue.add_metric([], overdue_runs(clock.now()).count())
    yield overdue


def _queues() -> Iterator[Metric]:
    now = timezone.now()
    lengths = {registered.queue: 0 for registered in METRICS.values()}
    ages = dict.fromkeys(lengths, 0.0)
    waiting = Run.objects.filter(state=RunState.WAITING).order_by().values_list("metric")
    for metric, count, oldest in waiting.annotate(count=Count("pk"), oldest=Min("created_at")):
        queue = metric_named(metric).queue
        lengths[queue] += count
        ages[queue] = max(ages[queue], (now - oldest).total_seconds())
    length = GaugeMetricFamily("manyhop_queue_runs", "Waiting runs, by queue.", labels=["queue"])
    age = GaugeMetricFamily(
        "manyhop_queue_oldest_seconds", "Age of the run that has waited longest, by queue.", labels=["queue"]
    )
    for queue in sorted(lengths):
        length.add_metric([queue], lengths[queue])
        age.add_metric([queue], ages[queue])
    yield length
    yield age


def _workers() -> Iterator[Metric]:
    seen = GaugeMetricFamily(
        "manyhop_workers", f"Workers with a heartbeat in the last {ALIVE_SECONDS} seconds, by queue.", labels=["queue"]
    )
    ages = ages_by_queue()
    for queue in sorted({registered.queue for registered in METRICS.values()} | set(ages)):
        seen.add_metric([queue], sum(age <= ALIVE_SECONDS for age in ages.get(queue, [])))
    yield seen
    swept = GaugeMetricFamily("manyhop_sweep_age_seconds", "Time since the last finished sweep; infinite without any.")
    age = sweep_age()
    swept.add_metric([], math.inf if age is None else age)
    yield swept


def _judge() -> Iterator[Metric]:
    calls = CounterMetricFamily(
        "manyhop_judge_calls", "Stored replies of the judge, by model and outcome.", labels=["model", "outcome"]
    )
    tokens = CounterMetricFamily(
        "manyhop_judge_tokens", "Tokens sent to and received from the judge.", labels=["model", "way"]
    )
    cost = CounterMetricFamily(
        "manyhop_judge_cost_usd", "Cost of the judge's replies, as far as prices are known.", labels=["model"]
    )
    totals: dict[str, list[float]] = {}
    rows = Verdict.objects.order_by().values_list("model", "outcome")
    sums = rows.annotate(count=Count("pk"), sent=Sum("tokens_in"), had=Sum("tokens_out"), usd=Sum("price_usd"))
    for model, outcome, count, sent, had, usd in sums:
        calls.add_metric([model, outcome], count)
        total = totals.setdefault(model, [0.0, 0.0, 0.0])
        for index, value in enumerate((sent, had, usd)):
            total[index] += float(value or 0)
    for model, (sent, had, usd) in sorted(totals.items()):
        tokens.add_metric([model, "sent"], sent)
        tokens.add_metric([model, "had"], had)
        cost.add_metric([model], usd)
    yield calls
    yield tokens
    yield cost
