"""Scores from weighted criteria, and relative to a reference report."""

import math
from typing import Any

import pytest

from scoring.metrics.asking.errors import ReplyError
from scoring.metrics.rubric import against_reference, clipped_mean, weighted_score

CRITERIA = {
    "insight": [{"criterion": "Explains the costs", "weight": 0.75}, {"criterion": "Names risks", "weight": 0.25}],
    "readability": [{"criterion": "Has headings", "weight": 1.0}],
}
DIMENSIONS = {"insight": 0.6, "readability": 0.4}


def judged(criterion: str, first: Any, second: Any) -> dict[str, Any]:
    return {"criterion": criterion, "article_1_score": first, "article_2_score": second}


def reply_of(*insight: dict[str, Any]) -> dict[str, Any]:
    return {"insight": list(insight), "readability": [judged("Has headings", 4, 6)]}


@pytest.mark.parametrize(
    ("weights", "met", "score"), [([3, 1, -2], [1, 0.5, 0], 3.5 / 4), ([4, -6], [0, 1], -1.5), ([-1, -2], [0, 1], None)]
)
def test_a_score_is_the_share_of_the_positive_weights(
    weights: list[float], met: list[float], score: float | None
) -> None:
    assert weighted_score(weights, met) == score


def test_weights_and_verdicts_of_different_number_are_refused() -> None:
    with pytest.raises(ValueError, match="shorter"):
        weighted_score([1, 2], [1])


def test_the_mean_is_clipped_and_no_single_score_is() -> None:
    assert clipped_mean([1.0, -0.5, 0.5]) == pytest.approx(1 / 3)
    assert clipped_mean([-1.0, 0.2]) == 0
    assert math.isnan(clipped_mean([]))


def test_a_dimension_is_the_share_of_both_reports_weighted_means() -> None:
    scores = against_reference(
        reply_of(judged("Explains the costs", 8, 4), judged("Names risks", 4, 4)), CRITERIA, DIMENSIONS
    )
    assert scores.target.dimensions == {"insight": 7.0, "readability": 4.0}
    assert scores.reference.dimensions == {"insight": 4.0, "readability": 6.0}
    assert scores.dimensions == {"insight": 7 / 11, "readability": 0.4}
    assert scores.total == pytest.approx(5.8 / (5.8 + 4.8))  # not a mean of the dimensions


@pytest.mark.parametrize("said", ["explains the COSTS", " Explains the costs ", "Explains the costs of both bridges"])
def test_a_criterion_is_found_by_its_text(said: str) -> None:
    scores = against_reference(reply_of(judged(said, 8, 4), judged("Names risks", 4, 4)), CRITERIA, DIMENSIONS)
    assert scores.target.dimensions["insight"] == 7.0


def test_a_criterion_that_is_not_found_has_the_mean_weight() -> None:
    scores = against_reference(
        reply_of(judged("Something else", 8, 4), judged("Names risks", 5, 4)), CRITERIA, DIMENSIONS
    )
    assert scores.target.dimensions["insight"] == (8 * 0.5 + 5 * 0.25) / 0.75


@pytest.mark.parametrize("score", ["N/A", "8/10", None, math.nan, [8]])
def test_a_score_that_is_no_number_leaves_its_criterion_out(score: Any) -> None:
    scores = against_reference(
        reply_of(judged("Explains the costs", score, 4), judged("Names risks", 5, 4)), CRITERIA, DIMENSIONS
    )
    assert scores.target.dimensions["insight"] == 5.0


@pytest.mark.parametrize(
    ("reply", "found"),
    [
        ({"insight": [judged("Names risks", 5, 4)]}, "readability"),
        (reply_of(judged("Names risks", 5, None), judged("Explains the costs", 5, 4)), "reference"),
        (reply_of(judged("Explains the costs", 5, 4), judged("Names risks", 5, None)), "reference"),
        (reply_of(judged("Explains the costs", 80, 4)), "0 to 10"),
        (reply_of(judged("Explains the costs", 10**400, 4)), "0 to 10"),
        (reply_of(judged("Explains the costs", 8, -1)), "0 to 10"),
    ],
)
def test_a_reply_that_cannot_be_trusted_has_no_score(reply: dict[str, Any], found: str) -> None:
    with pytest.raises(ReplyError, match=found):
        against_reference(reply, CRITERIA, DIMENSIONS)


def test_a_dimension_that_nobody_declared_counts_nothing() -> None:
    reply = reply_of(judged("Names risks", 5, 5))
    assert against_reference({**reply, "style": [judged("x", 10, 0)]}, CRITERIA, DIMENSIONS) == against_reference(
        reply, CRITERIA, DIMENSIONS
    )
