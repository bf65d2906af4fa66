"""The last release and the present code run side by side on one database, under load: no request fails, and every
submission that was accepted is scored."""

import json
import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import urlopen

import psycopg
import pytest
from django.db import connection

from leaderboard.models import Submission
from scoring.models import Split
from scoring.workers import broker as messages
from tests import releases
from tests.processes import ROOT, Worker, child_environment
from tests.reliability.ground import (
    all_done,
    answers_of_words,
    assert_scored_once,
    undisturbed,
    wait_until,
)
from tests.reliability.raw_http import Part
from tests.reliability.visitors import _Visitor
from tests.services import LOOPBACK, Process, Redis

pytestmark = [pytest.mark.slow, pytest.mark.postgres, pytest.mark.django_db(transaction=True)]
N_QUESTIONS = 4
EACH = 3
"""How many submissions are accepted in each phase of the upgrade, at least."""
MOST = 40
"""How many are sent at most, however slow this machine is."""
PAUSE_SECONDS = 0.1
PATIENCE_SECONDS = 240.0
"""How long anything may take before the test says that it never happens. Nothing is measured by it."""
PAGES = (
    "/",
    "/fanoutqa/dev/openbook/",
    "/api/v1/board/?setting=openbook",
    "/submit/",
    "/healthz",
    "/static/css/board.0123456789ab.css",  # as a page of another version names it
)
FILL = f"""
import django
django.setup()
from django.core.management import call_command
call_command("migrate", verbosity=0)
from leaderboard.accounts import tokens
from tests import factories
from tests.reliability.ground import benchmark_of_words
benchmark_of_words({N_QUESTIONS})
print(tokens.create_token(user=factories.user(), name="tests", scope="maintain")[1])
"""
ACTIVATE = (
    "import os, sys; os.dup2(int(sys.argv[1]), 3); os.environ.update(LISTEN_FDS='1', LISTEN_PID=str(os.getpid())); "
    "os.execv(sys.executable, [sys.executable, *sys.argv[2:]])"
)
"""Starts a Python program with a socket as systemd hands it over (sd_listen_fds)."""


class Web(Process):
    """A web server on a socket that others hold too, as with the documented units of systemd."""

    def __init__(
        self, name: str, listener: socket.socket, root: Path, folder: Path, environment: dict[str, str]
    ) -> None:
        gunicorn = ["-m", "gunicorn", "--config", "python:leaderboard.operations.processes.gunicorn", "--workers", "1"]
        number = listener.fileno()
        command = [sys.executable, "-c", ACTIVATE, str(number), *gunicorn, "leaderboard.wsgi:application"]
        log = folder / f"{name}.log"
        super().__init__(name, command, log, environment=environment, directory=root, files=[number])


class Load:
    """A reader and a sender, until the end of the block; what they got is a ledger."""

    def __init__(self, port: int, token: str) -> None:
        self.accepted: list[str] = []
        self.read = 0
        self.failures: list[str] = []
        self._url = f"http://{LOOPBACK}:{port}"
        self._sender = _Visitor(port, "/api/v1/submissions/", 201, {"Authorization": f"Token {token}"}, {}, "API")
        self._over = threading.Event()
        self._threads = [threading.Thread(target=task) for task in (self._read, self._send)]

    def __enter__(self) -> "Load":
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.end()

    def end(self) -> None:
        """Wait for the last replies."""
        self._over.set()
        for thread in self._threads:
            thread.join()

    def _read(self) -> None:
        while not self._over.is_set():
            for page in PAGES:
                try:
                    with urlopen(f"{self._url}{page}", timeout=PATIENCE_SECONDS) as response:
                        response.read()
                except HTTPError as error:
                    self.failures.append(f"{page}: {error.code}")
                except OSError as error:
                    self.failures.append(f"{page}: {error!r}")
                self.read += 1
                self._over.wait(PAUSE_SECONDS)

    def _send(self) -> None:
        lines = "".join(
            json.dumps({"id": qid, "answer": text}) + "\n" for qid, text in answers_of_words(N_QUESTIONS).items()
        )
        file = Part("openbook", lines.encode(), "answers.jsonl")
        while not self._over.is_set() and len(self.accepted) < MOST:
            answer = self._sender.submit([file], timeout=PATIENCE_SECONDS)
            if answer.status == 201:
                self.accepted.append(json.loads(answer.body)["id"])
            else:
                self.failures.append(f"submission: {answer.status} {answer.text[:200]}")
            self._over.wait(PAUSE_SECONDS)

    def goes_on(self) -> None:
        """Wait until more was sent and read without a failure."""
        accepted, read = len(self.accepted) + EACH, self.read + 2 * len(PAGES)
        wait_until(
            "more load",
            lambda: self.failures or (len(self.accepted) >= min(accepted, MOST) and self.read >= read),
            seconds=PATIENCE_SECONDS,
        )
        assert self.failures == []


@pytest.fixture
def own_database(transactional_db: None) -> Iterator[None]:
    """An empty database, which the connection of the tests leads to."""
    server = os.environ["DATABASE_URL"].replace("postgres://", "postgresql://", 1)
    tests, own = connection.settings_dict["NAME"], f"rolling_{os.getpid()}"
    with psycopg.connect(server, autocommit=True) as control:
        control.execute(f"CREATE DATABASE {own} TEMPLATE template0")
        connection.close()
        connection.settings_dict["NAME"] = own
        yield
        connection.close()
        connection.settings_dict["NAME"] = tests
        control.execute(f"DROP DATABASE {own} WITH (FORCE)")


@pytest.mark.timeout(900)
def test_an_upgrade_from_the_last_release_has_no_gap(
    own_database: None, redis_server: Redis, broker: str, static_root: Path, tmp_path: Path
) -> None:
    last = tmp_path / "last"
    last.mkdir()
    releases.export_last_release(last)
    options = {"RUN_RESEND_SECONDS": "1", "SWEEP_SECONDS": "1", "SECURE_SSL": "0"}
    environment = child_environment(CELERY_BROKER_URL=broker, STATIC_ROOT=str(static_root), **options)

    def run(root: Path, *arguments: str) -> str:
        command = [sys.executable, *arguments]
        result = subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True)
        assert result.returncode == 0, result.stderr
        return result.stdout

    token = run(last, "-c", FILL).strip().splitlines()[-1]
    with ExitStack() as stack:
        listener = stack.enter_context(socket.create_server((LOOPBACK, 0)))

        def started(process: Process) -> Process:
            stack.callback(process.stop)
            return process.start()

        def worker(name: str, root: Path) -> Process:
            return started(Worker(tmp_path, environment, name=name, queues="cpu,site", root=root))

        old_worker = worker("last-worker", last)
        old_web = started(Web("last-web", listener, last, tmp_path, environment))
        load = stack.enter_context(Load(listener.getsockname()[1], token))
        load.goes_on()
        run(ROOT, "manage.py", "migrate", "--no-input")
        load.goes_on()
        assert old_worker.running
        assert old_web.running
        new_worker = worker("new-worker", ROOT)
        new_web = started(Web("new-web", listener, ROOT, tmp_path, environment))
        load.goes_on()
        old_worker.stop(timeout_seconds=PATIENCE_SECONDS)
        old_web.stop(timeout_seconds=PATIENCE_SECONDS)
        load.goes_on()
        load.end()
        sent = {str(submission.pk): submission for submission in Submission.objects.all()}

        def is_scored() -> bool:
            """Asked once a second, with the message that the scheduler sends."""
            messages.send("scoring.tasks.sweep", queue=messages.SITE)
            time.sleep(1)
            return all_done()

        wait_until("scores of each", is_scored, seconds=PATIENCE_SECONDS)
        assert new_worker.running
        assert new_web.running
    assert load.failures == []
    assert sorted(load.accepted) == sorted(sent), "none was lost, and none was stored without a reply"
    expected = undisturbed(Split.objects.get(slug="dev"), answers_of_words(N_QUESTIONS))
    for submission in sent.values():
        assert_scored_once(submission, expected)
    for process in ("last-worker", "new-worker"):
        assert "succeeded" in (tmp_path / f"{process}.log").read_text(), f"{process} had a part in it"
