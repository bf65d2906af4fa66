"""Failures of the server's disk and database, recognised in the exception that ended a request."""

import errno
import sqlite3
import traceback
from collections.abc import Iterator
from enum import Enum
from typing import Final

from django.db import Error as DatabaseError
from django.db.backends.base import base as connections

from leaderboard.operations.object_storage import StoreUnavailableError

RETRY_SECONDS: Final = 30
"""When a client may try again after the database was unavailable."""
READ_ONLY: Final = frozenset({errno.EROFS, errno.EACCES})
NO_ROOM: Final = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
SQLITE_PASSING: Final = frozenset(
    {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PROTOCOL}
)
POSTGRES_FULL: Final = "53100"
POSTGRES_LOST: Final = ("08", "57P")
"""How PostgreSQL's codes begin if the connection ended: what was not answered may have been done."""
POSTGRES_PASSING: Final = (*POSTGRES_LOST, "40", "53", "55P03", "57014")
"""Errors of PostgreSQL that another attempt may not meet: also deadlocks, too many connections, timeouts."""


class Failure(Enum):
    """Meaning of an exception for a client."""

    DISK_FULL = "disk full"
    """The disk of the files or of the database is full; the transaction was rolled back."""
    READ_ONLY = "read-only"
    """The site's folder cannot be written to; the transaction was rolled back."""
    STORE_AWAY = "store away"
    """The object storage failed or did not answer; the transaction was rolled back."""
    UNREACHABLE = "unreachable"
    """Failure without a connection to the database, so that nothing was done."""
    INTERRUPTED = "interrupted"
    """The database failed while the request was processed; parts of it may have been committed."""


def failure_of(error: BaseException | None) -> Failure | None:
    """The failure that an exception or one of its causes means; None for any other error."""
    if any(map(_is_full, _causes(error))):
        return Failure.DISK_FULL
    if any(map(_is_read_only, _causes(error))):
        return Failure.READ_ONLY
    if any(isinstance(cause, StoreUnavailableError) for cause in _causes(error)):
        return Failure.STORE_AWAY
    for cause in _causes(error):
        if isinstance(cause, DatabaseError) and _is_passing(cause):
            return Failure.UNREACHABLE if "connect" in _steps(cause) else Failure.INTERRUPTED
    return None


def may_be_committed(error: BaseException) -> bool:
    """Whether the transaction that failed with this exception may be stored nevertheless: its connection was lost
    during the commit. A SQLite file answers each commit."""
    return any(
        isinstance(cause, DatabaseError) and _is_lost(cause) and "_commit" in _steps(cause) for cause in _causes(error)
    )


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    """An exception and those that led to it, the latest first."""
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


def _steps(error: BaseException) -> set[str]:
    """The names of the methods of Django's database connection in which an exception was raised."""
    frames = traceback.walk_tb(error.__traceback__)
    return {frame.f_code.co_name for frame, _ in frames if frame.f_code.co_filename == connections.__file__}


def _is_full(error: BaseException) -> bool:
    if isinstance(error, sqlite3.Error):
        return _sqlite_code(error) == sqlite3.SQLITE_FULL
    return getattr(error, "sqlstate", None) == POSTGRES_FULL or (isinstance(error, OSError) and error.errno in NO_ROOM)


def _is_read_only(error: BaseException) -> bool:
    if isinstance(error, sqlite3.Error):
        return _sqlite_code(error) == sqlite3.SQLITE_READONLY
    return isinstance(error, OSError) and error.errno in READ_ONLY


def _is_passing(error: DatabaseError) -> bool:
    cause = error.__cause__
    if isinstance(cause, sqlite3.Error):
        return _sqlite_code(cause) in SQLITE_PASSING
    return _is_lost(error) or str(getattr(cause, "sqlstate", "")).startswith(POSTGRES_PASSING)


def _is_lost(error: DatabaseError) -> bool:
    """Whether the connection to a PostgreSQL server ended, or could not be opened."""
    cause = error.__cause__
    if cause is None or isinstance(cause, sqlite3.Error) or not hasattr(cause, "sqlstate"):
        return False
    if cause.sqlstate is None:  # not a response of the server
        return type(error).__name__ in ("OperationalError", "InterfaceError")
    return str(cause.sqlstate).startswith(POSTGRES_LOST)


def _sqlite_code(error: sqlite3.Error) -> int:
    """The primary error code; 0 if the error is not of the file."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF
