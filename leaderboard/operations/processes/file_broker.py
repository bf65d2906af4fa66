"""Celery's broker in a folder, for the demo and sites without Redis, with atomic writes of messages.

kombu's own broker writes a message directly into the file that workers look for: a worker that opens the file before
its content is written reads nothing, and the whole worker ends.
"""

import time
import uuid
from pathlib import Path
from typing import Any, Final

from kombu.transport import TRANSPORT_ALIASES, filesystem
from kombu.utils.json import dumps

ALIAS: Final = "filesystem"


class Channel(filesystem.Channel):
    """kombu's channel; a message gets its file name once it is written."""

    def _put(self, queue: str, payload: Any, **kwargs: Any) -> None:  # type: ignore[override]  # as kombu has it
        folder, name = Path(self.data_folder_out), uuid.uuid4()
        unfinished = folder / f"{name}.unfinished"
        unfinished.write_text(dumps(payload), encoding="utf-8")
        unfinished.replace(folder / f"{round(time.monotonic() * 1000)}_{name}.{queue}.msg")


class Transport(filesystem.Transport):
    """kombu's transport with this channel."""

    Channel = Channel


def install() -> None:
    """Make ``filesystem://`` use this transport in this process."""
    TRANSPORT_ALIASES[ALIAS] = f"{Transport.__module__}:{Transport.__qualname__}"
