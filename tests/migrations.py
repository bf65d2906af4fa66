"""Refuses migrations that the last release cannot live with: ``python -m tests.migrations``, a part of ``make lint``.

django-migration-linter finds in the SQL for PostgreSQL what the migrations since the last release do to tables that web
servers and workers of that release still use; no server is needed. A column or table that the last release no longer
knows may be dropped.
"""

import os
import re
import sys
from collections.abc import Iterator
from typing import Any, Final

import django
from django.db.backends.postgresql.base import DatabaseWrapper
from django.db.backends.postgresql.schema import DatabaseSchemaEditor
from django.db.migrations import Migration
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.operations.base import Operation
from django.db.migrations.state import ProjectState
from django_migration_linter.sql_analyser.base import Check, CheckMode, CheckType
from django_migration_linter.sql_analyser.postgresql import PostgresqlAnalyser

from tests import releases

APPS = ("scoring", "leaderboard", "humaneval")

ACCEPTED: Final[dict[str, str]] = {
    "scoring.0012_longer_verdicts": "A column of short texts takes longer ones: no row is rewritten, and what the last "
    "release reads and writes there fits.",
}
"""A migration, such as ``scoring.0099_longer_reasons`` → why the last release can live with what is refused in it."""


class Analyser(PostgresqlAnalyser):
    """The linter's checks, and those of ours: the last release may write what a new constraint forbids, and may need an
    old one to find the row that it updates."""

    migration_checks: list[Check] = [
        *PostgresqlAnalyser.migration_checks,
        Check(
            code="SET_NOT_NULL",
            fn=lambda sql, **_: "SET NOT NULL" in sql,
            message="NOT NULL on a column that could be empty",
            mode=CheckMode.ONE_LINER,
            type=CheckType.ERROR,
        ),
        Check(
            code="NOT_NULL_UNIQUE",
            fn=lambda sql, **_: re.search("ADD COLUMN .* NOT NULL UNIQUE", sql),
            message="NOT NULL and unique column",
            mode=CheckMode.ONE_LINER,
            type=CheckType.ERROR,
        ),
        Check(
            code="DROP_CONSTRAINT",
            fn=lambda sql, **_: "DROP CONSTRAINT" in sql,
            message="DROPPING a constraint",
            mode=CheckMode.ONE_LINER,
            type=CheckType.ERROR,
        ),
        Check(
            code="ADD_CHECK",
            fn=lambda sql, **_: re.search("ALTER TABLE .* ADD CONSTRAINT .* (CHECK|EXCLUDE)", sql),
            message="ADDING a check constraint",
            mode=CheckMode.ONE_LINER,
            type=CheckType.ERROR,
        ),
    ]


class Statements(DatabaseSchemaEditor):
    """Collects statements, with placeholders in the place of values: those would need a server."""

    def __init__(self, connection: DatabaseWrapper, *, atomic: bool) -> None:
        super().__init__(connection, collect_sql=True, atomic=atomic)
        self.statements: list[str] = []

    def execute(self, sql: Any, params: object = None) -> None:
        del params
        self.statements.append(str(sql))


def problems(migration: Migration, state: ProjectState, released: ProjectState) -> Iterator[str]:
    """What the last release cannot live with, one line each.

    Args:
        state: before the migration; afterwards that after it.
        released: of the last release.
    """
    if not migration.atomic:
        yield f"{migration}: it is not atomic, so that `migrate` cannot run it again when a table was in use"
    models = released.apps.get_models(include_auto_created=True)
    columns = {model._meta.db_table: {field.column for field in model._meta.local_fields} for model in models}
    for operation in migration.operations:
        analyser = Analyser(None)
        statements = statements_of(operation, migration.app_label, state)
        analyser.analyse([sql for sql in statements if (table := table_of(sql)) is None or table in columns])
        for error in analyser.errors:
            if error.code == "DROP_COLUMN" and error.column and error.column not in columns.get(error.table or "", ()):
                continue
            yield f"{migration}: {operation.describe()}: {error.message}"


def table_of(sql: str) -> str | None:
    """The table that a statement changes, if it says so in quotation marks."""
    match = re.search(r'(?:TABLE|INDEX .*? ON)(?: IF EXISTS)? "(\w+)"', sql)
    return match[1] if match else None


def statements_of(operation: Operation, app: str, state: ProjectState) -> list[str]:
    """The SQL of an operation on PostgreSQL; *state* becomes that after it. Each is looked at alone: the linter takes a
    default of one column for that of another."""
    before = state.clone()
    operation.state_forwards(app, state)
    if not operation.reduces_to_sql:
        return []
    with Statements(DatabaseWrapper({}), atomic=False) as editor:
        operation.database_forwards(app, editor, before, state)
    return editor.statements


def main() -> int:
    """The exit status; each problem is a line on standard error."""
    loader = MigrationLoader(None)
    released = releases.migrations_of_last_release()
    new = [node for node in loader.graph.nodes if node[0] in APPS and node not in released]
    state = loader.project_state([node for node in loader.graph.nodes if node not in new])
    before = state.clone()
    lines: list[str] = []
    plan = dict.fromkeys(step for node in sorted(new) for step in loader.graph.forwards_plan(node))
    for node in plan:
        if node in new and ".".join(node) not in ACCEPTED:
            lines += problems(loader.graph.nodes[node], state, before)
        elif node in new:
            loader.graph.nodes[node].mutate_state(state, preserve=False)
    for line in lines:
        sys.stderr.write(f"{line}\n")
    if lines:
        sys.stderr.write("During an upgrade, processes of the last release use these tables: see CONTRIBUTING.\n")
    sys.stdout.write(f"{len(new)} migrations since the last release, {len(lines)} problems.\n")
    return bool(lines)


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")
    django.setup()
    sys.exit(main())
