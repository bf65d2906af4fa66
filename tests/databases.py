"""The tests' databases: made once, and copied for each further process that shares the tests.

Tables are made from the models, which takes a second; going through all migrations takes five. `make lint` checks that
migrations and models agree, and `tests.upgrade` runs all migrations on both databases. PostgreSQL copies a
database in a fraction of a second, so of several processes the first makes its own, then copies for the others.
"""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import DEFAULT_DB_ALIAS, connection
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder
from django.test.utils import override_settings, setup_databases, teardown_databases


@contextmanager
def prepared_database(shared: Path) -> Iterator[None]:
    """A database without rows for this process, gone at the end. It says that all migrations were applied.

    Args:
        shared: a directory that all processes of this run have in common.
    """
    process = os.environ.get("PYTEST_XDIST_WORKER", "")
    if connection.vendor != "postgresql" or process not in _processes():  # alone, or in place of one that died
        made = _set_up()
        yield
        if connection.vendor == "postgresql":
            with connection.cursor() as cursor:  # processes of the site that just ended may still be connected
                cursor.execute(
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                    " WHERE datname = current_database() AND pid <> pg_backend_pid()"
                )
        teardown_databases(made, verbosity=0)
        return
    configured = str(connection.settings_dict["NAME"])
    with (shared / "databases.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        copied = shared / "databases-copied"
        if not copied.exists():
            _set_up()
            _copy_for([other for other in _processes() if other != process])
            copied.touch()
    _use(_name_for(process))
    yield
    name = _name_for(process)
    _use(configured)
    with connection._nodb_cursor() as cursor:
        # Those who are still connected are processes of the site that just ended: what they leave is not waited for.
        cursor.execute(f"DROP DATABASE {connection.ops.quote_name(name)} WITH (FORCE)")


class _NoMigrations:
    """In place of ``MIGRATION_MODULES``: every app makes its tables from its models."""

    def __contains__(self, app: str) -> bool:
        return True

    def __getitem__(self, app: str) -> None:
        return None


def _set_up() -> list[Any]:
    with override_settings(MIGRATION_MODULES=_NoMigrations()):
        made: list[Any] = setup_databases(verbosity=0, interactive=False, serialized_aliases=())
    _number_apart()
    loader = MigrationLoader(connection)
    recorder = MigrationRecorder(connection)
    recorder.ensure_schema()
    # Django takes a migration that replaces others for applied only if these are recorded too.
    replaced = {key for migration in loader.disk_migrations.values() for key in migration.replaces}
    applied = sorted({*loader.disk_migrations, *replaced})
    recorder.migration_qs.bulk_create(recorder.Migration(app=app, name=name) for app, name in applied)
    return made


def _number_apart() -> None:
    """Rows of every table are numbered from another number on, which no test can guess.

    PostgreSQL does not take numbers back with the rows of a test. Otherwise a test that names row 1 would pass or
    fail by what ran before it in its process, and one that mixes up two tables would pass.
    """
    with connection.cursor() as cursor:
        for number, name in enumerate(sorted(connection.introspection.table_names(cursor))):
            for sequence in connection.introspection.get_sequences(cursor, name):
                start = 1001 + 100 * number
                if connection.vendor == "postgresql":
                    cursor.execute(f"ALTER SEQUENCE {connection.ops.quote_name(sequence['name'])} RESTART WITH {start}")
                else:
                    cursor.execute("INSERT INTO sqlite_sequence (name, seq) VALUES (%s, %s)", [name, start])


def _processes() -> list[str]:
    """The names of all processes that share the tests, as pytest-xdist gives them; none if there is but one."""
    return [f"gw{number}" for number in range(int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "0")))]


def _name_for(process: str) -> str:
    """The name of a process' database: as pytest-django names this one's, which ends with the name of the process."""
    ours = os.environ["PYTEST_XDIST_WORKER"]
    return str(connection.settings_dict["TEST"]["NAME"]).removesuffix(ours) + process


def _use(name: str) -> None:
    connection.close()
    connection.settings_dict["NAME"] = settings.DATABASES[DEFAULT_DB_ALIAS]["NAME"] = name


def _copy_for(processes: list[str]) -> None:
    """Makes a copy of this process' database for each of the others; nobody may be connected to it meanwhile."""
    source = connection.ops.quote_name(connection.settings_dict["NAME"])
    connection.close()
    with connection._nodb_cursor() as cursor:
        for process in processes:
            copy = connection.ops.quote_name(_name_for(process))
            cursor.execute(f"DROP DATABASE IF EXISTS {copy}")
            cursor.execute(f"CREATE DATABASE {copy} TEMPLATE {source}")
