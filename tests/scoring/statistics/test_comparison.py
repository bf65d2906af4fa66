"""Differences, agreement, repeats and lines: by hand, against NumPy, and against what is simulated."""

import math

import numpy as np
import pytest
from hypothesis import given
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
    proportion_interval,
    sign_flip_test,
    system_against_people,
)
from scoring.statistics.arrays import FloatArray
from scoring.statistics.distributions import student_quantile
from tests.scoring.metrics.strategies import thorough
from tests.scoring.statistics.samples import SHARES, score_matrices, systems

# Paired differences --------------------------------------------------------------------------------------------------


def test_a_difference_is_that_of_the_item_differences() -> None:
    """The interval is that of the vector of differences, the p-value its sign-flip test."""
    rows = systems(4, 90, seed=1)
    found = paired_differences(rows, seed=6, n_resamples=500)
    assert found.pairs == ((0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3))
    for index, (first, second) in enumerate(found.pairs):
        vector = rows[first] - rows[second]
        alone = difference_intervals(vector)
        assert found.value[index] == pytest.approx(vector.mean(), abs=1e-12)
        assert found.interval.low[index] == pytest.approx(alone.low.item(), abs=1e-12)
        assert found.interval.high[index] == pytest.approx(alone.high.item(), abs=1e-12)
        assert found.p_value[index] == sign_flip_test(vector, seed=6, n_resamples=500).item()
    assert found.corrected.tolist() == holm(found.p_value).tolist()


@given(score_matrices(max_systems=4), st.integers(0, 5))
@thorough(60)
def test_a_system_never_differs_from_its_copy(rows: FloatArray, seed: int) -> None:
    if rows.shape[1] < 2:
        rows = np.concatenate([rows, rows], axis=1)
    pairs = [(index, index + len(rows)) for index in range(len(rows))]
    found = paired_differences(np.concatenate([rows, rows]), pairs, seed=seed, n_resamples=60)
    assert not found.value.any()
    assert (found.interval.low < 0).all()
    assert (found.interval.high == -found.interval.low).all()
    assert (found.p_value == 1).all()


def test_turning_a_pair_around_turns_the_difference_around() -> None:
    rows = systems(2, 50, seed=2)
    there, back = (paired_differences(rows, [pair], seed=1, n_resamples=400) for pair in ((0, 1), (1, 0)))
    assert there.value == -back.value
    assert there.interval.low == -back.interval.high
    assert there.p_value == back.p_value


def test_pairing_finds_what_two_overlapping_intervals_hide() -> None:
    """Questions differ much, the systems little but steadily."""
    chance = np.random.default_rng(3)
    hard = chance.random(200)
    rows = np.array([hard, np.clip(hard + 0.02 + chance.normal(0, 0.03, 200), 0, None)])
    alone = mean_intervals(rows)
    assert alone.high[0] > rows[1].mean()
    found = paired_differences(rows, seed=1)
    assert found.interval.high[0] < 0
    assert found.p_value[0] < 0.001


def test_differences_by_participant() -> None:
    people = ["anna", "anna", "anna", "ben", "ben", "cleo"]
    rows = [[1.0, 1.0, 1.0, 0.5, 1.0, 1.0], [0.0, 0.0, 0.5, 0.25, 0.0, 0.0]]
    found = paired_differences(rows, seed=0, clusters=people)
    assert found.value[0] == pytest.approx(4.75 / 6)
    assert found.p_value[0] == 0.25
    expected = difference_intervals(np.subtract(rows[0], rows[1]), clusters=people)
    assert found.interval.low[0] == pytest.approx(expected.low.item())
    assert found.interval.high[0] == pytest.approx(expected.high.item())
    with pytest.raises(TooFewUnitsError):
        paired_differences(rows, seed=0, clusters=["anna"] * 6)


def test_the_interval_of_a_difference_by_hand() -> None:
    """Of 30 questions the first is better on 8 and the second on 2: the intervals of 8/30 and 2/30, combined with the
    correlation of two exclusive outcomes."""
    found = difference_intervals([1] * 8 + [-1] * 2 + [0] * 20)
    ends = proportion_interval([8, 2], 30)
    correlation = -math.sqrt(8 * 2 / (22 * 28))
    below, above = 8 / 30 - ends.low[0], ends.high[1] - 2 / 30
    distance = math.sqrt(below**2 + above**2 - 2 * correlation * below * above)
    assert found.low.item() == pytest.approx(0.2 - distance)
    above, below = ends.high[0] - 8 / 30, 2 / 30 - ends.low[1]
    distance = math.sqrt(below**2 + above**2 - 2 * correlation * below * above)
    assert found.high.item() == pytest.approx(0.2 + distance)
    assert (found.low.shape, found.high.shape) == ((), ())


def test_without_any_difference_the_interval_is_that_of_no_success() -> None:
    found = difference_intervals([0.0] * 30)
    assert found.high.item() == -found.low.item() == proportion_interval(0, 30).high.item()


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


def test_differences_beyond_1_have_an_interval_of_student() -> None:
    differences = np.random.default_rng(2).normal(3, 2, 40)
    found = difference_intervals(differences)
    margin = student_quantile(0.025, 39) * differences.std(ddof=1) / math.sqrt(40)
    assert (found.low, found.high) == pytest.approx((differences.mean() - margin, differences.mean() + margin))


def test_a_single_item_has_no_interval() -> None:
    with pytest.raises(TooFewUnitsError):
        difference_intervals([0.5])


@pytest.mark.parametrize("pairs", [[], [(0, 2)], [(-1, 0)], [(0, 1, 1)]])
def test_scores_that_cannot_be_paired_are_refused(pairs: list[tuple[int, int]]) -> None:
    with pytest.raises(ValueError, match="pairs"):
        paired_differences([[0.0, 1.0], [1.0, 1.0]], pairs, seed=0)


def test_differences_need_two_systems() -> None:
    with pytest.raises(ValueError, match="pairs"):
        paired_differences([[0.0, 1.0]], seed=0)


# Agreement -----------------------------------------------------------------------------------------------------------


def test_kappa_by_hand() -> None:
    """Both right 20 times, one alone 5 and 10, none 15: 0.7 observed, 0.5 by chance."""
    first = [1] * 20 + [1] * 5 + [0] * 10 + [0] * 15
    second = [1] * 20 + [0] * 5 + [1] * 10 + [0] * 15
    found = agreement(first, second)
    assert (found.n_items, found.equal_share) == (50, 0.7)
    assert found.kappa == pytest.approx(0.4)


@pytest.mark.parametrize(
    ("first", "second", "equal", "kappa", "pearson"),
    [
        ([1, 0], [1, 0], 1.0, 1.0, 1.0),
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
    assert line.slope == pytest.approx(0.8)
    assert line.intercept == pytest.approx(0.5)
    assert line.n_points == 4
    assert line.r_squared == pytest.approx(0.64)
    assert line.at(32) == pytest.approx(4.5)
    flat = log_fit([2, 4], [0.3, 0.3])
    assert flat is not None
    assert (flat.slope, flat.r_squared) == (0, None)
    assert flat.at(1000) == 0.3


def test_no_line_through_one_place() -> None:
    assert log_fit([4096], [0.5]) is None
    assert log_fit([4096, 4096], [0.5, 0.7]) is None


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
