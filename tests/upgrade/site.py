"""Upgrades the site of version 0.7.0 and writes a report: ``python -m tests.upgrade.site REPORT.json``.

It runs in a process of its own because the site has its own database, files and secret key. ``DATABASE_URL`` names an
empty database and ``MANYHOP_DATA_DIR`` an empty folder; `tests.upgrade.running` sets both.
"""

import hashlib
import json
import lzma
import os
import sqlite3
import sys
import tarfile
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path
from typing import Any

import django

if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")
    django.setup()

from django.apps import apps
from django.conf import settings
from django.core.management import call_command
from django.db import connection, transaction
from django.test.utils import setup_test_environment

from humaneval.models import Study
from humaneval.studies.deletion import delete_study
from leaderboard.disclosure import DisclosureRule
from leaderboard.models import ApiToken, Submission, User
from leaderboard.project.celery import app as celery_app
from leaderboard.submissions.deletion import delete_account, delete_submission
from scoring.models import Baseline, Score, Split, workers
from tests.contracts.parts import SITE_PARTS
from tests.contracts.visitors import client_of, content_of
from tests.upgrade.version_0_7_0 import DUMPS, FILES, SITE


def main(target: Path) -> None:
    """Make the site, upgrade it and write the report."""
    setup_test_environment(debug=False)
    load()
    report: dict[str, Any] = {"before": rows()}
    call_command("migrate", verbosity=0, interactive=False)
    is_sqlite = connection.vendor == "sqlite"
    public = [page for page in SITE["pages"] if not page["by"]]
    report |= {
        "after": rows(),
        "files": files(Path(settings.MEDIA_ROOT)),
        "other_columns": other_columns(),
        "pages": pages(SITE["pages"] if is_sqlite else public),
        "states": states(),
    }
    do_what_workers_do()
    report["pages_after_work"] = pages(page for page in public if "/states/" not in page["path"])
    report |= {"states_after_work": states(), "visitors": visitors()}
    if is_sqlite:
        report["parts"] = {name: collect() for name, collect in SITE_PARTS.items()}
    report |= {"withheld": withheld(), "deleted": deleted()}
    target.write_text(json.dumps(report), encoding="utf-8")


def load() -> None:
    """Make the database of 0.7.0 in the empty one, and its files."""
    statements = lzma.decompress(DUMPS[connection.vendor].read_bytes()).decode()
    if connection.vendor == "sqlite":
        with closing(sqlite3.connect(connection.settings_dict["NAME"])) as database:
            database.executescript(statements)
    else:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(statements)
    with tarfile.open(FILES) as packed:
        packed.extractall(settings.MEDIA_ROOT, filter="data")


def rows() -> dict[str, dict[str, Any]]:
    """Every row of every table: the names of the columns, and the values as texts, long ones as their SHA-256."""
    found = {}
    with connection.cursor() as cursor:
        for table in sorted(connection.introspection.table_names(cursor)):
            cursor.execute(f"SELECT * FROM {connection.ops.quote_name(table)}")
            columns = [column[0] for column in cursor.description]
            found[table] = {"columns": columns, "rows": sorted([_text(value) for value in row] for row in cursor)}
    return found


def _text(value: object) -> str:
    if isinstance(value, (bytes, memoryview)):
        return hashlib.sha256(value).hexdigest()
    text = json.dumps(value, sort_keys=True) if isinstance(value, (dict, list)) else str(value)
    return text if len(text) < 200 else hashlib.sha256(text.encode()).hexdigest()


def files(folder: Path) -> dict[str, str]:
    """The SHA-256 of every file."""
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def other_columns() -> list[str]:
    """Columns in which the database differs from the models: existence, and whether null is allowed."""
    found = []
    with connection.cursor() as cursor:
        for model in apps.get_models(include_auto_created=True):
            if model._meta.proxy or not model._meta.managed:
                continue
            wanted = {(str(column.column), column.null) for column in model._meta.concrete_fields}
            table = connection.introspection.get_table_description(cursor, model._meta.db_table)
            there = {(column.name, bool(column.null_ok)) for column in table}
            found += [f"{model._meta.db_table}: {column}" for column in sorted(wanted ^ there)]
    return found


def pages(asked: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """The status of each page now, beside that under 0.7.0."""
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
    """Whether passwords, sessions, tokens and links of 0.7.0 still work, and what the address of a receipt answers."""
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
        "receipt": client_of().get(SITE["receipt"]).status_code,
    }


def withheld() -> dict[str, Any]:
    """The rounding step of the split that had the Ladder, and the values of the scores that this did not show."""
    split = Split.objects.get(withheld_scores__isnull=False)
    scores = Score.objects.filter(run__answer_set__submission_file__submission__split=split)
    rule = DisclosureRule.of(split)
    names = [tuple(pair) for pair in split.withheld_scores or ()]
    return {
        "step": split.rounding_step,
        "n": len(names),
        "reasons": sorted(
            {rule.withheld(score) for score in scores if (score.run.answer_set.submission_file.pk, score.name) in names}
        ),
    }


def deleted() -> dict[str, int]:
    """How many rows are left of a study, the submissions and an account, all of them deleted after the upgrade.

    Rows of tables that this version does not know any more were about them; nothing may hold them back.
    """
    grace, zoe = (User.objects.get(username=name) for name in ("grace", "zoe"))
    study = Study.objects.get(slug="study-of-pairs")
    sent = list(Submission.objects.exclude(files__answer_set__in=Baseline.objects.values("answer_set")))
    assert sent
    delete_study(study, by=grace, reason="Made up.")
    for submission in sent:
        delete_submission(submission, actor=grace)
    delete_account(user=zoe, erased=True, withdrawn=True)
    return {
        "submissions": Submission.objects.filter(pk__in=[submission.pk for submission in sent]).count(),
        "studies": Study.objects.filter(pk=study.pk).count(),
        "accounts": User.objects.filter(username="zoe").count(),
    }


if __name__ == "__main__":
    main(Path(sys.argv[1]))
