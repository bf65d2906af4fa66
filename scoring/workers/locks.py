"""Locks for work that only one process should do at a time. A lock is released when its process ends."""

import fcntl
import hashlib
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from django.conf import settings
from django.db import DatabaseError, connection


@contextmanager
def only_one(what: str) -> Iterator[bool]:
    """Whether no other process works on *what* now; if true, no other process can start it before the body ends.

    On PostgreSQL an advisory lock does this, held by a database connection of its own, which ends with the process. The
    connection's transaction, which has read nothing and so holds no old rows back, stays open while the body works: a
    pooler may then give its server connection to nobody else. On SQLite, a locked file in the data directory does the
    same, because everything then runs on one machine.
    """
    digest = hashlib.sha256(what.encode()).digest()
    if connection.vendor == "postgresql":
        key = [int.from_bytes(digest[:8], signed=True)]
        own = connection.copy()
        try:
            own.set_autocommit(False)
            with own.cursor() as cursor:
                cursor.execute("SET LOCAL idle_in_transaction_session_timeout = 0")
                cursor.execute("SELECT pg_try_advisory_xact_lock(%s)", key)
                (mine,) = cursor.fetchone()
            yield mine
        finally:
            with suppress(DatabaseError):  # the server takes a moment to notice the end of a connection
                own.rollback()
            own.close()
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


_held: list[IO[str]] = []


def reserve_on_machine(what: str) -> bool:
    """Reserve a thing of this machine, such as a GPU, for this process and its children until all of them have ended;
    false if another process has it."""
    file = (Path(tempfile.gettempdir()) / f"manyhop-{what.replace(':', '-')}.lock").open("w")
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        file.close()
        return False
    _held.append(file)
    return True
