"""``python -m scoring --benchmark DIR``: a declared folder is scored as its site would, without a database."""

import json
from pathlib import Path
from typing import Any

import pytest

from scoring.__main__ import main
from scoring.benchmarks.base import content_hash
from scoring.benchmarks.declared.files import pack, read_folder
from scoring.benchmarks.declared.proposal import folder_for
from scoring.benchmarks.declared.reading import read_declaration
from scoring.benchmarks.declared.template import write_files
from scoring.generations.reader import NOT_SCORED
from scoring.task_types import task_type_named
from tests import graded_site
from tests.example_folder import write_example
from tests.scoring.benchmarks.test_proposal import FORMS

ANSWERS = {
    "dev-1": "Oslo",
    "dev-2": "Mombasa",
    "dev-3": "Lima",
    "dev-4": "Tokyo",
    "dev-5": "Ottawa",
}


class Folder:
    """The template of a benchmark, with a file of answers beside it."""

    def __init__(self, place: Path) -> None:
        self.path = place / "capitals"
        self.generations = place / "generations.jsonl"
        write_example(self.path)
        self.write(ANSWERS)

    def write(self, answers: dict[str, Any]) -> None:
        lines = [json.dumps({"id": qid, "answer": answer}) for qid, answer in answers.items()]
        self.generations.write_text("\n".join(lines))

    def declare(self, old: str, new: str) -> None:
        toml = self.path / "benchmark.toml"
        assert old in toml.read_text()
        toml.write_text(toml.read_text().replace(old, new))

    def run(self, *more: str, split: str = "dev") -> int:
        given = ["--benchmark", str(self.path), "--split", split, "--generations", str(self.generations)]
        return main([*given, "--lemmatiser", "lookup", *more])


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    return Folder(tmp_path)


def test_scores_have_the_metrics_and_signatures_of_the_site(folder: Folder, capsys: pytest.CaptureFixture[str]) -> None:
    assert folder.run("--per-question") == 0
    result = json.loads(capsys.readouterr().out)
    assert (result["scores"]["loose"], result["n_questions"], result["n_answered"]) == (0.8, 5, 5)
    assert [question["loose"] for question in result["questions"]] == [1, 0, 1, 1, 1]
    questions = read_declaration(read_folder(folder.path)).definition.packaged()["dev"].source.questions
    assert set(result["signatures"]) == {"accuracy", "rouge"}
    assert f"|data:dev@{content_hash(questions)[:8]}|" in result["signatures"]["accuracy"]


def test_questions_are_listed_with_their_ids_and_without_answers(
    folder: Folder, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["--benchmark", str(folder.path), "--split", "test", "--list-questions"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert json.loads(lines[0]) == {"id": "test-1", "question": "What is the capital of Ghana?"}
    assert len(lines) == 5


def test_an_archive_is_scored_too(folder: Folder, capsys: pytest.CaptureFixture[str]) -> None:
    packed = folder.path.with_suffix(".zip")
    packed.write_bytes(pack(read_folder(folder.path)))
    folder.path = packed
    assert folder.run() == 0
    assert json.loads(capsys.readouterr().out)["scores"]["loose"] == 0.8


def test_what_the_benchmark_declares_of_answers_counts(folder: Folder, capsys: pytest.CaptureFixture[str]) -> None:
    folder.declare("[limits]", "[answers]\nremove_reasoning = true\n\n[limits]\nanswer_length = 30")
    folder.write(ANSWERS | {"dev-1": "<think>Oslo</think> Rome"})
    assert folder.run() == 1, "the reader of answers names reasoning"
    result = json.loads(capsys.readouterr().out)
    assert result["scores"]["loose"] == 0.6
    assert "reasoning" in result["signatures"]["accuracy"]
    folder.write(ANSWERS | {"dev-1": "Oslo " * 9})
    assert folder.run() == 2
    assert "30" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("answers", "code", "said"),
    [
        ({**ANSWERS, "dev-9": "x"}, 2, "dev-9"),
        ({**ANSWERS, "test-1": "x"}, 2, "test"),
        ({"dev-1": "Oslo"}, 1, "dev-2"),
        ({**ANSWERS, "dev-1": 5}, 2, "Line 1"),
    ],
)
def test_problems_are_those_of_the_check_and_of_the_site(
    folder: Folder, capsys: pytest.CaptureFixture[str], answers: dict[str, Any], code: int, said: str
) -> None:
    folder.write(answers)
    assert folder.run() == code
    told = capsys.readouterr().err
    assert said in told
    check = ["check", str(folder.generations), "--benchmark", str(folder.path), "--split", "dev", "--json"]
    assert main(check) == code
    report = json.loads(capsys.readouterr().out)
    messages = [problem["message"] for group in report["groups"] for problem in group["problems"]]
    assert messages
    assert all(message in told for message in messages)


def test_answers_to_a_question_that_is_declared_as_not_scored_count_nowhere(
    folder: Folder, capsys: pytest.CaptureFixture[str]
) -> None:
    folder.declare("hidden = false", 'hidden = false\nunscored = ["dev-5"]')
    questions = folder.path / "questions" / "dev.jsonl"
    rows = [json.loads(line) for line in questions.read_text().splitlines()]
    rows = [{key: row[key] for key in row if row["id"] != "dev-5" or key != "answer"} for row in rows]
    questions.write_text("\n".join(map(json.dumps, rows)))
    assert folder.run() == 1, "the file has an answer that is not read"
    result = capsys.readouterr()
    assert (json.loads(result.out)["scores"]["loose"], json.loads(result.out)["n_questions"]) == (0.75, 4)
    assert NOT_SCORED in result.err
    assert main(["check", str(folder.generations), "--benchmark", str(folder.path), "--split", "dev"]) == 1
    assert NOT_SCORED in capsys.readouterr().out


def test_mistakes_of_the_folder_are_listed(folder: Folder, capsys: pytest.CaptureFixture[str]) -> None:
    folder.declare("hidden = true", "hiden = true")
    assert folder.run() == 2
    told = capsys.readouterr().err
    assert told.count("error: benchmark.toml: line") == 2


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (("--metrics", "bleurt"), "there are accuracy, rouge"),
        (("--references", "x.json"), "one of the arguments"),
        (("--task", "answer-list"), "--task"),
    ],
)
def test_options_that_contradict_the_benchmark_are_refused(
    folder: Folder, capsys: pytest.CaptureFixture[str], more: tuple[str, ...], said: str
) -> None:
    with pytest.raises(SystemExit) as end:
        folder.run(*more)
    assert end.value.code == 2
    assert said in capsys.readouterr().err


def test_a_split_that_cannot_be_scored_is_named(folder: Folder, capsys: pytest.CaptureFixture[str]) -> None:
    assert folder.run(split="train") == 2
    assert "expected one of dev, test" in capsys.readouterr().err
    questions = folder.path / "questions" / "test.jsonl"
    lines = [json.loads(line) for line in questions.read_text().splitlines()]
    questions.write_text("\n".join(json.dumps({"id": line["id"], "question": line["question"]}) for line in lines))
    folder.write({"test-1": "Accra"})
    assert folder.run(split="test") == 2
    assert "5 of 5 questions have no reference answer" in capsys.readouterr().err


@pytest.mark.parametrize("form", ["HotpotQA", "NQ-Open", "Bamboogle", "FRAMES", "SimpleQA", "BrowseComp", "AGIEval"])
def test_published_files_are_scored_without_a_line_of_code(
    form: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / FORMS[form][0]
    file.write_text(FORMS[form][1])
    files, _ = folder_for("made-up", [file], blank=False)
    folder, generations = tmp_path / "made-up", tmp_path / "generations.jsonl"
    write_files(folder, files)
    definition = read_declaration(read_folder(folder)).definition
    ((split, packaged),) = definition.packaged().items()
    given = ["--benchmark", str(folder), "--split", split]
    assert main([*given, "--list-questions"]) == 0
    ids = [json.loads(line)["id"] for line in capsys.readouterr().out.splitlines()]
    task = task_type_named(definition.task_type)
    copies = [task.sent(task.copy_of(question.answer)) for question in packaged.source.questions]
    lines = [json.dumps({"id": qid, "answer": copy}) for qid, copy in zip(ids, copies, strict=True)]
    generations.write_text("\n".join(lines))
    assert main([*given, "--generations", str(generations), "--lemmatiser", "lookup"]) == 0
    scores = json.loads(capsys.readouterr().out)["scores"]
    values = [part for value in scores.values() for part in (value.values() if isinstance(value, dict) else [value])]
    assert values
    assert set(values) == {1.0}


def test_a_metric_that_asks_a_judge_is_named_as_not_computed_here(
    folder: Folder, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, content in graded_site.files(f"[metrics.inclusion]\n{graded_site.METRICS}").items():
        (folder.path / name).parent.mkdir(parents=True, exist_ok=True)
        (folder.path / name).write_bytes(content)
    (folder.path / "reported.csv").unlink()
    folder.write({f"dev-{n}": f"{town}." for n, town in enumerate(graded_site.TOWNS)})
    assert folder.run() == 0
    shown = capsys.readouterr()
    assert json.loads(shown.out)["scores"] == {"inclusion": 1.0}
    for name in ("graded-answer", "verified-answer"):
        assert f"note: {name} is not computed here, because it asks a judge" in shown.err
    with pytest.raises(SystemExit):
        folder.run("--metrics", "graded-answer")
    assert "graded-answer is not computed here, because it asks a judge" in capsys.readouterr().err
