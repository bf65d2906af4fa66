"""Runs tests with the real services they need: ``python -m tests.runner [--fast | --slow | --all] [-- pytest's own]``.

``--fast`` leaves out the tests marked ``slow``, unless the arguments say which tests are wanted (a path, ``-k``,
``-m``); ``--slow`` runs those alone, ``--all`` runs all. Each lists the slowest tests at the end. Without any of them,
all tests are run. With ``--install`` alone it installs what is missing and runs nothing.

PostgreSQL and Redis are started here, each in a temporary directory on a free port, and stopped at the end whatever
happens; Chromium is found. What is missing is installed from Debian's packages where that is possible (as root, with
apt-get). What then is still missing has its tests left out, and the last lines say so; with ``MANYHOP_REQUIRE_ALL=1``
it is a failure instead, and so is every skipped test.

Exit status: pytest's own; 1 if something required is missing or no test ran.
"""

import contextlib
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from pathlib import Path

from tests.firefox import find_firefox
from tests.services import (
    PROGRAMS,
    ServiceError,
    find_chromium,
    find_latex,
    find_postgres,
    find_program,
    find_redis_server,
    postgres_cluster,
    redis_server_in,
)

ROOT = Path(__file__).resolve().parent.parent
NO_TESTS_COLLECTED = 5
ONLY_INSTALL = ["--install"]
MOST_PROCESSES = 8
"""Each has a database of Redis to itself, of which there are sixteen, and connections to PostgreSQL."""
IN_ONE_PROCESS = re.compile(
    r"\.py$|::|no:xdist$"  # a file or a test; or no other processes are wanted
    r"|^-[qvl]*[snxk]"  # short options, alone or run together with harmless ones
    r"|^--(capture|collect|co$|dist|exitfirst|ff|fixtures|lf|last-failed|failed-first|maxfail|numprocesses|pdb|setup|sw"
    r"|stepwise|trace$|version|help)"
)
"""The arguments of pytest with which all tests are run in one process, in order, unless they say otherwise."""

SELECTIONS = {"--fast": "not slow", "--slow": "slow", "--all": ""}
"""What each option of this program has pytest select by markers."""
SLOWEST = 20
"""How many of the slowest tests are listed at the end."""


@dataclass(frozen=True)
class Need:
    """A program that some tests need.

    ``marker`` is the pytest marker of those tests, ``packages`` are the names of Debian's packages that bring it.
    """

    name: str
    marker: str
    packages: tuple[str, ...]
    find: Callable[[], Path | None]


NEEDS = (
    Need("PostgreSQL", "postgres", ("postgresql",), find_postgres),
    Need("Redis", "redis", ("redis-server",), find_redis_server),
    Need("Chromium", "browser", ("chromium-headless-shell", "fonts-dejavu-core", "fonts-noto-core"), find_chromium),
    Need("LaTeX", "latex", ("texlive-latex-recommended",), find_latex),
    Need("Firefox", "firefox", ("firefox-esr",), find_firefox),
    Need("nginx", "nginx", ("nginx-light",), partial(find_program, PROGRAMS["nginx"])),
    Need("systemd", "systemd", ("systemd",), partial(find_program, PROGRAMS["systemd"])),
    Need("kubectl", "kubernetes", ("kubernetes-client",), partial(find_program, PROGRAMS["kubernetes"])),
    Need("PgBouncer", "pgbouncer", ("pgbouncer",), partial(find_program, PROGRAMS["pgbouncer"])),
    Need("docker-compose", "compose", ("docker-compose",), partial(find_program, PROGRAMS["compose"])),
)


def missing_needs() -> list[Need]:
    return [need for need in NEEDS if need.find() is None]


def say(text: str) -> None:
    print(text, flush=True)


def install(needs: list[Need]) -> None:
    """Installs Debian packages where we may; says what it does and what went wrong, and leaves it at that."""
    packages = [package for need in needs for package in need.packages]
    if os.geteuid() != 0 or shutil.which("apt-get") is None:
        return
    say(f"Installing from Debian's packages: {' '.join(packages)}")
    # RUNLEVEL=1 keeps the packages from starting servers of their own: the tests start the ones they need.
    environment = os.environ | {"DEBIAN_FRONTEND": "noninteractive", "RUNLEVEL": "1"}
    for command in (["update"], ["install", "--yes", "--no-install-recommends", *packages]):
        result = subprocess.run(
            ["apt-get", "--quiet", "--quiet", *command],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env=environment,
            check=False,
        )
        if result.returncode != 0:
            say(f"apt-get {command[0]} failed:\n{result.stdout[-2000:]}")


def sharing(arguments: list[str]) -> list[str]:
    """The options that have pytest share the tests out to several processes; none where that would be in the way.

    Most slow tests wait for processes that they started, so there is one more than cores; the quick ones seldom wait.
    Files, single tests and whatever is looked at while it runs stay in one process, which is there sooner and shows
    its output.
    """
    if find_spec("xdist") is None or any(IN_ONE_PROCESS.search(argument) for argument in arguments):
        return []
    waiting = 0 if SELECTIONS["--fast"] in arguments else 1
    return [
        "--numprocesses",
        str(min((os.cpu_count() or 1) + waiting, MOST_PROCESSES)),
        "--dist",
        "loadscope",
        "--no-loadscope-reorder",
    ]


def names_tests(argument: str) -> bool:
    """Whether an argument of pytest says which tests are wanted."""
    return re.match(r"-[qvlsx]*[km]|--(lf|last-failed|sw|stepwise)", argument) is not None or (
        not argument.startswith("-") and (ROOT / argument.partition("::")[0]).exists()
    )


def selected(option: str, arguments: list[str]) -> list[str]:
    """The arguments of pytest with which it runs the tests that an option of this program stands for."""
    listing = ["--durations", str(SLOWEST)]
    if option == "--fast" and any(names_tests(argument) for argument in arguments):
        return [*listing, *arguments]
    return ["-m", SELECTIONS[option], *listing, *arguments]


def run_pytest(arguments: list[str], database_url: str | None, redis_url: str | None) -> int:
    environment = dict(os.environ)
    # The tests start many short processes that import the same modules: what the first compiled, the others read.
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    for name, value in (("DATABASE_URL", database_url), ("REDIS_URL", redis_url)):
        environment.pop(name, None)
        if value:
            environment[name] = value
    # Ctrl-C reaches pytest too, which tidies up; we only wait. SIGTERM is passed on as one.
    process = subprocess.Popen(
        [sys.executable, "-m", "pytest", *sharing(arguments), *arguments], cwd=ROOT, env=environment
    )
    old_handlers = {
        signal.SIGINT: signal.signal(signal.SIGINT, lambda number, frame: None),
        signal.SIGTERM: signal.signal(signal.SIGTERM, lambda number, frame: process.send_signal(signal.SIGINT)),
    }
    try:
        return process.wait()
    finally:
        for number, handler in old_handlers.items():
            signal.signal(number, handler)


def main(arguments: list[str]) -> int:
    if arguments[:1] and arguments[0] in SELECTIONS:
        arguments = selected(arguments[0], _without_dashes(arguments[1:]))
    else:
        arguments = _without_dashes(arguments)
    required = os.environ.get("MANYHOP_REQUIRE_ALL") == "1"
    missing = missing_needs()
    if missing:
        install(missing)
        missing = missing_needs()
    if missing and required:
        for need in missing:
            say(f"{need.name} is missing and MANYHOP_REQUIRE_ALL=1: install {' '.join(need.packages)}")
        return 1
    if arguments == ONLY_INSTALL:
        return 0
    absent = {need.marker for need in missing}
    with contextlib.ExitStack() as stack:
        directory = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="manyhop-redis-")))
        try:
            database_url = None if "postgres" in absent else stack.enter_context(postgres_cluster()).url
            redis_url = None if "redis" in absent else stack.enter_context(redis_server_in(directory)).url
        except ServiceError as error:
            say(f"A service for the tests could not be started. {error}")
            return 1
        status = run_pytest(arguments, database_url, redis_url)
    if status == NO_TESTS_COLLECTED:
        say(
            f"No test was run: none matches {' '.join(arguments)!r}" if arguments else "No test was run: none was found"
        )
        return 1
    for need in missing:
        say(f"Left out: the tests marked '{need.marker}', because {need.name} is missing ({' '.join(need.packages)})")
    return status


def _without_dashes(arguments: list[str]) -> list[str]:
    return arguments[1:] if arguments[:1] == ["--"] else arguments


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
