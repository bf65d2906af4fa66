"""Tasks of the workers. Each is a thin wrapper: it takes ids, reloads everything, and may run twice."""

import logging
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from celery import shared_task
from django.conf import settings
from django.db import DatabaseError, close_old_connections, connection

from scoring.models import workers
from scoring.models.run_states import RunState
from scoring.runs import execution, intervals, leases, sweeper, turns
from scoring.runs.errors import RetryLaterError, RunUnavailableError
from scoring.runs.judging import execution as judging
from scoring.workers import log_context
from scoring.workers.errors import exception_location
from scoring.workers.periodic import one_at_a_time

logger = logging.getLogger(__name__)

NOT_CLAIMED = "Run %s is finished, deleted, or claimed by another worker."
INTERNAL_ERROR = "Internal error ({kind}). The answers are still stored; a maintainer can retry this run."


@shared_task(name="scoring.tasks.execute_run")
def execute_run(run_id: str, in_turn: bool = False, **of_a_later_version: object) -> None:
    """Score one run if it is still available; a second message for the same run finds it claimed and does nothing.

    ``in_turn``: score the run of its queue whose turn it is, and this one only if that is its own.
    """
    del of_a_later_version  # whatever a web server of that version adds, the database has the run
    claimed = turns.claim_next(run_id) if in_turn else (run_id, leases.claim(run_id))
    if claimed is None:
        logger.info("The waiting runs need a worker of another version; the next sweep sends them again.")
        return
    run_id, token = claimed
    with log_context.within(log_context.run_id, run_id):
        if token is None:
            logger.info(NOT_CLAIMED, run_id)
            return
        try:
            _execute_claimed(run_id, token)
            judging.send_next()
        except DatabaseError as error:
            # The lease expires and the sweeper sends the run again; there may be no database to write a state to.
            logger.error("Run %s lost the database connection: %s", run_id, exception_location(error))


def _execute_claimed(run_id: str, token: str) -> None:
    try:
        with renewed_lease(run_id, token) as check:
            execution.execute(run_id, token, check=check)
    except leases.LeaseLostError:
        logger.warning("This worker lost its lease of run %s; its work is discarded.", run_id)
    except RunUnavailableError as error:
        leases.end_run(run_id, token, state=error.state, reason=str(error), seconds=error.seconds)
    except RetryLaterError as error:
        leases.requeue(run_id, token, reason=str(error), seconds=error.seconds, n_deferrals=error.n_deferrals)
    except DatabaseError:
        raise
    except Exception as error:  # noqa: BLE001 - whatever it is, the run gets a state
        logger.error("Run %s failed: %s", run_id, exception_location(error))
        leases.end_run(run_id, token, state=RunState.FAILED, reason=INTERNAL_ERROR.format(kind=type(error).__name__))


@shared_task(name="scoring.tasks.sweep")
@one_at_a_time
def sweep() -> None:
    """Restart every unfinished run that no worker is processing, and compute the missing intervals of old
    scores; beat sends this every ``SWEEP_SECONDS``."""
    done = sweeper.sweep()
    done["intervals computed"] = intervals.fill()
    workers.record_sweep()
    if any(done.values()):
        logger.info("Swept: %s", ", ".join(f"{count} {what}" for what, count in done.items() if count))


@contextmanager
def renewed_lease(run_id: str, token: str) -> Iterator[Callable[[], None]]:
    """Renew a lease from a thread while the body works, however long one item takes.

    Yields a function that raises `LeaseLostError` once the lease is known to be lost. The thread ends with the body,
    and with the process: a killed worker renews nothing.
    """
    stop = threading.Event()
    lost = threading.Event()

    def renew_until_stopped() -> None:
        try:
            while not stop.wait(settings.RUN_LEASE_SECONDS / 3):
                try:
                    leases.renew(run_id, token)
                except leases.LeaseLostError:
                    lost.set()
                    return
                except DatabaseError as error:
                    logger.warning("The lease of run %s could not be renewed: %s", run_id, type(error).__name__)
                    close_old_connections()
        finally:
            connection.close()

    def check() -> None:
        if lost.is_set():
            raise leases.LeaseLostError(run_id)

    thread = threading.Thread(target=renew_until_stopped, name=f"lease-{run_id}", daemon=True)
    thread.start()
    try:
        yield check
    finally:
        stop.set()
        thread.join()
