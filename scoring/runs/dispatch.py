"""Send runs to the queue, once their transaction is committed."""

import datetime
import logging
from collections.abc import Iterable
from uuid import UUID

from celery import current_app
from django.db import transaction
from django.db.models import F, Q

from scoring.models import Run, clock
from scoring.models.run_states import RunState
from scoring.registry import metric_named
from scoring.workers import broker

logger = logging.getLogger(__name__)

EXECUTE_RUN = "scoring.tasks.execute_run"
FIRST, LATER = 0, 3
"""Priorities in Redis: a run whose worker died, or whose message was lost, has waited already and goes before others.
The file broker has none."""


def send_on_commit(run_ids: Iterable[object]) -> None:
    """Send a message for each run, only after the transaction is committed.

    Errors do not reach the caller, who must not treat the committed changes as undone.
    """
    ids = [str(run_id) for run_id in run_ids]

    def send_them() -> None:
        # A request waits for a broker that cannot be reached once, not for each run.
        if not broker.is_unavailable():
            send(ids)

    if ids:
        transaction.on_commit(send_them, robust=True)


def send(run_ids: Iterable[str]) -> int:
    """Send waiting runs to the broker now; returns how many.

    If the broker cannot be reached, or does not answer, this stops after the first try, with a line in the log:
    submitters do not wait for the broker, and the sweeper finds the runs in the database.
    """
    waiting = Run.objects.filter(claimable(clock.now()))
    ids = [UUID(run_id) for run_id in run_ids]
    runs = waiting.only("metric", "attempts", "times_sent").in_bulk(ids)
    sent = []
    with broker.open_producer() as producer:
        for run in (runs[pk] for pk in ids if pk in runs):
            try:
                queue = metric_named(run.metric).queue
                priority = FIRST if run.attempts or run.times_sent else LATER
                current_app.send_task(
                    EXECUTE_RUN,
                    (str(run.pk),),
                    {"in_turn": True},
                    queue=queue,
                    priority=priority,
                    producer=producer,
                    retry=False,
                )
            except Exception as error:  # noqa: BLE001 - each broker has its own errors; none may lose a submission
                name = type(error).__name__
                logger.warning("Run %s stays in the database because the broker cannot be reached (%s).", run.pk, name)
                broker.mark_unavailable()
                break
            sent.append(run.pk)
    Run.objects.filter(pk__in=sent).update(sent_at=clock.now(), times_sent=F("times_sent") + 1)
    return len(sent)


def claimable(now: datetime.datetime) -> Q:
    """The runs that a worker may claim."""
    return Q(state=RunState.WAITING) & (Q(not_before=None) | Q(not_before__lte=now))
