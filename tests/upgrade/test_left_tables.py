"""docs/deploy.md names the tables of 0.7.0 that stay in the database, and how to dump and drop them."""

import lzma
import os
import re
import sqlite3
import subprocess
from contextlib import closing
from pathlib import Path

import psycopg
import pytest
from django.apps import apps

from tests.paths import ROOT
from tests.upgrade.expected import CHANGED_TABLES
from tests.upgrade.version_0_7_0 import DUMPS

SECTION = (ROOT / "docs" / "deploy.md").read_text().split("\n### From 0.7.0 to 0.8.0\n")[1].split("\n## ")[0]
NAMED = set(re.findall(r"^\| `(\w+)` \|", SECTION, re.MULTILINE))
DUMP_POSTGRESQL, DROP_POSTGRESQL = re.findall(r"^\$ ((?:pg_dump|psql) .*)$", SECTION, re.MULTILINE)
DUMP_SQLITE, DROP_SQLITE = re.findall(r"^\$ (sqlite3 .*)$", SECTION, re.MULTILINE)
DELETED = {"leaderboard_devicelogin"}
"""Beside those that `tests.upgrade.expected` names."""


def tables_of_0_7_0() -> set[str]:
    statements = lzma.decompress(DUMPS["sqlite"].read_bytes()).decode()
    made = re.findall(r'^CREATE TABLE "(\w+)"', statements, re.MULTILINE)
    return {name for name in made if name.startswith(("scoring_", "leaderboard_", "humaneval_"))}


def run(line: str, folder: Path, url: str = "") -> None:
    line = line.replace("/var/lib/manyhop", str(folder)).replace("/var/backups", str(folder))
    subprocess.run(["sh", "-c", line], env={**os.environ, "DATABASE_URL": url}, check=True, capture_output=True)


def test_the_named_tables_are_those_that_no_model_has_any_more() -> None:
    used = {model._meta.db_table for model in apps.get_models(include_auto_created=True)}
    assert tables_of_0_7_0() - used - set(CHANGED_TABLES) - DELETED == NAMED


@pytest.mark.parametrize("line", [DUMP_POSTGRESQL, DROP_POSTGRESQL, DUMP_SQLITE, DROP_SQLITE])
def test_each_command_names_all_of_them(line: str) -> None:
    assert set(re.findall(r"\b(?:humaneval|leaderboard|scoring)_\w+", line)) == NAMED


@pytest.mark.slow
def test_the_commands_for_sqlite_dump_and_drop_the_tables(tmp_path: Path) -> None:
    site, kept = tmp_path / "manyhop.sqlite3", tmp_path / "kept.sqlite3"
    with closing(sqlite3.connect(site)) as database:
        database.executescript(lzma.decompress(DUMPS["sqlite"].read_bytes()).decode())
        rows = {name: database.execute(f"SELECT count(*) FROM {name}").fetchone() for name in NAMED}
    run(DUMP_SQLITE, tmp_path)
    run(DROP_SQLITE, tmp_path)
    with closing(sqlite3.connect(site)) as database:
        left = {name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    assert NAMED.isdisjoint(left)
    assert "scoring_run" in left
    with closing(sqlite3.connect(kept)) as database:
        database.executescript((tmp_path / "tables-of-0.7.0.sql").read_text())
        assert {name: database.execute(f"SELECT count(*) FROM {name}").fetchone() for name in NAMED} == rows


@pytest.mark.slow
@pytest.mark.postgres
def test_the_commands_for_postgresql_dump_and_drop_the_tables(tmp_path: Path) -> None:
    server = os.environ["DATABASE_URL"].replace("postgres://", "postgresql://", 1)
    name = f"left_{os.getpid()}"
    url = f"{server.rpartition('/')[0]}/{name}"
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name} TEMPLATE template0")
    try:
        with psycopg.connect(url, autocommit=True) as database:
            for table in NAMED:
                database.execute(f"CREATE TABLE {table} (id integer)")
        run(DUMP_POSTGRESQL, tmp_path, url)
        run(DROP_POSTGRESQL, tmp_path, url)
        run(
            'pg_restore --no-owner --exit-on-error --dbname="$DATABASE_URL" /var/backups/tables-of-0.7.0.dump',
            tmp_path,
            url,
        )
        with psycopg.connect(url) as database:
            found = database.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public'").fetchall()
    finally:
        with psycopg.connect(server, autocommit=True) as connection:
            connection.execute(f"DROP DATABASE {name} WITH (FORCE)")
    assert {table for (table,) in found} == NAMED
