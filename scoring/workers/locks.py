"""One process at a time, for work that would only be done twice. The lock goes with the process that holds it."""

import fcntl
import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from django.conf import settings
from django.db import connection, transaction


@contextmanager
def only_one(what: str) -> Iterator[bool]:
    """Whether nobody else is at *what* now; if so, nobody else gets at it before the body ends.

    On PostgreSQL the body is one transaction, which holds an advisory lock and whose end, a killed process's included,
    lets go of it. On SQLite, where a transaction would stop all other writing, a locked file in the data directory does
    the same, since everything then is on one machine; the body takes its own transactions.
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
