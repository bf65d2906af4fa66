"""Corrected means by hand. Their coverage and bias: tests/bench/test_calibration.py."""

from typing import Any

import numpy as np
import pytest

from scoring.statistics import FEWEST_GRADES, corrected_mean, corrected_total

VERDICTS = [1.0] * 60 + [0.0] * 40


def test_the_value_is_the_rate_in_each_stratum_times_its_share() -> None:
    found = corrected_mean(VERDICTS, range(0, 100, 2), [1] * 24 + [0] * 6 + [1] * 2 + [0] * 18)
    assert found is not None
    assert found.value == pytest.approx(0.6 * 24 / 30 + 0.4 * 2 / 20)
    assert found.low < found.value < found.high
    assert (found.n_graded, found.n_judged) == (50, 50)


def test_the_interval_is_that_of_the_posterior() -> None:
    random, n = np.random.default_rng(1), 400_000
    counts = np.array([(24, 6), (2, 18), (60, 40)]) + 1 / 3
    accepted, rejected, share = (random.beta(yes, no, n) for yes, no in counts)
    low, high = np.quantile(share * accepted + (1 - share) * rejected, [0.025, 0.975])
    found = corrected_mean(VERDICTS, range(0, 100, 2), [1] * 24 + [0] * 6 + [1] * 2 + [0] * 18)
    assert found is not None
    assert [found.low, found.high] == pytest.approx([low, high], abs=0.003)


def test_weights_are_those_of_the_inclusion_probabilities() -> None:
    """Right answers were drawn with three times the probability of wrong ones."""
    graded = list(range(0, 60, 2))
    grades = [1.0] * 15 + [0.0] * 15
    probabilities = np.full(100, 0.3)
    probabilities[graded[:15]] = 0.9
    found = corrected_mean([1] * 100, graded, grades, probabilities)
    assert found is not None
    assert found.value == pytest.approx(0.25)
    equal = corrected_mean([1] * 100, graded, grades, np.full(100, 0.3))
    simple = corrected_mean([1] * 100, graded, grades)
    assert equal is not None
    assert simple is not None
    assert [equal.value, equal.low, equal.high] == pytest.approx([simple.value, simple.low, simple.high])


@pytest.mark.parametrize("clusters", [None, [number % 4 for number in range(100)]])
@pytest.mark.parametrize("grade", [0, 1])
def test_grades_that_are_all_the_same_leave_an_interval(grade: int, clusters: Any) -> None:
    found = corrected_mean(VERDICTS, range(0, 100, 2), [grade] * 50, clusters=clusters)
    assert found is not None
    assert found.value == grade
    assert 0 <= found.low <= found.high <= 1
    assert 0.02 < found.high - found.low < 0.6


def test_people_widen_the_interval() -> None:
    verdicts = np.repeat([1.0, 1.0, 0.0, 1.0, 0.0], 20)
    graded = range(0, 100, 2)
    people = corrected_mean(verdicts, graded, verdicts[::2], clusters=np.repeat(np.arange(5), 20))
    alone = corrected_mean(verdicts, graded, verdicts[::2])
    assert people is not None
    assert alone is not None
    assert people.value == alone.value
    assert people.high - people.low > 2 * (alone.high - alone.low)
    assert corrected_mean(verdicts, graded, verdicts[::2], clusters=["P-01"] * 100) is None


def test_whether_it_is_shown_depends_on_the_number_of_grades_alone() -> None:
    for grade in (0, 1):
        few = [grade] * (FEWEST_GRADES - 1)
        assert corrected_mean(VERDICTS, range(len(few)), few) is None
        assert corrected_mean(VERDICTS, range(FEWEST_GRADES), [*few, grade]) is not None


def test_what_does_not_match_is_refused() -> None:
    for given, message in (
        (([1, 0], [0], [1, 0]), "1 graded answers, but 2 grades"),
        (([1, 0], [0, 0], [1, 0]), "different indices"),
        (([1, 0], [0, 2], [1, 0]), "different indices"),
        (([1, 0], [0], [1.5]), "grades"),
        (([1, 0], [0], [1], [0.0, 1.0]), "probabilities"),
        (([1, 0], [0], [1], [1.0]), "probabilities"),
    ):
        with pytest.raises(ValueError, match=message):
            corrected_mean(*given)


class TestScoresOfReports:
    JUDGED = np.linspace(-0.5, 1, 200)

    def test_the_value_follows_the_judge_as_far_as_people_do(self) -> None:
        graded = range(0, 120, 4)  # the lower ones only
        found = corrected_total(self.JUDGED, graded, self.JUDGED[list(graded)] * 0.8, lowest=-0.5)
        assert found is not None
        assert found.value == pytest.approx(self.JUDGED.mean() * 0.8)
        assert -0.5 < found.low < found.value < found.high < 1

    def test_with_a_judge_who_tells_nothing_it_is_the_weighted_mean_of_people(self) -> None:
        chances = np.where(np.arange(200) < 100, 0.1, 0.2)
        graded, totals = [*range(10), *range(100, 120)], [1.0] * 10 + [0.0] * 20
        found = corrected_total([0.5] * 200, graded, totals, chances)
        assert found is not None
        assert found.value == pytest.approx(0.5)

    def test_equal_scores_are_not_certain(self) -> None:
        found = corrected_total([1.0] * 100, range(30), [1.0] * 30)
        assert found is not None
        assert found.low < 0.9 < found.value == found.high == pytest.approx(1)

    def test_answers_of_few_people_widen_the_interval(self) -> None:
        totals = [0.2 + 0.15 * (n // 25) for n in range(100)]
        alone = corrected_total([0.5] * 100, range(100), totals)
        together = corrected_total([0.5] * 100, range(100), totals, clusters=[n // 25 for n in range(100)])
        assert alone is not None and together is not None
        assert together.value == alone.value
        assert together.high - together.low > 2 * (alone.high - alone.low)

    def test_too_few_grades_and_scores_above_one_are_refused(self) -> None:
        assert corrected_total(self.JUDGED, range(29), self.JUDGED[:29]) is None
        assert corrected_total(self.JUDGED, range(30), self.JUDGED[:30], clusters=["a"] * 200) is None
        with pytest.raises(ValueError, match="at most 1"):
            corrected_total(self.JUDGED, range(30), [2.0] * 30)
