"""Whose turn it is: the parties whose runs wait in a queue are served in rotation, so that none waits behind all the
runs of another.

A worker takes, instead of the run that a message names, the one that has waited longest since it was created and since
its party was served. Each waiting run has a message, so each message still leads to one run. During an upgrade, workers
of two versions share a queue: each leaves the runs that it cannot finish to the other, and the sweeper sends them
again.
"""

from django.db.models import OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce, Greatest

from scoring import queries
from scoring.benchmarks import definitions
from scoring.models import Run, Turn, clock, workers
from scoring.registry import metric_named, metric_of, why_unavailable
from scoring.runs import leases
from scoring.runs.dispatch import claimable


def claim_next(run_id: str) -> tuple[str, str | None] | None:
    """Claim the run whose turn it is in the queue of a run.

    Returns:
        The claimed run's id and the token of its lease, which is None if no run waits. None if only workers of another
        version can finish those that wait.
    """
    lost: set[str] = set()
    while True:
        turn = next_in_queue_of(run_id)
        if turn is None:
            return None
        token = leases.claim(turn)
        if token is not None or turn in lost:
            return turn, token
        # Two workers chose the same run at once. The slower one takes the next, which has no other message.
        lost.add(turn)


def next_in_queue_of(run_id: str) -> str | None:
    """Id of the run whose turn it is in the queue of a run; the run's own if no other waits there. None if only
    workers of another version can finish those that wait."""
    own = Run.objects.filter(pk=run_id).values_list("metric", flat=True).first()
    if own is None:
        return run_id
    queue = metric_named(own).queue
    waiting = Run.objects.filter(claimable(clock.now()))
    names = waiting.order_by().values_list("metric", flat=True).distinct()
    of_queue = waiting.filter(metric__in=[name for name in names if metric_named(name).queue == queue])
    runs = in_turn(of_queue, queue).select_related("answer_set", "revision__split__benchmark")
    if workers.has_other_versions(queue):
        run = next((run for run in runs.iterator() if can_finish(run)), None)
        if run is None:
            return None
    else:
        run = runs.first()
        if run is None:
            return run_id
    Turn.objects.update_or_create(queue=queue, party=run.answer_set.party, defaults={"taken_at": clock.now()})
    return str(run.pk)


def can_finish(run: Run) -> bool:
    """Whether this worker can compute a run's metric, with the signature that the run requires."""
    benchmark = run.revision.split.benchmark.slug
    if benchmark not in definitions():
        return False
    try:
        metric = metric_of(benchmark, run.metric)
    except TypeError:  # a parameter of another version
        return False
    return not why_unavailable(metric) and metric.signature(queries.data_of(run)) == run.signature


def in_turn(waiting: QuerySet[Run], queue: str) -> QuerySet[Run]:
    """Waiting runs of a queue: first those that have waited longest since they were created and since their party was
    served. So a new party goes behind those that wait already, and before their second runs; of one party the oldest
    run is first."""
    # A party that was never served has no row, so `Coalesce`; `Greatest`, because one that sent nothing for a long time
    # would otherwise be served before all others.
    turn = Subquery(Turn.objects.filter(queue=queue, party=OuterRef("answer_set__party")).values("taken_at"))
    since = Greatest(Coalesce(turn, "created_at"), "created_at")
    return waiting.annotate(since=since).order_by("since", "created_at", "pk")
