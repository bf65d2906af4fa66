"""Reasoning in answers, and texts that many answers repeat: what is noticed, and what reasoning is removed."""

from __future__ import annotations

import io
import json
from collections.abc import Sequence

import pytest

from scoring.generations.reader import GenerationsReport, KnownQuestions, read_generations
from scoring.generations.reasoning import REASONING, list_without_reasoning, without_reasoning
from scoring.generations.records import TEXT_ANSWERS, AnswerFormat, list_answers

ANSWER = "Rome"
WITH_REASONING = {
    "a block": "<think>Paris? Tokyo?</think>\n\nRome",
    "an empty block": "<think>\n\n</think>\n\nRome",
    "upper case": "<THINK>Paris?</THINK>Rome",
    "another name": "<thinking>Paris?</thinking> Rome",
    "an attribute": '<reasoning effort="high">Paris?</reasoning> Rome',
    "two blocks": "<think>Paris?</think><thought>Tokyo?</thought> Rome",
    "a block in a block": "<think>Paris? <think>Tokyo?</think> No.</think> Rome",
    "no beginning": "Paris? No.\n</think>\n\nRome",
    "no end, after the answer": "Rome <think>or Paris",
    "brackets": "[THINK]Paris?[/THINK]Rome",
    "tokens of thought": "<|begin_of_thought|>Paris?<|end_of_thought|>Rome",
    "triangles": "◁think▷Paris?◁/think▷Rome",
    "channels": "<|channel|>analysis<|message|>Oslo?<|end|><|start|>assistant<|channel|>final<|message|>Rome<|return|>",
    "the last channel alone": "<|channel|>final<|message|>Rome",
    "channels without their tokens": "analysisParis? No.assistantfinalRome",
}
WITHOUT_REASONING = (
    ANSWER,
    " Rome \n",
    "I think it is <b>Rome</b>",
    "analysis of Rome",
    "Rome<|end|>",
    "a < think > b",
    "<thinker>Rome</thinker>",
)


@pytest.mark.parametrize("text", WITH_REASONING.values(), ids=WITH_REASONING)
def test_reasoning_is_recognised_and_removed(text: str) -> None:
    assert REASONING.search(text)
    assert without_reasoning(text) == ANSWER


@pytest.mark.parametrize("text", WITHOUT_REASONING)
def test_a_text_without_reasoning_stays_as_it_is(text: str) -> None:
    assert not REASONING.search(text)
    assert without_reasoning(text) == text


@pytest.mark.parametrize("text", ["<think>Paris? Or", "<|channel|>analysis<|message|>Paris?", "<think>Paris?</think>"])
def test_of_reasoning_alone_nothing_is_left(text: str) -> None:
    assert without_reasoning(text) == ""


def test_reasoning_may_span_the_texts_of_a_list() -> None:
    assert list_without_reasoning(["<think>Paris", "Tokyo", "</think>", "Rome", "Oslo"]) == ["Rome", "Oslo"]
    assert list_without_reasoning(["Rome", "", "Oslo"]) == ["Rome", "", "Oslo"]


def report_of(
    answers: Sequence[object], answer_format: AnswerFormat = TEXT_ANSWERS, n_questions: int | None = None
) -> GenerationsReport:
    lines = [
        json.dumps({"id": f"q{place}", answer_format.answer_key: answer}) + "\n" for place, answer in enumerate(answers)
    ]
    known = KnownQuestions(tuple(f"q{place}" for place in range(n_questions or len(answers))))
    return read_generations(io.BytesIO("".join(lines).encode()), known, answer_format=answer_format)


def counts(report: GenerationsReport) -> dict[str, int]:
    return {group.code: group.count for group in report.groups}


def test_reasoning_is_said_with_its_number() -> None:
    report = report_of(["<think>Paris?</think> Rome", "Oslo", "Bern\n</think> Lima"])
    assert report.ok
    assert counts(report) == {"reasoning": 2}
    assert counts(report_of([["<think>Paris?</think> Rome"], ["Oslo"]], list_answers())) == {"reasoning": 1}


@pytest.mark.parametrize(
    ("text", "n_same", "n_others", "n_noticed"),
    [
        ("Error: rate limit exceeded (429)", 310, 0, 310),
        ("Error: rate  limit exceeded (429)\n", 40, 270, 40),
        ("Error: rate limit exceeded (429)", 31, 279, 0),
        ("N/A", 40, 270, 40),
        ("yes", 300, 10, 0),
        ("1998", 300, 10, 0),
        ("Error: rate limit exceeded (429)", 4, 3, 0),
    ],
    ids=["all", "more than a tenth", "a tenth", "a placeholder", "yes", "a number", "a file of few lines"],
)
def test_one_text_as_many_answers_is_said_with_its_number(
    text: str, n_same: int, n_others: int, n_noticed: int
) -> None:
    report = report_of([text] * n_same + [f"another answer, number {place}" for place in range(n_others)])
    assert report.ok
    assert counts(report).get("same-answer", 0) == n_noticed
    if n_noticed:
        (group,) = report.groups
        assert f"in {n_same:,} of {n_same + n_others:,} answers" in group.problems[0].found


def test_a_hostile_text_is_searched_in_no_time() -> None:
    for part in ("<think>", "<think ", "</think>", "<|channel|>analysis", "analysis", "[THINK]"):
        without_reasoning(part * 200_000)
