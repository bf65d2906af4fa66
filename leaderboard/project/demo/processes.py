"""The child processes of the demo, which end when it ends."""

import contextlib
import os
import signal
import subprocess
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Final, Self

STOP_SECONDS: Final = 10.0
LOG_TAIL_LINES: Final = 20
# The program replaces the shell. A reader beside it waits for the end of the pipe from the demo, which comes however
# the demo ends, and then asks the program to stop.
WITH_READER: Final = 'exec 3<&0 < /dev/null; { read -r _ <&3; kill -TERM $$; } 2> /dev/null & exec "$@" 3<&-'


class ChildDiedError(Exception):
    """A child process ended by itself; the message names it and has the last lines of its log."""


@dataclass(frozen=True)
class Program:
    """A program to run, with the log file that its output is appended to."""

    name: str
    command: Sequence[str]
    log: Path


class Children:
    """Runs programs during its ``with`` block."""

    def __init__(self, programs: Iterable[Program], *, environment: Mapping[str, str], directory: Path) -> None:
        self._programs = list(programs)
        self._environment = environment
        self._directory = directory
        self._processes: list[subprocess.Popen[bytes]] = []

    def __enter__(self) -> Self:
        for program in self._programs:
            program.log.parent.mkdir(parents=True, exist_ok=True)
            with program.log.open("ab") as log:
                process = subprocess.Popen(
                    ["/bin/sh", "-c", WITH_READER, program.name, *program.command],
                    stdin=subprocess.PIPE,
                    stdout=log,
                    stderr=subprocess.STDOUT,
                    env=dict(self._environment),
                    cwd=self._directory,
                    start_new_session=True,
                )
            self._processes.append(process)
        return self

    def check(self) -> None:
        """See that all programs run.

        Raises:
            ChildDiedError: one of them ended.
        """
        for program, process in zip(self._programs, self._processes, strict=True):
            if process.poll() is not None:
                raise ChildDiedError(
                    f"The {program.name} ended with status {process.returncode}. The last lines of {program.log}:\n"
                    f"{tail(program.log)}"
                )

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        for process in self._processes:
            if process.stdin is not None:
                process.stdin.close()
        deadline = time.monotonic() + STOP_SECONDS
        for process in self._processes:
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(max(0.0, deadline - time.monotonic()))
            with contextlib.suppress(ProcessLookupError, PermissionError):  # macOS: only a zombie is left
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def tail(log: Path, lines: int = LOG_TAIL_LINES) -> str:
    """The last lines of a text file, each indented by four spaces."""
    text = log.read_bytes()[-64 * 1024 :].decode(errors="replace")
    return "\n".join(f"    {line}" for line in text.splitlines()[-lines:])
