"""A site of version 0.5.0 loses nothing when it is upgraded, on SQLite and on PostgreSQL."""

import hashlib
import json
import os
import re
import tarfile
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import psycopg
import pytest
from django.db import connection
from django.db.migrations.loader import MigrationLoader

from leaderboard.operations.backup.archive import RESTORE_FIRST
from tests.contracts import baselines
from tests.contracts.parts import SITE_PARTS
from tests.contracts.upgrade import running
from tests.contracts.upgrade.expected import (
    CHANGED_COLUMNS,
    GROWING_TABLES,
    RECOMPUTED_TABLES,
    RENAMED_COLUMNS,
    RENAMED_TABLES,
)
from tests.contracts.upgrade.version_0_5_0 import ARCHIVE, LEFT_OUT, SITE, STATE

Report = dict[str, Any]
ENGINES = ["sqlite", pytest.param("postgresql", marks=pytest.mark.postgres)]
pytestmark = pytest.mark.slow
HERE = connection.vendor
"""The database of the tests. The upgrade on SQLite runs in any case."""


@pytest.fixture(scope="module")
def reports(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str], Report]]:
    """The report of the upgrade on each database. Both upgrades run at the same time."""
    folders = {engine: tmp_path_factory.mktemp(engine) for engine in {"sqlite", HERE}}
    urls = {"sqlite": f"sqlite:///{folders['sqlite']}/site.sqlite3"}
    name = f"upgraded_{os.getpid()}"
    if HERE == "postgresql":
        _administer(f"CREATE DATABASE {name} TEMPLATE template0")
        urls["postgresql"] = f"{os.environ['DATABASE_URL'].rpartition('/')[0]}/{name}"
    processes = {engine: running.start(folders[engine], url) for engine, url in urls.items()}
    yield cache(lambda engine: running.report_of(processes[engine], folders[engine]))
    for process in processes.values():
        process.kill()
        process.wait()
    if HERE == "postgresql":
        _administer(f"DROP DATABASE {name} WITH (FORCE)")


def _administer(statement: str) -> None:
    url = os.environ["DATABASE_URL"].replace("postgres://", "postgresql://", 1)
    with psycopg.connect(url, autocommit=True) as server:
        server.execute(statement)


@pytest.fixture(scope="module", params=ENGINES)
def report(request: pytest.FixtureRequest, reports: Callable[[str], Report]) -> Report:
    return reports(request.param)


@pytest.fixture(scope="module")
def on_sqlite(reports: Callable[[str], Report]) -> Report:
    return reports("sqlite")


# --- Rows ----------------------------------------------------------------------------------------------------------


@cache
def left() -> dict[str, dict[str, Any]]:
    """Every row of 0.5.0, by table."""
    with tarfile.open(ARCHIVE) as packed:
        contents = {member.name: packed.extractfile(member).read() for member in packed}  # type: ignore[union-attr]
    known = json.loads(contents["manifest.json"])["tables"]
    found = {
        label: {
            "columns": table["columns"],
            "rows": [json.loads(line) for line in contents[f"tables/{label}.jsonl"].splitlines()],
        }
        for label, table in known.items()
    }
    return found | LEFT_OUT


def losses(label: str, now: dict[str, Any]) -> Iterator[str]:
    """What is missing from a table, changed or added."""
    before = left()[label]
    key = "id" if "id" in before["columns"] else before["columns"][0]
    for column in before["columns"]:
        if column not in now["columns"] and (label, column) not in CHANGED_COLUMNS:
            yield f"{label}.{column} is gone"
    rows = {row[key]: row for row in (dict(zip(now["columns"], values, strict=True)) for values in now["rows"])}
    for values in before["rows"]:
        old = dict(zip(before["columns"], values, strict=True))
        new = rows.pop(old[key], None)
        if new is None:
            yield f"{label}: the row {old[key]} is gone"
            continue
        for column, value in old.items():
            if (label, column) not in CHANGED_COLUMNS and column in new and new[column] != value:
                yield f"{label}.{column} of {old[key]} was {str(value)[:80]!r} and is {str(new[column])[:80]!r}"
    if rows and label not in GROWING_TABLES:
        yield f"{label}: {len(rows)} rows are new: {sorted(rows)[:5]}"


def test_no_row_is_lost_or_changed(report: Report) -> None:
    assert set(report["rows"]) == set(left()) - set(RECOMPUTED_TABLES)
    assert [loss for label, now in report["rows"].items() for loss in losses(label, now)] == []


def test_every_table_of_ours_had_rows_to_lose() -> None:
    """Otherwise the test above would prove nothing about it."""
    assert [label for label, table in left().items() if not table["rows"]] == []
    assert {label.split(".")[0] for label in left()} >= {"scoring", "leaderboard", "humaneval", "account", "auth"}


def test_a_loss_would_be_found() -> None:
    whole = left()["scoring.answer"]
    columns, rows = whole["columns"], whole["rows"]
    assert list(losses("scoring.answer", whole)) == []
    (gone,) = losses("scoring.answer", {"columns": columns, "rows": rows[1:]})
    assert gone.endswith("is gone")
    changed = [[*rows[0][:-2], "other", rows[0][-1]], *rows[1:]]
    assert len(list(losses("scoring.answer", {"columns": columns, "rows": changed}))) == 1
    assert len(list(losses("scoring.answer", {"columns": columns[:-1], "rows": [row[:-1] for row in rows]}))) == 1
    more = [*rows, [0, *rows[0][1:]]]
    assert len(list(losses("scoring.answer", {"columns": columns, "rows": more}))) == 1


def test_every_exception_is_about_something_that_was_there_and_has_a_reason() -> None:
    tables = {*RENAMED_TABLES, *RECOMPUTED_TABLES, *GROWING_TABLES}
    columns = {*RENAMED_COLUMNS, *CHANGED_COLUMNS}
    assert tables <= set(left())
    assert all(column in left()[label]["columns"] for label, column in columns)
    assert all(RECOMPUTED_TABLES.values()) and all(GROWING_TABLES.values()) and all(CHANGED_COLUMNS.values())


# --- Files and tables ----------------------------------------------------------------------------------------------


def test_files_are_there_byte_for_byte(report: Report) -> None:
    before = {name: file["sha256"] for name, file in report["manifest"]["files"].items()}
    assert len(before) > 20
    assert report["files"] == before


def test_no_migration_of_0_5_0_was_removed_or_renamed(report: Report) -> None:
    known = {".".join(key) for key in MigrationLoader(None).disk_migrations or ()}
    assert set(report["manifest"]["migrations"]) <= known


def test_the_migrations_of_0_5_0_still_describe_its_tables(report: Report) -> None:
    """A new site, which runs the present files of these migrations, gets the same tables as an upgraded one."""
    assert report["other_columns"] == []


# --- Pages and exports ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("when", ["pages", "pages_after_work"])
def test_pages_answer_as_they_did(report: Report, when: str) -> None:
    """Before and after workers have run every periodic task."""
    assert len(report[when]) > 10
    assert [page for page in report[when] if page["now"] != page["status"]] == []


@pytest.mark.parametrize("when", ["states", "states_after_work"])
def test_dated_states_are_what_they_were(report: Report, when: str) -> None:
    """At their permanent URLs: those of open splits byte for byte, those of hidden ones with the digits of a board."""
    assert report[when][SITE["state"]].encode() == STATE.read_bytes()
    hidden = {url: text for url, text in report[when].items() if "/test/" in url}
    assert hidden
    assert not [number for text in hidden.values() for number in re.findall(r":-?\d\.\d{4,}[,}]", text)]
    known = {state["url"]: state["json_sha256"] for state in SITE["states"]}
    assert known.keys() == report[when].keys()
    for url, text in report[when].items():
        if url not in hidden:
            assert hashlib.sha256(text.encode()).hexdigest() == known[url]


def test_passwords_sessions_tokens_links_and_receipts_still_work(report: Report) -> None:
    assert report["visitors"] == {
        "password": 302,
        "session": 200,
        "token": 200,
        "team link": 200,
        "study link": 200,
        "personal study link": 200,
        "receipt holds": True,
    }


@pytest.mark.parametrize("part", SITE_PARTS)
def test_exports_equal_their_baseline(part: str, on_sqlite: Report) -> None:
    baselines.require_same(part, on_sqlite["parts"][part])


# --- The restore command -------------------------------------------------------------------------------------------


def test_the_restore_command_takes_the_backup_or_says_what_to_do(on_sqlite: Report) -> None:
    """It restores everything while the migrations are those of 0.5.0, and nothing otherwise."""
    found = on_sqlite["restored"]
    if found["is_of_today"]:
        assert found["refusal"] == ""
        assert found["files"] == on_sqlite["files"]
        in_backup = {label: now for label, now in found["rows"].items() if label not in LEFT_OUT}
        assert [loss for label, now in in_backup.items() for loss in losses(label, now)] == []
    else:
        assert RESTORE_FIRST in found["refusal"]
        assert found["files"] == {}


def test_the_files_of_0_5_0_are_small() -> None:
    """They are part of every clone."""
    assert sum(path.stat().st_size for path in Path(ARCHIVE).parent.iterdir() if path.is_file()) < 300_000
