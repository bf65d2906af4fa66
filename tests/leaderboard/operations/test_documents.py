"""What docs/deploy.md and docs/operations.md tell an operator to run or to configure: run here, or at least checked."""

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import unquote, urlsplit

import psycopg
import pytest
import yaml
from django.core.management import get_commands, load_command_class
from django.core.management.base import CommandParser
from django.db import connection

from tests import factories
from tests.paths import ROOT
from tests.processes import child_environment, database_url
from tests.services import Process, accepts_connections, find_program, free_port, unprivileged_user

DOCUMENTS = {name: (ROOT / "docs" / name).read_text() for name in ("deploy.md", "operations.md")}
BLOCKS = [
    (language, text)
    for document in DOCUMENTS.values()
    for language, text in re.findall(r"^```(\w*)\n(.*?)^```", document, re.MULTILINE | re.DOTALL)
]
LINES = [line.removeprefix("$ ") for language, text in BLOCKS if language == "console" for line in text.splitlines()]
COMPOSE = yaml.safe_load((ROOT / "docker" / "compose.yml").read_text())
CALL = "docker compose --file docker/compose.yml "
NOT_RUN = {
    f"{CALL}{command}"
    for command in (
        *("up --build --detach --wait", "up --detach --wait", "build", "down", "run --rm --no-deps migrate"),
        "up --detach --wait postgres",
        "run --detach --no-deps --name manyhop-next --publish 127.0.0.1:8001:8000 web",
        *("up --detach --wait --no-deps worker-site worker-cpu beat", "up --detach --wait --no-deps web"),
    )
}
"""There is no container engine: tests/leaderboard/operations/test_docker.py runs the commands of each container."""


def block(language: str, start: str = "") -> str:
    texts: list[str] = [text for known, text in BLOCKS if known == language and text.startswith(start)]
    assert len(texts) == 1
    return texts[0]


def parser_of(command: str) -> CommandParser:
    app = get_commands()[command]
    return (load_command_class(app, command) if isinstance(app, str) else app).create_parser("manage.py", command)


def words(line: str) -> list[str]:
    """The words of a command before its comment and whatever the shell does with its streams."""
    return shlex.split(re.sub(r" [<>] \S+$", "", line), comments=True)


def check(line: list[str]) -> None:
    """That a command exists and takes these arguments."""
    match line:
        case ["make", target]:
            assert subprocess.run(["make", "--dry-run", target], cwd=ROOT, capture_output=True).returncode == 0
        case ["python" | ".venv/bin/python", "manage.py", command, *arguments]:
            parser_of(command).parse_args(arguments)
        case ["kubectl", "apply", "--kustomize", folder]:
            assert (ROOT / folder / "kustomization.yaml").exists()  # test_kubernetes.py builds it
        case ["sh", "-c", script]:
            assert script.startswith("cat > /")
        case ["pg_dump" | "pg_restore" | "psql" | "sqlite3" | "cp" | "tar", *_]:
            pass  # run below, and in tests/upgrade/test_left_tables.py
        case _:
            raise AssertionError(f"nothing here knows how to check {line}")


@pytest.mark.parametrize("line", LINES)
def test_every_command_exists_and_takes_its_arguments(line: str) -> None:
    if line in NOT_RUN:
        return
    if line.startswith(CALL):
        exec_, *options, service = words(line.removeprefix(CALL))[: 3 if " -T " in line else 2]
        assert (exec_, options) in (("exec", []), ("exec", ["-T"]))
        assert service in COMPOSE["services"]
        check(words(line.removeprefix(CALL))[len(options) + 2 :])
    else:
        check(words(line))


def test_every_block_is_of_a_kind_that_is_checked() -> None:
    assert {language for language, _ in BLOCKS} == {"console", "ini", "nginx", "yaml"}
    assert set(LINES) >= NOT_RUN


@pytest.mark.parametrize(
    "call",
    sorted(set(re.findall(r"`(?:python )?manage\.py\s([^`]+)`", "".join(DOCUMENTS.values())))),
)
def test_every_command_in_a_sentence_has_these_options(call: str) -> None:
    command, *rest = call.split()
    if command != "…":
        options = {option for action in parser_of(command)._actions for option in action.option_strings}
        assert {word for word in rest if word.startswith("--")} <= options


# --- Configurations ------------------------------------------------------------------------------------------------


@pytest.mark.nginx
def test_nginx_loads_the_documented_file(tmp_path: Path) -> None:
    certificate = [*("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=manyhop.example")]
    key, public = tmp_path / "manyhop.key", tmp_path / "manyhop.pem"
    subprocess.run([*certificate, "-keyout", key, "-out", public], check=True, capture_output=True)
    text = block("nginx", "map ").replace("/etc/ssl", str(tmp_path)).replace("/var/log/nginx", str(tmp_path))
    file = tmp_path / "nginx.conf"
    file.write_text(f"pid {tmp_path}/pid; events {{}}\nhttp {{\n{text}}}\n")
    nginx = find_program("nginx")
    assert nginx is not None
    result = subprocess.run([nginx, "-t", "-c", file, "-e", tmp_path / "error"], capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    assert "warn" not in result.stderr


@pytest.mark.systemd
def test_systemd_takes_the_documented_unit(tmp_path: Path) -> None:
    program = Path(sys.executable).with_name("celery")
    unit = tmp_path / "manyhop-beat.service"
    unit.write_text(block("ini", "[Unit]").replace("/srv/manyhop/.venv/bin/celery", str(program)))
    web = tmp_path / "manyhop-web.service"
    web.write_text(unit.read_text().replace("Wants=", "Requires=manyhop-web.socket\nWants=", 1))
    opened = tmp_path / "manyhop-web.socket"  # test_upgrade.py starts web servers as systemd does with this socket
    opened.write_text(block("ini", "[Socket]"))
    result = subprocess.run(["systemd-analyze", "verify", unit, web, opened], capture_output=True, text=True)
    assert (result.returncode, result.stderr) == (0, "")


@pytest.mark.compose
def test_compose_takes_the_compose_file_with_the_documented_variables(tmp_path: Path) -> None:
    values = re.sub(r"= +#.*$", "=value", block("ini", "SECRET_KEY"), flags=re.MULTILINE)
    (tmp_path / ".env").write_text(values)
    # Debian's docker-compose is older than the name of a project in the file.
    file = tmp_path / "compose.yml"
    file.write_text((ROOT / "docker" / "compose.yml").read_text().replace("\nname: manyhop\n", "\n"))
    result = subprocess.run(
        ["docker-compose", "--file", file, "--profile", "bleurt", "--profile", "judge", "config"],
        cwd=tmp_path, env={"PATH": "/usr/bin:/bin"}, capture_output=True, text=True,
    )  # fmt: skip
    assert result.returncode == 0, result.stderr
    services = yaml.safe_load(result.stdout)["services"]
    assert set(services) == set(COMPOSE["services"])
    assert services["web"]["environment"]["DATABASE_URL"] == "postgres://manyhop:value@postgres:5432/manyhop"
    assert services["web"]["environment"]["EMAIL_FROM"] == "manyhop@manyhop.example"


def test_prometheus_would_ask_for_the_metrics_as_the_site_wants_it() -> None:
    [job] = yaml.safe_load(block("yaml"))["scrape_configs"]
    assert (job["scheme"], set(job["authorization"])) == ("https", {"credentials"})
    assert "metrics_path" not in job, "its default is /metrics"


# --- Run, word for word --------------------------------------------------------------------------------------------


@pytest.fixture
def new_database(tmp_path: Path) -> Iterator[str]:
    """The DATABASE_URL of a database without tables."""
    if connection.vendor == "sqlite":
        yield f"sqlite:///{tmp_path}/new/manyhop.sqlite3"
        return
    name = f"restored_{os.getpid()}"
    server_url = database_url().replace("postgres://", "postgresql://")
    with psycopg.connect(server_url, autocommit=True) as server:
        server.execute(f"CREATE DATABASE {name} TEMPLATE template0")
    yield f"{database_url().rpartition('/')[0]}/{name}"
    with psycopg.connect(server_url, autocommit=True) as server:
        server.execute(f"DROP DATABASE {name} WITH (FORCE)")


@pytest.mark.slow
@pytest.mark.parametrize("through", ["files", pytest.param("containers", marks=pytest.mark.postgres)])
@pytest.mark.django_db(transaction=True)
def test_a_backup_restores_the_site_on_an_empty_machine(
    through: str, tmp_path: Path, new_database: str, settings: Any
) -> None:
    for folder in ("old", "new", "backups"):
        (tmp_path / folder).mkdir()
    settings.MEDIA_ROOT = tmp_path / "old" / "uploads"
    dev = factories.split(factories.benchmark(n_dev=4), "dev")
    factories.published(factories.user(), dev, {"openbook": factories.perfect(n=4)})
    docker = tmp_path / "docker"  # a stand-in for the engine: it runs here what it is to run in a container
    docker.write_text('#!/bin/sh\nshift 6\nexec "$@"\n')
    docker.chmod(0o755)
    by_file = connection.vendor == "sqlite"
    sites = {}
    for folder, url in (("old", database_url()), ("new", new_database)):
        server = urlsplit(url)
        sites[folder] = child_environment(
            PATH=f"{tmp_path}:{Path(sys.executable).parent}:{os.environ['PATH']}",
            DATABASE_URL=url, MANYHOP_DATA_DIR=str(tmp_path / folder),
            PGHOST=server.hostname or "", PGPORT=str(server.port or ""), PGPASSWORD=server.password or "",
        )  # fmt: skip

    def run(line: str, folder: str) -> str:
        environment, name = sites[folder], unquote(urlsplit(sites[folder]["DATABASE_URL"]).path)
        line = line.replace("/var/lib/manyhop/manyhop.sqlite3", name).replace(
            "/var/lib/manyhop", f"{tmp_path}/{folder}"
        )
        line = line.replace("/var/backups", f"{tmp_path}/backups").replace(" manyhop >", f" {name[1:]} >")
        line = re.sub(r"--dbname=manyhop\b", f"--dbname={name[1:]}", line)
        line = re.sub(r"([<>]) (\S+)$", rf"\1 {tmp_path}/backups/\2", line)
        result = subprocess.run(["sh", "-c", line], cwd=ROOT, env=environment, capture_output=True, text=True)
        assert result.returncode == 0, f"{line}\n{result.stderr}"
        return result.stdout

    section = DOCUMENTS["deploy.md"].split("## Backup\n")[1].split("\n## ")[0]
    blocks = re.findall(r"```console\n(.*?)```", section, re.DOTALL)
    (dump, pack), (load, unpack), copies, piped = [text.replace("$ ", "", 1).strip().split("\n$ ") for text in blocks]
    if through == "containers":
        dump, pack, _, load, unpack = piped
    elif by_file:
        dump, load = copies
    for folder, lines in (("old", (dump, pack)), ("new", (load, unpack))):
        for line in lines:
            run(line, folder)
    command = "python manage.py migrate --no-input && python manage.py dumpdata --all"
    stored = {folder: run(command, folder) for folder in sites}
    assert stored["new"] == stored["old"]
    assert '"leaderboard.submission"' in stored["new"]
    files = [
        {path.name: path.read_bytes() for path in (tmp_path / folder / "uploads").rglob("*") if path.is_file()}
        for folder in sites
    ]
    assert files[0] == files[1]
    assert files[0]


@pytest.mark.pgbouncer
@pytest.mark.postgres
@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_the_site_works_through_the_documented_pooler() -> None:
    factories.user("ada")
    server, port = urlsplit(database_url()), free_port()
    [documented] = re.findall(r"^```ini\n(.*?)^```", (ROOT / "docs/scale.md").read_text(), re.MULTILINE | re.DOTALL)
    text = documented.replace("port=5432 dbname=manyhop", f"port={server.port} dbname={server.path[1:]}")
    program = find_program("pgbouncer")
    assert program is not None
    with TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)  # PgBouncer does not run as root
        (folder / "users.txt").write_text(f'"{server.username}" "{server.password}"\n')
        text = text.replace("6432", str(port)).replace("/etc/pgbouncer", name)
        (folder / "pgbouncer.ini").write_text(f"{text}unix_socket_dir =\n")
        command = [program, folder / "pgbouncer.ini"]
        pooler = Process("PgBouncer", command, folder / "log", user=unprivileged_user()).start()
        try:
            pooler.wait_until(lambda: accepts_connections(port))
            url = f"postgres://{server.username}:{server.password}@127.0.0.1:{port}/manyhop"
            done = subprocess.run(
                [sys.executable, "manage.py", "dumpdata", "leaderboard.user"],
                cwd=ROOT, env=child_environment(DATABASE_URL=f"{url}?DISABLE_SERVER_SIDE_CURSORS=True"),
                capture_output=True, text=True,
            )  # fmt: skip
        finally:
            pooler.stop()
    assert done.returncode == 0, done.stderr
    assert '"ada"' in done.stdout
