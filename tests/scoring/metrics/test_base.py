"""The time budget of an answer, and what the last bit of a mean depends on."""

import itertools
from typing import Any

import ftfy
import pytest

from scoring.metrics.base import (
    MAX_DEPTH,
    AnswerBudget,
    Metric,
    ReferenceAnswer,
    UnusableReference,
    check_references,
    official_mean,
)
from scoring.metrics.rouge import Rouge
from scoring.metrics.string_accuracy import StringAccuracy
from scoring.metrics.text.normalise import fix_text

METRICS = [StringAccuracy("lookup"), Rouge()]


def by_name(metric: Metric) -> str:
    return metric.name


@pytest.mark.slow
@pytest.mark.parametrize("metric", METRICS, ids=by_name)
def test_an_answer_over_its_budget_is_not_scored_and_the_others_are(metric: Metric) -> None:
    """The clock here advances by a second at every look, so that only an answer with much work takes long."""
    answers = ["Oslo", "Rome. " * 400_000, None, "Lima"]
    prepared = metric.prepare([["Oslo", "Bergen"], ["Rome"] * 70, "Cairo", "Lima"])
    ticks = itertools.count()
    metric.score(metric.prepare([["Oslo", "Bergen"]]), ["Oslo"], None, AnswerBudget(1e9, lambda: float(next(ticks))))
    seconds_of_a_short_answer = next(ticks)
    budget = AnswerBudget(seconds_of_a_short_answer, clock=lambda: float(next(ticks)))
    scores = metric.score(prepared, answers, None, budget)
    without = metric.score(prepared, ["Oslo", None, None, "Lima"])
    assert budget.too_long == [1]
    for name, score in scores.items():
        assert score.per_item.tolist() == without[name].per_item.tolist()
        assert score.value == without[name].value


def test_a_file_of_slow_answers_uses_up_the_time_of_the_rest() -> None:
    """Ten answers take as long as they may; then an answer has 3 % of the time, and a quick one is scored still."""
    time = [0.0]
    budget = AnswerBudget(10, clock=lambda: time[0])
    for position, seconds in enumerate([10.0] * 11 + [0.25, 0.4]):
        with budget.answer(position):
            time[0] += seconds
            budget.check()
    assert budget.too_long == [10, 12]


def test_a_step_that_cannot_be_interrupted_is_not_begun_without_time_for_it() -> None:
    budget = AnswerBudget(10, clock=lambda: 0.0)
    with budget.answer(0):
        budget.check(9.9)
    with budget.answer(1):
        budget.check(10.1)
    assert budget.too_long == [1]


HOSTILE = "\x80\u00d7\u00e3\u00d8"
"""The text on which ftfy takes longest per character, of those that a search found."""


@pytest.mark.parametrize("metric", METRICS[:1], ids=by_name)
@pytest.mark.parametrize("text", [HOSTILE * 75_000, "\n".join([HOSTILE * 50] * 2_000)], ids=["line", "lines"])
def test_no_answer_takes_much_longer_than_its_budget(metric: Metric, text: str) -> None:
    """One line of 300,000 characters, and 2,000 lines of 200: the official code takes 10 to 15 seconds."""
    prepared = metric.prepare(["Oslo"])
    budget = AnswerBudget(0.2)
    metric.score(prepared, [text], None, budget)
    assert budget.too_long == [0]
    assert budget.used < 1.0


@pytest.mark.slow
@pytest.mark.parametrize("text", [HOSTILE, "Ã© â€œ ж ", "&amp;lt; ", "e\u0301\u0323", "schÃ¶n “gut” "])
def test_repaired_text_equals_that_of_ftfy(text: str) -> None:
    for n in (1, 7, 2_000):
        assert fix_text(text * n) == ftfy.fix_text(text * n)
        assert fix_text((text + "\n") * n) == ftfy.fix_text((text + "\n") * n)


def test_the_last_bit_of_a_mean_is_that_of_python_3_11() -> None:
    """The numbers are those of Python 3.11.2; from 3.12 on, `sum` gives 1.0 and 0.9."""
    assert official_mean([0.1] * 10, 1) == 0.9999999999999999
    assert official_mean([0.3, 0.3, 0, 0.3], 1) == 0.8999999999999999
    references: list[Any] = [[f"a{index}" for index in range(10)]] * 10
    metric = StringAccuracy("lookup")
    assert metric.score(metric.prepare(references), ["a1"] * 10)["loose"].value == 0.09999999999999999


def test_references_are_not_nested_without_limit() -> None:
    reference: ReferenceAnswer = "Oslo"
    for _ in range(MAX_DEPTH):
        reference = [reference]
    check_references([reference])
    with pytest.raises(UnusableReference) as refused:
        check_references(["Rome", {"a": reference}])
    assert [one.index for one in refused.value.problems] == [1]
