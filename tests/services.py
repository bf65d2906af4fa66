"""The real services that tests talk to: a PostgreSQL cluster and Redis servers of their own.

Each is started on a free port of the loopback interface, in a temporary directory, and is gone after ``stop()``; if the
tests are killed, a guard ends it. Nothing that already runs on the machine is touched. The module can be
imported by any Python, before anything is installed: psutil is imported where it is used.
"""

import contextlib
import os
import pwd
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Self

from leaderboard.project.demo.processes import tail
from tests.guard import Guard, end_groups

if TYPE_CHECKING:
    import psutil

START_SECONDS = 180.0
PATIENCE_SECONDS = 120.0
"""How long anything may take before a test says that it never happens. Nothing is measured by it."""
_HELD: list[socket.socket] = []
STATUS_LINE = 8  # of PostgreSQL's postmaster.pid
LOOPBACK = "127.0.0.1"
PROGRAMS = {
    "nginx": "nginx",
    "systemd": "systemd-analyze",
    "compose": "docker-compose",
    "kubernetes": "kubectl",
    "pgbouncer": "pgbouncer",
}
"""Programs that check or use the documented configurations, by the marker of the tests that need them."""


class ServiceError(Exception):
    """A service did not start, did not stop, or cannot be run here; the message says which and why."""


def free_port() -> int:
    """A TCP port of the loopback interface for a server, which nobody else is given as long as this process runs.

    It is bound, but nobody listens: servers, which say that they reuse addresses, can listen on it nevertheless.
    """
    holder = socket.socket()
    holder.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    holder.bind((LOOPBACK, 0))
    _HELD.append(holder)
    port: int = holder.getsockname()[1]
    return port


def give_back(port: int) -> None:
    """Let others have a port of `free_port` again, whose server has ended."""
    for holder in [holder for holder in _HELD if holder.getsockname()[1] == port]:
        _HELD.remove(holder)
        holder.close()


def accepts_connections(port: int) -> bool:
    with contextlib.suppress(OSError), socket.create_connection((LOOPBACK, port), timeout=1):
        return True
    return False


def wait_for(
    condition: Callable[[], object], timeout_seconds: float, what: str | Callable[[], str], poll_seconds: float = 0.05
) -> None:
    """Waits until a condition holds.

    Raises:
        ServiceError: it did not within ``timeout_seconds``; ``what`` names it in the message, as it is then.
    """
    deadline = time.monotonic() + timeout_seconds
    while not condition():
        if time.monotonic() > deadline:
            said = what if isinstance(what, str) else what()
            raise ServiceError(f"Waited {timeout_seconds:g} s in vain for: {said}")
        time.sleep(poll_seconds)


def find_postgres() -> Path | None:
    """The directory with ``initdb`` and ``postgres`` of the newest PostgreSQL on this machine, or None."""
    directories = [path.parent for path in Path("/usr/lib/postgresql").glob("*/bin/initdb")]
    directories.sort(key=lambda path: int(path.parent.name) if path.parent.name.isdigit() else 0, reverse=True)
    on_path = shutil.which("initdb")
    if on_path:
        directories.append(Path(on_path).resolve().parent)
    return next((path for path in directories if (path / "postgres").exists()), None)


def find_latex() -> Path | None:
    """pdfLaTeX, if it is installed with the packages that tables need."""
    found = shutil.which("pdflatex")
    has_packages = Path("/usr/share/texlive/texmf-dist/tex/latex/booktabs/booktabs.sty").exists()
    return Path(found) if found and has_packages else None


def find_redis_server() -> Path | None:
    """The program ``redis-server`` or its equal ``valkey-server``, or None."""
    found = shutil.which("redis-server") or shutil.which("valkey-server")
    return Path(found) if found else None


def find_program(name: str) -> Path | None:
    """A program, also if only root has its folder on the path."""
    place = shutil.which(name, path=f"{os.environ.get('PATH', '')}:/usr/sbin:/usr/bin")
    return Path(place) if place else None


def find_chromium() -> Path | None:
    """A Chromium or Chrome that Playwright can drive, or None.

    The headless shell is the same browser without windows, which costs a third less of the processor.
    """
    for name in ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable"):
        found = shutil.which(name)
        if found:
            return Path(found)
    return None


class Process:
    """A process in a group of its own that does not outlive the tests.

    Args:
        name: for messages.
        command: the program and its arguments.
        log: the file that stdout and stderr are appended to.
        environment: its whole environment; None: ours.
        user: the name of the user to run as, when we are root; None: ours.
        directory: where it runs; None: here.
        files: open files of ours that the process inherits, by their numbers.
    """

    def __init__(
        self,
        name: str,
        command: Sequence[str | Path],
        log: Path,
        *,
        environment: dict[str, str] | None = None,
        user: str | None = None,
        directory: Path | None = None,
        files: Sequence[int] = (),
    ) -> None:
        self.name = name
        self.log = log
        self._command = [str(part) for part in command]
        self._environment = environment
        self._user = user
        self._directory = directory
        self._files = files
        self._guard: Guard | None = None
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def pid(self) -> int:
        if self._process is None:
            raise ServiceError(f"{self.name} is not running")
        return self._process.pid

    @property
    def running(self) -> bool:
        return self._process is not None and self._process.poll() is None

    def start(self) -> Self:
        if self.running:
            raise ServiceError(f"{self.name} is running already")
        self._guard = self._guard or Guard()
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(
                self._command,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                env=self._environment,
                cwd=self._directory,
                pass_fds=self._files,
                start_new_session=True,
                user=self._user,
                group=None if self._user is None else pwd.getpwnam(self._user).pw_gid,
                extra_groups=None if self._user is None else [],
            )
        self._guard.watch(self._process.pid)
        return self

    def wait_until(self, condition: Callable[[], bool], timeout_seconds: float = START_SECONDS) -> None:
        """Waits for a sign of life.

        Raises:
            ServiceError: the process ended, or the condition did not hold in time; with the end of its log.
        """

        def holds_or_over() -> bool:
            return condition() or not self.running

        with contextlib.suppress(ServiceError):
            wait_for(holds_or_over, timeout_seconds, self.name)
        if not self.running or not condition():
            raise ServiceError(f"{self.name} did not get ready; the end of its log:\n{tail(self.log)}")

    def send_signal(self, number: signal.Signals) -> None:
        os.kill(self.pid, number)

    def kill9(self) -> None:
        """Ends the process and every process of its group at once, without letting any of them tidy up."""
        group = self.pid
        members = group_members(group)
        os.killpg(group, signal.SIGKILL)
        self._forget()
        wait_for(lambda: not any(is_alive(process) for process in members), PATIENCE_SECONDS, f"the end of {self.name}")

    def stop(self, number: signal.Signals = signal.SIGTERM, timeout_seconds: float = 60.0) -> int | None:
        """Asks the process to end, insists after ``timeout_seconds``, and returns its exit status (None: not running).

        What it leaves of its group ends as well.
        """
        if self._process is None:
            return None
        if self._process.poll() is None:
            os.kill(self._process.pid, number)
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(timeout_seconds)
        end_groups([self._process.pid], grace_seconds=0)
        status = self._process.wait()
        self._forget()
        return status

    def _forget(self) -> None:
        if self._process is not None:
            self._process.wait()
            if self._guard is not None:
                self._guard.release(self._process.pid)
                self._guard.close()
                self._guard = None
            self._process = None


def group_members(group: int) -> "list[psutil.Process]":
    """The living processes of a process group."""
    import psutil

    members = []
    for process in psutil.process_iter():
        with contextlib.suppress(ProcessLookupError, psutil.Error):
            if os.getpgid(process.pid) == group:
                members.append(process)
    return members


def is_alive(process: "psutil.Process") -> bool:
    """Whether a process runs; one that only waits to be reaped does not."""
    import psutil

    with contextlib.suppress(psutil.Error):
        return bool(process.is_running() and process.status() != psutil.STATUS_ZOMBIE)
    return False


def unprivileged_user() -> str | None:
    """Whom to run a server as that refuses to be root's; None if we are not root ourselves."""
    if os.geteuid() != 0:
        return None
    for name in ("postgres", "nobody"):
        with contextlib.suppress(KeyError):
            return pwd.getpwnam(name).pw_name
    raise ServiceError("PostgreSQL does not run as root; it needs a user postgres or nobody to run as")


class Postgres:
    """A PostgreSQL cluster that trades safety on power failure for speed.

    ``url`` is a DATABASE_URL to its database ``manyhop`` for a user that may create databases.
    """

    def __init__(self) -> None:
        self.url = ""
        self._directory: Path | None = None
        self._process: Process | None = None

    def start(self) -> Self:
        programs = find_postgres()
        if programs is None:
            raise ServiceError("PostgreSQL is not installed")
        password = secrets.token_urlsafe(24)
        self._directory = Path(tempfile.mkdtemp(prefix="manyhop-postgres-"))
        user = unprivileged_user()
        if user is not None:
            os.chown(self._directory, pwd.getpwnam(user).pw_uid, pwd.getpwnam(user).pw_gid)
        self._make_cluster(programs, user, password)
        port = free_port()
        try:
            self._start_server(programs, user, port)
        except ServiceError:
            self.stop()
            raise
        self.url = f"postgres://manyhop:{password}@{LOOPBACK}:{port}/postgres"
        return self

    def stop(self) -> None:
        if self._process is not None:
            self._process.stop(signal.SIGINT)  # PostgreSQL's "fast shutdown"
            self._process = None
        if self._directory is not None:
            shutil.rmtree(self._directory, ignore_errors=True)
            self._directory = None

    def _ready(self) -> bool:
        """Whether the server says so where its own tools look: connections are taken before, and turned away."""
        assert self._directory is not None
        with contextlib.suppress(FileNotFoundError):
            lines = (self._directory / "data" / "postmaster.pid").read_text().splitlines()
            return len(lines) >= STATUS_LINE and lines[STATUS_LINE - 1].strip() == "ready"
        return False

    def _make_cluster(self, programs: Path, user: str | None, password: str) -> None:
        assert self._directory is not None
        password_file = self._directory / "password"
        password_file.write_text(password)
        if user is not None:
            os.chown(password_file, pwd.getpwnam(user).pw_uid, -1)
        self._run(
            [
                programs / "initdb",
                *("--pgdata", self._directory / "data"),
                *("--username", "manyhop"),
                *("--pwfile", password_file),
                "--auth=scram-sha-256",
                "--encoding=UTF8",
                "--locale=C.UTF-8" if sys.platform == "linux" else "--locale=C",
                "--no-sync",
            ],
            user,
        )
        password_file.unlink()

    def _run(self, command: Sequence[str | Path], user: str | None) -> None:
        result = subprocess.run(
            command,
            capture_output=True,
            text=True,
            cwd=self._directory,
            user=user,
            group=None if user is None else pwd.getpwnam(user).pw_gid,
            extra_groups=None if user is None else [],
            check=False,
        )
        if result.returncode != 0:
            self.stop()
            raise ServiceError(f"{Path(command[0]).name} failed:\n{result.stdout}{result.stderr}")

    def _start_server(self, programs: Path, user: str | None, port: int) -> None:
        assert self._directory is not None
        options = {
            "listen_addresses": LOOPBACK,
            "port": port,
            "unix_socket_directories": "",
            "fsync": "off",
            "synchronous_commit": "off",
            "full_page_writes": "off",
            "autovacuum": "off",
            "jit": "off",
            "max_connections": 200,
            "shared_buffers": "64MB",
            "log_min_messages": "fatal",
        }
        process = Process(
            "PostgreSQL",
            [
                programs / "postgres",
                *("-D", self._directory / "data"),
                *(word for name, value in options.items() for word in ("-c", f"{name}={value}")),
            ],
            self._directory / "server.log",
            user=user,
            directory=self._directory,
        )
        process.start()
        try:
            process.wait_until(self._ready)
        except ServiceError:
            process.stop(signal.SIGINT)
            raise
        self._process = process


class Redis:
    """A Redis server that can be stopped and started again on the same port, with its data or without.

    Args:
        directory: where its data and log live.
    """

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self.port = free_port()
        self._process: Process | None = None

    @property
    def url(self) -> str:
        return f"redis://{LOOPBACK}:{self.port}/0"

    @property
    def running(self) -> bool:
        return self._process is not None and self._process.running

    def start(self) -> Self:
        program = find_redis_server()
        if program is None:
            raise ServiceError("Redis is not installed")
        self._directory.mkdir(parents=True, exist_ok=True)
        self._process = Process(
            "Redis",
            [
                program,
                *("--port", str(self.port)),
                *("--bind", LOOPBACK),
                *("--dir", self._directory),
                *("--dbfilename", "dump.rdb"),
                *("--save", ""),
                *("--appendonly", "no"),
                *("--daemonize", "no"),
            ],
            self._directory / "redis.log",
        )
        self._process.start()
        self._process.wait_until(self._answers)
        return self

    def stop(self, *, keep_data: bool = True) -> None:
        """Stops the server; with ``keep_data`` the next ``start`` finds its data again."""
        if self._process is None:
            return
        dump = self._directory / "dump.rdb"
        dump.unlink(missing_ok=True)
        if keep_data and self.running:
            self._command("SAVE")
        self._process.stop(signal.SIGTERM)
        self._process = None

    def kill9(self) -> None:
        """Ends the server at once; its data is lost."""
        if self._process is not None:
            (self._directory / "dump.rdb").unlink(missing_ok=True)
            self._process.kill9()
            self._process = None

    def flush(self) -> None:
        """Deletes everything that is in it."""
        self._command("FLUSHALL")

    def _answers(self) -> bool:
        with contextlib.suppress(OSError):
            return self._command("PING") == "+PONG"
        return False

    def _command(self, word: str) -> str:
        with socket.create_connection((LOOPBACK, self.port), timeout=10) as connection:
            connection.sendall(f"{word}\r\n".encode())
            answer = connection.makefile("rb").readline().decode().strip()
        if answer.startswith("-") and not answer.startswith("-LOADING"):
            raise ServiceError(f"Redis answered {word} with: {answer}")
        return answer


@contextlib.contextmanager
def postgres_cluster() -> Iterator[Postgres]:
    """A running cluster for the length of a ``with`` block."""
    cluster = Postgres()
    try:
        yield cluster.start()
    finally:
        cluster.stop()


@contextlib.contextmanager
def redis_server_in(directory: Path) -> Iterator[Redis]:
    """A running Redis server for the length of a ``with`` block."""
    server = Redis(directory)
    try:
        yield server.start()
    finally:
        server.stop(keep_data=False)
