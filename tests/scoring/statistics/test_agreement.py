"""Agreement of graders and the judge's error: against other implementations, by hand, and against what is simulated."""

import math

import krippendorff
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.inter_rater import cohens_kappa
from statsmodels.stats.inter_rater import fleiss_kappa as statsmodels_fleiss

from scoring.statistics import (
    Estimate,
    cohen_kappa,
    difference_intervals,
    fleiss_kappa,
    grader_biases,
    krippendorff_alpha,
    validate_judge,
)
from scoring.statistics.agreement import Scale
from scoring.statistics.distributions import student_quantile

GRADES = st.lists(
    st.lists(st.sampled_from([0.0, 0.25, 1.0, 2.0, math.nan]), min_size=12, max_size=12), min_size=2, max_size=5
)
EXAMPLE = [
    [math.nan] * 5 + [3, 4, 1, 2, 1, 1, 3, 3, math.nan, 3],
    [1, math.nan, 2, 1, 3, 3, 4, 3] + [math.nan] * 7,
    [math.nan, math.nan, 2, 1, 3, 4, 4, math.nan, 2, 1, 1, 3, 3, math.nan, 4],
]
"""The worked example of Krippendorff (2011), Computing Krippendorff's Alpha-Reliability."""


class TestAlpha:
    def test_the_worked_example(self) -> None:
        assert krippendorff_alpha(EXAMPLE).value == pytest.approx(0.691, abs=5e-4)
        assert krippendorff_alpha(EXAMPLE, scale="interval").value == pytest.approx(0.811, abs=5e-4)
        assert krippendorff_alpha(EXAMPLE, scale="ordinal").value == pytest.approx(0.807, abs=5e-4)
        assert krippendorff_alpha(EXAMPLE).n_items == 12

    @given(grades=GRADES, scale=st.sampled_from(["nominal", "ordinal", "interval"]))
    def test_alpha_equals_that_of_the_krippendorff_package(self, grades: list[list[float]], scale: Scale) -> None:
        found = krippendorff_alpha(grades, scale=scale)
        table = np.array(grades)
        pairable = table[:, np.isfinite(table).sum(axis=0) >= 2]
        if len(np.unique(pairable[np.isfinite(pairable)])) < 2:
            assert found.value is None
        else:
            expected = krippendorff.alpha(reliability_data=pairable, level_of_measurement=scale)
            assert found.value == pytest.approx(float(expected), abs=1e-9)

    @pytest.mark.parametrize("scale", ["nominal", "ordinal", "interval"])
    @pytest.mark.parametrize("unit", [1e-9, 1e9])
    def test_the_unit_of_the_grades_makes_no_difference(self, scale: Scale, unit: float) -> None:
        there = krippendorff_alpha(np.array(EXAMPLE) * unit, scale=scale)
        here = krippendorff_alpha(EXAMPLE, scale=scale)
        assert there.value == pytest.approx(here.value, abs=1e-9)
        assert (there.interval is None) == (here.interval is None)

    def test_for_ordinal_grades_only_their_order_counts(self) -> None:
        grades = np.array([[1, 2, 3, 3, 5], [1, 3, 3, 5, 5]])
        found = krippendorff_alpha(grades, scale="ordinal").value
        assert found == krippendorff_alpha(grades**4, scale="ordinal").value
        assert found != krippendorff_alpha(grades).value

    def test_an_unknown_scale_is_rejected(self) -> None:
        with pytest.raises(ValueError, match="scale"):
            krippendorff_alpha([[1, 2], [1, 3]], scale="ratio")  # type: ignore[arg-type]

    def test_items_of_one_answer_are_drawn_together(self) -> None:
        random = np.random.default_rng(5)
        agree = random.random(60) < 0.7
        first = random.integers(0, 2, 60)
        second = np.where(agree, first, 1 - first)
        apart = krippendorff_alpha([first, second])
        repeated = [np.repeat(first, 5), np.repeat(second, 5)]
        together = krippendorff_alpha(repeated, clusters=np.repeat(np.arange(60), 5))
        naive = krippendorff_alpha(repeated)
        assert apart.interval is not None
        assert together.interval is not None
        assert naive.interval is not None
        assert float(together.interval.width) == pytest.approx(float(apart.interval.width), rel=0.1)
        assert float(naive.interval.width) < 0.6 * float(together.interval.width)

    def test_grades_without_information_give_no_coefficient(self) -> None:
        for grades in ([[1, 1, 1], [1, 1, 1]], [[1, math.nan], [math.nan, 0]], [[1, 0, 1]]):
            found = krippendorff_alpha(grades)
            assert (found.value, found.interval) == (None, None)

    @given(grades=GRADES, scale=st.sampled_from(["nominal", "ordinal", "interval"]), clustered=st.booleans())
    def test_an_interval_contains_the_value_and_has_a_width(
        self, grades: list[list[float]], scale: Scale, clustered: bool
    ) -> None:
        clusters = [item // 3 for item in range(12)] if clustered else None
        for found in (
            krippendorff_alpha(grades, scale=scale, clusters=clusters),
            fleiss_kappa(grades, clusters=clusters),
            cohen_kappa(grades[0], grades[1], clusters=clusters),
        ):
            if found.interval is None:
                assert found.value is None or found.n_items < 2 or clustered
            else:
                assert found.value is not None
                assert -1 <= found.interval.low <= max(-1, found.value)
                assert found.value <= found.interval.high <= 1
                assert found.interval.width > 0.01

    def test_many_different_grades_need_no_pair_of_each(self) -> None:
        grades = np.random.default_rng(2).random((3, 400))
        found = krippendorff_alpha(grades, scale="interval")
        assert found.interval is not None
        assert found.interval.low < 0 < found.interval.high
        assert found.interval.width < 0.2

    @pytest.mark.parametrize("grades", [[1, 0], [[[1]]], [[math.inf, 0], [0, 0]]])
    def test_grades_that_are_not_a_table_are_refused(self, grades: list[float]) -> None:
        with pytest.raises(ValueError, match="grades"):
            krippendorff_alpha(grades)


class TestKappa:
    @given(grades=st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=30))
    def test_as_statsmodels(self, grades: list[tuple[int, int]]) -> None:
        table = np.zeros((4, 4))
        np.add.at(table, tuple(np.transpose(grades)), 1)
        found = cohen_kappa(*np.transpose(grades))
        if len(np.unique(grades)) == 1:
            assert found.value is None
        else:
            assert found.value == pytest.approx(cohens_kappa(table, return_results=False), abs=1e-12)

    def test_its_interval_is_that_of_a_table_with_two_items_more(self) -> None:
        """That of statsmodels for the table with 1/2 in each cell more, whose standard error is for large samples."""
        first = [0] * 18 + [1] * 12
        second = [0] * 17 + [1] + [0] * 2 + [1] * 10
        known = cohens_kappa(np.array([[17.5, 1.5], [2.5, 10.5]]))
        found = cohen_kappa(first, second).interval
        assert found is not None
        margin = student_quantile(0.025, 29) * known.std_kappa
        assert found.low == pytest.approx(known.kappa - margin, abs=0.03)
        assert found.high == pytest.approx(min(1, known.kappa + margin), abs=0.03)

    def test_full_agreement_is_not_certain(self) -> None:
        """A judge who is right on 30 of 30: the truth may be the kappa of a judge who errs on 3 of them."""
        right = [1] * 12 + [0] * 18
        found = cohen_kappa(right, right).interval
        assert found is not None
        assert (0.7 < found.low < 0.9, found.high) == (True, 1.0)
        more = cohen_kappa(right * 10, right * 10).interval
        assert more is not None
        assert found.low < more.low < 1

    def test_by_hand_with_gaps(self) -> None:
        found = cohen_kappa([1, 1, 0, 0, math.nan, 1], [1, 0, 0, 0, 1, math.nan])
        assert (found.value, found.n_items) == (0.5, 4)


class TestFleiss:
    @given(grades=st.lists(st.lists(st.integers(0, 3), min_size=8, max_size=8), min_size=2, max_size=5))
    def test_as_statsmodels(self, grades: list[list[int]]) -> None:
        found = fleiss_kappa(grades)
        if len(np.unique(grades)) == 1:
            assert found.value is None
        else:
            counts = np.array([[column.count(label) for label in range(4)] for column in zip(*grades, strict=True)])
            assert found.value == pytest.approx(statsmodels_fleiss(counts), abs=1e-12)

    def test_by_hand_with_gaps(self) -> None:
        """The first item has one pair, an equal one; the second one equal pair of three; the third one grade."""
        grades: list[list[float]] = [[1, 0, 1], [1, 1, math.nan], [math.nan, 1, math.nan]]
        found = fleiss_kappa(grades)
        observed, by_chance = (1 + 1 / 3) / 2, 0.8**2 + 0.2**2
        assert found.n_items == 2
        assert found.value == pytest.approx((observed - by_chance) / (1 - by_chance))

    def test_grades_without_information_give_no_coefficient(self) -> None:
        for grades in ([[1, 1], [1, 1]], [[1, math.nan], [math.nan, 0]], [[1, 0, 1]]):
            assert fleiss_kappa(grades).value is None


class TestBias:
    def test_by_hand(self) -> None:
        strict, lenient, alone = grader_biases(
            [[0, 0, 1, math.nan], [1, 0, 1, math.nan], [math.nan, math.nan, math.nan, 1]]
        )
        assert strict.value == pytest.approx(-1 / 3)
        assert lenient.value == pytest.approx(1 / 3)
        assert (strict.n_items, lenient.n_items) == (3, 3)
        assert (alone.value, alone.interval, alone.n_items) == (None, None, 0)

    def test_its_interval_is_that_of_the_differences(self) -> None:
        grades = np.random.default_rng(1).random((2, 80))
        found = grader_biases(grades)[0]
        expected = difference_intervals(grades[0] - grades[1])
        assert found.interval is not None
        assert (found.interval.low, found.interval.high) == pytest.approx((expected.low, expected.high))


class TestTrial:
    def test_by_hand(self) -> None:
        #                    right: both  judge  people  neither
        judged = [1] * 30 + [1] * 10 + [0] * 5 + [0] * 15
        graded = [1] * 30 + [0] * 10 + [1] * 5 + [0] * 15
        found = validate_judge(judged, graded)
        assert found.confusion.tolist() == [[15, 5], [10, 30]]
        assert found.accuracy.value == pytest.approx(45 / 60)
        assert found.bias.value == pytest.approx(40 / 60 - 35 / 60)
        chance = (40 * 35 + 20 * 25) / 3600
        assert found.kappa.value == pytest.approx((0.75 - chance) / (1 - chance))
        assert found.bias.low is not None and found.bias.value is not None and found.bias.high is not None
        assert found.bias.low < found.bias.value < found.bias.high

    def test_a_single_answer_has_no_interval(self) -> None:
        found = validate_judge([1], [0])
        assert (found.bias, found.accuracy) == (Estimate(1.0, None, 1), Estimate(0.0, None, 1))

    def test_what_is_neither_0_nor_1_is_refused(self) -> None:
        with pytest.raises(ValueError, match="graded: expected 0 and 1"):
            validate_judge([1, 0], [0.5, 1])
        with pytest.raises(ValueError, match="2 verdicts against 1 grades"):
            validate_judge([1, 0], [1])
