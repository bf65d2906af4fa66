"""Replies of MoNaCo's judge are read as the official code reads them, or refused; and annotators' lists compared."""

import math
from typing import Any

import pytest

from scoring.metrics.list_judge import ReplyError, list_agreement, number_similarity, parse_reply
from tests.scoring.metrics.vectors import vectors


def single(score: str) -> str:
    return f"extracted_final_answer: Oslo\n\nreasoning: It is.\n\ncorrect: yes\n\nfinal precision: {score}"


def listed(length: str, overlapping: str) -> str:
    return f"reasoning: Some.\n\nfinal answer length: {length}\n\ncorrect: no\n\noverlapping answers: {overlapping}"


SINGLE = {
    "1": 1.0,
    " 0.25 ": 0.25,
    "0.666...": 0.666,
    "1e-1": 0.1,
    "0\nfinal note: 1": 0.0,
    "0.5\nfinal precision: 1": 0.5,
}
LISTS: dict[str, tuple[str, int, float, float]] = {
    "some": (listed("4", "Rome###Oslo"), 5, 0.5, 0.4),
    "all": (listed("2", "Rome###Oslo"), 2, 1.0, 1.0),
    "none": (listed("4", "NULL"), 5, 0.0, 0.0),
    "none, with a separator": (listed("4", "NULL###"), 5, 0.0, 0.0),
    "separator at the end": (listed("2", "Rome###Oslo###"), 4, 1.0, 0.5),
    "NULL at the end": (listed("2", "Rome###NULL"), 4, 0.5, 0.25),
    "more than there are": (listed("2", "Rome###Oslo###Bern"), 2, 1.0, 1.0),
    "longer than it says": (listed("1", "Rome###Oslo"), 4, 1.0, 0.5),
    "twice the same": (listed("4", "Rome###Rome"), 4, 0.5, 0.5),
    "blank": (listed("4", ""), 4, 0.25, 0.25),
    "null in lower case": (listed("4", "null"), 4, 0.25, 0.25),
    "length 0": (listed("0", "Rome"), 4, 0.0, 0.0),
    "length with words": (listed("5 (five)", "Rome"), 5, 0.2, 0.2),
    "length None": (listed("None ", "NULL"), 5, 0.0, 0.0),
    "length at least": (listed("The response lists over 10 cities", "Rome"), 5, 0.1, 0.2),
    "over several lines": (listed("2", "\nRome###\nOslo\n"), 4, 1.0, 0.5),
    "underscores": ("x\nfinal_answer_length: 2\noverlapping_answers: Rome###Oslo", 4, 1.0, 0.5),
}
UNREADABLE = [
    *((reply, 1) for reply in ("", "correct: yes", single(""), single("0.98 (about)"), single("95%"), single("**1**"))),
    *((single(number), 1) for number in ("nan", "inf", "-0.5", "1.5", "98")),
    *((reply, 3) for reply in ("", "overlapping answers: Rome", "\nfinal answer length: 3")),
    *((listed(length, "Rome"), 3) for length in ("", "five", "3.5", "~3", "None", "**3**")),
    ("final answer length: 3\noverlapping answers: Rome", 3),
]


@pytest.mark.parametrize(("score", "value"), SINGLE.items())
def test_a_single_answers_scores_are_its_precision(score: str, value: float) -> None:
    verdict = parse_reply(single(score), 1)
    assert (verdict.precision, verdict.recall, verdict.f1) == (value, value, value)


@pytest.mark.parametrize(("reply", "n_gold", "precision", "recall"), LISTS.values(), ids=LISTS)
def test_lists_are_read_as_the_official_code_does(reply: str, n_gold: int, precision: float, recall: float) -> None:
    verdict = parse_reply(reply, n_gold)
    assert (verdict.precision, verdict.recall) == (precision, recall)
    assert verdict.f1 == pytest.approx(2 * precision * recall / (precision + recall) if precision else 0)


@pytest.mark.parametrize(("reply", "n_gold"), UNREADABLE)
def test_what_cannot_be_read_is_refused_without_a_quotation(reply: str, n_gold: int) -> None:
    with pytest.raises(ReplyError) as caught:
        parse_reply(reply, n_gold)
    assert "Rome" not in str(caught.value)
    assert "Oslo" not in str(caught.value)


def test_a_question_needs_gold_answers() -> None:
    with pytest.raises(ValueError, match="at least 1"):
        parse_reply(single("1"), 0)


@pytest.mark.data
@pytest.mark.parametrize("vector", vectors("monaco", "judge_parse"), ids=lambda vector: vector["id"])
def test_the_official_codes_vectors(vector: dict[str, Any]) -> None:
    reply, n_gold = vector["input"]["llm_judgement"], vector["input"]["gold_answers_length"]
    expected = vector["expected"]
    silent_zero = n_gold == 1 and expected and expected.get("judge_score") == 0 and not reply.rstrip().endswith(": 0")
    if expected is None or "raises" in expected or expected["judge_score"] is None or silent_zero:
        with pytest.raises(ReplyError):
            parse_reply(reply, n_gold)
        return
    verdict = parse_reply(reply, n_gold)
    assert (verdict.f1, verdict.precision) == (expected["judge_score"], expected["precision"])
    assert verdict.recall == expected.get("recall", expected["precision"])
    if n_gold > 1:
        assert (verdict.n_predicted, verdict.n_correct) == (expected["predicted answers num"], expected["num correct"])


@pytest.mark.data
@pytest.mark.parametrize("vector", vectors("monaco", "aggregate"), ids=lambda vector: vector["id"])
def test_means_of_the_vectors(vector: dict[str, Any]) -> None:
    verdicts = [parse_reply(one["j"], one["n"]) for one in vector["input"]]
    for name in ("precision", "recall", "f1"):
        assert sum(getattr(one, name) for one in verdicts) / len(verdicts) == vector["expected"][name]


@pytest.mark.parametrize(
    ("gold", "predicted", "value"),
    [(100, 90, 0.9), (90, 100, 0.9), (0, 0, 1), (0, 5, 0), (-4, -3, 0.75), (10, -10, -1), (2.5, 2.5, 1)],
)
def test_similarity_of_numbers(gold: float, predicted: float, value: float) -> None:
    assert number_similarity(gold, predicted) == pytest.approx(value, abs=1e-15)


@pytest.mark.parametrize("number", [math.nan, math.inf])
def test_similarity_needs_finite_numbers(number: float) -> None:
    with pytest.raises(ValueError, match="finite"):
        number_similarity(1, number)


@pytest.mark.data
@pytest.mark.parametrize("vector", vectors("monaco", "numeric_similarity"), ids=lambda vector: vector["id"])
def test_similarity_of_the_vectors(vector: dict[str, Any]) -> None:
    if isinstance(vector["expected"], int | float):
        assert number_similarity(vector["input"]["gold"], vector["input"]["pred"]) == vector["expected"]


@pytest.mark.parametrize(
    ("first", "second", "overlap", "difference", "accepted"),
    [
        ("a b c d", "d c b a", 1, 0, True),
        ("a b c d", "a b c x", 0.75, 0, False),
        ("a b c d e f g h i", "a b c d e f g x y", 7 / 9, 0, True),
        ("a b c d", "a b c", 0.75, 0.25, False),
        ("A_B a x", "a_b_c x A", 1, 0, True),
        ("a_b a b x", "a_b x y", 1, 0.25, False),
        ("a", "b", 0, 0, False),
        ("", "a", 0, 1, False),
        ("", "", 0, 0, False),
    ],
)
def test_agreement_of_lists(first: str, second: str, overlap: float, difference: float, accepted: bool) -> None:
    lists = [[item.replace("_", " ") for item in one.split()] for one in (first, second)]
    for one, other in (lists, lists[::-1]):
        agreement = list_agreement(one, other)
        assert (agreement.overlap, agreement.length_difference) == (overlap, difference)
        assert agreement.accepted is accepted


@pytest.mark.data
@pytest.mark.parametrize("vector", vectors("monaco", "list_agreement"), ids=lambda vector: vector["id"])
def test_agreement_of_the_vectors(vector: dict[str, Any]) -> None:
    agreement = list_agreement(vector["input"]["li"], vector["input"]["lj"])
    expected = vector["expected"]
    assert agreement.overlap == expected["overlap"]
    assert agreement.length_difference == expected["len_diff"]
    assert agreement.accepted is expected["accepted"]
