"""Messages to workers: sent once, on commit, without waiting. Each is a hint: the pending work is in the database, so a
lost message only causes a delay."""

import logging
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

from celery import current_app
from django.db import transaction
from kombu import Producer
from kombu.exceptions import ChannelError, KombuError, OperationalError

logger = logging.getLogger(__name__)

SITE: Final = "site"
"""The queue of housekeeping: sweeps, boards, mails. It has workers of its own, so that scoring delays none of
these; without one, workers of the queue `cpu` take its messages first."""

IMPATIENT = {"max_retries": 0, "socket_connect_timeout": 1, "socket_timeout": 1}
"""Options for sending: one attempt, and a broker that does not answer within a second counts as unavailable."""
UNREACHABLE: Final = (OSError, OperationalError, KombuError)
"""Exceptions raised if the broker cannot be reached."""
UNAVAILABLE_SECONDS = 2
"""The time during which requests skip a broker that could not be reached."""
_unavailable_until = 0.0


def is_unavailable() -> bool:
    """Whether the broker was unreachable a moment ago: a request waits for it once, not for each message."""
    return time.monotonic() < _unavailable_until


def mark_unavailable() -> None:
    """Skip the broker for a moment."""
    global _unavailable_until
    _unavailable_until = time.monotonic() + UNAVAILABLE_SECONDS


class RefusesWritesError(OSError):
    """The broker answers and stores nothing: it is full, or a replica that may only be read."""


def reach_broker() -> str:
    """Try to reach the broker, once and for at most a second, and to write to it; returns its kind.

    Raises:
        RefusesWritesError: it takes no message.
        `UNREACHABLE`: it cannot be reached. `RefusesWritesError` is one of these.
    """
    with current_app.connection_for_write(transport_options=IMPATIENT) as connection:
        connection.ensure_connection(max_retries=1, interval_start=0, interval_step=0, timeout=1)
        channel: Any = connection.default_channel  # its annotations are incomplete
        if hasattr(channel, "client"):  # Redis, which answers a ping even if it stores nothing
            try:
                channel.client.set("manyhop-check", "1", ex=60)
            except connection.channel_errors as error:
                raise RefusesWritesError(str(error)) from error
        return str(connection.transport.driver_type)


@contextmanager
def open_producer() -> Iterator[Producer]:
    """A producer that fails at once if a broker does not answer."""
    with current_app.connection_for_write(transport_options=IMPATIENT) as connection:
        yield Producer(connection, auto_declare=False)


def n_messages(queue: str) -> int:
    """The number of messages in a queue; those that a worker has received are not counted.

    Raises:
        `UNREACHABLE`: the broker cannot be reached.
    """
    with current_app.connection_for_write(transport_options=IMPATIENT) as connection:
        try:
            channel: Any = connection.default_channel  # its annotations are incomplete
            return int(channel.queue_declare(queue, passive=True).message_count)
        except ChannelError:  # brokers know no empty queue
            return 0


def send(task: str, *args: object, queue: str) -> bool:
    """Send one message now; false if the broker cannot be reached.

    Tasks are addressed by their registered names, so that no service imports the module of tasks, which imports the
    services. No message expires: the machines' clocks may differ, and a worker may be busy for long.
    """
    try:
        with open_producer() as producer:
            current_app.send_task(task, args, queue=queue, producer=producer, retry=False)
    except Exception as error:  # noqa: BLE001 - each broker has its own errors; none may stop what wanted to be sent
        logger.warning("%s was not sent: the broker cannot be reached (%s).", task, type(error).__name__)
        mark_unavailable()
        return False
    return True


def send_on_commit(task: str, *args: object, queue: str) -> None:
    """Send a message only after the transaction is committed; errors do not reach the caller."""

    def send_it() -> None:
        if not is_unavailable():
            send(task, *args, queue=queue)

    transaction.on_commit(send_it, robust=True)
