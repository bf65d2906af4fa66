"""A site of several machines, on one: ``make cluster`` starts it and prints its addresses.

Two web servers, a worker for housekeeping, three that score and a scheduler, each with a data directory of its own;
PostgreSQL with a read replica, both behind PgBouncer, which pools by transaction; two Redis servers, watched by three
Sentinels; a bucket (moto's S3 server behind a proxy that can fail), and a judge. The processes share the database, the
broker and the bucket, and nothing else.
"""

import configparser
import json
import os
import re
import secrets
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any, Self, TypeVar

import psutil
from redis import Redis as RedisClient
from redis.exceptions import RedisError

from tests.judge_server import JudgeServer
from tests.object_store import ObjectStore
from tests.processes import LIVE_SETTINGS, ROOT, Beat, Site, Worker
from tests.services import (
    LOOPBACK,
    Postgres,
    Process,
    Redis,
    accepts_connections,
    find_redis_server,
    free_port,
    postgres_cluster,
    unprivileged_user,
    wait_for,
)
from tests.settings import CHILD

P = TypeVar("P", bound=Process)
SERVICE = "manyhop"
N_WEB = 2
N_WORKERS = 3
N_SENTINELS = 3
NICE = 5


class PgBouncer(Process):
    """The pooler of docs/scale.md, with the addresses of this primary and replica."""

    def __init__(self, directory: Path, primary: Postgres, replica: Postgres) -> None:
        self.port = free_port()
        user, password = primary.url.partition("://")[2].partition("@")[0].split(":")
        directory.mkdir()
        (directory / "users.txt").write_text(f'"{user}" "{password}"\n')
        [documented] = re.findall(
            r"^```ini\n(.*?)^```", (ROOT / "docs" / "scale.md").read_text(), re.MULTILINE | re.DOTALL
        )
        configuration = configparser.ConfigParser()
        configuration.read_string(documented)
        for name, server in (("primary", primary), ("replica", replica)):
            configuration["databases"][name] = f"host={LOOPBACK} port={server.port} dbname=postgres"
        own = {"listen_port": str(self.port), "auth_file": str(directory / "users.txt"), "unix_socket_dir": ""}
        configuration["pgbouncer"].update(own)
        with (directory / "pgbouncer.ini").open("w") as file:
            configuration.write(file)
        directory.chmod(0o755)
        super().__init__(
            "PgBouncer",
            ["pgbouncer", directory / "pgbouncer.ini"],
            directory / "pgbouncer.log",
            user=unprivileged_user(),
        )
        self._credentials = f"{user}:{password}"

    def url(self, database: str) -> str:
        """The address of a database behind the pooler, as docs/deploy.md writes it."""
        return f"postgres://{self._credentials}@{LOOPBACK}:{self.port}/{database}?DISABLE_SERVER_SIDE_CURSORS=True"

    def start(self) -> Self:
        super().start()
        self.wait_until(lambda: accepts_connections(self.port))
        return self


class Sentinel(Process):
    """One of those that watch Redis, and make the replica the primary a second after the primary is away."""

    def __init__(self, directory: Path, number: int, primary: Redis) -> None:
        self.port = free_port()
        configuration = directory / f"sentinel-{number}.conf"
        configuration.write_text(
            f"port {self.port}\nbind {LOOPBACK}\ndir {directory}\n"
            f"sentinel monitor {SERVICE} {LOOPBACK} {primary.port} 2\n"
            f"sentinel down-after-milliseconds {SERVICE} 1000\n"
            f"sentinel failover-timeout {SERVICE} 3000\n"
        )
        program = find_redis_server()
        assert program is not None
        super().__init__("Sentinel", [program, configuration, "--sentinel"], directory / f"sentinel-{number}.log")

    def start(self) -> Self:
        super().start()
        self.wait_until(lambda: accepts_connections(self.port))
        return self

    def primary_port(self) -> int:
        """The port of the server that it calls the primary."""
        with RedisClient(port=self.port, socket_timeout=5) as client:
            return int(client.sentinel_get_master_addr_by_name(SERVICE)[1])


class Cluster:
    """The whole site; used as a context. ``environment`` is what each process has, but for its data directory.

    Args:
        settings: other variables of the environment than the usual ones.
    """

    def __init__(self, directory: Path, **settings: str) -> None:
        self.directory = directory
        self._settings = settings
        self._stack = ExitStack()

    def __enter__(self) -> Self:
        with ExitStack() as stack:
            self._start(stack)
            self._stack = stack.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def _start(self, stack: ExitStack) -> None:
        def started(process: P) -> P:
            stack.callback(process.stop)
            process.start()
            return process

        self.judge = stack.enter_context(JudgeServer())
        self.store = stack.enter_context(ObjectStore(self.directory))
        self.postgres = stack.enter_context(postgres_cluster())
        self.replica = self.postgres.start_replica()
        stack.callback(self.replica.stop)
        self.bouncer = started(PgBouncer(self.directory / "pgbouncer", self.postgres, self.replica))
        self.redis = Redis(self.directory / "redis-1")
        self.second_redis = Redis(self.directory / "redis-2", ["--replicaof", LOOPBACK, str(self.redis.port)])
        for redis in (self.redis, self.second_redis):
            stack.callback(redis.stop, keep_data=False)
            redis.start()
        self.sentinels = [started(Sentinel(self.directory, number, self.redis)) for number in range(N_SENTINELS)]
        wait_for(self._sentinels_agree, 30, "Sentinels that know each other and the second Redis")
        self.environment = self._environment()
        self._manage("migrate", "--verbosity", "0")
        self._manage("collectstatic", "--no-input", "--verbosity", "0")
        self.webs = [started(Site(*self._place(f"web-{number}"))) for number in range(N_WEB)]
        self.site_worker = started(Worker(*self._place("site"), name="site", queues="site"))
        self.workers = [
            started(Worker(*self._place(name), name=name, queues="cpu,judge"))
            for name in (f"scoring-{number}" for number in range(N_WORKERS))
        ]
        for worker in self.workers:
            _lower_priority(worker.pid)
        self.beat = started(Beat(*self._place("beat")))

    @property
    def processes(self) -> list[Process]:
        """The site's own."""
        return [*self.webs, self.site_worker, *self.workers, self.beat]

    def busy(self) -> dict[str, float]:
        """The seconds of processor that each part has taken so far."""
        parts = {
            "web servers": [web.pid for web in self.webs],
            "workers that score": [worker.pid for worker in self.workers],
            "housekeeping": [self.site_worker.pid, self.beat.pid],
            "PostgreSQL": [self.postgres.pid, self.bouncer.pid],
            "its replica": [self.replica.pid],
            "Redis": [self.redis.pid, self.second_redis.pid, *(sentinel.pid for sentinel in self.sentinels)],
            "the bucket": [self.store.pid],
        }
        proxy_and_judge = time.process_time()
        return {part: sum(map(_seconds, pids)) for part, pids in parts.items()} | {"its proxy": proxy_and_judge}

    def ask(self, *arguments: str) -> Any:
        """What a process of the site answers (`tests.load.inside`)."""
        command = [sys.executable, "-m", "tests.load.inside", *arguments]
        done = subprocess.run(command, cwd=ROOT, env=self.environment, stdout=subprocess.PIPE, text=True, check=True)
        return json.loads(done.stdout)

    def primary_redis(self) -> Redis:
        """The one that the Sentinels call the primary."""
        port = self.sentinels[0].primary_port()
        return next(redis for redis in (self.redis, self.second_redis) if redis.port == port)

    def _sentinels_agree(self) -> bool:
        try:
            for sentinel in self.sentinels:
                with RedisClient(port=sentinel.port, socket_timeout=5, decode_responses=True) as client:
                    state = client.sentinel_master(SERVICE)
                if state["num-slaves"] != 1 or state["num-other-sentinels"] != N_SENTINELS - 1:
                    return False
        except RedisError:
            return False
        return True

    def _place(self, name: str) -> tuple[Path, dict[str, str]]:
        directory = self.directory / name
        directory.mkdir()
        return directory, self.environment | {"MANYHOP_DATA_DIR": str(directory)}

    def _manage(self, *arguments: str) -> None:
        subprocess.run([sys.executable, "manage.py", *arguments], cwd=ROOT, env=self.environment, check=True)

    def _environment(self) -> dict[str, str]:
        sentinels = ",".join(f"{LOOPBACK}:{sentinel.port}" for sentinel in self.sentinels)
        ours = {name: value for name, value in os.environ.items() if name != "CELERY_BROKER_URL"}
        return ours | {
            CHILD: "1",
            "DJANGO_SETTINGS_MODULE": LIVE_SETTINGS,
            "PYTHONUNBUFFERED": "1",
            "DEBUG": "0",
            "SECURE_SSL": "0",
            "SECRET_KEY": secrets.token_urlsafe(50),
            "ALLOWED_HOSTS": "localhost,127.0.0.1",
            "DATABASE_URL": self.bouncer.url("primary"),
            "DATABASE_REPLICA_URL": self.bouncer.url("replica"),
            "REDIS_URL": f"redis+sentinel://{sentinels}/{SERVICE}/0",
            "STORAGE_URL": self.store.url,
            "STATIC_ROOT": str(self.directory / "static"),
            "MANYHOP_DATA_DIR": str(self.directory / "manage"),
            "JUDGE_BASE_URL": self.judge.url,
            "SUBMISSIONS_PER_WEEK": "none",
            "HIDDEN_FILES": "none, none, none",
            "API_RATE_SUBMIT": "",
            "API_RATE_ACCOUNT": "",
            "CHECK_SECONDS": "",
            "RUN_LEASE_SECONDS": "3",
            "RUN_RESEND_SECONDS": "1",
            "SWEEP_SECONDS": "1",
            **self._settings,
        }


def _lower_priority(pid: int) -> None:
    """Let others go before a process and its children, as docs/deploy.md has it for workers that score."""
    for process in (psutil.Process(pid), *psutil.Process(pid).children(recursive=True)):
        process.nice(NICE)
    with suppress(OSError):  # on desktops, Linux compares sessions first
        Path(f"/proc/{pid}/autogroup").write_text(str(NICE))


def _seconds(pid: int) -> float:
    """What a process and its children have taken, those that ended included."""
    parent = psutil.Process(pid)
    ended = sum(parent.cpu_times()[2:4])
    return ended + sum(sum(process.cpu_times()[:2]) for process in (parent, *parent.children(recursive=True)))


@contextmanager
def cluster_in_a_folder(**settings: str) -> Iterator[Cluster]:
    """A running cluster in a temporary folder that its pooler, which runs as another user, can read."""
    with tempfile.TemporaryDirectory(prefix="manyhop-cluster-") as folder:
        Path(folder).chmod(0o755)
        with Cluster(Path(folder), **settings) as cluster:
            yield cluster


def main() -> None:
    """Start it, say where it is, and stop with Ctrl-C."""
    with tempfile.TemporaryDirectory(prefix="manyhop-cluster-") as folder:
        directory = Path(folder)
        directory.chmod(0o755)
        print(
            "Starting PostgreSQL, PgBouncer, Redis, Sentinels, a bucket, and the site's eight processes ...", flush=True
        )
        with Cluster(directory) as cluster:
            for web in cluster.webs:
                print(f"web server  {web.url}")
            for name in ("DATABASE_URL", "DATABASE_REPLICA_URL", "REDIS_URL", "STORAGE_URL", "JUDGE_BASE_URL"):
                print(f"{name}={cluster.environment[name]}")
            print(f"Logs and data: {directory}. Ctrl-C stops everything.", flush=True)
            try:
                while all(process.running for process in cluster.processes):
                    time.sleep(1)
                ended = [process.name for process in cluster.processes if not process.running]
                print(f"Ended by themselves: {', '.join(ended)}", file=sys.stderr)
                sys.exit(1)
            except KeyboardInterrupt:
                print("Stopping ...", flush=True)


if __name__ == "__main__":
    main()
