"""`make lint` refuses the migrations that the last release cannot live with, and no others."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from django.db import models
from django.db.migrations import Migration
from django.db.migrations import operations as ops
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.operations.base import Operation
from django.db.migrations.state import ProjectState

from tests import migrations, releases
from tests.paths import ROOT

TEXT: dict[str, Any] = {"max_length": 20, "blank": True}
UNIQUE = models.UniqueConstraint(fields=["reason"], name="planted")
REFUSED: dict[str, list[Operation]] = {
    "drop a column": [ops.RemoveField("run", "reason")],
    "drop a table": [ops.DeleteModel("turn")],
    "rename a column": [ops.RenameField("run", "reason", "why")],
    "rename a table": [ops.AlterModelTable("run", "renamed")],
    "not null with a default of Python": [ops.AddField("run", "new", models.CharField(default="", **TEXT))],
    "the same before one with a default of the database": [
        ops.AddField("run", "new", models.CharField(default="", **TEXT)),
        ops.AddField("run", "newer", models.CharField(db_default="", **TEXT)),
    ],
    "not null where nothing was allowed": [
        ops.AlterField("run", "lease_until", models.DateTimeField(db_default=models.functions.Now()))
    ],
    "a unique constraint": [ops.AddConstraint("run", UNIQUE)],
    "a unique column": [ops.AlterField("run", "lease_token", models.CharField(unique=True, max_length=32))],
    "a new unique column with one default": [
        ops.AddField("run", "new", models.CharField(db_default="", unique=True, **TEXT))
    ],
    "a check": [ops.AddConstraint("run", models.CheckConstraint(condition=models.Q(attempts__lt=9), name="planted"))],
    "no unique constraint any more": [ops.RemoveConstraint("turn", "one_turn_of_a_party")],
    "another type": [ops.AlterField("run", "reason", models.IntegerField())],
    "drop a column by SQL": [ops.RunSQL('ALTER TABLE "scoring_run" DROP COLUMN "reason"')],
}
FIELDS: list[tuple[str, Any]] = [("id", models.BigAutoField(primary_key=True)), ("reason", models.CharField(**TEXT))]
TABLE = ops.CreateModel("Planted", FIELDS)
ALLOWED: dict[str, list[Operation]] = {
    "a column that may be null": [ops.AddField("run", "new", models.CharField(null=True, **TEXT))],
    "a default of the database": [ops.AddField("run", "new", models.CharField(db_default="", **TEXT))],
    "a table": [TABLE],
    "a table and its constraint": [TABLE, ops.AddConstraint("planted", UNIQUE)],
    "an index": [ops.AddIndex("run", models.Index(fields=["reason"], name="planted"))],
    "null where something had to be": [ops.AlterField("run", "reason", models.TextField(null=True))],
    "another help text": [ops.AlterField("turn", "queue", models.CharField(max_length=20, help_text="New."))],
    "rows": [ops.RunPython(ops.RunPython.noop)],
    "a field that the code no longer has": [
        ops.SeparateDatabaseAndState(state_operations=[ops.RemoveField("run", "reason")])
    ],
    "the column of such a field, in the next release": [ops.RunSQL('ALTER TABLE "scoring_run" DROP COLUMN "gone"')],
    "such a table": [ops.RunSQL('DROP TABLE "scoring_gone"')],
}


@pytest.fixture(scope="module")
def released() -> ProjectState:
    loader = MigrationLoader(None)
    return loader.project_state(list(loader.graph.nodes))


def planted(operations: list[Operation], *, atomic: bool = True) -> Migration:
    migration: type[Migration] = type("Migration", (Migration,), {"operations": operations, "atomic": atomic})
    return migration("9999_planted", "scoring")


@pytest.mark.parametrize("name", REFUSED)
def test_what_the_last_release_cannot_live_with_is_refused(name: str, released: ProjectState) -> None:
    (problem,) = migrations.problems(planted(REFUSED[name]), released.clone(), released)
    assert problem.startswith("scoring.9999_planted: ")


def test_a_migration_that_is_not_atomic_is_refused(released: ProjectState) -> None:
    (problem,) = migrations.problems(planted([], atomic=False), released.clone(), released)
    assert "it is not atomic" in problem


@pytest.mark.parametrize("name", ALLOWED)
def test_what_it_does_not_notice_is_allowed(name: str, released: ProjectState) -> None:
    assert list(migrations.problems(planted(ALLOWED[name]), released.clone(), released)) == []


def test_the_migrations_since_the_last_release_pass() -> None:
    assert migrations.main() == 0
    assert ("scoring", "0001_version_0_7_0") in releases.migrations_of_last_release()
    assert all(migrations.ACCEPTED.values()), "each has a reason"


def test_without_its_history_nothing_is_checked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A clone of the newest commits alone would take any commit for the release."""
    shallow, none = tmp_path / "shallow", tmp_path / "none"
    subprocess.run(["git", "clone", "--quiet", "--depth", "1", f"file://{ROOT}", shallow], check=True)
    none.mkdir()
    for folder, message in ((shallow, "unshallow"), (none, "clone of the repository is needed")):
        monkeypatch.setattr(releases, "ROOT", folder)
        with pytest.raises(releases.NoHistoryError, match=message):
            releases.last_release.__wrapped__()


@pytest.mark.slow
def test_the_command_names_a_migration_and_fails(tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    subprocess.run(["git", "clone", "--quiet", f"file://{ROOT}", copy], check=True)
    for name in ("migrations.py", "releases.py"):
        (copy / "tests" / name).write_text((ROOT / "tests" / name).read_text())
    (copy / "scoring" / "migrations" / "9999_planted.py").write_text(
        "from django.db import migrations\n\n\nclass Migration(migrations.Migration):\n"
        '    dependencies = [("scoring", "0032_worker_version")]\n'
        '    operations = [migrations.RemoveField("run", "reason")]\n'
    )
    result = subprocess.run([sys.executable, "-m", "tests.migrations"], cwd=copy, capture_output=True, text=True)
    assert result.returncode == 1
    assert "scoring.9999_planted: Remove field reason from run: DROPPING columns" in result.stderr
