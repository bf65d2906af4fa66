"""Celery's brokers: a folder, for the demo and sites without Redis, and Redis. Malformed messages end no worker.

kombu's own file broker writes a message directly into the file that workers look for: a worker that opens the file
before its content is written reads nothing, and the whole worker ends. With each of kombu's brokers, a worker also ends
when it receives a message that is not JSON, or not the JSON of a message. Here such a message is dropped with a line in
the log: messages are hints, and what has to be done is in the database.
"""

import contextlib
import logging
import time
import uuid
from collections.abc import Callable
from pathlib import Path
from queue import Empty
from typing import Any, Final

from kombu.transport import TRANSPORT_ALIASES, filesystem
from kombu.utils.json import dumps

from scoring.workers.broker import SITE

logger = logging.getLogger(__name__)

MALFORMED: Final = (ValueError, LookupError, TypeError, AttributeError)
"""Errors that reading a malformed message raises."""
REDIS: Final = "leaderboard.operations.processes.redis_broker"


class FileChannel(filesystem.Channel):
    """kombu's channel; a message gets its file name once it is written, and a malformed one is dropped. Messages of
    housekeeping come first."""

    def _put(self, queue: str, payload: Any, **kwargs: Any) -> None:  # type: ignore[override]  # as kombu has it
        folder, name = Path(self.data_folder_out), uuid.uuid4()
        unfinished = folder / f"{name}.unfinished"
        unfinished.write_text(dumps(payload), encoding="utf-8")
        unfinished.replace(folder / f"{round(time.monotonic() * 1000)}_{name}.{queue}.msg")

    def _poll(self, cycle: Any, callback: Callable[..., None], timeout: float | None = None) -> None:
        if SITE in self._active_queues:
            with contextlib.suppress(Empty):
                self._get_and_deliver(SITE, callback)
                return
        super()._poll(cycle, callback, timeout)

    def _get_and_deliver(self, queue: str, callback: Callable[..., None]) -> None:
        try:
            super()._get_and_deliver(queue, callback)
        except MALFORMED:
            logger.exception("A malformed message of the queue %s was dropped.", queue)


class FileTransport(filesystem.Transport):
    """kombu's transport with this channel."""

    Channel = FileChannel


def install() -> None:
    """Make broker addresses lead to these transports in this process. Those for Redis are imported when used."""
    TRANSPORT_ALIASES["filesystem"] = f"{__name__}:FileTransport"
    TRANSPORT_ALIASES["redis"] = TRANSPORT_ALIASES["rediss"] = f"{REDIS}:RedisTransport"
