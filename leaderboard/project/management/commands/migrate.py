"""``manage.py migrate``: Django's, which lets the requests of a running site go first."""

import time
from collections.abc import Callable
from typing import Any, Final

from django.core.management.base import CommandError
from django.core.management.commands import migrate
from django.db import OperationalError, connections

LOCK_SECONDS: Final = 0.2
"""How long a migration waits for a table: less than the second after which PostgreSQL looks for a deadlock, where the
request of a visitor may be what fails."""
N_ATTEMPTS: Final = 300
PAUSE_SECONDS: Final = 1.0
LOCK_NOT_AVAILABLE: Final = "55P03"


def with_lock_timeout(execute: Callable[..., Any], sql: str, params: Any, many: bool, context: dict[str, Any]) -> Any:
    """Run a statement with a limit on how long it waits for a lock, which ends with the transaction: the connection may
    be a pooler's."""
    limit = f"SET LOCAL lock_timeout = '{LOCK_SECONDS}s'"
    if sql != limit and context["connection"].in_atomic_block:
        with context["connection"].cursor() as cursor:
            cursor.execute(limit)
    return execute(sql, params, many, context)


class Command(migrate.Command):
    """On PostgreSQL, a migration that does not get a table at once is rolled back and run again: while it waits for one
    table, requests wait for those that it has."""

    def handle(self, *args: Any, **options: Any) -> None:
        connection = connections[options["database"]]
        if connection.vendor != "postgresql":
            super().handle(*args, **options)
            return
        for _ in range(N_ATTEMPTS):
            try:
                with connection.execute_wrapper(with_lock_timeout):
                    super().handle(*args, **options)
                return
            except OperationalError as error:
                if getattr(error.__cause__, "sqlstate", None) != LOCK_NOT_AVAILABLE:
                    raise
            self.stdout.write(" the table is in use; trying again ...")
            time.sleep(PAUSE_SECONDS)
        raise CommandError(
            f"A table was in use at each of {N_ATTEMPTS} attempts, and the last migration above is not applied. Look "
            "for old transactions in pg_stat_activity, end them, and run migrate again."
        )
