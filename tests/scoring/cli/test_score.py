"""``python -m scoring``: what it takes, writes and returns."""

import json
import math
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from scoring.__main__ import main
from scoring.metrics import official as metrics_official
from scoring.metrics.base import ScoredVector
from scoring.metrics.string_accuracy import StringAccuracy
from scoring.metrics.text.lemmatizer import LemmatiserError
from tests.scoring.cli import run_as_process
from tests.scoring.metrics import official

REFERENCES: list[dict[str, Any]] = [
    {"id": "q1", "question": "Which?", "answer": ["Oslo", "1,200 museums"]},
    {"id": "q2", "answer": {"Rome": True}},
    {"id": "q3", "answer": "mice"},
]
ANSWERS = {"q1": "There are 1200 museums in Oslo.", "q2": "Rome: no", "q3": "a mouse"}


class Files:
    """Input files in a folder of the test's own, and a way to run the command on them."""

    def __init__(self, folder: Path) -> None:
        self.references = folder / "references.json"
        self.generations = folder / "generations.jsonl"
        self.out = folder / "scores.json"
        self.references.write_text(json.dumps(REFERENCES), encoding="utf-8")
        self.write(ANSWERS)

    def write(self, answers: dict[str, str], *, raw: str = "") -> None:
        lines = [json.dumps({"id": name, "answer": answer}) for name, answer in answers.items()]
        self.generations.write_text("\n".join(lines) + "\n" + raw, encoding="utf-8")

    def arguments(self, *more: str) -> list[str]:
        return ["--references", str(self.references), "--generations", str(self.generations), *more]

    def run(self, *more: str) -> int:
        return main(self.arguments("--lemmatiser", "lookup", *more))


@pytest.fixture
def given(tmp_path: Path) -> Files:
    return Files(tmp_path)


def test_scores_of_a_complete_file(given: Files, capsys: pytest.CaptureFixture[str]) -> None:
    assert given.run() == 0
    captured = capsys.readouterr()
    assert captured.err == ""
    result = json.loads(captured.out)
    assert list(result) == ["scores", "signatures", "n_questions", "n_answered"]
    assert (result["n_questions"], result["n_answered"]) == (3, 3)
    assert list(result["scores"]) == ["loose", "strict", "rouge1", "rouge2", "rougeL"]
    assert result["scores"]["loose"] == 2.5 / 3
    assert result["scores"]["strict"] == 2 / 3
    assert list(result["scores"]["rougeL"]) == ["precision", "recall", "fscore"]
    assert result["signatures"]["accuracy"].startswith("accuracy|lemma:spacy-lookups-data-")
    assert result["signatures"]["rouge"].startswith("rouge|")


def test_scores_equal_the_official_ones(given: Files, capsys: pytest.CaptureFixture[str]) -> None:
    given.write({"q1": ANSWERS["q1"], "q2": ANSWERS["q2"]})
    assert given.run("--per-question") == 1
    result = json.loads(capsys.readouterr().out)
    assert [(one["id"], one["answered"]) for one in result["questions"]] == [("q1", True), ("q2", True), ("q3", False)]
    answers = [question["answer"] for question in REFERENCES]
    generations = [ANSWERS["q1"], ANSWERS["q2"], None]
    accuracy = official.accuracy(answers, generations)
    rouge = official.rouge(answers, generations)
    for name, (value, per_question) in (accuracy | rouge).items():
        outer, _, inner = name.partition(".")
        found = [result["scores"], *result["questions"]]
        numbers = [one[outer][inner] if inner else one[outer] for one in found]
        assert numbers == [value, *per_question]


@pytest.mark.parametrize(
    ("names", "expected"),
    [("accuracy", ["loose", "strict"]), ("rouge", ["rouge1", "rouge2", "rougeL"]), (" rouge , accuracy,rouge", None)],
)
def test_chosen_metrics(
    given: Files, names: str, expected: list[str] | None, capsys: pytest.CaptureFixture[str]
) -> None:
    assert given.run("--metrics", names, "--per-question") == 0
    result = json.loads(capsys.readouterr().out)
    assert list(result["scores"]) == (expected or ["rouge1", "rouge2", "rougeL", "loose", "strict"])
    assert list(result["questions"][0])[2:] == list(result["scores"])


def test_reasoning_is_removed_if_asked(given: Files, capsys: pytest.CaptureFixture[str]) -> None:
    given.run()
    usual = json.loads(capsys.readouterr().out)
    given.write({name: f"<think>Oslo? Rome? Mice?</think>{answer}" for name, answer in ANSWERS.items()})
    given.run()
    assert json.loads(capsys.readouterr().out)["scores"] != usual["scores"]
    given.run("--remove-reasoning")
    result = json.loads(capsys.readouterr().out)
    assert result["scores"] == usual["scores"]
    assert all("|reasoning:removed|" in signature for signature in result["signatures"].values())


@pytest.mark.parametrize("arguments", [["--metrics", "bleu"], ["--metrics", ","], ["--lemmatiser", "other"], ["--x"]])
def test_unusable_arguments(given: Files, arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main(given.arguments(*arguments))
    assert caught.value.code == 2
    assert "usage: python -m scoring" in capsys.readouterr().err


def test_output_file(given: Files, capsys: pytest.CaptureFixture[str]) -> None:
    assert given.run("--out", str(given.out)) == 0
    result = json.loads(given.out.read_text(encoding="utf-8"))
    shown = capsys.readouterr().out
    assert "3 of 3 questions answered" in shown
    assert f"{result['scores']['loose']:.4f}" in shown
    assert f"{result['scores']['rouge2']['recall']:.4f}" in shown


def test_output_that_cannot_be_written(given: Files, capsys: pytest.CaptureFixture[str]) -> None:
    assert given.run("--out", str(given.out / "nowhere" / "scores.json")) == 2
    assert "cannot be written" in capsys.readouterr().err


def test_warnings(given: Files, capsys: pytest.CaptureFixture[str]) -> None:
    given.write({"q1": "", "q2": "Rome", "old": "whatever"})
    assert given.run() == 1
    captured = capsys.readouterr()
    warnings = captured.err.splitlines()
    assert len(warnings) == 3
    assert all(line.startswith("warning: ") for line in warnings)
    assert "'old'" in captured.err
    assert "'q3'" in captured.err
    assert "empty string" in captured.err
    assert json.loads(captured.out)["n_answered"] == 1, "an empty answer is none"


def test_every_problem_of_the_generations_is_listed(given: Files, capsys: pytest.CaptureFixture[str]) -> None:
    given.write({}, raw="not json\n" * 30 + '{"id": "q1"}\n{"id": "q2", "answer": 5}\n')
    assert given.run() == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    lines = captured.err.splitlines()
    assert len([line for line in lines if line.startswith("error: ")]) == 32
    for number in (1, 30, 31, 32):
        assert any(f"Line {number}" in line for line in lines)
    assert lines[-1].endswith(" 32 problems.")


def test_answers_to_none_of_the_questions(given: Files, capsys: pytest.CaptureFixture[str]) -> None:
    given.write({"x1": "a", "x2": "b"})
    assert given.run() == 2
    assert " 2 ids " in capsys.readouterr().err


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("[{]", ["line 1: …column 3"]),
        ("{}", ["id: found nothing"]),
        ("[]", ["found no object"]),
        ("\xff", ["found "]),
        ('["q1"]', ["line 1: found str"]),
        ('[{"id": "q1"}, {"answer": "x"}]', ["line 1: answer: found nothing", "object 2, id: found nothing"]),
        ('[{"id": 5, "answer": "x"}]', ["id: found int"]),
        ('[{"id": "a", "answer": "x"}, {"id": "a", "answer": "y"}]', ["object 2, id: found 'a' again"]),
        (
            '[{"id": "a", "answer": []}, {"id": "b", "answer": "x"}, {"id": "c", "answer": {"k": [null]}}]',
            ["line 1: answer: found list of 0 items", "object 3, answer[0]: …expected text"],
        ),
        ("[" * 100_000, ["nested very deeply"]),
    ],
)
def test_unusable_references(
    given: Files, content: str, expected: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    given.references.write_text(content, encoding="latin-1")
    assert given.run() == 2
    error = capsys.readouterr().err
    for problem in expected:
        assert all(part in error for part in problem.split("…"))
    assert error.count("error: ") == len(expected)
    assert "Traceback" not in error


def test_problems_of_both_files_are_listed_together(given: Files, capsys: pytest.CaptureFixture[str]) -> None:
    given.references.unlink()
    given.generations.write_text("", encoding="utf-8")
    assert given.run() == 2
    error = capsys.readouterr().err
    assert "references.json: cannot be read: No such file" in error
    assert "generations.jsonl: " in error
    assert " 2 problems." in error


def test_a_lemmatiser_that_does_not_work(
    given: Files, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(metric: StringAccuracy) -> Any:
        raise LemmatiserError("no lemmas today")

    monkeypatch.setattr(StringAccuracy, "normaliser", property(fail))
    assert given.run() == 2
    assert "error: no lemmas today" in capsys.readouterr().err


def test_scores_that_are_no_numbers_of_json_are_refused(
    given: Files, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    scored = {"loose": ScoredVector(math.nan, np.full(len(REFERENCES), math.inf))}
    monkeypatch.setattr(StringAccuracy, "score", lambda *arguments: scored)
    assert given.run("--metrics", "accuracy") == 2
    output = capsys.readouterr()
    assert output.out == "" and "no finite number" in output.err


def test_it_needs_no_site_and_no_spacy_and_no_nltk(given: Files) -> None:
    output, loaded = run_as_process(*given.arguments("--lemmatiser", "lookup"))
    assert not loaded & {"django", "celery", "spacy", "nltk", "rouge_score", "fanoutqa", "torch"}
    assert json.loads(output)["n_questions"] == 3


def test_progress_is_shown_on_a_terminal(
    given: Files, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    assert given.run() == 0
    shown = capsys.readouterr().err
    assert "accuracy: 3 of 3" in shown
    assert "rouge: 3 of 3" in shown


def test_official_code_agrees_and_each_difference_is_named(
    given: Files, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("spacy")
    assert given.run("--official") == 0
    assert json.loads(capsys.readouterr().out)["n_official_differences"] == 0
    scores = metrics_official.scores

    def wrong(metric: str, lemmatiser: str, pairs: Any) -> list[dict[str, float]]:
        found = scores(metric, lemmatiser, pairs)
        if metric == "accuracy":
            found[1]["loose"] = 0.25
        return found

    monkeypatch.setattr(metrics_official, "scores", wrong)
    assert given.run("--official") == 1
    captured = capsys.readouterr()
    assert json.loads(captured.out)["n_official_differences"] == 1
    assert captured.err == "warning: question 'q2': loose is 0.5 here and 0.25 by the official code\n"


def test_official_code_that_is_not_installed_or_does_not_exist_is_an_error(
    given: Files, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(metrics_official, "find_spec", lambda module: None if module == "spacy" else object())
    with pytest.raises(SystemExit, match="2"):
        given.run("--official")
    assert "spacy not installed: pip install 'manyhop[spacy]'" in capsys.readouterr().err
    with pytest.raises(SystemExit, match="2"):
        given.run("--task", "answer-list", "--official")
    assert "official code of accuracy and rouge alone" in capsys.readouterr().err


def test_several_attempts_are_scored_by_their_mean_and_shown_each(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    references = tmp_path / "refs.json"
    references.write_text(json.dumps([{"id": "q1", "answer": "Oslo"}, {"id": "q2", "answer": "Rome"}]))
    rows = [("q1", 1, "Oslo"), ("q1", 2, "Bern"), ("q1", 3, "Oslo"), ("q2", 1, "Rome"), ("q2", 3, "")]
    generations = tmp_path / "gens.jsonl"
    generations.write_text(
        "".join(json.dumps({"id": qid, "attempt": attempt, "answer": text}) + "\n" for qid, attempt, text in rows)
    )
    arguments = ["--references", str(references), "--generations", str(generations), "--metrics", "accuracy"]
    assert main([*arguments, "--per-question"]) == 1
    said = capsys.readouterr()
    assert "attempt 2" in said.err
    result = json.loads(said.out)
    assert (result["n_questions"], result["n_attempts"], result["n_answered"]) == (2, 3, 4 // 3)
    assert result["scores"]["strict"] == 3 / 6
    first, second = result["questions"]
    assert (first["id"], first["strict"], second["strict"]) == ("q1", 2 / 3, 1 / 3)
    assert [attempt["strict"] for attempt in first["attempts"]] == [1, 0, 1]
    assert [attempt["answered"] for attempt in second["attempts"]] == [True, False, False]
    assert first["attempts"][0].keys() == {"answered", "loose", "strict"}
