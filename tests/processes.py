"""Manyhop's own processes as tests run them: Celery workers, beat and the web server, each a real process."""

import os
import sys
from pathlib import Path
from typing import Self
from urllib.parse import quote
from urllib.request import urlopen

from django.db import connection

from tests.services import LOOPBACK, Process, ServiceError, free_port, wait_for
from tests.settings import CHILD

ROOT = Path(__file__).resolve().parent.parent
LIVE_SETTINGS = "tests.live_settings"
QUIET_SECONDS = 10.0


def database_url() -> str:
    """The DATABASE_URL of the test database, as a process outside this one needs it."""
    settings = connection.settings_dict
    if connection.vendor == "sqlite":
        return f"sqlite:///{quote(settings['NAME'])}"
    return (
        f"postgres://{quote(settings['USER'])}:{quote(settings['PASSWORD'])}"
        f"@{settings['HOST']}:{settings['PORT']}/{quote(settings['NAME'])}"
    )


def child_environment(**changes: str) -> dict[str, str]:
    """The environment of a process of the site that is to share this test's database and files."""
    ours = {name: value for name, value in os.environ.items() if name != "PYTEST_CURRENT_TEST"}
    return ours | {
        CHILD: "1",
        "DJANGO_SETTINGS_MODULE": LIVE_SETTINGS,
        "DATABASE_URL": database_url(),
        "PYTHONUNBUFFERED": "1",
        **changes,
    }


def nobody_asks() -> bool:
    """Whether no other connection to this test's database has work, or a transaction that is open."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*) FROM pg_stat_activity"
            " WHERE datname = current_database() AND backend_type = 'client backend'"
            " AND pid <> pg_backend_pid() AND state <> 'idle'"
        )
        (n,) = cursor.fetchone()
    return bool(n == 0)


class LoggedProcess(Process):
    """A process that says in its log when it is ready."""

    ready_text = ""

    def start(self) -> Self:
        begin = self.log.stat().st_size if self.log.exists() else 0
        super().start()
        self.wait_until(lambda: self.ready_text.encode() in self.log.read_bytes()[begin:])
        return self

    def restart(self) -> Self:
        """Stops it if it runs, and starts it again."""
        self.stop()
        return self.start()


class Worker(LoggedProcess):
    """A Celery worker with one prefork child; ready when `start` returns.

    ``kill9`` ends parent and child in the middle of whatever they do.
    """

    ready_text = " ready."

    def __init__(
        self,
        directory: Path,
        environment: dict[str, str],
        *,
        name: str = "worker",
        queues: str = "cpu",
        app: str = "leaderboard.celery:app",
        root: Path = ROOT,
    ) -> None:
        super().__init__(
            name,
            [
                *(sys.executable, "-m", "celery", "-A", app, "worker"),
                *("--hostname", f"{name}@{LOOPBACK}"),
                *("--queues", queues),
                *("--pool", "prefork", "--concurrency", "1"),
                *("--loglevel", "INFO"),
                *("--without-gossip", "--without-mingle"),
            ],
            directory / f"{name}.log",
            environment=environment,
            directory=root,
        )


class Beat(LoggedProcess):
    """Celery beat, which sends the sweep."""

    ready_text = "beat: Starting"

    def __init__(self, directory: Path, environment: dict[str, str]) -> None:
        super().__init__(
            "beat",
            [
                *(sys.executable, "-m", "celery", "-A", "leaderboard.celery:app", "beat"),
                *("--schedule", directory / "beat-schedule"),
                *("--pidfile", ""),
                *("--loglevel", "INFO"),
            ],
            directory / "beat.log",
            environment=environment,
            directory=ROOT,
        )


class Site(Process):
    """The site under gunicorn, with hashed static files; ``url`` has no slash at its end."""

    def __init__(self, directory: Path, environment: dict[str, str]) -> None:
        self.environment = environment
        self.port = free_port()
        self.url = f"http://{LOOPBACK}:{self.port}"
        environment = {"SITE_URL": self.url} | environment
        super().__init__(
            "web server",
            [
                *(sys.executable, "-m", "gunicorn", "leaderboard.wsgi:application"),
                *("--config", "python:leaderboard.operations.processes.gunicorn"),
                *("--bind", f"{LOOPBACK}:{self.port}"),
                *("--workers", "1"),
            ],
            directory / "web.log",
            environment=environment,
            directory=ROOT,
        )

    def start(self) -> Self:
        super().start()
        self.wait_until(self._serves)
        return self

    def falls_idle(self) -> bool:
        """Waits until the site answers nobody any more; whether that came to be, as far as the database can tell."""
        if connection.vendor != "postgresql":
            return False
        try:
            for _ in range(2):  # the second time after a request that stood behind those there were
                wait_for(nobody_asks, QUIET_SECONDS, "the end of all requests")
                self._serves()
        except ServiceError:
            return False
        return True

    def _serves(self) -> bool:
        try:
            with urlopen(f"{self.url}/healthz", timeout=5) as response:
                return bool(response.status == 200)
        except OSError:
            return False
