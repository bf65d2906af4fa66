"""What `make test` does where something is missing, and what becomes of tests that cannot run."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests import parallel, runner, services
from tests.paths import ROOT
from tests.services import Postgres, Process, Redis, ServiceError, free_port

NOT_THERE = Path("not-there")


def need(name: str, found: Callable[[], Path | None]) -> runner.Need:
    return runner.Need(name, name.lower(), (f"{name.lower()}-package",), found)


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The steps that the runner would take, with everything there unless a test says otherwise."""
    steps: list[str] = []

    def run_pytest(arguments: list[str], database_url: str | None, redis_url: str | None) -> int:
        given = [name for name, url in (("postgres", database_url), ("redis", redis_url)) if url]
        steps.append(f"pytest {' '.join([*arguments, *given])}")
        return 0

    monkeypatch.delenv("MANYHOP_REQUIRE_ALL", raising=False)
    monkeypatch.setattr(runner, "run_pytest", run_pytest)
    monkeypatch.setattr(runner, "install", lambda needs: steps.append(f"install {' '.join(one.name for one in needs)}"))
    monkeypatch.setattr(runner, "NEEDS", (need("Postgres", lambda: None), need("Redis", lambda: None)))
    return steps


def test_what_is_missing_is_installed_or_else_left_out_and_named(
    calls: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert runner.main(["-k", "board"]) == 0
    assert calls == ["install Postgres Redis", "pytest -k board"]
    last_lines = capsys.readouterr().out.splitlines()[-2:]
    assert last_lines == [
        "Left out: the tests marked 'postgres', because Postgres is missing (postgres-package)",
        "Left out: the tests marked 'redis', because Redis is missing (redis-package)",
    ]


def test_what_is_missing_is_a_failure_where_everything_is_required(
    calls: list[str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MANYHOP_REQUIRE_ALL", "1")
    assert runner.main([]) == 1
    assert calls == ["install Postgres Redis"], "no test is run"
    assert "Redis is missing and MANYHOP_REQUIRE_ALL=1: install redis-package" in capsys.readouterr().out


def test_it_can_be_told_to_install_and_no_more(calls: list[str]) -> None:
    assert runner.main(["--install"]) == 0
    assert calls == ["install Postgres Redis"]


@pytest.mark.redis
def test_what_could_be_installed_is_used(calls: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    found: list[Path] = []
    monkeypatch.setattr(
        runner, "NEEDS", (need("Postgres", lambda: None), need("Redis", lambda: found[0] if found else None))
    )
    monkeypatch.setattr(runner, "install", lambda needs: found.append(NOT_THERE))
    assert runner.main([]) == 0
    assert calls == ["pytest redis"]


def test_only_root_with_apt_installs(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    commands: list[list[str]] = []

    def fake_run(command: list[str], **options: object) -> subprocess.CompletedProcess[str]:
        commands.append(command)
        assert options["stdin"] == subprocess.DEVNULL
        return subprocess.CompletedProcess(command, 100, "E: no such package")

    monkeypatch.setattr(subprocess, "run", fake_run)
    monkeypatch.setattr(shutil, "which", lambda name: f"/usr/bin/{name}")
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    runner.install([need("Redis", lambda: None)])
    assert commands == []
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    runner.install([need("Redis", lambda: None)])
    assert [command[3] for command in commands] == ["update", "install"]
    assert commands[1][-1] == "redis-package"
    assert "apt-get install failed:\nE: no such package" in capsys.readouterr().out


def test_running_no_test_is_a_failure(calls: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runner, "run_pytest", lambda *given: runner.NO_TESTS_COLLECTED)
    assert runner.main(["-k", "nothing"]) == 1


def test_pytests_exit_status_is_passed_on(calls: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runner, "run_pytest", lambda *given: 3)
    assert runner.main([]) == 3


@pytest.mark.parametrize(
    ("arguments", "shared"),
    [
        ([], True),
        (["-q", "--durations=60", "-m", "browser"], True),
        (["tests/scoring", "-q"], True),
        (["tests/test_runner.py", "-q"], False),
        (["tests/test_runner.py::test_plain"], False),
        (["-k", "board"], False),
        (["-s"], False),
        (["-vx"], False),
        (["--pdb"], False),
        (["-n", "2"], False),
        (["-p", "no:xdist"], False),
    ],
)
def test_many_tests_are_shared_out_and_few_are_not(arguments: list[str], shared: bool) -> None:
    assert bool(runner.sharing(arguments)) == shared


def test_tests_that_wait_have_a_process_more_than_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    assert runner.sharing(runner.selected("--fast", []))[:2] == ["--numprocesses", "2"]
    assert runner.sharing(runner.selected("--slow", []))[:2] == ["--numprocesses", "3"]


def test_files_that_take_long_are_started_first() -> None:
    def item(file: str, limit: int = 0, fixtures: tuple[str, ...] = (), slow: bool = False) -> Any:
        marks = {"slow": SimpleNamespace(), "timeout": SimpleNamespace(args=(limit,))}
        marks = {name: mark for name, mark in marks.items() if (slow if name == "slow" else limit)}
        return SimpleNamespace(location=(file, 0, ""), fixturenames=fixtures, get_closest_marker=marks.get)

    items = [
        item("quick"),
        item("browser", fixtures=("browser_page",)),
        item("two slow", slow=True),
        item("long", limit=900, slow=True),
        item("longer", limit=1200),
        item("two slow", slow=True, limit=240),
    ]
    parallel.slow_files_first(items)
    assert [one.location[0] for one in items] == ["longer", "long", "two slow", "two slow", "browser", "quick"]


@pytest.mark.parametrize(
    ("option", "arguments", "selected"),
    [
        ("--fast", [], ["-m", "not slow"]),
        ("--fast", ["-q", "-n", "2", "-p", "no:xdist"], ["-m", "not slow"]),
        ("--fast", ["tests/test_runner.py"], []),
        ("--fast", ["tests/test_runner.py::test_plain", "-q"], []),
        ("--fast", ["tests/scoring"], []),
        ("--fast", ["-k", "board"], []),
        ("--fast", ["-xk", "board"], []),
        ("--fast", ["-m", "browser"], []),
        ("--fast", ["--lf"], []),
        ("--slow", [], ["-m", "slow"]),
        ("--slow", ["tests/reliability", "-k", "killed"], ["-m", "slow"]),
    ],
)
def test_quick_tests_are_run_or_slow_ones_or_those_that_are_named(
    calls: list[str], option: str, arguments: list[str], selected: list[str]
) -> None:
    assert runner.main([option, "--", *arguments]) == 0
    assert calls[-1].split() == ["pytest", *" ".join([*selected, "--durations", "20", *arguments]).split()]


# --- Tests that cannot run -----------------------------------------------------------------------------------------

PLAIN = """
import pytest

def test_plain(): pass
"""
NEEDY = """
@pytest.mark.postgres
def test_postgres(): pass

@pytest.mark.browser
def test_browser(): pass
"""
SLOW = """
import pytest

@pytest.mark.slow
def test_slow(page_factory): pass

def test_quick(): pass
"""
SKIPPING = """
def test_skipping():
    pytest.skip("not today")
"""


def run_sample(
    tmp_path: Path, sample: str, *options: str, require_all: bool, processes: int = 0
) -> subprocess.CompletedProcess[str]:
    """Runs a few tests in a pytest of their own, where neither PostgreSQL nor any program is to be found."""
    (tmp_path / "test_sample.py").write_text(sample)
    (tmp_path / "conftest.py").write_text("from tests.conftest import *")
    environment = {name: value for name, value in os.environ.items() if name not in ("DATABASE_URL", "REDIS_URL")}
    environment |= {"PATH": str(tmp_path), "MANYHOP_REQUIRE_ALL": str(int(require_all)), "PYTHONPATH": str(ROOT)}
    return subprocess.run(
        [
            *(sys.executable, "-m", "pytest", "-q", "-c", str(ROOT / "pyproject.toml"), "--rootdir", str(tmp_path)),
            *("-p", "no:cacheprovider", "--numprocesses", str(processes), *options, str(tmp_path / "test_sample.py")),
        ],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.slow
def test_tests_with_unmet_needs_are_left_out_and_counted(tmp_path: Path) -> None:
    result = run_sample(tmp_path, PLAIN + NEEDY + SKIPPING, require_all=False)
    assert result.returncode == 0, result.stdout
    assert "1 passed, 1 skipped, 2 deselected" in result.stdout
    assert "Left out: 1 tests that need postgres: DATABASE_URL names no PostgreSQL" in result.stdout
    assert "Left out: 1 tests that need browser: Chromium is not installed" in result.stdout
    assert "Skipped though everything is required: " not in result.stdout


@pytest.mark.slow
def test_a_test_that_is_not_selected_is_neither_imported_nor_left_out_nor_skipped(tmp_path: Path) -> None:
    whole = "import pytest\n\npytestmark = [pytest.mark.slow, pytest.mark.postgres]\nraise SystemExit('imported')\n"
    (tmp_path / "test_whole.py").write_text(whole)
    result = run_sample(tmp_path, SLOW, *runner.selected("--fast", []), str(tmp_path), require_all=True)
    assert result.returncode == 0, result.stdout
    assert "1 passed, 1 deselected" in result.stdout
    assert "Left out" not in result.stdout
    assert "slowest 20 durations" in result.stdout


@pytest.mark.slow
def test_unmet_needs_are_an_error_where_everything_is_required(tmp_path: Path) -> None:
    result = run_sample(tmp_path, SLOW, *runner.selected("--slow", []), require_all=True)
    assert result.returncode == pytest.ExitCode.USAGE_ERROR
    assert "MANYHOP_REQUIRE_ALL=1, but browser: Chromium is not installed" in result.stdout + result.stderr


@pytest.mark.slow
def test_both_are_said_where_several_processes_share_the_tests(tmp_path: Path) -> None:
    result = run_sample(tmp_path, PLAIN + NEEDY, require_all=True, processes=2)
    assert result.returncode == pytest.ExitCode.USAGE_ERROR
    assert "Left out: 1 tests that need postgres: DATABASE_URL names no PostgreSQL" in result.stdout
    assert "MANYHOP_REQUIRE_ALL=1, but postgres: DATABASE_URL names no PostgreSQL" in result.stdout
    result = run_sample(tmp_path, PLAIN + SKIPPING, require_all=True, processes=2)
    assert result.returncode == 1, result.stdout
    assert "Skipped though everything is required: " in result.stdout


@pytest.mark.slow
def test_a_skipped_test_is_a_failure_where_everything_is_required(tmp_path: Path) -> None:
    result = run_sample(tmp_path, PLAIN + SKIPPING, require_all=True)
    assert result.returncode == 1, result.stdout
    assert "Skipped though everything is required: " in result.stdout


# --- The services --------------------------------------------------------------------------------------------------


def test_redis_keeps_or_loses_its_data_as_asked(redis_server: Redis) -> None:
    import redis

    client = redis.Redis.from_url(redis_server.url)
    client.set("kept", "1")
    redis_server.stop()
    assert not redis_server.running
    redis_server.start()
    assert client.get("kept") == b"1"
    redis_server.flush()
    assert client.get("kept") is None
    client.set("lost", "1")
    redis_server.kill9()
    redis_server.start()
    assert client.get("lost") is None
    client.close()


@pytest.mark.postgres
def test_a_cluster_is_private_and_leaves_nothing(tmp_path: Path) -> None:
    import psycopg

    cluster = Postgres().start()
    directory = cluster._directory
    assert directory is not None
    with psycopg.connect(cluster.url) as connection:
        row = connection.execute("SHOW listen_addresses").fetchone()
        assert row == ("127.0.0.1",)
    without_password = cluster.url.split("://")[1].split(":")[0], cluster.url.rsplit("@", 1)[1]
    with pytest.raises(psycopg.OperationalError, match="password"):
        psycopg.connect(f"postgres://{without_password[0]}@{without_password[1]}")
    cluster.stop()
    assert not directory.exists()
    with pytest.raises(psycopg.OperationalError):
        psycopg.connect(cluster.url, connect_timeout=2)


def test_a_process_that_ends_at_once_is_reported_with_its_words(tmp_path: Path) -> None:
    command = [sys.executable, "-c", "raise SystemExit('the reason')"]
    process = Process("thing", command, tmp_path / "log").start()
    with pytest.raises(ServiceError, match=r"thing did not get ready; the end of its log:\s+the reason"):
        process.wait_until(lambda: services.accepts_connections(free_port()), 20)
    assert process.stop() == 1
