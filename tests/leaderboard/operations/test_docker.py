"""The image and the compose file, as far as can be proved without a container engine: every command in them runs."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import redis
import yaml

from scoring.workers.broker import SITE
from tests.paths import ROOT
from tests.processes import child_environment
from tests.services import PATIENCE_SECONDS, START_SECONDS, Process, Redis, accepts_connections, free_port, wait_for

COMPOSE = yaml.safe_load((ROOT / "docker" / "compose.yml").read_text())
SERVICES: dict[str, dict[str, Any]] = COMPOSE["services"]
OURS = sorted(name for name, service in SERVICES.items() if "build" in service)
DOCKERFILE = (ROOT / "docker" / "Dockerfile").read_text()
BIN = Path(sys.executable).parent


def here(command: list[str], **changes: str) -> list[str]:
    """A command of the image as this environment runs it: our programs, and changed words or parts of a script."""
    words = [changes.get(word, word) for word in command]
    if command[0] in ("sh", "python"):
        for old, new in changes.items():
            words[-1] = words[-1].replace(old, new)
        words[-1] = words[-1].replace("$$", "$")  # as compose reads it
    return [str(BIN / words[0]) if (BIN / words[0]).exists() else words[0], *words[1:]]


def run(command: list[str], environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False
    )


def exact(image: str) -> bool:
    """Whether an image is pinned to one build of one release."""
    return re.fullmatch(r"[a-z]+:\d+\.\d+(\.\d+)?-[a-z-]+@sha256:[0-9a-f]{64}", image) is not None


# --- What must hold of every service -------------------------------------------------------------------------------


@pytest.mark.parametrize("name", OURS)
def test_our_processes_have_no_rights_they_do_not_need(name: str) -> None:
    service = SERVICES[name]
    assert service["user"] == "10001:10001"
    assert service["read_only"] is True
    assert service["cap_drop"] == ["ALL"]
    assert service["security_opt"] == ["no-new-privileges:true"]
    assert "privileged" not in service


@pytest.mark.parametrize("name", sorted(SERVICES))
def test_every_lasting_service_is_watched_and_restarted(name: str) -> None:
    service = SERVICES[name]
    if name == "migrate":
        assert service["restart"] == "no"
    else:
        assert service["healthcheck"]["test"][0] == "CMD"
        assert "manage.py" not in service["healthcheck"]["test"], (
            "a check that starts the site costs more than it tells"
        )
        assert service["restart"] == "unless-stopped"


def test_there_is_a_worker_for_every_queue_and_one_scheduler() -> None:
    from scoring.registry import METRICS

    queues = {
        command[command.index("--queues") + 1]
        for command in (service.get("command", []) for service in SERVICES.values())
        if "--queues" in command
    }
    assert queues == {metric.queue for metric in METRICS.values()} | {SITE}
    assert [name for name, service in SERVICES.items() if "beat" in service.get("command", [])] == ["beat"]


def test_images_are_pinned_to_one_release() -> None:
    bases = re.findall(r"^ARG PYTHON_IMAGE=(\S+)", DOCKERFILE, re.MULTILINE)
    assert set(re.findall(r"^FROM (\S+)", DOCKERFILE, re.MULTILINE)) == {"${PYTHON_IMAGE}"}
    others = [service["image"] for name, service in SERVICES.items() if name not in OURS]
    assert len(bases) == 1
    assert len(others) == 2
    assert all(exact(image) for image in bases + others)
    from leaderboard import __version__

    assert {SERVICES[name]["image"] for name in OURS} == {f"manyhop:{__version__}", f"manyhop-bleurt:{__version__}"}


def test_only_the_web_server_is_reachable_and_only_from_this_machine() -> None:
    published = {name: service["ports"] for name, service in SERVICES.items() if "ports" in service}
    assert published == {"web": ["127.0.0.1:${PORT:-8000}:8000"]}


def test_what_keeps_the_data_is_on_a_network_that_leads_nowhere() -> None:
    assert COMPOSE["networks"] == {"inside": {"internal": True}}
    for name, service in SERVICES.items():
        lonely = name in ("postgres", "redis", "migrate")
        assert service["networks"] == (["inside"] if lonely else ["default", "inside"]), name


def test_the_image_runs_as_nobody_in_particular_and_starts_the_web_server() -> None:
    users = re.findall(r"^USER (\S+)", DOCKERFILE, re.MULTILINE)
    assert users == ["manyhop"]
    assert DOCKERFILE.index("USER manyhop") < DOCKERFILE.index("collectstatic"), "its files belong to who reads them"
    command = json.loads(DOCKERFILE.rsplit("CMD ", 1)[1])
    assert command == SERVICES["web"]["command"]


def test_the_image_gets_everything_the_site_runs_on() -> None:
    allowed = {
        line[1:] for line in (ROOT / "docker" / "Dockerfile.dockerignore").read_text().splitlines() if line[:1] == "!"
    }
    assert allowed >= {"Makefile", "pyproject.toml", "constraints.txt", "manage.py", "scoring", "leaderboard"}
    assert all((ROOT / name).exists() for name in allowed)


@pytest.mark.slow
def test_the_static_files_step_collects_hashed_files(tmp_path: Path) -> None:
    step = re.search(r"^RUN (SECRET_KEY=.* python manage\.py collectstatic.*)$", DOCKERFILE, re.MULTILINE)
    assert step is not None
    environment = {"PATH": f"{BIN}:{os.environ['PATH']}", "STATIC_ROOT": str(tmp_path / "static")}
    environment["MANYHOP_DATA_DIR"] = str(tmp_path)
    result = run(["sh", "-c", step[1]], environment)
    assert result.returncode == 0, result.stderr
    assert (tmp_path / "static" / "staticfiles.json").exists()


def test_the_environment_of_the_services_is_known_to_the_settings() -> None:
    assert COMPOSE["x-site"]["env_file"] == [".env"]
    given = set(COMPOSE["x-site"]["environment"])
    read = set(re.findall(r'env\.\w+\(\s*"([A-Z_]+)"', (ROOT / "leaderboard" / "project" / "settings.py").read_text()))
    assert given <= read


# --- The commands, run ---------------------------------------------------------------------------------------------


@pytest.fixture
def environment(transactional_db: None, redis_server: Redis, static_root: Path) -> dict[str, str]:
    return child_environment(
        REDIS_URL=redis_server.url, CELERY_BROKER_URL=redis_server.url, STATIC_ROOT=str(static_root)
    )


@pytest.mark.slow
@pytest.mark.postgres
def test_migrating_and_checking_the_whole_site(environment: dict[str, str], redis_server: Redis) -> None:
    assert run(here(SERVICES["migrate"]["command"]), environment).returncode == 0
    check = [sys.executable, "manage.py", "healthcheck"]
    well = run(check, environment)
    assert (well.returncode, well.stderr) == (0, "")
    assert [line.split(":")[0] for line in well.stdout.splitlines()] == [
        *("database", "tables", "queue", "housekeeping", "files", "benchmarks")
    ]
    redis_server.stop()
    unwell = run(check, environment)
    assert unwell.returncode == 1
    assert re.search(r"\bqueue: .*\bbroker\b", unwell.stderr)
    assert "database: postgresql answers" in unwell.stdout, "one bad thing does not hide the others"


@pytest.mark.slow
@pytest.mark.postgres
def test_a_database_that_is_away_or_empty_is_reported(environment: dict[str, str], tmp_path: Path) -> None:
    check = [sys.executable, "manage.py", "healthcheck"]
    away = run(check, environment | {"DATABASE_URL": f"postgres://nobody:x@127.0.0.1:{free_port()}/nothing"})
    assert away.returncode == 1
    assert "database: does not answer (OperationalError)" in away.stderr
    empty = run(check, environment | {"DATABASE_URL": f"sqlite:///{tmp_path / 'empty.sqlite3'}"})
    assert empty.returncode == 1
    assert re.search(r": \d+ migrations\b", empty.stderr)


@contextmanager
def followed(
    name: str, environment: dict[str, str], log: Path, sign_of_life: Callable[[], bool], **changes: str
) -> Iterator[None]:
    """Runs a service's command and its health check: well while it runs, unwell before."""
    service = SERVICES[name]
    check = here(service["healthcheck"]["test"][1:], **changes)
    assert run(check, environment).returncode == 1, "nothing runs yet"
    command = here(service["command"], **changes)
    process = Process(name, command, log, environment=environment, directory=ROOT).start()
    try:
        yield
        process.wait_until(sign_of_life)
        process.wait_until(lambda: run(check, environment).returncode == 0)
        assert process.stop(signal.SIGTERM) == 0, process.log.read_text()
    finally:
        process.stop()


@pytest.mark.slow
@pytest.mark.postgres
def test_the_web_server(environment: dict[str, str], tmp_path: Path) -> None:
    port = free_port()
    changes = {"0.0.0.0:8000": f"127.0.0.1:{port}", "8000": str(port)}
    with followed("web", environment, tmp_path / "log", lambda: accepts_connections(port), **changes):
        pass


@pytest.mark.slow
@pytest.mark.postgres
def test_the_workers(environment: dict[str, str], tmp_path: Path) -> None:
    """All at the same time: each is well while it runs, and its check reports nothing of the others."""
    with ExitStack() as running:
        for name in (name for name in OURS if name.startswith("worker-")):
            ready = f"{name.removeprefix('worker-')}@{socket.gethostname()} ready."
            own = tmp_path / name
            own.mkdir()
            log, temporary = own / "log", {"TMPDIR": str(own)}
            running.enter_context(
                followed(name, environment | temporary, log, partial(contains, log, ready), **{"/tmp": str(own)})
            )


@pytest.mark.slow
@pytest.mark.postgres
def test_the_check_of_a_worker_that_hangs_ends_it(environment: dict[str, str], tmp_path: Path) -> None:
    """So that compose starts it again, which it does with what ends alone."""
    service, changes = SERVICES["worker-site"], {"/tmp": str(tmp_path)}
    check = here(service["healthcheck"]["test"][1:], **changes)
    environment = environment | {"TMPDIR": str(tmp_path)}
    command = here(service["command"], **changes)
    process = Process("site", command, tmp_path / "log", environment=environment, directory=ROOT).start()
    try:
        wait_for(lambda: run(check, environment).returncode == 0, START_SECONDS, "its file")
        process.send_signal(signal.SIGSTOP)
        for file in tmp_path.glob("manyhop-alive-*"):
            os.utime(file, (0, 0))
        assert run(check, environment).returncode == 1
        wait_for(lambda: not process.running, PATIENCE_SECONDS, "its end")
    finally:
        process.stop()


def contains(log: Path, text: str) -> bool:
    return text in log.read_text()


@pytest.mark.slow
@pytest.mark.postgres
def test_the_scheduler(environment: dict[str, str], tmp_path: Path) -> None:
    schedule, file_of_process = tmp_path / "beat-schedule", tmp_path / "manyhop-alive-beat"
    changes = {"/tmp/beat-schedule": str(schedule), "/tmp": str(tmp_path)}
    environment = environment | {"TMPDIR": str(tmp_path)}
    service = SERVICES["beat"]
    check = here(service["healthcheck"]["test"][1:], **changes)
    assert run(check, environment).returncode == 1, "nothing runs yet"
    command = here(service["command"], **changes)
    process = Process("beat", command, tmp_path / "log", environment=environment, directory=ROOT).start()
    try:
        wait_for(lambda: run(check, environment).returncode == 0, START_SECONDS, "the schedule file")
        wait_for(file_of_process.exists, START_SECONDS, "the file with its process id, which comes after the schedule")
        process.send_signal(signal.SIGSTOP)  # or it may write it once more just now
        for file in tmp_path.glob("beat-schedule*"):
            os.utime(file, (0, 0))
        assert run(check, environment).returncode == 1, "a schedule that nobody keeps any more"
        wait_for(lambda: not process.running, PATIENCE_SECONDS, "the end of the scheduler, which is started again")
    finally:
        process.stop()


def test_redis_takes_its_options_and_wants_its_password(tmp_path: Path, redis_server: Redis) -> None:
    assert redis_server.running  # so that this needs the program
    port = free_port()
    service = SERVICES["redis"]
    word = service["environment"]["REDISCLI_AUTH"]
    assert word.startswith("${REDIS_PASSWORD:?")
    assert f":{word}@redis:" in COMPOSE["x-site"]["environment"]["REDIS_URL"]
    command = [*here(service["command"], **{word: "secret"}), "--port", str(port), "--bind", "127.0.0.1"]
    process = Process("redis", command, tmp_path / "log", directory=tmp_path).start()
    try:
        process.wait_until(lambda: accepts_connections(port))
        with pytest.raises(redis.AuthenticationError):
            redis.Redis(port=port).ping()
        assert redis.Redis(port=port, password="secret").ping()
        check = [*service["healthcheck"]["test"][1:], "-p", str(port)]
        check = [check[0], *check[-2:], *check[1:-2]]
        given = os.environ | {"REDISCLI_AUTH": "secret"}
        assert run(check, given).returncode == 0
        redis.Redis(port=port, password="secret").config_set("maxmemory", "1")
        assert run(check, given).returncode == 1, "it answers and stores nothing"
    finally:
        assert process.stop() == 0
