"""Whose turn it is: the parties whose runs wait in a queue are served in rotation, so that none waits behind all the
runs of another.

Enters: the run that a message names. Leaves: the run that a worker takes instead, of the party that was served longest
ago. Each waiting run has a message, so each message still leads to one run.
"""

from django.db.models import F, OuterRef, QuerySet, Subquery
from django.utils import timezone

from scoring.models import Run, Turn
from scoring.registry import metric_named
from scoring.runs.dispatch import claimable


def next_in_queue_of(run_id: str) -> str:
    """The id of the run whose turn it is in the queue of a run; the run's own if no other waits there."""
    own = Run.objects.filter(pk=run_id).values_list("metric", flat=True).first()
    if own is None:
        return run_id
    queue = metric_named(own).queue
    waiting = Run.objects.filter(claimable(timezone.now()))
    names = waiting.order_by().values_list("metric", flat=True).distinct()
    of_queue = waiting.filter(metric__in=[name for name in names if metric_named(name).queue == queue])
    first = in_turn(of_queue, queue).values_list("pk", "answer_set__party").first()
    if first is None:
        return run_id
    pk, party = first
    Turn.objects.update_or_create(queue=queue, party=party, defaults={"taken_at": timezone.now()})
    return str(pk)


def in_turn(waiting: QuerySet[Run], queue: str) -> QuerySet[Run]:
    """Waiting runs of a queue, those of the party that was served longest ago first; of one party the oldest first."""
    turn = Turn.objects.filter(queue=queue, party=OuterRef("answer_set__party")).values("taken_at")
    return waiting.annotate(turn=Subquery(turn)).order_by(F("turn").asc(nulls_first=True), "created_at", "pk")
