"""Columns that a table of published results brings, which no metric of the software computes."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from scoring.benchmarks import packaged_definitions
from scoring.benchmarks.base import SourceError
from scoring.benchmarks.declared.reading import read_declaration
from scoring.benchmarks.declared.template import template
from scoring.metrics.bleurt import Bleurt

ROOT = Path(__file__).parents[3]
COLUMN = '\n[[columns]]\nscore = "helpfulness"\nlabel = "Helpfulness"\nreported = true\n'


def with_column(column: str = COLUMN, metric: str = "") -> dict[str, bytes]:
    """The template with a further column, which its published results have."""
    files = template("capitals")
    files["benchmark.toml"] += f"{metric}{column}".encode()
    files["reported.csv"] = b"system,setting,loose,helpfulness\nA,open-book,28.8,4.5\n"
    return files


def test_a_reported_column_stands_beside_the_usual_ones_of_the_metrics() -> None:
    extra = 'unit = "number"\nbounds = [1, 5]\nhigher_is_better = true\n'
    definition = read_declaration(with_column(COLUMN + extra)).definition
    usual = read_declaration(template("capitals")).definition.columns
    assert definition.columns[:-1] == usual
    column = definition.columns[-1]
    assert (column.score, column.metric, column.unit, column.bounds) == ("helpfulness", "", "number", (1.0, 5.0))
    assert column.disclosed, "published numbers are public on a hidden split too"
    results = definition.published_results
    assert results is not None and results.rows[0].values == {"loose": 0.288, "helpfulness": 4.5}
    assert definition.default_sort == "loose"


def test_the_metric_of_a_reported_column_need_not_exist() -> None:
    files = with_column(COLUMN + 'metric = "helpful"\n', "[metrics.helpful]\n")
    definition = read_declaration(files).definition
    assert definition.metrics == ("accuracy", "rouge")
    assert definition.columns[-1].metric == "helpful"


@pytest.mark.parametrize(
    ("old", "new", "field"),
    [
        ("reported = true", "reported = false", "columns[1].metric"),
        ("reported = true", 'metric = "helpful"', "columns[1].metric"),
        ("reported = true", 'reported = "yes"', "columns[1].reported"),
    ],
)
def test_a_column_of_nothing_is_a_mistake(old: str, new: str, field: str) -> None:
    with pytest.raises(SourceError) as caught:
        read_declaration(with_column(COLUMN.replace(old, new)))
    assert field in {re.split(": ", problem)[2] for problem in caught.value.problems}


def test_boards_are_not_sorted_by_what_only_publications_have() -> None:
    files = with_column()
    files["benchmark.toml"] = b'default_sort = "helpfulness"\n' + files["benchmark.toml"]
    with pytest.raises(SourceError, match="default_sort"):
        read_declaration(files)


def test_the_column_of_bleurt_that_fanoutqa_declares_is_that_of_the_metric() -> None:
    column = packaged_definitions()["fanoutqa"].column("bleurt")
    assert (column,) == Bleurt().columns()


SCRIPT = """
import sys
import django
from django.core.management import call_command
django.setup()
from django.test import Client
from scoring.task_types import known_metrics
from leaderboard.models import ReportedValue
assert "bleurt" not in known_metrics()
call_command("check")
call_command("benchmark", "check", "scoring/benchmarks/fanoutqa")
call_command("migrate", verbosity=0)
call_command("import_benchmark", "fanoutqa")
call_command("import_reported", "fanoutqa")
assert ReportedValue.objects.filter(name="bleurt").exists()
client = Client(SERVER_NAME="localhost")
board = client.get("/api/v1/benchmarks/fanoutqa/")
assert "bleurt" in board.content.decode(), board.content
page = client.get("/fanoutqa/test/closedbook/")
assert page.status_code == 200 and "BLEURT" in page.content.decode()
assert not any("bleurt" in name for name in sys.modules)
"""


@pytest.mark.slow
def test_the_site_works_without_the_folder_of_bleurt_its_line_and_its_settings(tmp_path: Path) -> None:
    for folder in ("scoring", "leaderboard", "humaneval", "manyhop", "templates", "static"):
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=shutil.ignore_patterns("__pycache__", "bleurt"))
    for name in ("scoring/metrics/built_in.py", "leaderboard/project/settings.py"):
        lines = (tmp_path / name).read_text().splitlines(keepends=True)
        kept = [line for line in lines if "bleurt" not in line.lower()]
        assert len(kept) < len(lines)
        (tmp_path / name).write_text("".join(kept))
    environment = {
        "PATH": os.environ["PATH"],
        "DJANGO_SETTINGS_MODULE": "leaderboard.project.settings",
        "DEBUG": "1",
        "MANYHOP_DATA_DIR": "data",
    }
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:] + done.stdout[-2000:]
