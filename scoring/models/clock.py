"""The clock that all machines of a site share: the database's.

Leases, heartbeats and waiting times are written by one machine and read by others, whose own clocks may differ.
"""

import datetime

from django.db import connection
from django.utils import timezone


def now() -> datetime.datetime:
    """The present time by the database's clock. One query on PostgreSQL; SQLite is on this machine."""
    if connection.vendor != "postgresql":
        return timezone.now()
    with connection.cursor() as cursor:
        cursor.execute("SELECT clock_timestamp()")  # `Now()` needs a row of a table
        (time,) = cursor.fetchone()
    return time  # type: ignore[no-any-return]


def seconds_ahead() -> float:
    """How far the clock of this machine is ahead of the database's, in seconds; negative if it is behind."""
    before = timezone.now()
    shared = now()
    after = timezone.now()
    return (before + (after - before) / 2 - shared).total_seconds()
