"""The upgrade that marks imported files (leaderboard 0024): data before, the migration, data after.

In a process of its own with a database of its own, because a migrated database cannot be shared with other tests.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.paths import ROOT

SCRIPT = """
import json, django
django.setup()
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

def migrate(name):
    executor = MigrationExecutor(connection)
    executor.loader.replace_migrations = False
    executor.loader.build_graph()
    return executor.migrate([("leaderboard", name)]).apps.get_model

model = migrate("0022_sources_of_rows")
assert not hasattr(model("leaderboard", "SubmissionFile"), "imported")
benchmark = model("scoring", "Benchmark").objects.create(slug="b", name="B")
split = model("scoring", "Split").objects.create(benchmark=benchmark, slug="dev", name="Dev")
setting = model("scoring", "Setting").objects.create(benchmark=benchmark, slug="open", name="Open")
owner = model("leaderboard", "User").objects.create(username="ada")

def file(submission, version, **fields):
    answer_set = model("scoring", "AnswerSet").objects.create(split=split, setting=setting)
    return model("leaderboard", "SubmissionFile").objects.create(
        submission=submission, setting=setting, answer_set=answer_set, version=version, filename=f"{version}.jsonl",
        size=1, sha256=str(answer_set.pk).replace("-", "") * 2, n_answered=1, n_lines=1, n_questions=1, **fields)

for name, text in (("imported", "Imported from results/gpt-4.json."), ("sent", "Received."), ("silent", "")):
    sent = model("leaderboard", "Submission").objects.create(owner=owner, split=split, name=name)
    if text:
        model("leaderboard", "Event").objects.create(submission=sent, text=text)
    from django.utils import timezone
    file(sent, 1, replaced_at=timezone.now())
    file(sent, 2)
before = model("leaderboard", "SubmissionFile").objects.count()
model = migrate("0024_imports_and_rate_counts")
rows = model("leaderboard", "SubmissionFile").objects.order_by("pk")
print(json.dumps([before, list(rows.values_list("submission__name", "version", "imported"))]))
"""


@pytest.mark.slow
def test_only_the_first_version_of_an_import_is_marked(tmp_path: Path) -> None:
    environment = {name: value for name, value in os.environ.items() if name in ("PATH", "HOME", "LANG")}
    environment |= {
        "DJANGO_SETTINGS_MODULE": "leaderboard.settings",
        "DEBUG": "1",
        "DATABASE_URL": f"sqlite:///{tmp_path / 'site.sqlite3'}",
        "MANYHOP_DATA_DIR": str(tmp_path),
        "PYTHONPATH": str(ROOT),
    }
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT], cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    n_before, rows = json.loads(done.stdout.splitlines()[-1])
    assert n_before == len(rows) == 6
    assert rows == [
        ["imported", 1, True],
        ["imported", 2, False],
        ["sent", 1, False],
        ["sent", 2, False],
        ["silent", 1, False],
        ["silent", 2, False],
    ]
