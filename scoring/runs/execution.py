"""Scoring one claimed run: read, prepare once, score, write."""

import logging
import time
import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, BinaryIO, Final, cast

from django.conf import settings
from django.db import DatabaseError

from scoring import queries
from scoring.benchmarks import definitions
from scoring.generations.keys import in_words
from scoring.generations.passages import PASSAGES
from scoring.generations.problems import clean
from scoring.generations.reader import Limits, read_generations
from scoring.metrics.asking.metric import JudgeMetric
from scoring.metrics.base import SERVED, AnswerBudget, Metric, MetricUnavailableError, ScoresError, check_scores
from scoring.models import AnswerSet, PassageFile, Run, clock
from scoring.models.run_states import RunState
from scoring.registry import metric_of, task_type_of, why_unavailable
from scoring.runs import answer_sets, leases
from scoring.runs.errors import MESSAGE, NO_ANSWERS, RunUnavailableError
from scoring.runs.judging import execution as judging
from scoring.workers.errors import exception_location

logger = logging.getLogger(__name__)

MAX_PREPARED = 8
"""The number of prepared reference sets that a worker caches: a few revisions × metrics."""
PROGRESS_SECONDS = 0.5
"""Seconds between two writes of progress to the database, at least."""
LOOK_SECONDS = 60
"""Seconds for which a worker looks for the question at which a metric failed."""
MESSAGE_CHARACTERS = 300
UNREADABLE_PASSAGES: Final = "This worker cannot read the file of passages."
PASSAGE_LIMITS: Final = Limits(max_bytes=2**33)
"""Limits of a file of passages, which was within the site's limit when it was sent."""


OTHER_VERSION = "The metric has another version since an upgrade of the site; the run starts again with that version."
"""A sweep starts such a run under the metric's current signature."""


@dataclass(frozen=True)
class Prepared:
    """References of a revision, which never changes, and the metric that prepares them."""

    signature: str
    content_hash: str
    metric: Metric = field(compare=False)
    revision: int = field(compare=False)


@lru_cache(MAX_PREPARED)
def prepared_references(wanted: Prepared) -> Any:
    """Prepared references, by the metric's signature: a package may make a new object for each run."""
    return wanted.metric.prepare(queries.references_of(wanted.revision))


def execute(run_id: str, token: str, *, check: Callable[[], None]) -> None:
    """Score a claimed run and write its scores.

    ``check`` is called at intervals and raises once the lease is known to be lost.

    Raises:
        RunUnavailableError: something is missing on this worker; the answers are valid.
        RetryLaterError: the run is requeued with a delay.
        LeaseLostError: the run was taken away in the meantime; nothing is written.
    """
    run = Run.objects.select_related(
        "answer_set", "opponent", "revision__split__benchmark", "revision__split__subset_of"
    ).get(pk=run_id)
    if any(side is not None and side.closed_at is not None for side in (run.answer_set, run.opponent)):
        raise RunUnavailableError(RunState.CANCELLED, answer_sets.CLOSED)
    benchmark = run.revision.split.benchmark.slug
    if benchmark not in definitions():
        raise RunUnavailableError(RunState.NOT_CONFIGURED, f"This worker cannot read the declaration of {benchmark}.")
    if run.revision.split.is_kept_back(clock.now()):  # a run from before its questions were drawn, or a mistake
        raise RunUnavailableError(RunState.CANCELLED, answer_sets.KEPT_BACK)
    metric = metric_of(benchmark, run.metric)
    reason = why_unavailable(metric) or answer_sets.why_not(metric, run.revision, run.opponent)
    if reason:
        raise RunUnavailableError(RunState.NOT_CONFIGURED, reason)
    mine = metric.signature(queries.data_of(run))
    if mine != run.signature:
        if not run.signature.endswith(f"|manyhop:{metric.version}"):
            raise RunUnavailableError(RunState.NOT_CONFIGURED, OTHER_VERSION)
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
    last_written = time.monotonic()

    def progress(done: int, total: int) -> None:
        nonlocal last_written
        check()
        if time.monotonic() - last_written >= PROGRESS_SECONDS:
            leases.renew(run_id, token, done=done, total=total)
            last_written = time.monotonic()

    budget = AnswerBudget(settings.METRIC_ANSWER_SECONDS)
    is_answered: Callable[[str | None], bool] = task_type_of(run.revision.split.benchmark.slug).is_answered
    scored: Sequence[str | None] = queries.generations_for(metric, items, run.answer_set, run.revision)
    answered: Sequence[str | None] = items.generations
    if metric.reads_passages:
        retrieved = _passages_of(run.answer_set)
        scored, is_answered = [retrieved.get(qid) for qid in items.qids], _has_passages
        answered = scored
    try:
        if items.participants is None and items.n_attempts == 1:
            wanted = Prepared(metric.signature(), run.revision.content_hash, metric, run.revision_id)
            prepared = prepared_references(wanted)
        else:  # a study, or several attempts: the references of the questions, one for each answer
            references = queries.references_of(run.revision)
            prepared = metric.prepare([references[place] for place in items.places])
        scores = metric.score(prepared, scored, progress, budget)
    except (leases.LeaseLostError, DatabaseError, MetricUnavailableError):
        raise
    except Exception as error:  # a metric, above all one of a package, may raise anything
        logger.error("Run %s failed: %s", run_id, exception_location(error))
        qid = _failing_question(error, metric, items, scored, queries.references_of(run.revision), check)
        # For maintainers; with the error's message, which may quote answers, if a package has the metric.
        where = f"{f'question {qid}' if qid else 'no single question'}, {_line_of(error, metric)}"
        reason = f"Internal error: {where}. The answers are stored; a maintainer can retry this run."
        if metric.package:
            reason = (
                f"The package {metric.package} failed: {where}. The answers are stored; a maintainer can retry this "
                f"run when the package is corrected.{MESSAGE}{clean(str(error), MESSAGE_CHARACTERS) or 'none'}"
            )
        raise RunUnavailableError(RunState.FAILED, reason) from error
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
        n_answered=sum(map(is_answered, answered)) - len(budget.too_long),
        n_attempts=items.n_attempts,
        clusters=items.clusters,
        signature=f"{run.signature}{SERVED}{observed}" if observed else "",
        too_long=[in_words(items.keys[position], items.n_attempts) for position in budget.too_long],
    )


def _passages_of(answer_set: AnswerSet) -> Mapping[str, str]:
    """The retrieved passages that were sent with an answer set, by question id, as `PASSAGES` writes them.

    Raises:
        RunUnavailableError: this machine does not have their file.
    """
    file = PassageFile.objects.get(answer_set=answer_set)
    try:
        with file.original.open("rb") as stream:
            return read_generations(cast("BinaryIO", stream), None, PASSAGE_LIMITS, PASSAGES).answers
    except OSError as error:
        reason = f"{UNREADABLE_PASSAGES} {error.strerror}: {file.original.name}."
        raise RunUnavailableError(RunState.FAILED, reason) from error


def _has_passages(passages: str | None) -> bool:
    """Whether a question has passages."""
    return passages is not None and PASSAGES.emptiness(passages) is None


def _failing_question(
    error: Exception,
    metric: Metric,
    items: queries.ScoredItems,
    scored: Sequence[str | None],
    references: Sequence[Any],
    check: Callable[[], None],
) -> str:
    """The question at which a metric, which scores all answers together, raises an error at the same line again when it
    scores that answer alone; empty if there is none, or the time is used up."""
    until = time.monotonic() + LOOK_SECONDS
    for qid, place, answer in zip(items.qids, items.places, scored, strict=True):
        check()
        if time.monotonic() >= until:
            break
        try:
            metric.score(
                metric.prepare([references[place]]), [answer], budget=AnswerBudget(settings.METRIC_ANSWER_SECONDS)
            )
        except Exception as again:  # noqa: BLE001 - as above
            if _line_of(again, metric) == _line_of(error, metric):
                return qid
    return ""


def _line_of(error: Exception, metric: Metric) -> str:
    """Type of an error, and file and line in the metric's own package where it was raised or passed through last."""
    package = type(metric).__module__.partition(".")[0]
    frames = [
        (frame.f_globals.get("__name__", ""), frame, line) for frame, line in traceback.walk_tb(error.__traceback__)
    ]
    own = [place for place in frames if place[0].partition(".")[0] == package] or frames
    _, frame, line = own[-1]
    return f"{type(error).__name__} at {frame.f_code.co_filename}:{line}"
