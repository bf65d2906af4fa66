"""Upgrades the site of version 0.6.0 and writes a report: ``python -m tests.contracts.upgrade.site REPORT.json``.

It runs in a process of its own because the site has its own database, files and secret key. ``DATABASE_URL`` names an
empty database and ``MANYHOP_DATA_DIR`` an empty folder; `tests.contracts.upgrade.running` sets both.
"""

import gzip
import hashlib
import json
import os
import sqlite3
import sys
import tarfile
from collections.abc import Iterable, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import django

if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")
    django.setup()

from django.apps import apps as present
from django.conf import settings
from django.core.management import call_command
from django.core.management.color import no_style
from django.db import connection, transaction
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder
from django.db.migrations.state import StateApps
from django.test.utils import setup_test_environment

from humaneval.models import GradedAnswerOrigin
from leaderboard.models import ApiToken
from leaderboard.project.celery import app as celery_app
from scoring import receipts
from scoring.models import AnswerBlock, AnswerSet, Run, Score, workers
from tests.contracts.parts import SITE_PARTS
from tests.contracts.upgrade import tables
from tests.contracts.upgrade.expected import RECOMPUTED_TABLES, RENAMED_COLUMNS, RENAMED_TABLES
from tests.contracts.upgrade.version_0_6_0 import ARCHIVE, LEFT_OUT, SITE, TABLES
from tests.contracts.visitors import client_of, content_of


def main(target: Path) -> None:
    """Build the site, upgrade it and write the report."""
    setup_test_environment(debug=False)
    with tarfile.open(ARCHIVE) as packed:
        manifest = json.loads(packed.extractfile("manifest.json").read())  # type: ignore[union-attr]
    make_tables(manifest)
    then = models_of(manifest)
    report: dict[str, Any] = {"manifest": manifest, "other_columns": other_columns(then)}
    load(manifest, then)
    call_command("migrate", verbosity=0, interactive=False)
    is_sqlite = connection.vendor == "sqlite"
    public = [page for page in SITE["pages"] if not page["by"]]
    report |= {
        "rows": rows(manifest),
        "files": files(Path(settings.MEDIA_ROOT)),
        "pages": pages(SITE["pages"] if is_sqlite else public),
        "states": states(),
        "run_names": {str(run.pk): run.name for run in Run.objects.all()},
        "score_keys": {score.pk: score.key for score in Score.objects.select_related("run")},
        "answers": [[str(key), qid, text] for key, qid, text in AnswerBlock.objects.texts(AnswerSet.objects.all())],
        "graded": {
            pk: [str(answer_set), qid]
            for pk, answer_set, qid in GradedAnswerOrigin.objects.exclude(answer_set=None).values_list(
                "pk", "answer_set", "graded_answer__question__qid"
            )
        },
    }
    do_what_workers_do()
    report["pages_after_work"] = pages(page for page in public if "/states/" not in page["path"])
    report |= {"states_after_work": states(), "visitors": visitors()}
    if is_sqlite:
        report["parts"] = {name: collect() for name, collect in SITE_PARTS.items()}
    target.write_text(json.dumps(report), encoding="utf-8")


# --- The site of 0.6.0 ---------------------------------------------------------------------------------------------


def make_tables(manifest: Mapping[str, Any]) -> None:
    """Create the tables of 0.6.0 in the empty database and record its migrations as applied."""
    statements = gzip.decompress(TABLES[connection.vendor].read_bytes()).decode()
    if connection.vendor == "sqlite":
        with closing(sqlite3.connect(connection.settings_dict["NAME"])) as database:
            database.executescript(f"BEGIN;\n{statements}COMMIT;")
    else:
        with connection.cursor() as cursor:
            cursor.execute(statements)
    recorder = MigrationRecorder(connection)
    for name in manifest["migrations"]:
        recorder.record_applied(*name.split(".", 1))


def models_of(manifest: Mapping[str, Any]) -> StateApps:
    """The models of 0.6.0, from the present files of its migrations."""
    loader = MigrationLoader(connection)
    nodes = [tuple(name.split(".", 1)) for name in manifest["migrations"]]
    return loader.project_state([node for node in nodes if node in loader.graph.nodes]).apps


def load(manifest: Mapping[str, Any], models: StateApps) -> None:
    """Insert every row and write every file."""
    names = {label: table["columns"] for label, table in manifest["tables"].items()}
    with transaction.atomic(), tarfile.open(ARCHIVE) as packed:
        for member in packed:
            kind, _, name = member.name.partition("/")
            stream = packed.extractfile(member)
            assert stream is not None
            if kind == "tables":
                label = name.removesuffix(".jsonl")
                tables.write_rows(models.get_model(label), names[label], stream)
            elif kind == "files":
                path = Path(settings.MEDIA_ROOT) / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(stream.read())
        for label, table in LEFT_OUT.items():
            lines = [json.dumps(row).encode() for row in table["rows"]]
            tables.write_rows(models.get_model(label), table["columns"], lines)
        own = [models.get_model(label) for label in names]
        with connection.cursor() as cursor:
            for statement in connection.ops.sequence_reset_sql(no_style(), own):
                cursor.execute(statement)


# --- The upgraded site ---------------------------------------------------------------------------------------------


def rows(manifest: Mapping[str, Any]) -> dict[str, Any]:
    """Every row, with the columns of 0.6.0 under their names of then."""
    known = {label: table["columns"] for label, table in manifest["tables"].items()}
    known |= {label: table["columns"] for label, table in LEFT_OUT.items()}
    found = {}
    for label, names in known.items():
        if label in RECOMPUTED_TABLES:
            continue
        model = present.get_model(RENAMED_TABLES.get(label, label))
        places = {column.attname: index for index, column in enumerate(tables.columns_of(model))}
        now = {name: RENAMED_COLUMNS.get((label, name), name) for name in names}
        known_now = [name for name in names if now[name] in places]
        found[label] = {
            "columns": known_now,
            "rows": [[row[places[now[name]]] for name in known_now] for row in map(json.loads, tables.rows_of(model))],
        }
    return found


def files(folder: Path) -> dict[str, str]:
    """The SHA-256 of every file."""
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def other_columns(models: StateApps) -> list[str]:
    """Columns in which the database differs from the models: existence and whether null is allowed."""
    found = []
    with connection.cursor() as cursor:
        for model in models.get_models(include_auto_created=True):
            if model._meta.proxy or not model._meta.managed:
                continue
            wanted = {(str(column.column), column.null) for column in model._meta.concrete_fields}
            table = connection.introspection.get_table_description(cursor, model._meta.db_table)
            there = {(column.name, bool(column.null_ok)) for column in table}
            found += [f"{model._meta.db_table}: {column}" for column in sorted(wanted ^ there)]
    return found


def pages(asked: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """The status of each page now, beside that under 0.6.0."""
    clients = {name: client_of(name) for name in {page["by"] for page in SITE["pages"]}}
    return [{**page, "now": clients[page["by"]].get(page["path"]).status_code} for page in asked]


def states() -> dict[str, str]:
    """The JSON exports of all dated states, by their permanent URLs."""
    return {state["url"]: content_of(f"{state['url']}export.json").decode() for state in SITE["states"]}


def do_what_workers_do() -> None:
    """Run every task of the beat schedule once, and record a heartbeat."""
    celery_app.loader.import_default_modules()
    for entry in settings.CELERY_BEAT_SCHEDULE.values():
        celery_app.tasks[entry["task"]]()
    workers.record_heartbeat("worker@here", ["cpu", "judge", "bleurt"])


def visitors() -> dict[str, Any]:
    """Whether passwords, sessions, tokens, links and receipts of 0.6.0 still work."""
    receipt = json.loads(content_of(SITE["receipt"]))
    by_session = client_of()
    by_session.cookies[settings.SESSION_COOKIE_NAME] = SITE["session"]
    token = {"Authorization": f"Bearer {SITE['token']}"}
    said = {"username": "ada", "password": SITE["password"]}
    return {
        "password": client_of().post("/accounts/sign-in/", said).status_code,
        "session": by_session.get("/maintenance/").status_code,
        "token": client_of().get("/api/v1/submissions/", headers=token).status_code,
        "token scopes": sorted({(token.user.is_staff, token.scope) for token in ApiToken.objects.all()}),
        "team link": client_of().get(SITE["team_link"]).status_code,
        "study link": client_of().get(SITE["study_link"]).status_code,
        "personal study link": client_of().get(SITE["personal_link"]).status_code,
        "receipt holds": receipts.signature_holds(receipt),
    }


if __name__ == "__main__":
    main(Path(sys.argv[1]))
