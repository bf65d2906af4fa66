"""A site of version 0.7.0 loses nothing when it is upgraded, on SQLite and on PostgreSQL."""

import hashlib
import os
import tarfile
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import psycopg
import pytest
from django.db import connection

from leaderboard.disclosure import WITHHELD
from tests.contracts import baselines
from tests.contracts.parts import SITE_PARTS
from tests.upgrade import running
from tests.upgrade.expected import CHANGED_COLUMNS, CHANGED_TABLES, GONE_PAGES, GROWING_TABLES, LEFT_COLUMNS
from tests.upgrade.version_0_7_0 import FILES, FOLDER, SITE, STATE

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


def losses(table: str, before: dict[str, Any], after: dict[str, Any] | None) -> Iterator[str]:
    """What is missing from a table, changed or added, but for what `tests.upgrade.expected` names with its reason."""
    if after is None:
        yield f"{table} is gone"
        return
    kept = [column for column in before["columns"] if column in after["columns"]]
    for column in before["columns"]:
        if column not in kept and (table, column) not in CHANGED_COLUMNS:
            yield f"{table}.{column} is gone"
    compared = [column for column in kept if (table, column) not in CHANGED_COLUMNS]

    def values(of: dict[str, Any]) -> list[tuple[str, ...]]:
        places = [of["columns"].index(column) for column in compared]
        return sorted(tuple(row[place] for place in places) for row in of["rows"])

    then, now = values(before), values(after)
    yield from (f"{table}: {row} is gone or changed" for row in sorted(set(then) - set(now)))
    if len(then) != len(now) and not (table in GROWING_TABLES and len(then) < len(now)):
        yield f"{table}: {len(then)} rows became {len(now)}"


def test_no_row_is_lost_or_changed(report: Report) -> None:
    tables = [table for table in report["before"] if table not in CHANGED_TABLES]
    found = [loss for name in tables for loss in losses(name, report["before"][name], report["after"].get(name))]
    assert found == []


def test_the_tables_had_rows_to_lose(report: Report) -> None:
    """Otherwise the test above would prove nothing about them."""
    empty = [table for table, content in report["before"].items() if not content["rows"]]
    assert [table for table in empty if not table.startswith("axes_")] == []


def test_a_loss_would_be_found(report: Report) -> None:
    whole = report["before"]["leaderboard_event"]
    columns, rows = whole["columns"], whole["rows"]
    assert list(losses("leaderboard_event", whole, whole)) == []
    assert list(losses("leaderboard_event", whole, None)) == ["leaderboard_event is gone"]
    assert len(list(losses("leaderboard_event", whole, {"columns": columns, "rows": rows[1:]}))) == 2
    changed = [[*rows[0][:-1], "other"], *rows[1:]]
    assert len(list(losses("leaderboard_event", whole, {"columns": columns, "rows": changed}))) == 1
    fewer = {"columns": columns[:-1], "rows": [row[:-1] for row in rows]}
    assert list(losses("leaderboard_event", whole, fewer)) == [f"leaderboard_event.{columns[-1]} is gone"]


def test_every_exception_is_about_something_that_was_there_and_has_a_reason(report: Report) -> None:
    assert set(CHANGED_TABLES) <= set(report["before"])
    assert all(column in report["before"][table]["columns"] for table, column in CHANGED_COLUMNS)
    assert set(GROWING_TABLES) <= set(report["before"])
    reasons = (CHANGED_TABLES, CHANGED_COLUMNS, GROWING_TABLES, LEFT_COLUMNS)
    assert all(reason for known in reasons for reason in known.values())


def test_files_are_there_byte_for_byte(report: Report) -> None:
    with tarfile.open(FILES) as packed:
        before = {
            member.name.removeprefix("./"): hashlib.sha256(packed.extractfile(member).read()).hexdigest()  # type: ignore[union-attr]
            for member in packed
            if member.isfile()
        }
    assert len(before) > 20
    assert report["files"] == before


def test_an_upgraded_database_has_the_columns_of_the_models(report: Report) -> None:
    assert report["other_columns"] == list(LEFT_COLUMNS)


def test_what_the_ladder_withheld_stays_withheld_and_its_step_is_rounding(report: Report) -> None:
    found = report["withheld"]
    assert found["step"] == 0.02
    assert found["n"] > 0
    assert "" not in found["reasons"]
    assert WITHHELD in found["reasons"]


def test_the_study_that_the_public_voted_in_is_closed_and_no_other(report: Report) -> None:
    def closing(when: str) -> dict[str, str]:
        table = report[when]["humaneval_study"]
        slug, closes = (table["columns"].index(name) for name in ("slug", "closes_at"))
        return {row[slug]: row[closes] for row in table["rows"]}

    before, after = closing("before"), closing("after")
    assert {slug for slug in before if before[slug] != after[slug]} == {"study-of-pairs"}


def test_a_submission_a_study_and_an_account_can_be_deleted(report: Report) -> None:
    """Also if rows of tables that this version has forgotten were about them."""
    assert report["deleted"] == {"submissions": 0, "studies": 0, "accounts": 0}


# --- Pages and exports ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("when", ["pages", "pages_after_work"])
def test_pages_answer_as_they_did(report: Report, when: str) -> None:
    """Before and after workers have run every periodic task."""
    assert len(report[when]) > 10
    expected = [410 if page["path"].startswith(GONE_PAGES) else page["status"] for page in report[when]]
    assert [page for page, status in zip(report[when], expected, strict=True) if page["now"] != status] == []


@pytest.mark.parametrize("when", ["states", "states_after_work"])
def test_dated_states_are_what_they_were(report: Report, when: str) -> None:
    """At their permanent URLs, byte for byte."""
    assert report[when][SITE["state"]].encode() == STATE.read_bytes()
    now = {url: hashlib.sha256(text.encode()).hexdigest() for url, text in report[when].items()}
    assert now == {state["url"]: state["json_sha256"] for state in SITE["states"]}


def test_passwords_sessions_tokens_and_links_still_work(report: Report) -> None:
    """The address of a receipt answers that there are no receipts any more."""
    assert report["visitors"] == {
        "password": 302,
        "session": 200,
        "token": 200,
        "token scopes": [[False, "submit"]],
        "team link": 200,
        "study link": 200,
        "personal study link": 200,
        "receipt": 410,
    }


@pytest.mark.parametrize("part", SITE_PARTS)
def test_exports_equal_their_baseline(part: str, on_sqlite: Report) -> None:
    baselines.require_same(part, on_sqlite["parts"][part])


def test_the_files_of_the_site_are_small() -> None:
    """They are part of every clone."""
    assert sum(path.stat().st_size for path in FOLDER.iterdir() if path.is_file()) < 600_000
