"""``manage.py`` beside a demo and on a site that is not configured."""

import os
import secrets
import subprocess
import sys
from pathlib import Path

import pytest

from leaderboard.operations.startup_checks import HOW_TO_MAKE_A_KEY
from tests.paths import ROOT

KEY = secrets.token_urlsafe(50)


def manage(*args: str, **environment: str) -> subprocess.CompletedProcess[str]:
    clean = {name: value for name, value in os.environ.items() if name in ("PATH", "HOME", "LANG")}
    return subprocess.run(
        [sys.executable, str(ROOT / "manage.py"), *args],
        env=clean | environment,
        capture_output=True,
        text=True,
        timeout=200,
        check=False,
    )


def test_without_any_settings_it_says_which_one_is_missing_and_how_to_make_it(tmp_path: Path) -> None:
    done = manage("check", MANYHOP_DATA_DIR=str(tmp_path))
    assert done.returncode != 0
    assert f"SECRET_KEY has 0 characters, at least 50 are needed. {HOW_TO_MAKE_A_KEY}" in done.stderr


@pytest.mark.slow
def test_beside_a_demo_commands_mean_the_demo(tmp_path: Path) -> None:
    (tmp_path / "secret-key").write_text(KEY)
    done = manage("showmigrations", "sessions", MANYHOP_DATA_DIR=str(tmp_path))
    assert done.returncode == 0, done.stderr
    assert f" {tmp_path}\n" in done.stderr
    assert (tmp_path / "manyhop.sqlite3").exists()


@pytest.mark.slow
def test_a_configured_site_is_never_taken_for_the_demo(tmp_path: Path) -> None:
    (tmp_path / "secret-key").write_text(KEY)
    database = tmp_path / "other.sqlite3"
    done = manage(
        *("showmigrations", "sessions"),
        MANYHOP_DATA_DIR=str(tmp_path),
        SECRET_KEY=KEY,
        DATABASE_URL=f"sqlite:///{database}",
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    assert database.exists()
    assert not (tmp_path / "manyhop.sqlite3").exists()
