"""Spares requests the query with which Django checks whether a kept connection to PostgreSQL still works.

A server that stops, restarts or ends a session closes the connection, which its socket shows without a query. Then
Django checks and connects again. No connection is kept longer than ``CONN_MAX_AGE``.
"""

import select
from typing import Any

from django.db import connections


def spare_checks(**kwargs: Any) -> None:
    """Mark the connections of this thread that are still open as checked: at the start of a request."""
    del kwargs
    for connection in connections.all(initialized_only=True):
        if connection.vendor == "postgresql" and is_open(connection):
            connection.health_check_done = True  # type: ignore[attr-defined]


def is_open(connection: Any) -> bool:
    """Whether the server has sent nothing since the last query, not even the end of the connection."""
    kept = connection.connection
    if kept is None or kept.closed:
        return False
    poll = select.poll()
    poll.register(kept.fileno(), select.POLLIN)
    return not poll.poll(0)
