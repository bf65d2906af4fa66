"""MoNaCo's declaration: its file as questions, its categories, its published table."""

import json
from pathlib import Path
from typing import Any

import pytest

from scoring.benchmarks import definition_of
from scoring.benchmarks.base import SourceError
from scoring.benchmarks.monaco import TIME_DEPENDENCE, bin_of, read_file
from scoring.task_types import JudgedList
from tests.real_data import have

LINE = {
    "id": "m1", "question": " Which? ", "answers": ["Oslo", "Lima"], "evidence_pages": 12, "intermediate_answers": 153,
    "time_dependence": "yearly", "other": 1,
}  # fmt: skip


def given(folder: Path, *changes: dict[str, Any]) -> Path:
    path = folder / "monaco.jsonl"
    path.write_text("".join(json.dumps({**LINE, **change}) + "\n" for change in changes))
    return path


def test_a_line_becomes_a_question(tmp_path: Path) -> None:
    (question,) = read_file(given(tmp_path, {})).questions
    assert (question.qid, question.text) == ("m1", "Which?")
    assert question.answer == [{"answer_text": one, "aliases": [one]} for one in ("Oslo", "Lima")]
    shown = ("11–20 evidence pages", "List", "2–5 gold answers", "101–500 intermediate answers")
    assert question.in_split(hidden=False).categories == (*shown, TIME_DEPENDENCE["yearly"])
    assert question.in_split(hidden=True).categories == ("11–20 evidence pages",)


def test_answers_and_numbers_may_be_missing(tmp_path: Path) -> None:
    path = tmp_path / "questions.jsonl"
    path.write_text('{"id": "a", "question": "Which?"}\n')
    (question,) = read_file(path).questions
    assert (question.has_answer, question.categories, question.answer_categories) == (False, (), ())
    with pytest.raises(SourceError, match=r"line 1: .* at least one gold answer"):
        JudgedList().read_references(path)


def test_kinds_of_answer(tmp_path: Path) -> None:
    lists = [["Oslo"], ["1,315"], ["45 %"], ["Oslo", "Oslo"]]
    source = read_file(given(tmp_path, *({"id": f"m{n}", "answers": one} for n, one in enumerate(lists))))
    assert [one.answer_categories[0] for one in source.questions] == ["Single answer", "Number", "Number", "List"]
    assert source.questions[0].answer_categories[1] == "1 gold answer"


def test_the_bins_cover_every_number() -> None:
    names = [bin_of(n, "x") for n in (0, 1, 5, 6, 10, 11, 20, 21, 100, 101, 500, 501)]
    bins = ["1–5 x", "6–10 x", "11–20 x", "21–100 x", "101–500 x"]
    assert names == ["0 x", *(name for name in bins for _ in range(2)), "More than 500 x"]


def test_every_mistake_is_reported_with_line_and_field(tmp_path: Path) -> None:
    wrong: list[dict[str, Any]] = [
        {"question": " "}, {"answers": []}, {"answers": "Oslo"}, {"answers": ["Oslo", 5, " "]}, {"evidence_pages": -1},
        {"intermediate_answers": 1.5}, {"evidence_pages": True}, {"time_dependence": "often"}, {"id": "m0"},
    ]  # fmt: skip
    path = given(tmp_path, *({"id": f"m{n}"} | one for n, one in enumerate(wrong)))
    with pytest.raises(SourceError) as caught:
        read_file(path)
    found = caught.value.problems
    fields = [
        (1, "question"), (2, "answers"), (3, "answers"), (4, "answers[1]"), (4, "answers[2]"), (5, "evidence_pages"),
        (6, "intermediate_answers"), (7, "evidence_pages"), (8, "time_dependence"), (9, "id"),
    ]  # fmt: skip
    assert len(found) == len(fields)
    for problem, (line, field) in zip(found, fields, strict=True):
        assert f": line {line}: " in problem and field in problem, problem
        assert str(tmp_path) not in problem


def test_what_hidden_boards_show() -> None:
    definition = definition_of("monaco")
    shown = [column.score for column in definition.columns if column.metric == "list-judge" and column.disclosed]
    assert shown == ["list-judge.f1"]
    assert definition.split("test").hidden


@pytest.mark.data
@pytest.mark.parametrize("path", have("benchmarks/monaco/reported.json"))
def test_the_reported_rows_are_the_papers(path: tuple[Path, ...]) -> None:
    table = json.loads(path[0].read_text(encoding="utf-8"))["table4"]
    results = definition_of("monaco").published_results
    assert results is not None
    names = [f"{row['system']}, {row['prompting']}".removesuffix(", ") for row in table]
    assert [results.systems[row.system]["name"] for row in results.rows] == names
    for row, printed in zip(results.rows, table, strict=True):
        assert {name.partition(".")[2]: f"{100 * value:.2f}" for name, value in row.values.items()} == {
            part: printed[part] for part in ("f1", "recall", "precision")
        }


@pytest.mark.data
@pytest.mark.parametrize("path", have("benchmarks/monaco/standin.jsonl"))
def test_the_stand_in_is_read(path: tuple[Path, ...]) -> None:
    questions = read_file(path[0]).questions
    assert len(questions) == len(JudgedList().read_references(path[0]).ids) == 310
    JudgedList().check([question.answer for question in questions])
