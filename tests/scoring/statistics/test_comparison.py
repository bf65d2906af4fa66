"""Differences, agreement, repeats and lines: by hand, against NumPy, and against what is simulated."""

import math

import numpy as np
import pytest
import scipy.stats
from hypothesis import assume, given
from hypothesis import strategies as st
from statsmodels.stats.power import TTestPower

from scoring.statistics import (
    DifferenceFromPeople,
    TooFewUnitsError,
    agreement,
    detectable_difference,
    difference_intervals,
    holm,
    log_fit,
    mean_intervals,
    paired_differences,
    system_against_people,
)
from scoring.statistics.arrays import FloatArray
from tests.scoring.metrics.strategies import thorough
from tests.scoring.statistics.samples import SHARES, score_matrices, systems

# Paired differences --------------------------------------------------------------------------------------------------


def test_a_difference_is_that_of_the_item_differences() -> None:
    """The interval is that of the vector of differences, whatever other pairs are compared."""
    rows = systems(4, 90, seed=1)
    found = paired_differences(rows)
    assert found.pairs == ((0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3))
    for index, (first, second) in enumerate(found.pairs):
        vector = rows[first] - rows[second]
        alone = difference_intervals(vector)
        assert found.value[index] == pytest.approx(vector.mean(), abs=1e-12)
        assert (found.interval.low[index], found.interval.high[index]) == (alone.low.item(), alone.high.item())
        assert found.p_value[index] == paired_differences(rows, [(first, second)]).p_value.item()
    assert found.corrected.tolist() == holm(found.p_value).tolist()


def drawn_pair(random: np.random.Generator, n: int, kind: str) -> FloatArray:
    """Two systems that are close, on questions of which some are hard for both."""
    hard = random.normal(size=n)
    gaps = np.array([[0.0], [2.0 / math.sqrt(n)]])
    if kind == "rare":
        return np.asarray(hard + 0.5 * random.normal(size=(2, n)) < -3 + gaps, dtype=float)
    if kind == "0/1":
        return np.asarray(hard + random.normal(size=(2, n)) < gaps, dtype=float)
    shares: FloatArray = 1 / (1 + np.exp(hard + random.normal(size=(2, n)) - gaps))
    return np.round(4 * shares) / 4 if kind == "ties" else shares


@pytest.mark.parametrize("clustered", [False, True])
@pytest.mark.parametrize("kind", ["0/1", "rare", "ties", "shares"])
@pytest.mark.parametrize("n", [30, 724, 3000])
def test_the_interval_holds_exactly_the_differences_that_the_test_does_not_reject(
    n: int, kind: str, clustered: bool
) -> None:
    random = np.random.default_rng([n, clustered])
    clusters = np.arange(n) // 5 if clustered else None
    for _ in range(20 if n == 30 else 4):
        rows = drawn_pair(random, n, kind)
        found = paired_differences(rows, clusters=clusters)
        (low,), (high,) = found.interval.low, found.interval.high
        assert (found.p_value.item() <= 0.05) == (not low < 0 < high)
        margin = high - low
        for supposed in (low + 1e-6 * margin, high - 1e-6 * margin, *random.uniform(low, high, 3)):
            shifted = paired_differences(np.stack([rows[0] - supposed, rows[1]]), clusters=clusters)
            assert shifted.p_value.item() > 0.05
        for supposed in (low - 1e-6 * margin, high + 1e-6 * margin, low - margin, high + margin):
            shifted = paired_differences(np.stack([rows[0] - supposed, rows[1]]), clusters=clusters)
            assert shifted.p_value.item() < 0.05


@given(score_matrices(min_systems=2, max_systems=2), st.sampled_from([0.5, 0.9, 0.95, 0.999]))
@thorough(100)
def test_the_interval_of_any_level_leaves_out_0_if_the_test_rejects_it(rows: FloatArray, level: float) -> None:
    rows = np.concatenate([rows, rows], axis=1)
    found = paired_differences(rows, level=level)
    assert 0 < found.p_value.item() <= 1
    if abs(found.p_value.item() - (1 - level)) > 1e-9:
        rejected = found.p_value.item() < 1 - level
        assert rejected == (not found.interval.low.item() <= 0 <= found.interval.high.item())


def test_few_questions_of_small_differences_have_one_answer_and_not_two() -> None:
    """On eight of 310 questions one system finds one item less: a question with the opposite outcome may be missing by
    chance alone, so neither interval nor test may call this a difference."""
    differences = np.zeros(310)
    differences[:8] = -np.array([1 / 5, 1 / 4, 1 / 10, 1 / 6, 1 / 5, 1 / 8, 1 / 4, 1 / 10])
    found = paired_differences(np.stack([differences, np.zeros(310)]))
    assert found.interval.low.item() < found.value.item() < 0 < found.interval.high.item()
    assert found.p_value.item() > 0.05


def test_a_p_value_is_never_0() -> None:
    ones, zeros = np.ones(3000), np.zeros(3000)
    for lower, shares in ((zeros, True), (zeros, False), (ones / 2, True)):
        found = paired_differences(np.stack([ones, lower]), shares=shares)
        assert 0 < found.p_value.item() < 1e-100
        assert found.corrected.item() > 0


@given(score_matrices(max_systems=4))
@thorough(60)
def test_a_system_never_differs_from_its_copy(rows: FloatArray) -> None:
    if rows.shape[1] < 2:
        rows = np.concatenate([rows, rows], axis=1)
    pairs = [(index, index + len(rows)) for index in range(len(rows))]
    found = paired_differences(np.concatenate([rows, rows]), pairs)
    assert not found.value.any()
    assert (found.interval.low < 0).all()
    assert (found.interval.high == -found.interval.low).all()
    assert (found.p_value == 1).all()


def test_differences_by_participant() -> None:
    people = ["anna", "anna", "anna", "ben", "ben", "cleo"]
    rows = [[1.0, 1.0, 1.0, 0.5, 1.0, 1.0], [0.0, 0.0, 0.5, 0.25, 0.0, 0.0]]
    found = paired_differences(rows, clusters=people)
    assert found.value[0] == pytest.approx(4.75 / 6)
    assert found.p_value[0] > paired_differences(rows).p_value[0], "three people say less than six items"
    expected = difference_intervals(np.subtract(rows[0], rows[1]), clusters=people)
    assert found.interval.low[0] == pytest.approx(expected.low.item())
    assert found.interval.high[0] == pytest.approx(expected.high.item())
    with pytest.raises(TooFewUnitsError):
        paired_differences(rows, clusters=["anna"] * 6)


def test_the_interval_of_a_difference_by_hand() -> None:
    """Of 30 questions the first is better on 8 and the second on 2."""
    found = difference_intervals([1] * 8 + [-1] * 2 + [0] * 20)
    mean = 6 / 30
    squares = 10 - 30 * mean**2
    largest = (1 + mean) ** 2
    deviations = [1 - mean] * 8 + [-1 - mean] * 2 + [-mean] * 20
    n_unlike = squares**2 / sum(number**4 for number in deviations)
    added = 2 * (3 + n_unlike * largest) / (3 + n_unlike)
    margin = scipy.stats.t.ppf(0.975, 29) * math.sqrt((squares + added) / 30 / 29)
    assert (found.low.item(), found.high.item()) == pytest.approx((mean - margin, mean + margin))
    assert (found.low.shape, found.high.shape) == ((), ())


@pytest.mark.parametrize("value", [0.0, 0.1, 1 / 3])
def test_without_any_deviation_the_interval_has_that_of_two_questions(value: float) -> None:
    margin = scipy.stats.t.ppf(0.975, 29) * math.sqrt(2 / 30 / 29)
    found = difference_intervals([value] * 30)
    assert (found.low.item(), found.high.item()) == pytest.approx((value - margin, value + margin))


def test_the_p_value_is_that_of_student_where_many_questions_differ() -> None:
    """The differences added to the sum of squares weigh little among 3,000 questions."""
    rows = systems(2, 3000, seed=4) * [[1], [0.99]] + [[0], [0.172]]
    expected = scipy.stats.ttest_rel(*rows).pvalue
    assert paired_differences(rows).p_value.item() == pytest.approx(expected, rel=0.1)


@given(score_matrices(min_systems=2, max_systems=2), st.booleans())
@thorough(100)
def test_an_interval_contains_its_difference_and_has_a_width(rows: FloatArray, clustered: bool) -> None:
    rows = rows / max(1.0, float(np.abs(rows).max()))
    differences = np.tile((rows[0] - rows[1]) / 2, 2)
    clusters = np.arange(len(differences)) // 2 if clustered and len(differences) > 2 else None
    found = difference_intervals(differences, clusters=clusters)
    assert -1 - 1e-12 <= found.low <= differences.mean() <= found.high <= 1 + 1e-12
    assert found.high - found.low > 1e-9
    turned = difference_intervals(-differences, clusters=clusters)
    assert (turned.low, turned.high) == pytest.approx((-found.high, -found.low), abs=1e-12)


def test_differences_that_are_not_of_shares_add_the_largest_deviation_seen_twice() -> None:
    differences = np.random.default_rng(2).normal(3, 2, 40)
    found = difference_intervals(differences, shares=False)
    deviations = differences - differences.mean()
    squares = (deviations**2).sum() + 2 * (deviations**2).max()
    margin = scipy.stats.t.ppf(0.975, 39) * math.sqrt(squares / 40 / 39)
    assert (found.low, found.high) == pytest.approx((differences.mean() - margin, differences.mean() + margin))
    hundredfold = difference_intervals(100 * differences, shares=False)
    assert (hundredfold.low, hundredfold.high) == pytest.approx((100 * found.low, 100 * found.high))


def test_a_single_item_has_no_interval() -> None:
    with pytest.raises(TooFewUnitsError):
        difference_intervals([0.5])


@pytest.mark.parametrize("pairs", [[], [(0, 2)], [(-1, 0)], [(0, 1, 1)]])
def test_scores_that_cannot_be_paired_are_refused(pairs: list[tuple[int, int]]) -> None:
    with pytest.raises(ValueError, match="pairs"):
        paired_differences([[0.0, 1.0], [1.0, 1.0]], pairs)


# Holm ----------------------------------------------------------------------------------------------------------------

p_value_lists = st.lists(st.floats(0, 1), max_size=15)


def test_holm_by_hand() -> None:
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.5, 0.9]).tolist() == [1.0, 1.0]
    assert holm([0.02]).tolist() == [0.02]
    assert holm([]).tolist() == []


@given(p_value_lists, st.sampled_from([0.01, 0.05, 0.3]))
@thorough(200)
def test_holm_rejects_what_the_step_down_procedure_rejects(p_values: list[float], alpha: float) -> None:
    order = sorted(range(len(p_values)), key=p_values.__getitem__)
    thresholds = [p_values[index] * (len(order) - step) for step, index in enumerate(order)]
    assume(all(abs(threshold - alpha) > 1e-12 for threshold in thresholds))
    rejected = set()
    for index, threshold in zip(order, thresholds, strict=True):
        if threshold > alpha:
            break
        rejected.add(index)
    assert set(np.flatnonzero(holm(p_values) <= alpha).tolist()) == rejected


def test_holm_refuses_what_is_no_probability() -> None:
    for p_values in ([-0.1], [1.1], [math.nan]):
        with pytest.raises(ValueError, match="p_values"):
            holm(p_values)


# Agreement -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("first", "second", "equal", "kappa", "pearson"),
    [
        ([1, 0], [1, 0], 1.0, 1.0, 1.0),
        ([1] * 25 + [0] * 25, [1] * 20 + [0] * 5 + [1] * 10 + [0] * 15, 0.7, 0.4, 1 / math.sqrt(6)),
        ([1, 0], [0, 1], 0.0, -1.0, -1.0),
        ([1, 1], [1, 1], 1.0, None, None),
        ([0, 0], [1, 1], 0.0, 0.0, None),
        ([1, 1], [1, 0], 0.5, 0.0, None),
        ([0.5, 1], [0.5, 0], 0.5, None, -1.0),
        ([0.1 + 0.2, 1], [0.3, 1], 1.0, None, 1.0),
    ],
)
def test_agreement_at_its_edges(
    first: list[float], second: list[float], equal: float, kappa: float | None, pearson: float | None
) -> None:
    found = agreement(first, second)
    assert found.equal_share == equal
    assert found.kappa == (None if kappa is None else pytest.approx(kappa))
    assert found.pearson == (None if pearson is None else pytest.approx(pearson))


@given(st.lists(st.tuples(st.sampled_from(SHARES), st.sampled_from(SHARES)), min_size=3, max_size=30))
@thorough(100)
def test_pearson_is_numpys_and_agreement_is_mutual(pairs: list[tuple[float, float]]) -> None:
    first, second = np.array(pairs).T
    found = agreement(first, second)
    if np.ptp(first) and np.ptp(second):
        assert found.pearson == pytest.approx(np.corrcoef(first, second)[0, 1], abs=1e-9)
    else:
        assert found.pearson is None
    back = agreement(second, first)
    assert found.equal_share == back.equal_share
    assert found.kappa == (None if back.kappa is None else pytest.approx(back.kappa, abs=1e-12))


def test_agreement_of_different_items_is_refused() -> None:
    with pytest.raises(ValueError, match="2 items against 1"):
        agreement([1, 0], [1])
    with pytest.raises(ValueError, match="nothing"):
        agreement([], [])
    with pytest.raises(ValueError, match="one dimension"):
        agreement([[1, 0]], [[1, 0]])


def test_a_detectable_difference_is_found_four_times_in_five() -> None:
    """The power of a paired t test, from statsmodels."""
    for n, deviation in ((724, 0.45), (30, 0.9)):
        difference = detectable_difference(deviation, n)
        assert difference is not None
        power = TTestPower().power(difference / deviation, n, 0.05)
        assert power == pytest.approx(0.8, abs=0.01)
    assert detectable_difference(1.0, 1) is None


# Lines ---------------------------------------------------------------------------------------------------------------


@given(st.lists(st.tuples(st.sampled_from([4096, 8000, 32_768, 128_000, 200_000, 10**6]), st.floats(0, 1)), min_size=2))
@thorough(100)
def test_the_line_is_numpys(points: list[tuple[int, float]]) -> None:
    sizes, scores = np.array(points, dtype=float).T
    line = log_fit(sizes, scores)
    if len(set(sizes.tolist())) < 2:
        assert line is None
        return
    assert line is not None
    slope, intercept = np.polyfit(np.log2(sizes), scores, 1)
    assert line.slope == pytest.approx(slope, abs=1e-7)
    assert line.intercept == pytest.approx(intercept, abs=1e-6)
    assert line.n_points == len(points)
    if np.ptp(scores) > 1e-6:
        assert line.r_squared == pytest.approx(np.corrcoef(np.log2(sizes), scores)[0, 1] ** 2, abs=1e-7)


def test_a_line_by_hand() -> None:
    line = log_fit([2, 4, 8, 16], [1, 3, 2, 4])
    assert line is not None
    assert line.at(32) == pytest.approx(4.5)
    flat = log_fit([2, 4], [0.3, 0.3])
    assert flat is not None
    assert (flat.slope, flat.r_squared) == (0, None)
    assert flat.at(1000) == 0.3


def test_lines_refuse_what_has_no_logarithm() -> None:
    for size in (0, -1):
        with pytest.raises(ValueError, match="above 0"):
            log_fit([size, 10], [0.1, 0.2])
    with pytest.raises(ValueError, match="2 context sizes but 1"):
        log_fit([10, 20], [0.1])
    line = log_fit([10, 20], [0.1, 0.2])
    assert line is not None
    with pytest.raises(ValueError, match="above 0"):
        line.at(0)


# A system against people ---------------------------------------------------------------------------------------------

WHO, ASKED = np.repeat(np.arange(12), 5), np.tile(np.arange(20), 3)


def against(system: FloatArray, people: FloatArray, level: float = 0.95) -> DifferenceFromPeople:
    found = system_against_people(system[ASKED], people, ASKED, WHO, level)
    assert found is not None
    return found


def test_a_difference_from_people_counts_people_and_questions_as_samples() -> None:
    random = np.random.default_rng(2)
    system, people = (random.random(20) < 0.6).astype(float), (random.random(60) < 0.4).astype(float)
    found = against(system, people)
    assert found.difference == pytest.approx(system[ASKED].mean() - people.mean())
    assert found.low < found.difference < found.high
    alone = mean_intervals(system)
    assert found.high - found.low > float(alone.high - alone.low), "the system was asked 20 questions, not 60"
    turned = against(1 - system, 1 - people)
    assert (turned.low, turned.high) == pytest.approx((-found.high, -found.low))
    assert turned.p_value == pytest.approx(found.p_value)
    wider = against(system, people, level=0.99)
    assert wider.low < found.low < found.high < wider.high
    assert wider.p_value == found.p_value


@given(st.lists(st.booleans(), min_size=20, max_size=20), st.lists(st.booleans(), min_size=60, max_size=60))
@thorough(50)
def test_a_difference_from_people_is_significant_if_its_interval_leaves_out_0(
    system: list[bool], people: list[bool]
) -> None:
    found = against(np.array(system, dtype=float), np.array(people, dtype=float))
    assert 0 < found.p_value <= 1
    if abs(found.p_value - 0.05) > 1e-3:
        assert (found.p_value < 0.05) == (not found.low <= 0 <= found.high)
    assert found.low < found.high, "no interval has no width"


def test_questions_that_are_hard_for_both_cancel_out() -> None:
    hard: FloatArray = np.tile([0.0, 1.0], 10)
    alike = against(hard, hard[ASKED])
    apart = against(hard, 1 - hard[ASKED])
    assert alike.high - alike.low < 0.5 * (apart.high - apart.low)


def test_other_units_have_another_interval_than_shares_and_a_mirror_image() -> None:
    random = np.random.default_rng(3)
    system, people = random.random(20)[ASKED], random.random(60)
    shares = system_against_people(system, people, ASKED, WHO)
    numbers = system_against_people(system, people, ASKED, WHO, shares=False)
    turned = system_against_people(-100 * system, -100 * people, ASKED, WHO, shares=False)
    assert shares and numbers and turned
    assert shares.low != numbers.low
    assert (turned.low, turned.high) == pytest.approx((-100 * numbers.high, -100 * numbers.low))
    assert turned.p_value == pytest.approx(numbers.p_value)


def test_too_few_people_or_questions_have_no_difference() -> None:
    system, people = np.ones(20), np.zeros(20)
    enough = np.tile(np.arange(5), 4), np.repeat([0, 1], 10)
    assert system_against_people(system, people, *enough) is not None
    assert system_against_people(system, people, np.tile(np.arange(4), 5), enough[1]) is None
    assert system_against_people(system, people, enough[0], np.zeros(20, dtype=int)) is None
    for wrong in ((np.ones(19), people, *enough), (system, people, enough[0][:5], enough[1])):
        with pytest.raises(ValueError, match="found"):
            system_against_people(*wrong)
