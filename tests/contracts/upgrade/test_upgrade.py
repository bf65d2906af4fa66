"""A site of version 0.6.0 loses nothing when it is upgraded, on SQLite and on PostgreSQL."""

import hashlib
import json
import os
import tarfile
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import psycopg
import pytest
from django.db import connection
from django.db.migrations.loader import MigrationLoader

from tests.contracts import baselines
from tests.contracts.parts import SITE_PARTS
from tests.contracts.upgrade import running
from tests.contracts.upgrade.expected import (
    CHANGED_COLUMNS,
    GROWING_TABLES,
    MERGED_ROWS,
    RECOMPUTED_TABLES,
    RENAMED_COLUMNS,
    RENAMED_TABLES,
)
from tests.contracts.upgrade.version_0_6_0 import ARCHIVE, LEFT_OUT, SITE, STATE

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
    """Every row of 0.6.0, by table."""
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


@cache
def merged_run() -> str:
    """The further pair whose answers were compared with the baseline, too: the key of the run that is gone."""
    table = left()["scoring.run"]
    runs = [dict(zip(table["columns"], row, strict=True)) for row in table["rows"]]
    keys = {pair_key(run): run["id"] for run in runs if run["metric"] == "side-by-side"}
    (pair,) = (run for run in runs if run["metric"] == "side-by-side-pair" and pair_key(run) in keys)
    assert pair["state"] == "done"
    return str(pair["id"])


def pair_key(run: dict[str, Any]) -> tuple[Any, ...]:
    return tuple(run[name] for name in ("answer_set_id", "opponent_id", "signature", "repeat"))


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
        if new is None and label == "scoring.answer" and not old["participant"]:
            continue  # in a block
        if new is None and label in MERGED_ROWS and old.get("run_id", old[key]) == merged_run():
            continue
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


def test_answers_of_systems_are_in_blocks(report: Report) -> None:
    table = left()["scoring.answer"]
    rows = {row["id"]: row for row in (dict(zip(table["columns"], one, strict=True)) for one in table["rows"])}
    of_systems = {pk: row for pk, row in rows.items() if not row["participant"]}
    assert len(of_systems) > 20
    assert sorted(report["answers"]) == sorted(
        [row["answer_set_id"], row["qid"], row["text"]] for row in of_systems.values()
    )
    origins = left()["humaneval.gradedanswerorigin"]
    named = {
        str(origin["id"]): [rows[origin["answer_id"]]["answer_set_id"], rows[origin["answer_id"]]["qid"]]
        for origin in (dict(zip(origins["columns"], one, strict=True)) for one in origins["rows"])
        if origin["answer_id"] is not None
    }
    assert named
    assert report["graded"] == named


def test_every_table_of_ours_had_rows_to_lose() -> None:
    """Otherwise the test above would prove nothing about it."""
    assert [label for label, table in left().items() if not table["rows"]] == []
    assert {label.split(".")[0] for label in left()} >= {"scoring", "leaderboard", "humaneval", "account", "auth"}


def test_a_loss_would_be_found() -> None:
    whole = left()["leaderboard.event"]
    columns, rows = whole["columns"], whole["rows"]
    assert list(losses("leaderboard.event", whole)) == []
    (gone,) = losses("leaderboard.event", {"columns": columns, "rows": rows[1:]})
    assert gone.endswith("is gone")
    changed = [[*rows[0][:-2], "other", rows[0][-1]], *rows[1:]]
    assert len(list(losses("leaderboard.event", {"columns": columns, "rows": changed}))) == 1
    assert len(list(losses("leaderboard.event", {"columns": columns[:-1], "rows": [row[:-1] for row in rows]}))) == 1
    more = [*rows, [0, *rows[0][1:]]]
    assert len(list(losses("leaderboard.event", {"columns": columns, "rows": more}))) == 1


def test_every_exception_is_about_something_that_was_there_and_has_a_reason() -> None:
    tables = {*RENAMED_TABLES, *RECOMPUTED_TABLES, *GROWING_TABLES, *MERGED_ROWS}
    columns = {*RENAMED_COLUMNS, *CHANGED_COLUMNS}
    assert tables <= set(left())
    assert all(column in left()[label]["columns"] for label, column in columns)
    reasons = [
        one for known in (RECOMPUTED_TABLES, GROWING_TABLES, CHANGED_COLUMNS, MERGED_ROWS) for one in known.values()
    ]
    assert all(reasons)


def test_runs_keep_the_names_that_outsiders_know(report: Report) -> None:
    """Also those on subsets, repeats and further pairs; a pair with the present baseline is a comparison with it."""
    of_table = left()["scoring.run"]
    before = {row["id"]: row for row in (dict(zip(of_table["columns"], one, strict=True)) for one in of_table["rows"])}
    names = report["run_names"]
    assert {"list-f1@extended", "judge-repeat", "list-judge-repeat", "side-by-side-repeat"} <= set(names.values())
    changed = {pk: row for pk, row in before.items() if names.get(pk) != row["metric"]}
    assert changed.pop(merged_run())["metric"] == "side-by-side-pair"
    ((pk, row),) = changed.items()
    baselines = dict(zip(left()["scoring.baseline"]["columns"], left()["scoring.baseline"]["rows"][0], strict=True))
    assert (row["metric"], names[pk]) == ("side-by-side-pair", "side-by-side")
    assert row["opponent_id"] == baselines["answer_set_id"]
    scores = left()["scoring.score"]
    for values in scores["rows"]:
        score = dict(zip(scores["columns"], values, strict=True))
        if score["run_id"] != merged_run():
            known = score["name"].removesuffix("-repeat").removesuffix("-pair")
            assert report["score_keys"][str(score["id"])] == known


# --- Files and tables ----------------------------------------------------------------------------------------------


def test_files_are_there_byte_for_byte(report: Report) -> None:
    before = {name: file["sha256"] for name, file in report["manifest"]["files"].items()}
    assert len(before) > 20
    assert report["files"] == before


SQUASHED = {
    "humaneval": "0001_squashed_0013_public_votes",
    "leaderboard": "0001_squashed_0027_rankings",
    "scoring": "0001_squashed_0022_subsets",
}
"""The migrations that replaced earlier ones in 0.6.0, which recorded both. The earlier ones are gone."""


def was_replaced(name: str) -> bool:
    app, migration = name.split(".", 1)
    squashed = SQUASHED.get(app, "")
    return bool(squashed) and migration != squashed and int(migration[:4]) <= int(squashed[14:18])


def test_no_migration_of_0_6_0_was_removed_or_renamed(report: Report) -> None:
    known = {".".join(key) for key in MigrationLoader(None).disk_migrations or ()}
    there = set(report["manifest"]["migrations"])
    assert {f"{app}.{name}" for app, name in SQUASHED.items()} <= there
    assert {name for name in there if not was_replaced(name)} <= known
    assert not {name for name in known if was_replaced(name)}


def test_the_migrations_of_0_6_0_still_describe_its_tables(report: Report) -> None:
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
    """At their permanent URLs, byte for byte."""
    assert report[when][SITE["state"]].encode() == STATE.read_bytes()
    now = {url: hashlib.sha256(text.encode()).hexdigest() for url, text in report[when].items()}
    assert now == {state["url"]: state["json_sha256"] for state in SITE["states"]}


def test_passwords_sessions_tokens_links_and_receipts_still_work(report: Report) -> None:
    assert report["visitors"] == {
        "password": 302,
        "session": 200,
        "token": 200,
        "token scopes": [[False, "submit"]],
        "team link": 200,
        "study link": 200,
        "personal study link": 200,
        "receipt holds": True,
    }


@pytest.mark.parametrize("part", SITE_PARTS)
def test_exports_equal_their_baseline(part: str, on_sqlite: Report) -> None:
    baselines.require_same(part, on_sqlite["parts"][part])


def test_the_files_of_0_6_0_are_small() -> None:
    """They are part of every clone."""
    assert sum(path.stat().st_size for path in Path(ARCHIVE).parent.iterdir() if path.is_file()) < 400_000
