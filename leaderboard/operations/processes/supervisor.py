"""Runs several processes as one: starts them, restarts those that die, and leaves none behind.

Every service is the leader of a process group of its own, so that its children end with it. A *guard*, a tiny separate
process, holds the other end of a pipe to the supervisor: if the supervisor dies unexpectedly (``kill -9``, out of
memory), the pipe closes and the guard ends the groups in its place.

Only the standard library is used, because the guard runs this file as a script.
"""

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType, TracebackType
from typing import IO, Self

POLL_SECONDS = 0.1
FIRST_DELAY_SECONDS = 0.5
LONGEST_DELAY_SECONDS = 10.0
TOO_MANY_DEATHS = 5
DEATHS_WINDOW_SECONDS = 60.0
LOG_TAIL_LINES = 20
STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class InterruptedByUserError(Exception):
    """A stop signal arrived during a wait."""


class WaitedInVainError(Exception):
    """A condition did not become true in time."""


class ServiceFailedError(Exception):
    """A service died too often to be started again.

    ``str()`` is a message for a person: which service, how it ended, and the last lines of its log.
    """


def signal_group(group: int, number: signal.Signals) -> bool:
    """Sends a signal to a process group; returns whether any process received it."""
    try:
        os.killpg(group, number)
    except ProcessLookupError:
        return False
    except PermissionError:  # macOS raises this for a group of which only a zombie is left
        return False
    return True


def group_exists(group: int) -> bool:
    """Whether any process of the group is left (a zombie that nobody has waited for counts)."""
    try:
        os.killpg(group, 0)
    except (ProcessLookupError, PermissionError):
        return False
    return True


def ask_to_end(group: int) -> None:
    """Asks the leader of a process group to end, which ends the others: a Celery worker finishes its task first."""
    try:
        os.kill(group, signal.SIGTERM)
    except (ProcessLookupError, PermissionError):  # the leader is gone
        signal_group(group, signal.SIGTERM)


def end_groups(groups: Iterable[int], grace_seconds: float) -> None:
    """Asks process groups to end, waits up to ``grace_seconds`` in total, then kills the remaining ones (SIGKILL)."""
    left = set(groups)
    for group in left:
        ask_to_end(group)
    deadline = time.monotonic() + grace_seconds
    while left and time.monotonic() < deadline:
        time.sleep(POLL_SECONDS)
        left = {group for group in left if group_exists(group)}
    for group in left:
        signal_group(group, signal.SIGKILL)


class Guard:
    """Ends process groups if this process dies unexpectedly; see the module's docstring.

    ``watch`` and ``release`` name the groups; ``close`` ends the guard without ending any released group.
    """

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-I", str(Path(__file__).resolve())],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            start_new_session=True,
            cwd="/",
        )

    def watch(self, group: int) -> None:
        self._write(f"+{group}\n")

    def release(self, group: int) -> None:
        self._write(f"-{group}\n")

    def close(self) -> None:
        """Closes the pipe and waits: groups still watched are ended."""
        if self._process.stdin is not None:
            with contextlib.suppress(BrokenPipeError):
                self._process.stdin.close()
        self._process.wait()

    def _write(self, line: str) -> None:
        if self._process.stdin is None or self._process.stdin.closed:
            return
        with contextlib.suppress(BrokenPipeError):  # the guard was killed: nothing more can be done from here
            self._process.stdin.write(line.encode())
            self._process.stdin.flush()


def _guard_groups(source: IO[bytes], grace_seconds: float = 5.0) -> None:
    """The guard's side: reads process groups until the pipe closes, then ends those that were not released."""
    for number in STOP_SIGNALS:
        signal.signal(number, signal.SIG_IGN)
    watched: set[int] = set()
    for line in source:
        group = int(line[1:])
        if line[:1] == b"+":
            watched.add(group)
        else:
            watched.discard(group)
    end_groups(watched, grace_seconds)


@dataclass(frozen=True)
class Service:
    """One process to run: a name for people, its command, and the log file that its output is appended to."""

    name: str
    command: Sequence[str]
    log: Path
    environment: Mapping[str, str] | None = None
    directory: Path | None = None


@dataclass
class _Process:
    """A service and the state of its process."""

    service: Service
    process: subprocess.Popen[bytes] | None = None
    start_at: float = 0.0
    deaths: deque[float] = field(default_factory=deque)


class Supervisor:
    """Runs services during its ``with`` block; on leaving it, for any reason, ends them all.

    Inside the block, SIGINT, SIGTERM and SIGHUP do not end this process but make the next wait raise
    `InterruptedByUserError`; a second one shortens the services' time to end themselves.

    Args:
        services: what to run, started in this order.
        grace_seconds: how long the services may take to end themselves.
        report: called with a line for people when a service dies and is started again.
    """

    def __init__(
        self, services: Sequence[Service], *, grace_seconds: float = 10.0, report: Callable[[str], None] = print
    ) -> None:
        self._processes = [_Process(service) for service in services]
        self._grace_seconds = grace_seconds
        self._report = report
        self._stop_signals = 0
        self._old_handlers: dict[int, Callable[[int, FrameType | None], object] | int | None] = {}
        self._guard: Guard | None = None

    def __enter__(self) -> Self:
        for number in STOP_SIGNALS:
            self._old_handlers[number] = signal.signal(number, self._on_stop_signal)
        self._guard = Guard()
        try:
            self.check()
        except BaseException:
            self._leave()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._leave()

    def check(self) -> None:
        """Starts services that are due and records those that have died.

        Raises:
            ServiceFailedError: a service died more than `TOO_MANY_DEATHS` times within `DEATHS_WINDOW_SECONDS`.
        """
        now = time.monotonic()
        for child in self._processes:
            if child.process is not None and child.process.poll() is not None:
                self._handle_exit(child, now)
            if child.process is None and now >= child.start_at:
                self._start(child)

    def wait_until(self, condition: Callable[[], bool], timeout_seconds: float) -> None:
        """Waits for a condition while running the services.

        Raises:
            InterruptedByUserError: a stop signal arrived.
            WaitedInVainError: the condition did not become true in time.
            ServiceFailedError: see `check`.
        """
        deadline = time.monotonic() + timeout_seconds
        while not condition():
            if time.monotonic() > deadline:
                raise WaitedInVainError
            self.pause()

    def pause(self) -> None:
        """One round of supervision; raises the same errors as `wait_until`, except the timeout."""
        if self._stop_signals:
            raise InterruptedByUserError
        self.check()
        time.sleep(POLL_SECONDS)

    def run(self, meanwhile: Callable[[], object] = bool) -> None:
        """Runs the services until a stop signal arrives, and calls *meanwhile* in each round.

        Raises:
            ServiceFailedError: see `check`.
        """
        with contextlib.suppress(InterruptedByUserError):
            while True:
                self.pause()
                meanwhile()

    def _start(self, child: _Process) -> None:
        child.service.log.parent.mkdir(parents=True, exist_ok=True)
        with child.service.log.open("ab") as log:
            child.process = subprocess.Popen(
                list(child.service.command),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                env=None if child.service.environment is None else dict(child.service.environment),
                cwd=child.service.directory,
                start_new_session=True,
            )
        if self._guard is not None:
            self._guard.watch(child.process.pid)

    def _handle_exit(self, child: _Process, now: float) -> None:
        """Records a death, ends the remaining processes of its group, and schedules the next start."""
        if child.process is None:
            return
        status = child.process.returncode
        self._end_leftovers(child)
        child.deaths.append(now)
        while child.deaths and now - child.deaths[0] > DEATHS_WINDOW_SECONDS:
            child.deaths.popleft()
        how = f"was ended by signal {-status}" if status < 0 else f"ended with status {status}"
        if len(child.deaths) > TOO_MANY_DEATHS:
            raise ServiceFailedError(
                f"The {child.service.name} {how}, the {len(child.deaths)}th time within "
                f"{DEATHS_WINDOW_SECONDS:.0f} s. The last lines of {child.service.log}:\n"
                f"{tail(child.service.log)}"
            )
        delay = min(FIRST_DELAY_SECONDS * 2 ** (len(child.deaths) - 1), LONGEST_DELAY_SECONDS)
        child.start_at = now + delay
        self._report(f"The {child.service.name} {how}; it restarts in {delay:g} s (see {child.service.log}).")

    def _end_leftovers(self, child: _Process) -> None:
        if child.process is None:
            return
        signal_group(child.process.pid, signal.SIGKILL)
        if self._guard is not None:
            self._guard.release(child.process.pid)
        child.process = None

    def _leave(self) -> None:
        self._stop_signals = 0
        processes = [child.process for child in self._processes if child.process is not None]
        for process in processes:
            ask_to_end(process.pid)
        deadline = time.monotonic() + self._grace_seconds
        while any(process.poll() is None for process in processes):
            if time.monotonic() > deadline or self._stop_signals:
                break
            time.sleep(POLL_SECONDS)
        for child in self._processes:
            process_left = child.process
            self._end_leftovers(child)
            if process_left is not None:
                process_left.wait()
        if self._guard is not None:
            self._guard.close()
            self._guard = None
        for number, handler in self._old_handlers.items():
            signal.signal(number, handler)

    def _on_stop_signal(self, number: int, frame: FrameType | None) -> None:
        self._stop_signals += 1


def tail(log: Path, lines: int = LOG_TAIL_LINES) -> str:
    """The last lines of a text file, each indented by four spaces; "" if it cannot be read."""
    try:
        with log.open("rb") as file:
            file.seek(max(0, log.stat().st_size - 64 * 1024))
            text = file.read().decode(errors="replace")
    except OSError:
        return ""
    return "\n".join(f"    {line}" for line in text.splitlines()[-lines:])


if __name__ == "__main__":
    _guard_groups(sys.stdin.buffer)
