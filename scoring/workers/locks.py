"""Locks for work that only one process should do at a time. A lock is released when its process ends."""

import fcntl
import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from django.conf import settings
from django.db import connection, transaction


@contextmanager
def only_one(what: str) -> Iterator[bool]:
    """Whether no other process works on *what* now; if true, no other process can start it before the body ends.

    On PostgreSQL the body is one transaction, which holds an advisory lock and releases it when it ends, also when the
    process is killed. On SQLite, where a transaction would block all other writing, a locked file in the data directory
    does the same, because everything then runs on one machine; the body opens its own transactions.
    """
    digest = hashlib.sha256(what.encode()).digest()
    if connection.vendor == "postgresql":
        with transaction.atomic():
            with connection.cursor() as cursor:
                cursor.execute("SELECT pg_try_advisory_xact_lock(%s)", [int.from_bytes(digest[:8], signed=True)])
                (mine,) = cursor.fetchone()
            yield mine
        return
    directory = Path(settings.DATA_DIR) / "locks"
    directory.mkdir(parents=True, exist_ok=True)
    with (directory / digest.hex()[:16]).open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
            return
        yield True
