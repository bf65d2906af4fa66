"""The board's page under production's server: requests per second as a share of an empty Django view's.

Ten systems on each of three boards, the same on a site with ten benchmarks, then 1,000 systems, on PostgreSQL where it
is installed (SQLite otherwise), with statistics as a worker stores them; gunicorn with the site's own configuration and
one process; the empty view runs in the same server, behind the same middleware, in the same minute. Each is asked over
one kept connection, so that both pay the same for the network.
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

FEW, MANY = 10, 1000
BENCHMARKS = 10
BOARDS = ("closedbook", "openbook", "evidenceprovided")
PAGE = "/fanoutqa/test/openbook/"
EMPTY = "/bench/empty/"
SECONDS = 4.0

PREPARE = """
import django
django.setup()
from django.core.management import call_command
call_command("import_benchmark", "fanoutqa", verbosity=0)
call_command("import_reported", "fanoutqa", verbosity=0)
from scoring.benchmarks.declared.reading import read_declaration
from scoring.benchmarks.declared.template import template
from scoring.importing.declared import import_declaration
from tests.bench.drawn_boards import draw
draw({n_systems}, {boards!r})
for number in range({n_more}):
    import_declaration(read_declaration(template(f"capitals-{{number}}")))
"""


@dataclass(frozen=True)
class Rates:
    """Requests per second."""

    empty: float
    cold: float
    warm: float
    unchanged: float
    n_bytes: int
    """Of the compressed page."""


@bench("pages")
def pages(report: Report) -> None:
    """Cold cache, warm cache and 304, beside an empty view; what a hundred times as many systems cost, and what ten
    times as many benchmarks."""
    few, many = _rates(FEW, report), _rates(report.size(MANY, 20), report)
    beside = _rates(FEW, report, n_benchmarks=report.size(BENCHMARKS, 2))
    size = f"a page is {many.n_bytes / 1024:.0f} KiB, compressed"
    report.note(f"{report.size(MANY, 20):,} systems on each of {len(BOARDS)} boards; {size}.")
    report.measure("empty Django view", many.empty, "req/s")
    report.measure("board, nothing cached", many.cold, "req/s", beside=f"{1000 / many.cold:.0f} ms a page")
    report.measure("board, cached", many.warm, "req/s")
    report.measure("board, unchanged (304)", many.unchanged, "req/s")
    report.measure("board, nothing cached, share of empty", 100 * many.cold / many.empty, "%")
    report.measure("board, cached, share of empty", 100 * many.warm / many.empty, "%", at_least=5)
    report.measure("board, unchanged (304), share of empty", 100 * many.unchanged / many.empty, "%", at_least=5)
    for name, of_few, of_many in (("cached", few.warm, many.warm), ("unchanged (304)", few.unchanged, many.unchanged)):
        time_of_few, time_of_many = 1 / of_few - 1 / few.empty, 1 / of_many - 1 / many.empty
        report.measure(
            f"board, {name}, {MANY:,} systems against {FEW}",
            time_of_many / time_of_few,
            "times",
            beside=f"{1000 * time_of_many:.2f} ms against {1000 * time_of_few:.2f} ms, the empty view's taken off",
        )
    for name, of_one, of_ten in (("nothing cached", few.cold, beside.cold), ("cached", few.warm, beside.warm)):
        time_of_one, time_of_ten = 1 / of_one - 1 / few.empty, 1 / of_ten - 1 / beside.empty
        report.measure(
            f"board, {name}, {BENCHMARKS} benchmarks against 1",
            time_of_ten / time_of_one,
            "times",
            beside=f"{1000 * time_of_ten:.2f} ms against {1000 * time_of_one:.2f} ms, the empty view's taken off",
        )


def _rates(n_systems: int, report: Report, *, n_benchmarks: int = 1) -> Rates:
    with ExitStack() as stack:
        directory = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="manyhop-bench-")))
        environment = stack.enter_context(_site(directory, report))
        prepare = PREPARE.format(n_systems=n_systems, boards=BOARDS, n_more=n_benchmarks - 1)
        output_of([sys.executable, "-c", prepare], env=environment)
        server = stack.enter_context(_served(directory, environment))
        rate = partial(_rate, seconds=SECONDS / report.size(1, 40))
        empty = rate(server, lambda number: (EMPTY, {}), expect=200)
        # Filters that nobody asked for before: no answer is cached yet. Typed ones never are.
        cold = rate(server, lambda number: (f"{PAGE}?context_min={number + 1}", {}), expect=200)
        first = _ask(server, PAGE, {"Accept-Encoding": "gzip"})
        warm = rate(server, lambda number: (PAGE, {"Accept-Encoding": "gzip"}), expect=200)
        same = {"Accept-Encoding": "gzip", "If-None-Match": first[1]}
        unchanged = rate(server, lambda number: (PAGE, same), expect=304)
        again = rate(server, lambda number: (EMPTY, {}), expect=200)
    return Rates((empty + again) / 2, cold, warm, unchanged, first[2])


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
def _served(directory: Path, environment: Mapping[str, str]) -> Iterator[http.client.HTTPConnection]:
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
        yield connection
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


def _rate(
    connection: http.client.HTTPConnection,
    request: Callable[[int], tuple[str, Mapping[str, str]]],
    *,
    expect: int,
    seconds: float,
) -> float:
    """Requests per second over so many seconds, after one that is not counted."""
    _ask(connection, *request(0))
    count = 0
    begin = time.perf_counter()
    while (elapsed := time.perf_counter() - begin) < seconds:
        count += 1
        status, _, _ = _ask(connection, *request(count))
        if status != expect:
            raise RuntimeError(f"{request(count)[0]} answered {status} instead of {expect}")
    return count / elapsed
