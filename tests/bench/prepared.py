"""What the sites of benches begin with, made once for all benches of a run: static files, and databases with tables."""

from __future__ import annotations

import atexit
import itertools
import os
import secrets
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

from tests.bench.registry import output_of

if TYPE_CHECKING:
    from tests.services import Postgres

NUMBERS: Final = itertools.count(1)
"""Of databases, in whose names they are."""


@cache
def static_root() -> str:
    """The static files as production serves them."""
    _manage("collectstatic", "--no-input", STATIC_ROOT=str(_directory() / "static"))
    return str(_directory() / "static")


def sqlite_url(directory: Path) -> str:
    """The address of a new SQLite database, a file in a directory."""
    return f"sqlite:///{shutil.copy(_sqlite_file(), directory)}"


@contextmanager
def postgres_url() -> Iterator[str]:
    """The address of a new PostgreSQL database."""
    import psycopg

    url, name = _migrated_cluster().url, f"bench_{next(NUMBERS)}"
    with psycopg.connect(url, dbname="template1", autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name} TEMPLATE postgres")
        yield url.removesuffix("postgres") + name
        connection.execute(f"DROP DATABASE {name} WITH (FORCE)")


@cache
def _directory() -> Path:
    directory = Path(tempfile.mkdtemp(prefix="manyhop-bench-"))
    atexit.register(shutil.rmtree, directory, ignore_errors=True)
    return directory


@cache
def _sqlite_file() -> Path:
    file = _directory() / "site.sqlite3"
    _manage("migrate", DATABASE_URL=f"sqlite:///{file}")
    return file


@cache
def _migrated_cluster() -> Postgres:
    from tests.services import Postgres

    cluster = Postgres()
    atexit.register(cluster.stop)
    cluster.start()
    _manage("migrate", DATABASE_URL=cluster.url)
    return cluster


def _manage(*command: str, **variables: str) -> None:
    environment = os.environ | {
        "DJANGO_SETTINGS_MODULE": "leaderboard.settings",
        "SECRET_KEY": secrets.token_urlsafe(50),
        "DEBUG": "0",
        "REDIS_URL": "",
        "CELERY_BROKER_URL": "memory://",
        "MANYHOP_DATA_DIR": str(_directory()),
        "MANYHOP_TEST_CHILD": "1",
    }
    output_of([sys.executable, "manage.py", *command, "--verbosity", "0"], env=environment | variables)
