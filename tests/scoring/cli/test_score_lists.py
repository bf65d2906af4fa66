"""``python -m scoring --task answer-list``: the contract of its files, output and exit codes."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from scoring.__main__ import main
from scoring.task_types import metrics_of
from tests.paths import ROOT

GOLD = [
    {
        "qid": "q1",
        "answer_list": [{"answer_text": "Oslo", "aliases": ["Oslo"]}, {"answer_text": "Rome", "aliases": ["Rome"]}],
    },
    {"qid": "q2", "answer_list": [{"answer_text": "Bern", "aliases": ["Bern"]}]},
]
PREDICTIONS = [{"id": "q1", "predictions": ["the oslo", "Paris"]}, {"qid": "q2", "predictions": ["Bern"]}]


class Files:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.gold = self.write("gold.jsonl", GOLD)
        self.predictions = self.write("predictions.jsonl", PREDICTIONS)

    def write(self, name: str, rows: list[Any]) -> Path:
        path = self.folder / name
        path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        return path

    def run(self, *more: object) -> int:
        files = ["--references", self.gold, "--generations", self.predictions]
        return main(["--task", "answer-list", *map(str, (*files, *more))])


@pytest.fixture
def given(tmp_path: Path) -> Files:
    return Files(tmp_path)


def test_scores_of_a_complete_file(given: Files, capsys: pytest.CaptureFixture[str]) -> None:
    assert given.run("--per-question") == 0
    captured = capsys.readouterr()
    assert captured.err == ""
    result = json.loads(captured.out)
    first = {"precision": 0.5, "recall": 0.5, "f1": 0.5, "f1_above": 1.0, "rec_above": 0.0}
    assert result["scores"] == {
        "list-f1": {"precision": 0.75, "recall": 0.75, "f1": 0.75, "f1_above": 1.0, "rec_above": 0.5}
    }
    assert result["questions"] == [
        {"id": "q1", "answered": True, "list-f1": first},
        {"id": "q2", "answered": True, "list-f1": dict.fromkeys(first, 1.0)},
    ]
    assert (result["n_questions"], result["n_answered"]) == (2, 2)
    signature = result["signatures"]["list-f1"].split("|")
    assert signature[0] == "list-f1"
    assert signature[-2].startswith("data:references@")


def test_each_metric_that_fits_can_be_named(given: Files, capsys: pytest.CaptureFixture[str]) -> None:
    names = tuple(metric.name for metric in metrics_of("answer-list") if not metric.needs_site)
    assert given.run("--metrics", ",".join(names)) == 0
    result = json.loads(capsys.readouterr().out)
    assert (*result["scores"],) == (*result["signatures"],) == names
    assert list(result["scores"]["list-f1-alce"]) == ["precision", "recall", "recall-5", "f1", "f1-5"]


@pytest.mark.parametrize("predictions", [[], [""], [" ", ""]])
def test_an_empty_list_is_unanswered(given: Files, capsys: pytest.CaptureFixture[str], predictions: list[str]) -> None:
    given.predictions = given.write("some.jsonl", [PREDICTIONS[0], {"id": "q2", "predictions": predictions}])
    assert given.run("--per-question") == 1
    captured = capsys.readouterr()
    result = json.loads(captured.out)
    assert result["n_answered"] == 1
    assert [question["answered"] for question in result["questions"]] == [True, False]
    assert set(result["questions"][1]["list-f1"].values()) == {0.0}
    assert "Line 2, key “predictions”" in captured.err


def test_texts_with_separators(given: Files, capsys: pytest.CaptureFixture[str]) -> None:
    given.predictions = given.write("texts.jsonl", [{"id": "q1", "predictions": "Oslo [1], Rome."}, PREDICTIONS[1]])
    assert given.run() == 2
    assert "--separator" in capsys.readouterr().err
    assert given.run("--separator", ",") == 0
    assert json.loads(capsys.readouterr().out)["scores"]["list-f1"]["f1"] == 1


def test_recall_of_passages(given: Files, capsys: pytest.CaptureFixture[str]) -> None:
    passages = [{"title": "Norway", "text": "x"}] * 10 + [{"title": "Oslo", "text": "y"}]
    path = given.write("passages.jsonl", [{"id": "q1", "passages": passages}])
    assert given.run("--passages", path, "--per-question") == 1
    captured = capsys.readouterr()
    result = json.loads(captured.out)
    assert result["scores"]["arecall"] == {"10": 0.0, "25": 0.25, "50": 0.25, "100": 0.25, "200": 0.25}
    assert result["questions"][0]["arecall"]["25"] == 0.5
    assert "erecall" not in result["scores"]
    assert result["questions"][0]["erecall"] is None
    assert "passage-recall" in result["signatures"]
    assert "'q2' has no passages" in captured.err
    assert "2 of 2 questions " in captured.err


def test_the_problems_of_all_files_come_at_once(given: Files, capsys: pytest.CaptureFixture[str]) -> None:
    given.gold = given.write("bad-gold.jsonl", [{"qid": "q1"}])
    given.predictions = given.write("bad.jsonl", [{"id": "q1", "predictions": [1]}])
    passages = given.write("bad-passages.jsonl", [{"id": "q1"}])
    assert given.run("--passages", passages) == 2
    said = capsys.readouterr().err
    assert all(name in said for name in ("bad-gold.jsonl", "bad.jsonl", "bad-passages.jsonl"))


@pytest.mark.parametrize(
    ("task", "more"),
    [
        ("answer-list", ["--metrics", "accuracy"]),
        ("text-answer", ["--metrics", "list-f1"]),
        ("text-answer", ["--separator", ","]),
        ("text-answer", ["--passages", "x"]),
        ("answer-list", ["--separator", ""]),
        ("other", []),
    ],
)
def test_options_that_do_not_fit_are_refused(task: str, more: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main(["--task", task, "--references", "x", "--generations", "y", *more])
    assert caught.value.code == 2
    assert "argument --" in capsys.readouterr().err


def test_check_of_a_file(given: Files, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["check", "--task", "answer-list", str(given.predictions)]
    assert main([*command, "--questions", str(given.gold)]) == 0
    assert "2 of 2 questions answered" in capsys.readouterr().out
    assert main([*command, "--any-ids", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["ok"]
    assert main(command) == 2
    assert "--questions" in capsys.readouterr().err
    given.predictions.write_text('{"id": "x", "predictions": ["a"]}\n{"id": "q1", "answer": "a"}')
    assert main([*command, "--questions", str(given.gold)]) == 2
    said = capsys.readouterr().out
    assert "Line 1, key “id”" in said
    assert "Line 2, key “predictions”" in said


def test_text_answers_load_nothing_of_lists() -> None:
    modules = {"regex", "django", "asyncio", "scoring.task_types.reference_files"}
    code = f"import sys, scoring.__main__; print(sorted({modules!r} & {{*sys.modules}}))"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
