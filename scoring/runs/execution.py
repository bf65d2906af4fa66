"""Scoring one claimed run: read, prepare once, score, write."""

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import Any

from django.conf import settings

from scoring import queries
from scoring.benchmarks import definitions
from scoring.metrics.asking.metric import JudgeMetric
from scoring.metrics.base import SERVED, AnswerBudget, Metric, MetricUnavailableError, ScoresError, check_scores
from scoring.models import Revision, Run
from scoring.models.run_states import RunState
from scoring.registry import metric_of, task_type_of, why_unavailable
from scoring.runs import answer_sets, leases, passages
from scoring.runs.errors import NO_ANSWERS, RetryLaterError, RunUnavailableError
from scoring.runs.judging import execution as judging

__all__ = ["PreparedReferences", "RetryLaterError", "RunUnavailableError", "execute"]

MAX_PREPARED = 8
"""The number of prepared reference sets that a worker caches: a few revisions × metrics."""
PROGRESS_SECONDS = 0.5
"""How often, at most, progress is written to the database."""


class PreparedReferences:
    """Cache of prepared references for later runs; the least recently used entry is dropped first."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._lock = threading.Lock()
        self._kept: OrderedDict[tuple[str, str], Any] = OrderedDict()

    def get(self, metric: Metric, revision: Revision) -> Any:
        """Prepared references, made on first use. A revision never changes, so its hash is the key."""
        key = (metric.signature(), revision.content_hash)
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
                return self._kept[key]
        prepared = metric.prepare(queries.references_of(revision))
        with self._lock:
            self._kept[key] = prepared
            while len(self._kept) > self._limit:
                self._kept.popitem(last=False)
        return prepared


prepared_references = PreparedReferences(MAX_PREPARED)
"""The cache of this process."""


def execute(run_id: str, token: str, *, check: Callable[[], None]) -> None:
    """Score a claimed run and write its scores.

    ``check`` is called at intervals and raises once the lease is known to be lost.

    Raises:
        RunUnavailableError: something is missing on this worker; the answers are valid.
        RetryLaterError: the run is requeued with a delay.
        LeaseLostError: the run was taken away in the meantime; nothing is written.
    """
    run = Run.objects.select_related("answer_set", "opponent", "revision__split__benchmark").get(pk=run_id)
    if any(side is not None and side.closed_at is not None for side in (run.answer_set, run.opponent)):
        raise RunUnavailableError(RunState.CANCELLED, answer_sets.CLOSED)
    benchmark = run.revision.split.benchmark.slug
    if benchmark not in definitions():
        raise RunUnavailableError(RunState.NOT_CONFIGURED, f"This worker cannot read the declaration of {benchmark}.")
    metric = metric_of(benchmark, run.metric)
    reason = why_unavailable(metric) or answer_sets.why_not(metric, run.revision, run.opponent)
    if reason:
        raise RunUnavailableError(RunState.NOT_CONFIGURED, reason)
    mine = metric.signature(queries.data_of(run))
    if mine != run.signature:
        raise RunUnavailableError(
            RunState.FAILED,
            f"This worker's signature is {mine}, but the run requires {run.signature}. Give the workers the "
            "same packages and settings as the site, then retry.",
        )
    if isinstance(metric, JudgeMetric):
        judging.execute_judge(run, metric, token, check=check)
        return
    try:
        _score(run, metric, token, check=check)
    except MetricUnavailableError as error:
        raise RunUnavailableError(RunState.NOT_CONFIGURED, error.reason) from error


def _score(run: Run, metric: Metric, token: str, *, check: Callable[[], None]) -> None:
    run_id = str(run.pk)
    items = queries.items_to_score(run.answer_set, run.revision)
    if not items:
        raise RunUnavailableError(RunState.CANCELLED if run.subset else RunState.FAILED, NO_ANSWERS)
    leases.renew(run_id, token, done=0, total=len(items))
    if items.participants is None:
        prepared = prepared_references.get(metric, run.revision)
    else:  # a study: the references of the questions that it asked, one for each answer
        references = queries.references_of(run.revision)
        prepared = metric.prepare([references[place] for place in items.places])
    last_written = time.monotonic()

    def progress(done: int, total: int) -> None:
        nonlocal last_written
        check()
        if time.monotonic() - last_written >= PROGRESS_SECONDS:
            leases.renew(run_id, token, done=done, total=total)
            last_written = time.monotonic()

    budget = AnswerBudget(settings.METRIC_ANSWER_SECONDS)
    is_answered: Callable[[str | None], bool] = task_type_of(run.revision.split.benchmark.slug).is_answered
    scored: Sequence[str | None] = items.generations
    if metric.reads_passages:
        retrieved = passages.passages_of(run.answer_set)
        scored, is_answered = [retrieved.get(qid) for qid in items.qids], passages.has_some
    scores = metric.score(prepared, scored, progress, budget)
    columns = {name: queries.column_of(run.revision.split.benchmark.slug, name) for name in scores}
    try:
        check_scores(metric, scores, len(scored), {name: column.bounds for name, column in columns.items()})
    except ScoresError as error:
        raise RunUnavailableError(RunState.FAILED, f"The scores of {run.metric} cannot be shown: {error}.") from error
    observed = metric.observed()
    leases.finish(
        run_id,
        token,
        scores=scores,
        shares=[column.is_share for column in columns.values()],
        n_answered=sum(map(is_answered, scored)) - len(budget.too_long),
        clusters=items.clusters,
        signature=f"{run.signature}{SERVED}{observed}" if observed else "",
        too_long=[items.qids[position] for position in budget.too_long],
    )
