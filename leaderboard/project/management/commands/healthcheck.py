"""``manage.py healthcheck``: the health of the site or of one process, for people and for container engines."""

import json
import os
import socket
import time
from argparse import ArgumentParser
from collections.abc import Callable
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any

from django.conf import settings
from django.core.files.storage import default_storage
from django.core.management.base import BaseCommand, CommandError
from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor

TIMEOUT_SECONDS = 10
PROBE_BYTES = 65536
"""More than what a nearly full disk may still take."""
OLDEST_SCHEDULE_SECONDS = 900.0
"""Celery beat writes its schedule down every three minutes."""


class UnwellError(Exception):
    """A check failed; the message says where to look."""


class Command(BaseCommand):
    """Exit status 0 and a line per check if all is well, 1 and the reason if not."""

    help = (
        "Check the site, or one of its processes: web, worker or beat. Of the site: database, tables, queue, files (it "
        "writes to the data directory and to uploads, which may be another disk); a missing worker of housekeeping and "
        "benchmarks that cannot be read are only warnings. The exit status is 0 if everything works, else 1."
    )
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("what", nargs="?", choices=["site", "web", "worker", "beat"], default="site")
        parser.add_argument("--port", type=int, default=8000, help="web: the port of the server on this machine")
        parser.add_argument(
            "--queue", default="cpu", help="worker: the queue of this machine's worker (QUEUE@HOSTNAME)"
        )
        parser.add_argument(
            "--schedule", type=Path, default=Path("celerybeat-schedule"), help="beat: its schedule file"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        checks: dict[str, Callable[[], str]] = {
            "web": lambda: web(options["port"]),
            "worker": lambda: worker(options["queue"]),
            "beat": lambda: beat(options["schedule"]),
        }
        if options["what"] == "site":
            checks = {"database": database, "tables": tables, "queue": queue, "housekeeping": housekeeping}
            checks |= {"files": files, "benchmarks": readable}
        else:
            checks = {options["what"]: checks[options["what"]]}
        unwell = []
        for name, check in checks.items():
            try:
                self.stdout.write(f"{name}: {check()}")
            except UnwellError as error:
                unwell.append(f"{name}: {error}")
        if unwell:
            raise CommandError("\n".join(unwell))


def database() -> str:
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except DatabaseError as error:
        raise UnwellError(f"does not answer ({type(error).__name__}); check DATABASE_URL") from error
    return f"{connection.vendor} answers"


def tables() -> str:
    try:
        executor = MigrationExecutor(connection)
        missing = executor.migration_plan(executor.loader.graph.leaf_nodes())
    except DatabaseError as error:
        raise UnwellError(f"cannot be read ({type(error).__name__})") from error
    if missing:
        raise UnwellError(f"{len(missing)} migrations are not applied: run manage.py migrate")
    return "up to date for this version"


def queue() -> str:
    from scoring.workers.broker import UNREACHABLE, RefusesWritesError, reach_broker

    try:
        return f"{reach_broker()} answers"
    except RefusesWritesError as error:
        raise UnwellError(
            f"the broker refuses writes ({error}); check its memory and whether it is a replica"
        ) from error
    except UNREACHABLE as error:
        raise UnwellError(f"the broker does not answer ({type(error).__name__}); check REDIS_URL") from error


def housekeeping() -> str:
    """Whether the queue of housekeeping has a worker of its own; a warning, because others do its work without one."""
    from leaderboard.operations.health import NO_SITE_WORKER
    from scoring.models.workers import is_served
    from scoring.workers.broker import SITE

    try:
        served = is_served(SITE)
    except DatabaseError as error:
        raise UnwellError(f"cannot be looked up ({type(error).__name__})") from error
    return f"a worker takes the queue {SITE}" if served else f"warning: {NO_SITE_WORKER}"


def files() -> str:
    if settings.STORAGE_URL:
        try:
            default_storage.exists("healthcheck")
        except OSError as error:
            raise UnwellError(f"the object storage does not answer ({error.strerror}); check STORAGE_URL") from error
    for folder in (settings.DATA_DIR, *(() if settings.STORAGE_URL else (settings.MEDIA_ROOT,))):
        try:
            write_to(Path(folder))
        except OSError as error:
            advice = "check its free space, its owner and MANYHOP_DATA_DIR"
            raise UnwellError(f"cannot write to {folder} ({error.strerror}); {advice}") from error
    uploads = "the object storage answers" if settings.STORAGE_URL else f"{settings.MEDIA_ROOT} is writable"
    return f"{settings.DATA_DIR} is writable, {uploads}"


def write_to(folder: Path) -> None:
    """Write a small file to a folder, which may be a disk of its own, and delete it.

    Raises:
        OSError: the folder or its disk does not take it; a full disk may say so only when the file is synchronised.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with TemporaryFile(dir=folder) as file:
        file.write(bytes(PROBE_BYTES))
        file.flush()
        os.fsync(file.fileno())


def readable() -> str:
    """The benchmarks that the site cannot show; a warning, because all others work."""
    from scoring.declarations import unreadable_benchmarks

    try:
        unreadable = unreadable_benchmarks()
    except DatabaseError as error:
        raise UnwellError(f"cannot be looked up ({type(error).__name__})") from error
    lines = [f"warning: {slug} is not shown: {reason}" for slug, reason in unreadable.items()]
    return "\n".join(lines) or "all can be read"


def web(port: int) -> str:
    request = HTTPConnection("127.0.0.1", port, timeout=TIMEOUT_SECONDS)
    try:
        request.request("GET", "/readyz")
        answer = json.loads(request.getresponse().read())
        database = answer["database"]
    except (OSError, HTTPException, ValueError, KeyError, TypeError) as error:
        raise UnwellError(f"no valid answer on port {port} ({type(error).__name__})") from error
    finally:
        request.close()
    if database != "ok":
        raise UnwellError(f"the database {database}")
    return "ready"  # a web server is healthy without workers: submissions wait for them


def worker(queue_name: str) -> str:
    from kombu.exceptions import KombuError, OperationalError

    from leaderboard.project.celery import app

    name = f"{queue_name}@{socket.gethostname()}"
    try:
        answers = app.control.ping(destination=[name], timeout=TIMEOUT_SECONDS / 2, limit=1)
    except (OSError, OperationalError, KombuError) as error:
        raise UnwellError(f"the broker does not answer ({type(error).__name__}); check REDIS_URL") from error
    if not answers:
        raise UnwellError(f"no worker named {name} answers")
    return f"{name} answers"


def beat(schedule: Path) -> str:
    written = [path.stat().st_mtime for path in schedule.parent.glob(f"{schedule.name}*")]
    if not written:
        raise UnwellError(f"the schedule {schedule} does not exist: the scheduler is not running, or writes elsewhere")
    age = time.time() - max(written)
    if age > OLDEST_SCHEDULE_SECONDS:
        raise UnwellError(f"{schedule} was last written {age:.0f} s ago: the scheduler hangs or has stopped")
    return "schedule is up to date"
