"""Hooks of a worker: a check before it accepts any work, and periodic maintenance."""

import logging
from collections.abc import Sequence
from typing import Any

from celery.signals import task_prerun, worker_init, worker_ready, worker_shutdown
from django.conf import settings
from django.db import DatabaseError, connection

from scoring import declarations
from scoring.metrics.text.lemmatizer import LemmatiserError
from scoring.models import workers
from scoring.registry import METRICS, why_unavailable
from scoring.runs import sweeper
from scoring.workers import alive, locks
from scoring.workers.broker import SITE

logger = logging.getLogger(__name__)

CANNOT_START = "This worker cannot start"


@worker_init.connect
def check_metrics(sender: Any, **kwargs: object) -> None:
    """Refuse to start a worker of the queue `cpu` with a lemmatiser that returns empty lemmas: every answer would be
    scored wrong, without any error.

    Loading it here, before the worker forks, also means that its processes share the tables and start with them loaded.

    Raises:
        SystemExit: it is missing or broken; the message says what to install.
    """
    del kwargs
    if "cpu" not in sender.app.amqp.queues.consume_from:
        return
    for metric in METRICS.values():
        if metric.queue != "cpu" or why_unavailable(metric):
            continue
        try:
            metric.on_site(settings).self_check()
        except LemmatiserError as error:
            logger.critical("%s: %s", CANNOT_START, error)
            raise SystemExit(f"{CANNOT_START}: {error}") from error


@worker_init.connect
def reserve_gpus(sender: Any, **kwargs: object) -> None:
    """Refuse to start a second process that scores on a GPU of this machine: each loads the model, and together they
    run out of the GPU's memory in the middle of runs.

    Raises:
        SystemExit: another worker has the GPU, or this one has several processes.
    """
    del kwargs
    for metric in METRICS.values():
        if metric.queue not in sender.app.amqp.queues.consume_from or why_unavailable(metric):
            continue
        gpu = metric.gpu(settings)
        if gpu and sender.concurrency != 1:
            raise SystemExit(f"{CANNOT_START}: {metric.label} uses {gpu}. Give this worker --concurrency 1.")
        if gpu and not locks.reserve_on_machine(gpu):
            raise SystemExit(
                f"{CANNOT_START}: another worker of this machine scores on {gpu}. Let this one use another GPU "
                "(BLEURT_DEVICE=cuda:1) or none (BLEURT_DEVICE=cpu)."
            )


task_prerun.connect(declarations.expire_before_task, dispatch_uid="declared benchmarks")


@worker_ready.connect
def check_for_work(sender: Any, **kwargs: object) -> None:
    """Start parked runs, now and every ``START_PARKED_SECONDS``: only this machine knows whether the missing resource
    (a checkpoint, for example) is on it, and the sweeper may run on another."""
    del kwargs
    start_parked()
    sender.timer.call_repeatedly(settings.START_PARKED_SECONDS, start_parked)
    queues = list(sender.app.amqp.queues.consume_from)
    report(sender, queues)
    sender.timer.call_repeatedly(workers.HEARTBEAT_SECONDS, report, (sender, queues))


@worker_shutdown.connect
def remove_heartbeat(sender: Any, **kwargs: object) -> None:
    """Delete the heartbeat of a worker that stops normally, so that it is not reported as missing."""
    del kwargs
    alive.forget(sender.hostname)
    try:
        workers.forget(sender.hostname)
    except DatabaseError as error:
        logger.warning("The shutdown of this worker was not recorded: %s", type(error).__name__)
    finally:
        connection.close()


def report(consumer: Any, queues: Sequence[str]) -> None:
    """Store a heartbeat of this worker, and take housekeeping's messages as long as no worker of their own is alive.

    A worker of the queue `cpu` does so, before its own messages. If the database is unavailable, the next call tries
    again. First it shows to a container engine that it does not hang.
    """
    alive.show(consumer.hostname)
    try:
        workers.record_heartbeat(consumer.hostname, queues)
        if "cpu" not in queues or SITE in queues:
            return
        is_needed = not workers.is_served(SITE)
    except DatabaseError as error:
        logger.warning("The heartbeat of this worker was not recorded: %s", type(error).__name__)
        return
    finally:
        connection.close()
    if is_needed == consumer.task_consumer.consuming_from(SITE):
        return
    if is_needed:
        logger.warning("No worker takes the queue %s: this worker does, until one is there.", SITE)
        consumer.add_task_queue(SITE)
    else:
        logger.info("Another worker takes the queue %s now.", SITE)
        consumer.cancel_task_queue(SITE)


def start_parked() -> None:
    """Start every parked run whose metric can run on this machine. If the database is unavailable, the next call tries
    again."""
    try:
        started = sweeper.start_parked()
    except DatabaseError as error:
        logger.warning("Parked runs could not be checked: %s", type(error).__name__)
        return
    finally:
        connection.close()  # this process forks others and must not pass them a connection
    if started:
        logger.info("Started %s parked runs.", started)
