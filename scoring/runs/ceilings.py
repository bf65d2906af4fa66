"""Ceilings: the scores of a verbatim copy of the reference answers, a metric's maximum, which may be below 1.

A worker measures them once for each revision and signature, and stores them as `Ceiling` rows: only mean scores leave
this module, nothing else of the references. Missing ceilings are found in the database, like unfinished runs.
"""

import hashlib
from collections.abc import Iterator

from django.core.cache import cache
from django.db import transaction

from scoring import queries
from scoring.benchmarks.names import on_subset, parts_of
from scoring.declarations import known_benchmarks
from scoring.metrics.asking.metric import JudgeMetric
from scoring.models import Ceiling, CurrentSignature, Revision, Split
from scoring.registry import metric_named, metric_of, signature_of, task_type_of, why_unavailable
from scoring.runs import execution, outcomes
from scoring.workers import broker
from scoring.workers.locks import only_one

MEASURE_CEILING = "scoring.tasks.measure_ceiling"
NOT_ASKED = "The reference answers are not judged, to avoid the cost."
OF_PASSAGES = "A copy of the reference answers retrieves no passages."
FAILED_SECONDS = 3600
"""The pause after a metric has failed on the references."""
LONGEST_WAIT_SECONDS = 3600
"""Messages for a ceiling that is still missing are sent at growing intervals, but at least this often."""


def cache_key(ceiling: Ceiling) -> str:
    """The name of a missing ceiling in the cache."""
    digest = hashlib.sha256(ceiling.signature.encode()).hexdigest()[:16]
    return f"ceiling-{ceiling.revision_id}-{ceiling.metric}-{digest}"


def why_not(metric: str) -> str:
    """Why a metric's ceiling is not measured on this machine, in a sentence; empty if it is."""
    registered = metric_named(metric)
    if registered.reads_passages:
        return OF_PASSAGES
    if issubclass(registered, JudgeMetric):
        return NOT_ASKED
    return why_unavailable(registered)


def missing() -> Iterator[Ceiling]:
    """The ceilings that are not measured yet and can be on this machine, cheapest metric first; unsaved, without the
    names and values of their scores.

    They belong to the revisions that leaderboards show or will show: each split's current one, and the earlier one of a
    metric whose scores are not switched yet. There are none where answers are not scored against references. Four
    queries, whatever the number of splits, and one for each split that has subsets.
    """
    known = Split.objects.filter(benchmark__in=known_benchmarks())
    splits = list(known.exclude(current_revision=None).select_related("benchmark", "current_revision"))
    splits = [split for split in splits if task_type_of(split.benchmark.slug).needs_references]
    shown = {(current.split_id, current.name): current.signature for current in CurrentSignature.objects.all()}
    revisions: dict[int, list[Revision]] = {}
    for revision in Revision.objects.filter(has_references=True).select_related("split__benchmark"):
        revisions.setdefault(revision.split_id, []).append(revision)
    measured = set(Ceiling.objects.values_list("revision", "signature").distinct().order_by())
    for split in splits:
        for name, current in queries.revisions_by_metric(split).items():
            if why_not(name):
                continue
            for revision in revisions.get(current.split_id, ()):
                signature = signature_of(metric_of(split.benchmark.slug, name), revision.signature_part)
                wanted = revision.pk == current.pk or signature == shown.get((split.pk, name))
                if wanted and (revision.pk, signature) not in measured:
                    yield Ceiling(revision=revision, metric=name, signature=signature)


def send_missing() -> int:
    """Request the measurement of missing ceilings: one on each queue at a time. Returns the number of messages sent.

    A metric that failed on the references is skipped for an hour.
    """
    first: dict[str, Ceiling] = {}
    for item in missing():
        if not cache.get(f"{cache_key(item)}-failed"):
            first.setdefault(metric_named(item.metric).queue, item)
    n_sent = 0
    for queue, item in first.items():
        key = cache_key(item)
        times = cache.get(f"{key}-times", 0)
        wait = min(broker.LOOK_SECONDS * 2 ** min(times, 20), LONGEST_WAIT_SECONDS)
        if cache.add(f"{key}-sent", 1, timeout=wait):
            cache.set(f"{key}-times", times + 1, timeout=24 * 3600)
            n_sent += broker.send(MEASURE_CEILING, item.revision_id, item.metric, queue=queue)
    return n_sent


def record_failure(revision_id: int, metric: str) -> None:
    """Skip a ceiling that could not be measured for a while."""
    revision = Revision.objects.select_related("split__benchmark").filter(pk=revision_id).first()
    if revision is not None:
        signature = signature_of(metric_of(revision.split.benchmark.slug, metric), revision.signature_part)
        failed = Ceiling(revision=revision, metric=metric, signature=signature)
        cache.set(f"{cache_key(failed)}-failed", 1, timeout=FAILED_SECONDS)


def measure(revision_id: int, metric: str) -> bool:
    """Measure the ceiling of a metric on a revision and store it; false if it exists, cannot be measured on this
    machine, or another process is working on this metric's queue.

    The copy is what the task type gives (`TaskType.copy_of`): for text answers each reference as text, the form that
    ROUGE, BLEURT and the judge receive.

    Raises:
        Exception: any exception of the metric; its text may contain references.
    """
    revision = Revision.objects.select_related("split__benchmark").filter(pk=revision_id, has_references=True).first()
    if revision is None or why_not(metric):
        return False
    benchmark = revision.split.benchmark.slug
    if not task_type_of(benchmark).needs_references:
        return False
    scorer = metric_of(benchmark, metric)
    with only_one(f"ceilings {scorer.queue}") as mine:
        signature = scorer.signature(revision.signature_part)
        if not mine or Ceiling.objects.filter(revision=revision, signature=signature).exists():
            return False
        copies = list(map(task_type_of(benchmark).copy_of, queries.references_of(revision)))
        scores = scorer.score(execution.prepared_references.get(scorer, revision), copies)
        with transaction.atomic():
            Ceiling.objects.bulk_create(
                [
                    Ceiling(
                        revision=revision,
                        metric=metric,
                        name=on_subset(name, parts_of(metric)[1]),
                        signature=signature,
                        value=score.value,
                    )
                    for name, score in scores.items()
                ],
                ignore_conflicts=True,
            )
            outcomes.split_changed(revision.split.board_split)
    return True
