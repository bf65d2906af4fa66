"""Files of answer lists: lists are read in each form, and their mistakes are placed and explained."""

import io
import json
from functools import partial

import pytest

from scoring.generations.reader import GenerationsReport, KnownQuestions, Limits, read_generations
from scoring.generations.records import LIST_FIXES as FIXES
from scoring.generations.records import (
    NO_TEXTS,
    TEXT_ANSWERS,
    WITH_SEPARATOR,
    AnswerFormat,
    JsonObject,
    list_answers,
)
from scoring.metrics.list_f1_alce import split_text
from scoring.task_types import AnswerList

KNOWN = KnownQuestions(current=("q1", "q2"))
LISTS = list_answers()
TEXTS = list_answers(partial(split_text, separator=";"))


def read(*lines: object, answer_format: AnswerFormat = LISTS, limits: Limits | None = None) -> GenerationsReport:
    rows = [line if isinstance(line, str) else json.dumps(line, ensure_ascii=False) for line in lines]
    return read_generations(io.BytesIO("\n".join(rows).encode()), KNOWN, limits, answer_format)


@pytest.mark.parametrize(
    ("line", "stored"),
    [
        ({"id": "q1", "predictions": ["Oslo", "Tromsø", "Oslo"]}, ["Oslo", "Tromsø", "Oslo"]),
        ({"qid": "q1", "predictions": ["a, b"]}, ["a, b"]),
        ({"id": "q1", "predictions": '["Oslo", "Rome"]'}, ["Oslo", "Rome"]),
        ({"id": "q1", "predictions": []}, []),
    ],
)
def test_lists_are_read_in_each_form(line: object, stored: list[str]) -> None:
    for answer_format in (LISTS, TEXTS):
        report = read(line, {"id": "q2", "predictions": ["x"]}, answer_format=answer_format)
        assert report.ok
        assert json.loads(report.answers["q1"]) == stored


def test_texts_are_split_only_where_a_separator_is_named() -> None:
    line = {"id": "q1", "predictions": "Oslo [1]; Rome; .\nBern"}
    assert json.loads(read(line, answer_format=TEXTS).answers["q1"]) == ["Oslo", "Rome"]
    cited = {"id": "q1", "predictions": "[1, 2]"}
    assert read(cited, answer_format=TEXTS).answers["q1"] == '[", 2"]'
    (problem,) = read(line).errors[0].problems
    assert (problem.code, problem.line, problem.field) == ("answer-not-a-list", 1, "predictions")
    assert "--separator" in problem.fix


@pytest.mark.parametrize(
    ("line", "code", "field", "found", "fix"),
    [
        ({"id": "q1", "predictions": None}, "answer-not-a-list", "predictions", "null", "[]"),
        ({"id": "q1", "predictions": {"a": 1}}, "answer-not-a-list", "predictions", "an object", FIXES[JsonObject]),
        ({"id": "q1", "predictions": 5}, "answer-not-a-list", "predictions", "a number", None),
        ({"id": "q1", "predictions": "[1"}, "answer-not-a-list", "predictions", "a string", "separator"),
        ({"id": "q1", "predictions": "[" * 9000}, "answer-not-a-list", "predictions", "a string", "separator"),
        ({"id": "q1", "predictions": '["a", 1]'}, "item-not-a-string", "predictions", "as item 2", None),
        ({"id": "q1", "answers": []}, "missing-key", "predictions", "“answers”", "“answers” to"),
        ({"question_id": "q1", "predictions": []}, "missing-key", "id", "“question_id”", 'to "id"'),
        ({"qid": 5, "predictions": []}, "id-not-a-string", "qid", "a number", '"qid": "5"'),
        ('{"qid": "q1", "qid": "q1", "predictions": []}', "duplicate-key", "qid", "“qid”", None),
        (r'{"id": "q1", "predictions": ["a\u0000"]}', "unstorable-character", "predictions", r"(\u0000)", r"\u0000"),
        (["q1"], "not-an-object", None, "a list", None),
    ],
)  # fmt: skip
def test_each_mistake_is_placed_and_explained(line: object, code: str, field: str, found: str, fix: str | None) -> None:
    report = read({"id": "q2", "predictions": ["x"]}, line)
    group = next(group for group in report.errors if group.code == code)
    problem = group.problems[0]
    assert (problem.line, problem.field) == (2, field)
    assert found in problem.found
    assert (fix or group.fix) in problem.fix


@pytest.mark.parametrize("row", [{"answer": "Oslo and Rome"}, {"predictions": "Oslo\nRome"}])
def test_the_first_message_about_a_text_says_whether_it_can_be_sent(row: dict[str, str]) -> None:
    for texts in (WITH_SEPARATOR, NO_TEXTS):
        report = read({"id": "q1", **row}, {"id": "q2", "predictions": []}, answer_format=list_answers(texts=texts))
        assert texts in report.errors[0].problems[0].fix
    report = read({"id": "q1", **row}, {"id": "q2", "predictions": []}, answer_format=TEXTS)
    assert WITH_SEPARATOR not in str([group.as_dict() for group in report.groups]), "a separator is named already"


def test_a_task_type_that_does_not_split_texts_says_so() -> None:
    class Whole(AnswerList):
        splits_texts = False

    assert (AnswerList().answer_format(None).texts, Whole().answer_format(None).texts) == (WITH_SEPARATOR, NO_TEXTS)


def test_every_wrong_item_is_reported() -> None:
    problems = read({"id": "q1", "predictions": [1, "a", None, ["b"]]}).errors[0].problems
    assert [problem.found.split(" of ")[0] for problem in problems] == [
        "a number as item 1", "null as item 3", "a list as item 4",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("answer", "found"), [([], "an empty list"), (["", " ", "\u200b\u3164"], "only empty strings")]
)
def test_empty_lists_are_a_warning(answer: list[str], found: str) -> None:
    report = read({"id": "q1", "predictions": answer}, {"id": "q2", "predictions": ["x"]})
    assert report.ok
    assert [(group.code, group.problems[0].found) for group in report.groups] == [("empty-answer", found)]


def test_the_same_list_again_is_only_a_warning() -> None:
    report = read(
        {"id": "q1", "predictions": ["a"]}, {"qid": "q1", "predictions": '[ "a" ]'}, {"id": "q2", "predictions": ["b"]}
    )
    assert [group.code for group in report.groups] == ["repeated-answer"]


@pytest.mark.parametrize("text", ["", "[]", "{", "42", "id,predictions\n1,2", '{"q1": ["a"]}', '{\n "id": 1}'])
def test_no_message_speaks_of_another_format(text: str) -> None:
    report = read(text)
    said = [words for group in report.groups for one in group.problems for words in (one.expected, one.fix, group.fix)]
    assert said
    assert not [words for words in said if '"answer"' in words or "{example}" in words or "{answer}" in words]


@pytest.mark.parametrize(
    ("answer_format", "fits", "too_long", "found", "expected"),
    [
        (LISTS, {"predictions": ["a" * 50] * 3}, {"predictions": ["a"] * 4}, "4 answers", "at most 3 answers"),
        (TEXT_ANSWERS, {"answer": "äöü"}, {"answer": "äöüß"}, "4 characters", "at most 3 characters"),
    ],
)
def test_a_benchmark_may_limit_the_length_of_answers(
    answer_format: AnswerFormat, fits: object, too_long: object, found: str, expected: str
) -> None:
    lines = [{"id": "q1"} | fits, {"id": "q2"} | too_long]  # type: ignore[operator]
    assert read(*lines, answer_format=answer_format).ok
    report = read(*lines, answer_format=answer_format, limits=Limits(max_answer_length=3))
    (problem,) = report.errors[0].problems
    assert (problem.code, problem.line, problem.found, problem.expected) == ("answer-too-long", 2, found, expected)
    assert list(report.answers) == ["q1"]
