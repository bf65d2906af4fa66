"""The board's page under production's server: its processor time beside an empty Django view's.

A hundred systems on each of three boards, on PostgreSQL where it is installed (SQLite otherwise), with statistics as a
worker stores them; gunicorn with the site's own configuration and
one process; the empty view runs in the same server, behind the same middleware, in the same minute. Each is asked over
one kept connection, so that both pay the same for the network. What other programs do meanwhile counts little.
"""

from __future__ import annotations

import http.client
import os
import secrets
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from tests.bench import prepared
from tests.bench.registry import ROOT, ChildError, Report, bench, output_of

N_SYSTEMS = 100
BOARDS = ("closedbook", "openbook", "evidenceprovided")
PAGE = "/fanoutqa/test/openbook/"
EMPTY = "/bench/empty/"
SECONDS = 4.0
TICK = 0.01
"""The unit in which the kernel counts processor time, in seconds."""
PREPARE = """
import django
django.setup()
from django.core.management import call_command
call_command("import_benchmark", "fanoutqa", verbosity=0)
call_command("import_reported", "fanoutqa", verbosity=0)
from tests.bench.drawn_boards import draw
draw({n_systems}, {boards!r})
"""


@dataclass(frozen=True)
class Server:
    """gunicorn, and a connection to it that is kept."""

    connection: http.client.HTTPConnection
    pid: int

    @property
    def processor_seconds(self) -> float:
        """What its processes have used so far, in their own code and in the kernel."""
        import psutil

        process = psutil.Process(self.pid)
        times = [each.cpu_times() for each in (process, *process.children(recursive=True))]
        return sum(each.user + each.system for each in times)


@bench("pages")
def pages(report: Report) -> None:
    """A board's page without a cache, from it, and unchanged (304), beside an empty view; with a hundred systems."""
    n_systems = report.size(N_SYSTEMS, 10)
    with ExitStack() as stack:
        directory = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="manyhop-bench-")))
        environment = stack.enter_context(_site(directory, report))
        output_of([sys.executable, "-c", PREPARE.format(n_systems=n_systems, boards=BOARDS)], env=environment)
        server = stack.enter_context(_served(directory, environment))
        cost = partial(cost_of, server, seconds=SECONDS / report.size(1, 40))
        empty = cost(lambda number: (EMPTY, {}), expect=200)
        # Filters that nobody asked for before: no answer is cached yet. Typed ones never are.
        cold = cost(lambda number: (f"{PAGE}?context_min={number + 1}", {}), expect=200)
        packed = {"Accept-Encoding": "gzip"}
        _, tag, n_bytes = _ask(server.connection, PAGE, packed)
        warm = cost(lambda number: (PAGE, packed), expect=200)
        unchanged = cost(lambda number: (PAGE, {**packed, "If-None-Match": tag}), expect=304)
    report.note(
        f"{n_systems:,} systems on each of {len(BOARDS)} boards; a page is {n_bytes / 1024:.0f} KiB, compressed."
    )
    report.measure("empty Django view", empty, "ms")
    report.measure("board, nothing cached", cold, "ms", at_most=100)
    report.measure("board, cached", warm, "ms", at_most=10)
    report.measure("board, unchanged (304)", unchanged, "ms", at_most=10)


@contextmanager
def _site(directory: Path, report: Report) -> Iterator[Mapping[str, str]]:
    from tests import services

    environment = os.environ | {
        "DJANGO_SETTINGS_MODULE": "tests.bench.page_settings",
        "MANYHOP_DATA_DIR": str(directory / "data"),
        "STATIC_ROOT": prepared.static_root(),
        "MANYHOP_TEST_CHILD": "1",
        "SECRET_KEY": secrets.token_urlsafe(50),
        "SECURE_SSL": "0",
        "DEBUG": "0",
        "REDIS_URL": "",
        "CELERY_BROKER_URL": "memory://",
    }
    (directory / "data").mkdir()
    if services.find_postgres() is None:
        report.note("On SQLite: PostgreSQL is not installed.")
        yield environment | {"DATABASE_URL": prepared.sqlite_url(directory)}
        return
    with prepared.postgres_url() as url:
        yield environment | {"DATABASE_URL": url}


@contextmanager
def _served(directory: Path, environment: Mapping[str, str]) -> Iterator[Server]:
    from tests.services import LOOPBACK, free_port

    port = free_port()
    command = [sys.executable, "-m", "gunicorn", "leaderboard.wsgi:application"]
    command += [
        "--config",
        "python:leaderboard.operations.processes.gunicorn",
        "--bind",
        f"{LOOPBACK}:{port}",
        "--workers",
        "1",
    ]
    with (directory / "web.log").open("wb") as log:
        process = subprocess.Popen(command, env=dict(environment), cwd=ROOT, stdout=log, stderr=log)
    connection = http.client.HTTPConnection(LOOPBACK, port, timeout=60)
    try:
        try:
            _wait(connection, process)
        except TimeoutError as error:
            raise ChildError(f"The server did not start:\n{(directory / 'web.log').read_text()}") from error
        yield Server(connection, process.pid)
    finally:
        connection.close()
        process.terminate()
        process.wait(timeout=30)


def _wait(connection: http.client.HTTPConnection, server: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + 60
    while True:
        try:
            if _ask(connection, EMPTY, {})[0] == 200:
                return
        except OSError:
            connection.close()
        if time.monotonic() > deadline or server.poll() is not None:
            raise TimeoutError
        time.sleep(0.2)


def _ask(connection: http.client.HTTPConnection, path: str, headers: Mapping[str, str]) -> tuple[int, str, int]:
    """Status, ETag and length of the body."""
    connection.request("GET", path, headers=dict(headers))
    response = connection.getresponse()
    body = response.read()
    return response.status, response.headers.get("ETag", ""), len(body)


def cost_of(
    server: Server, request: Callable[[int], tuple[str, Mapping[str, str]]], *, seconds: float, expect: int = 200
) -> float:
    """Milliseconds of processor time a request over so many seconds, after one that is not counted."""
    _ask(server.connection, *request(0))
    count = 0
    begin, spent = time.perf_counter(), server.processor_seconds
    while time.perf_counter() - begin < seconds:
        count += 1
        status, _, _ = _ask(server.connection, *request(count))
        if status != expect:
            raise RuntimeError(f"{request(count)[0]} answered {status} instead of {expect}")
    return 1000 * max(server.processor_seconds - spent, TICK) / count
