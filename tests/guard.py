"""Ends the processes that tests started, also if the tests themselves are killed.

A *guard*, a tiny separate process, holds the other end of a pipe to the tests: if they die, the pipe closes and the
guard ends the process groups in their place. It runs this file as a script, which uses the standard library alone.
"""

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterable
from pathlib import Path
from typing import IO

POLL_SECONDS = 0.1
STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


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


if __name__ == "__main__":
    _guard_groups(sys.stdin.buffer)
