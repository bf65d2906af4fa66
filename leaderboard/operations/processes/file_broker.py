"""Celery's broker in a folder, as the demo and a site without Redis have it, with messages that appear whole.

kombu's own writes a message into the very file that workers look for: one that comes between the file and its content
reads nothing, and the whole worker ends.
"""

import time
import uuid
from pathlib import Path
from typing import Any, Final

from kombu.transport import TRANSPORT_ALIASES, filesystem
from kombu.utils.json import dumps

ALIAS: Final = "filesystem"


class Channel(filesystem.Channel):
    """kombu's channel; a message gets its name once it is written."""

    def _put(self, queue: str, payload: Any, **kwargs: Any) -> None:  # type: ignore[override]  # as kombu has it
        folder, name = Path(self.data_folder_out), uuid.uuid4()
        unfinished = folder / f"{name}.unfinished"
        unfinished.write_text(dumps(payload), encoding="utf-8")
        unfinished.replace(folder / f"{round(time.monotonic() * 1000)}_{name}.{queue}.msg")


class Transport(filesystem.Transport):
    """kombu's transport with this channel."""

    Channel = Channel


def install() -> None:
    """Have ``filesystem://`` mean this transport in this process."""
    TRANSPORT_ALIASES[ALIAS] = f"{Transport.__module__}:{Transport.__qualname__}"
