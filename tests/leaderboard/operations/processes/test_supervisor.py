"""The supervisor with real processes: nothing that it started is left, however it ends."""

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest

from leaderboard.operations.processes import supervisor
from leaderboard.operations.processes.supervisor import (
    InterruptedByUserError,
    Service,
    ServiceFailedError,
    Supervisor,
    WaitedInVainError,
)
from tests.paths import ROOT
from tests.services import PATIENCE_SECONDS, Process, is_alive, wait_for

FOREVER = "import time\nwhile True: time.sleep(1)"
WITH_CHILD = (
    f"import subprocess, sys\nchild = subprocess.Popen([sys.executable, '-c', {FOREVER!r}])\n"
    "print('ready', flush=True)\nchild.wait()"
)
DEAF = "import signal\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\nprint('ready', flush=True)\n" + FOREVER
MAIN = """
import sys
from pathlib import Path
from leaderboard.operations.processes.supervisor import Service, Supervisor

services = [Service(name, [sys.executable, "-c", sys.argv[2]], Path(sys.argv[1], name + ".log")) for name in "ab"]
with Supervisor(services, grace_seconds=1) as running:
    print(*(child.process.pid for child in running._processes), flush=True)
    running.run()
print("ended", flush=True)
"""


def service(tmp_path: Path, code: str, name: str = "sleeper") -> Service:
    return Service(name, [sys.executable, "-c", code], tmp_path / f"{name}.log")


def pids(running: Supervisor) -> dict[str, int]:
    """Name and process id of each running service."""
    return {child.service.name: child.process.pid for child in running._processes if child.process is not None}


@pytest.fixture
def supervising(tmp_path: Path) -> Iterator[Callable[[str], tuple[Process, list[psutil.Process]]]]:
    """Starts a supervisor in a process of its own: gives that process, and all the processes below it."""
    process: Process | None = None

    def start(code: str) -> tuple[Process, list[psutil.Process]]:
        nonlocal process
        log = tmp_path / "supervisor.log"
        process = Process("supervisor", [sys.executable, "-c", MAIN, tmp_path, code], log, directory=ROOT).start()
        process.wait_until(lambda: log.read_text().count("\n") >= 1)
        logs = [tmp_path / "a.log", tmp_path / "b.log"]
        process.wait_until(lambda: all(one.exists() and "ready" in one.read_text() for one in logs))
        return process, psutil.Process(process.pid).children(recursive=True)

    yield start
    if process is not None:
        process.stop()


def gone(processes: list[psutil.Process]) -> bool:
    return not any(is_alive(process) for process in processes)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_stop_signal_ends_the_services_and_their_children(
    supervising: Callable[[str], tuple[Process, list[psutil.Process]]], number: signal.Signals
) -> None:
    process, family = supervising(WITH_CHILD)
    assert len(family) >= 5, "two services with a child each, and the guard"
    assert process.stop(number) == 0
    assert process.log.read_text().endswith("ended\n")
    assert gone(family)


@pytest.mark.slow
def test_services_that_ignore_the_request_to_end_are_killed(
    supervising: Callable[[str], tuple[Process, list[psutil.Process]]],
) -> None:
    process, family = supervising(DEAF)
    begin = time.monotonic()
    assert process.stop(signal.SIGINT) == 0
    assert time.monotonic() - begin >= 1
    assert gone(family)


@pytest.mark.slow
def test_a_killed_supervisor_leaves_nothing_behind(
    supervising: Callable[[str], tuple[Process, list[psutil.Process]]],
) -> None:
    process, family = supervising(WITH_CHILD)
    assert not gone(family)
    os.kill(process.pid, signal.SIGKILL)
    wait_for(lambda: gone(family), PATIENCE_SECONDS, "the guard to end the services")


def test_a_service_that_dies_is_started_again(tmp_path: Path) -> None:
    reports: list[str] = []
    with Supervisor([service(tmp_path, FOREVER)], report=reports.append) as running:
        first = pids(running)["sleeper"]
        os.kill(first, signal.SIGKILL)
        running.wait_until(lambda: pids(running).get("sleeper", first) != first, 10)
    assert len(reports) == 1
    assert re.search(r"\bsleeper .* signal 9; .* 0\.5 s\b", reports[0])


def test_what_a_dead_service_left_is_ended_before_it_is_started_again(tmp_path: Path) -> None:
    with Supervisor([service(tmp_path, WITH_CHILD)], report=lambda line: None) as running:
        leader = psutil.Process(pids(running)["sleeper"])
        running.wait_until(lambda: len(leader.children()) == 1, 10)
        orphan = leader.children()[0]
        os.kill(leader.pid, signal.SIGKILL)
        running.wait_until(lambda: not is_alive(orphan), 10)


@pytest.mark.slow
def test_a_service_that_dies_again_and_again_ends_everything_with_its_last_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(supervisor, "FIRST_DELAY_SECONDS", 0.05)
    reports: list[str] = []
    services = [service(tmp_path, FOREVER, "good"), service(tmp_path, "raise SystemExit('no such table')", "bad")]
    with (
        pytest.raises(ServiceFailedError, match="bad ended with status 1, the 6th time within 60 s") as raised,
        Supervisor(services, report=reports.append) as running,
    ):
        good = psutil.Process(pids(running)["good"])
        running.run()
    assert "    no such table" in str(raised.value)
    assert len(reports) == supervisor.TOO_MANY_DEATHS
    assert not is_alive(good)


def test_waiting_ends_in_time_and_on_a_signal(tmp_path: Path) -> None:
    with Supervisor([service(tmp_path, FOREVER)]) as running:
        with pytest.raises(WaitedInVainError):
            running.wait_until(lambda: False, 0.3)
        os.kill(os.getpid(), signal.SIGTERM)
        with pytest.raises(InterruptedByUserError):
            running.wait_until(lambda: False, 10)
    assert signal.getsignal(signal.SIGTERM) == signal.SIG_DFL, "the handlers of before are back"


def test_an_error_in_the_block_ends_the_services(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError), Supervisor([service(tmp_path, FOREVER)]) as running:
        process = psutil.Process(pids(running)["sleeper"])
        1 / 0  # noqa: B018
    assert not is_alive(process)


def test_the_guard_script_needs_nothing_but_the_standard_library() -> None:
    result = subprocess.run(
        [sys.executable, "-I", "-S", str(ROOT / "leaderboard" / "operations" / "processes" / "supervisor.py")],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (result.returncode, result.stderr) == (0, "")
