"""Emptying the database after tests that commit: only tables that have rows, and not those that no test changes.

Django truncates every table, empty or not, and then makes all permissions anew. With some hundred tables that takes
longer than most tests.
"""

from collections.abc import Sequence
from typing import Any, Final

import pytest
from django.core.management.sql import emit_post_migrate_signal
from django.db import connections
from django.db.backends.postgresql.operations import DatabaseOperations

LEFT: Final = frozenset({"django_content_type", "auth_permission"})
"""What a migrated database begins with; it follows from the models."""


def quickly(patch: pytest.MonkeyPatch) -> None:
    """Have PostgreSQL's tables emptied so. Foreign keys are checked at the end of the transaction, so in any order."""

    def sql_flush(self: DatabaseOperations, style: Any, tables: Sequence[str], **options: Any) -> list[str]:
        del style, options
        names = [name for name in tables if name not in LEFT]
        if not names:
            return []
        filled = " UNION ALL ".join(
            f"SELECT '{name}' WHERE EXISTS (SELECT 1 FROM {self.quote_name(name)})" for name in names
        )
        with self.connection.cursor() as cursor:
            cursor.execute(filled)
            return [f"DELETE FROM {self.quote_name(name)};" for (name,) in cursor.fetchall()]

    def unless_nothing_is_to_be_made_anew(verbosity: int, interactive: bool, db: str) -> None:
        if connections[db].vendor != "postgresql":
            emit_post_migrate_signal(verbosity, interactive, db)

    patch.setattr(DatabaseOperations, "sql_flush", sql_flush)
    name = "django.core.management.commands.flush.emit_post_migrate_signal"
    patch.setattr(name, unless_nothing_is_to_be_made_anew)
