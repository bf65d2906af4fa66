"""Metrics and task types of installed packages: found by entry points; a broken package is left out and named."""

import logging
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from scoring.metrics.list_f1 import ListF1
from scoring.registry import METRICS, checks, metric_named, signature_of, why_unavailable
from scoring.task_types import BUILT_IN
from scoring.task_types.installed import (
    BUILT_IN_NAME,
    OTHERS_NAME,
    Installed,
    read_installed,
)
from tests.paths import ROOT

EXAMPLE = ROOT / "docs" / "examples" / "manyhop-example"
MODULE = """
from scoring.metrics.list_f1 import ListF1
from scoring.task_types import AnswerList
from scoring.task_types.base import Outcomes, TaskType

class Good(ListF1):
    name, label, task_types, score_names = "good", "Good", ("answer-list",), ("good.f1",)

class Named(Good):
    name = "named-otherwise"

class Signs(Good):
    name = "signs"
    def signature(self, data=None):
        return "signs"

class Scores(Good):
    name, score_names = "scores", ("f1",)

class Spaced(Good):
    name, score_names = "spaced", ("spaced.F1 (macro)",)

class Capital(Good):
    name, score_names = "Capital", ("Capital",)

class Both(Good):
    name, score_names = "both", ("both", "both.f1", "both.Recall_at-5.0")

class Unlabelled(Good):
    name, label = "unlabelled", ""

class Lost(Good):
    name, task_types, score_names = "lost", ("no-such-type",), ("lost",)

class Taken(Good):
    name, score_names = "rouge", ("rouge",)

class GoodList(AnswerList):
    name = "good-class"
    metrics = ("list-f1",)

class Lacks(TaskType):
    name = "lacks"

class Others(GoodList):
    name, metrics = "others", ("nobody",)

class Unexplained(GoodList):
    name, outcomes = "unexplained", Outcomes("rouge", "a", "b", "c", ())

class Text(GoodList):
    name = "text-answer"
"""
METRIC_POINTS = "good:Good named:Named signs:Signs scores:Scores unlabelled:Unlabelled lost:Lost rouge:Taken"
METRIC_POINTS += " spaced:Spaced Capital:Capital both:Both"
METRIC_POINTS += " text:Text nothing:NoSuchName"
TASK_POINTS = "others:Others unexplained:Unexplained text-answer:Text class:Good"
TASK_POINTS += " good-class:GoodList lacks:Lacks"
WRONG = {
    "named": "named-otherwise",
    "signs": "signature_parts",
    "scores": "score_names",
    "spaced": "'spaced.F1 (macro)'",
    "Capital": "another name",
    "unlabelled": "label",
    "lost": "no-such-type",
    "rouge": BUILT_IN_NAME,
    "text": "no subclass",
    "nothing": "AttributeError",
    "others": "nobody",
    "unexplained": "rouge",
    "text-answer": BUILT_IN_NAME,
    "class": "TaskType",
    "lacks": "answer_format, check, read_references",
}
"""For each entry point that is left out: what its message contains."""


def install(folder: Path, package: str, module: str, metrics: str = "", tasks: str = "") -> None:
    """Install a package of one module by hand, as an installer would write it; entry points are ``name:OBJECT``."""
    name = package.replace("-", "_")
    (folder / f"{name}.py").write_text(module)
    about = folder / f"{name}-2.5.dist-info"
    about.mkdir()
    (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 2.5\n")
    lines = []
    for group, points in (("manyhop.metrics", metrics), ("manyhop.task_types", tasks)):
        lines += [f"[{group}]", *(point.replace(":", f" = {name}:") for point in points.split())]
    (about / "entry_points.txt").write_text("\n".join(lines))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder whose packages are installed."""
    monkeypatch.syspath_prepend(tmp_path)
    return tmp_path


def test_what_breaks_a_rule_is_left_out_and_named(folder: Path, caplog: pytest.LogCaptureFixture) -> None:
    install(folder, "made-up-rules", MODULE, METRIC_POINTS, TASK_POINTS)
    with caplog.at_level(logging.ERROR):
        found = read_installed(BUILT_IN)
    assert (list(found.metrics), list(found.task_types)) == (["both", "good"], ["good-class"])
    problems = {problem.split()[3]: problem for problem in found.problems}
    assert set(problems) == set(WRONG)
    for name, expected in WRONG.items():
        assert expected in problems[name].partition("made-up-rules 2.5 ")[2], problems[name]
    assert len(caplog.records) == len(WRONG)


def test_a_package_that_cannot_be_imported_leaves_the_others(folder: Path) -> None:
    install(folder, "made-up-broken", "import no_such_module\n", "broken:Broken", "worse:WORSE")
    install(folder, "made-up-whole", MODULE, "good:Good")
    install(folder, "made-up-zwin", MODULE, "good:Good")
    found = read_installed(BUILT_IN)
    assert list(found.metrics) == ["good"]
    broken, twin, worse = sorted(found.problems)
    assert "broken = made_up_broken:Broken (manyhop.metrics)" in broken
    assert "made-up-broken 2.5 cannot be loaded: ModuleNotFoundError" in broken
    assert f"made-up-zwin 2.5 {OTHERS_NAME}" in twin
    assert "(manyhop.task_types)" in worse


def test_the_version_of_the_package_enters_the_signature(folder: Path) -> None:
    install(folder, "made-up-signed", MODULE, "good:Good")
    found = read_installed(BUILT_IN).metrics["good"]
    assert "|made-up-signed:2.5|data:dev@1|" in found().signature("dev@1")
    assert "made-up" not in ListF1().signature("dev@1")


def test_a_metric_fits_the_task_types_that_it_names_and_is_computed_only_where_it_is_named(folder: Path) -> None:
    install(folder, "made-up-fitting", MODULE, "good:Good")
    found = read_installed(BUILT_IN)
    assert [name for name, task in BUILT_IN.items() if task.fits(found.metrics["good"])] == ["answer-list"]
    assert not BUILT_IN["answer-list"].has_by_default(found.metrics["good"])
    assert [column.score for column in found.metrics["good"]().columns()] == ["good.f1"], "not those of List F1"


def test_all_metrics_of_a_task_type_of_a_package_are_computed_without_being_named(folder: Path) -> None:
    install(folder, "made-up-rules", MODULE, "good:Good both:Both", "good-class:GoodList")
    found = read_installed(BUILT_IN)
    for metric in found.metrics.values():
        assert found.task_types["good-class"].has_by_default(metric)
        assert not BUILT_IN["answer-list"].has_by_default(metric), "an installed package changes no output"
    usual = {column.score for column in found.metrics["both"]().columns()}
    assert usual == {"both", "both.f1", "both.Recall_at-5.0"}


def test_a_check_reports_each_problem(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checks, "installed", lambda: Installed(problems=["one is broken"]))
    assert [(one.id, one.msg) for one in checks.packages(None)] == [("scoring.W001", "one is broken")]


def test_a_metric_whose_package_was_removed_cannot_run_and_says_so() -> None:
    assert "removed" not in METRICS
    gone = metric_named("removed")
    assert (gone.label, gone.queue) == ("removed", "cpu")
    assert "removed" in why_unavailable(gone)
    assert signature_of(gone(), "dev@1") == "removed|data:dev@1"


SCORE = """
from scoring.models import Benchmark, Run, Score
from scoring.runs.answer_sets import create_answer_set, ensure_runs
from scoring.tasks import execute_run
counting = Benchmark.objects.get(slug="counting")
answers = {"dev-1": "50", "dev-2": "365", "dev-3": "8"}
ensure_runs(create_answer_set(split=counting.splits.get(), setting=counting.settings.get(), answers=answers))
for run in Run.objects.all():
    execute_run(str(run.pk))
    print("RUN", run.metric, Run.objects.get(pk=run.pk).state, run.signature)
for score in Score.objects.order_by("name"):
    print("SCORE", score.name, score.n_answered, score.value)
"""


COUNT = """
from scoring.models import Split
print("COUNT", Split.objects.get(benchmark__slug="tables").current_revision.questions.count())
"""


def changed_to_a_table(folder: Path, copy: Path) -> Path:
    """A copy of the example's folder without questions, which are read from a table; returns its declaration."""
    copy.mkdir()
    (copy / "data-card.md").write_bytes((folder / "data-card.md").read_bytes())
    text = (EXAMPLE / "benchmark" / "benchmark.toml").read_text()
    for before, after in (
        ('slug = "counting"', 'slug = "tables"\nimporter = "numbers-csv"'),
        ('questions = "questions/dev.jsonl"\ndate = 2026-01-01\n', ""),
    ):
        assert before in text
        text = text.replace(before, after)
    (copy / "benchmark.toml").write_text(text)
    return copy / "benchmark.toml"


@pytest.mark.slow
def test_the_example_of_the_documentation_is_installed_and_scores(tmp_path: Path) -> None:
    source, installed = tmp_path / "source", tmp_path / "installed"
    shutil.copytree(EXAMPLE, source)
    environment = {
        **{name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ},
        "DEBUG": "1",
        "MANYHOP_DATA_DIR": str(tmp_path / "data"),
        "PYTHONPATH": f"{installed}:{ROOT}",
        "DATABASE_URL": f"sqlite:///{tmp_path / 'site.sqlite3'}",
        "LEMMATISER": "lookup",
    }

    def run(*command: object, code: int = 0) -> str:
        done = subprocess.run(
            [sys.executable, *map(str, command)], cwd=tmp_path, env=environment, capture_output=True, text=True
        )
        assert done.returncode == code, done.stdout + done.stderr
        return done.stdout + done.stderr

    options = ("--no-deps", "--no-build-isolation", "--no-index", "--disable-pip-version-check")
    run("-m", "pip", "install", *options, "--target", installed, source)
    manage = ROOT / "manage.py"
    folder = source / "benchmark"
    assert "4 dev): no mistakes." in run(manage, "benchmark", "check", folder)
    run(manage, "migrate", "-v", "0")
    run(manage, "benchmark", "import", folder, "--publish")
    scored = run(manage, "shell", "-c", SCORE)
    lines = [line.split() for line in scored.splitlines() if line.startswith(("RUN", "SCORE"))]
    runs = {name: (state, signature) for kind, name, state, signature in lines if kind == "RUN"}
    assert {name: state for name, (state, _) in runs.items()} == {"closeness": "done", "accuracy": "done"}
    assert "|bound:0.9|manyhop-example:1.0|data:dev@" in runs["closeness"][1]
    assert "manyhop-example" not in runs["accuracy"][1]
    scores = {name: (n_answered, float(value)) for kind, name, n_answered, value in lines if kind == "SCORE"}
    assert scores["closeness.similarity"] == ("3", (1 + 365 / 366 + 0.5) / 4)
    assert scores["closeness.close"] == ("3", 0.5)
    toml = folder / "benchmark.toml"
    toml.write_text(toml.read_text().replace("[metrics.accuracy]", "[metrics.closenes]"))
    assert "one of accuracy, closeness. Did you mean closeness?" in run(manage, "benchmark", "check", folder, code=1)
    answers, gold = tmp_path / "answers.jsonl", folder / "questions" / "dev.json"
    gold.write_text("[" + ",".join((folder / "questions" / "dev.jsonl").read_text().splitlines()) + "]")
    command = ("-m", "scoring", "--task", "number", "--references", gold, "--generations", answers)
    answers.write_text('{"id": "dev-1", "answer": "50"}\n')
    assert "Line 1, key “answer”: found str" in run(*command, code=2)
    answers.write_text('{"id": "dev-1", "answer": 50}\n')
    assert '"closeness": {' in run(*command, code=1), "without --metrics, with a warning of unanswered questions"
    table = tmp_path / "dev.csv"
    toml = changed_to_a_table(folder, tmp_path / "with-a-table")
    assert "no mistakes" in run(manage, "benchmark", "check", toml.parent)
    run(manage, "benchmark", "import", toml.parent, "--publish")
    table.write_text("id,question,answer\ndev-1,How many states?,fifty\ndev-2,How many days?,366\ndev-3,How many?,x\n")
    refused = run(manage, "import_benchmark", "tables", "--questions", "dev", table, code=1)
    assert "dev.csv, line 2, answer: found 'fifty'" in refused and "dev.csv, line 4, answer: found 'x'" in refused
    table.write_text("id,question,answer\ndev-1,How many states?,50\ndev-2,How many days?,366\n")
    run(manage, "import_benchmark", "tables", "--questions", "dev", table)
    assert "COUNT 2" in run(manage, "shell", "-c", COUNT)
    (installed / "manyhop_example.py").write_text("raise RuntimeError('broken')\n")
    checked = run(manage, "check")
    assert "scoring.W001" in checked
    assert "manyhop-example 1.0 cannot be loaded: RuntimeError: broken" in checked
    assert "invalid choice: 'number'" in run(*command, code=2)
