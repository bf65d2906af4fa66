"""What a worker does of itself: a check before it takes any work, and a look round now and then."""

import logging
from collections.abc import Sequence
from typing import Any

from celery.signals import worker_init, worker_ready, worker_shutdown
from django.conf import settings
from django.db import DatabaseError, connection

from scoring.metrics.text.lemmatizer import LemmatiserError
from scoring.models import workers
from scoring.registry import METRICS
from scoring.runs import ceilings, sweeper

logger = logging.getLogger(__name__)


@worker_init.connect
def check_metrics(**kwargs: object) -> None:
    """Refuse to start with a lemmatiser that gives empty lemmas: every answer would look wrong, without any error.

    Loading it here, before the worker forks, also means that its processes share the tables and begin warm.

    Raises:
        SystemExit: it is missing or broken; the message says what to install.
    """
    del kwargs
    for registered in METRICS.values():
        if registered.build is None or registered.queue != "cpu" or registered.unavailable():
            continue
        try:
            registered.build().self_check()
        except LemmatiserError as error:
            logger.critical("This worker cannot start: %s", error)
            raise SystemExit(f"This worker cannot start: {error}") from error


@worker_ready.connect
def check_for_work(sender: Any, **kwargs: object) -> None:
    """Start parked runs, and have ceilings measured, now and every ``START_PARKED_SECONDS``: only this machine knows
    whether what they wait for (a checkpoint, say) is on it, and the sweeper may run on another."""
    del kwargs
    start_parked()
    sender.timer.call_repeatedly(settings.START_PARKED_SECONDS, start_parked)
    queues = list(sender.app.amqp.queues.consume_from)
    send_heartbeat(sender.hostname, queues)
    sender.timer.call_repeatedly(workers.HEARTBEAT_SECONDS, send_heartbeat, (sender.hostname, queues))


@worker_shutdown.connect
def remove_heartbeat(sender: Any, **kwargs: object) -> None:
    """Have a worker that stops in good order not be looked for."""
    del kwargs
    try:
        workers.forget(sender.hostname)
    except DatabaseError as error:
        logger.warning("The shutdown of this worker was not recorded: %s", type(error).__name__)
    finally:
        connection.close()


def send_heartbeat(name: str, queues: Sequence[str]) -> None:
    """Write down that this worker is there. A database that is away is told later."""
    try:
        workers.record_heartbeat(name, queues)
    except DatabaseError as error:
        logger.warning("The heartbeat of this worker was not recorded: %s", type(error).__name__)
    finally:
        connection.close()


def start_parked() -> None:
    """Start every parked run whose metric can run on this machine. A database that is away is asked again later."""
    try:
        started = sweeper.start_parked()
        ceilings.send_missing()
    except DatabaseError as error:
        logger.warning("Parked runs could not be checked: %s", type(error).__name__)
        return
    finally:
        connection.close()  # this process forks others and must leave them no connection
    if started:
        logger.info("Started %s parked runs.", started)
