"""Short answers: their files, what is wrong with them by line, and their scores on the command line."""

import json
from pathlib import Path
from typing import Any

import pytest

from scoring.__main__ import main
from scoring.files.mistakes import SourceError
from scoring.metrics.base import UnusableReference
from scoring.metrics.short_answer.metrics import ExactMatch, Inclusion, TokenF1
from scoring.task_types import ShortAnswer

QUESTIONS: tuple[dict[str, Any], ...] = (
    {"id": "q1", "question": "What is the capital?", "answers": ["Oslo", "Kristiania"]},
    {"id": "q2", "question": "How long is it?", "answers": ["100 m"], "relative_tolerance": 0.01},
    {"id": "q3", "question": "Who?", "answers": ["B"], "choices": ["Ada", "Bo"]},
    {"id": "q4", "question": "When?", "unanswerable": True, "weight": 3},
)
ANSWERS = ("the OSLO", "It is 0.0995 km long.", "Bo", "The text does not say.")


def written(path: Path, records: Any) -> Path:
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return path


def run(folder: Path, *more: str) -> int:
    references = written(folder / "references.jsonl", QUESTIONS)
    lines = [{"id": question["id"], "answer": answer} for question, answer in zip(QUESTIONS, ANSWERS, strict=True)]
    answers = written(folder / "answers.jsonl", lines)
    files = ["--references", str(references), "--generations", str(answers)]
    return main(["--task", "short-answer", *files, *more])


def test_a_file_is_scored_by_the_metrics_that_are_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(tmp_path, "--metrics", "exact-match,token-f1", "--per-question") == 0
    result = json.loads(capsys.readouterr().out)
    assert (result["n_questions"], result["n_answered"]) == (4, 4)
    assert result["questions"][0] == {
        "id": "q1",
        "answered": True,
        "exact-match": 1,
        "token-f1": {"precision": 1, "recall": 1, "f1": 1},
    }
    assert result["signatures"]["exact-match"].startswith("exact-match|rules:squad|data:references@")


def test_weights_count_in_the_mean_and_inclusion_reads_each_kind(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(tmp_path) == 0
    scores = json.loads(capsys.readouterr().out)["scores"]
    assert scores["inclusion"] == 1
    assert scores["exact-match"] == 1 / 6  # one of three questions, and one that counts three times


@pytest.mark.parametrize(
    ("record", "message"),
    [
        ({"answers": "Oslo"}, "answers: found str of 4 characters, expected a list of texts"),
        ({"answers": []}, "answers: found an unusable value, expected at least one answer, or unanswerable: true"),
        ({"answers": ["many"], "kind": "number"}, r"answers\[0\]: found an unusable value, expected a number"),
        ({"answers": ["E"], "choices": ["x", "y"]}, r"answers\[0\]: .*expected the label of an option or its text"),
        ({"answers": ["x"], "kind": "nummer"}, "kind: .*Did you mean number"),
        ({"answers": ["x"], "weight": 0}, "weight: .*expected a number above 0"),
        ({"answers": ["5"], "absolute_tolerance": -1}, "absolute_tolerance: .*expected a number from 0 on"),
    ],
)
def test_what_is_wrong_is_named_by_line(tmp_path: Path, record: dict[str, Any], message: str) -> None:
    path = written(tmp_path / "references.jsonl", [QUESTIONS[0], {"id": "q9", "question": "Why?", **record}])
    with pytest.raises(SourceError, match=rf"line 2: {message}"):
        ShortAnswer().read_references(path)


def test_a_reference_may_be_written_shorter() -> None:
    task = ShortAnswer()
    assert task.stored(True) == {"answers": ["yes"]}
    assert task.stored(1.5) == {"answers": ["1.5"]}
    assert task.plain({"unanswerable": True}) == task.copy_of({"unanswerable": True}) == "unanswerable"


def test_every_problem_of_stored_references_is_named() -> None:
    with pytest.raises(UnusableReference) as caught:
        ShortAnswer().check([{"answers": ["Oslo"]}, "Oslo", {"answers": ["x"], "language": 1, "per_cent": "yes"}])
    assert [(problem.index, problem.path) for problem in caught.value.problems] == [
        (1, ()),
        (2, ("per_cent",)),
        (2, ("language",)),
    ]


@pytest.mark.parametrize(("rules", "no_answer"), [("squad", "unanswerable"), ("squad2", ""), ("hotpotqa", "noanswer")])
def test_the_answer_of_a_question_without_one_is_that_of_the_rules(rules: str, no_answer: str) -> None:
    for metric in (ExactMatch(rules=rules), TokenF1(rules=rules)):
        prepared = metric.prepare([{"unanswerable": True}] * 3)
        scores = metric.score(prepared, [no_answer, "unanswerable", "Oslo"])
        assert scores[metric.score_names[-1]].per_item.tolist() == [1, 1, 0]


def test_other_rules_are_part_of_the_signature_and_unknown_ones_are_refused() -> None:
    assert TokenF1(rules="hotpotqa").signature().startswith("token-f1|rules:hotpotqa|")
    with pytest.raises(ValueError, match="squad, squad2, hotpotqa"):
        ExactMatch(rules="squad3")


def test_an_unanswered_question_scores_0_whatever_is_accepted() -> None:
    for metric in (ExactMatch(rules="squad2"), TokenF1(), Inclusion()):
        scores = metric.score(metric.prepare([{"unanswerable": True}]), [None])
        assert {vector.value for vector in scores.values()} == {0.0}
