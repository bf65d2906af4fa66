"""Intervals of means: what they are by hand, what they never do. Their coverage: tests/bench/test_calibration.py."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from scoring.statistics import (
    TooFewUnitsError,
    completed,
    largest_square,
    mean_interval,
    mean_intervals,
    paired_differences,
    proportion_interval,
    weighted_mean_interval,
)
from scoring.statistics.arrays import FloatArray, clusterings
from scoring.statistics.distributions import Beta, student_quantile
from scoring.statistics.means import clustered_variance
from tests.scoring.metrics.strategies import thorough


@pytest.mark.parametrize(("a", "b"), [(1 / 3, 1 / 3), (1 / 3, 20.0), (700.0, 1 / 3), (0.5, 30.5), (3.5, 700.5)])
def test_beta_distribution(a: float, b: float) -> None:
    shares = np.array([0.001, 0.025, 0.5, 0.975, 0.999])
    expected = stats.beta.ppf(shares, a, b)
    assert Beta(a, b).quantiles(shares) == pytest.approx(expected, abs=1e-5)
    assert (Beta(a, b).mean, Beta(a, b).variance) == pytest.approx(stats.beta.stats(a, b))
    with pytest.raises(ValueError, match=r"at least 0\.333"):
        Beta(0.3, 1)


@pytest.mark.parametrize("degrees", [1, 1.5, 2.2, 7.9, 29, 99.5, 400])
def test_student_quantiles_of_degrees_that_are_not_whole(degrees: float) -> None:
    assert student_quantile(0.025, degrees) == pytest.approx(stats.t.ppf(0.975, degrees), abs=5e-5)


def test_no_success_and_no_failure_have_an_interval() -> None:
    none, every = mean_interval([0] * 100), mean_interval([1] * 100)
    assert (none.low, every.high) == (0.0, 1.0)
    assert none.high == pytest.approx(1.959964**2 / (100 + 1.959964**2), abs=1e-6)
    assert every.low == pytest.approx(1 - none.high)
    people = mean_interval([0] * 100, clusters=[number // 20 for number in range(100)])
    assert people.low == 0
    assert people.high > none.high


def test_proportions_by_hand() -> None:
    """Wilson's interval of 15 in 50; of 2 in 50 the lower end is the Poisson bound (Brown, Cai and DasGupta 2001)."""
    z, p, n = 1.959964, 0.3, 50
    middle, margin = p + z**2 / (2 * n), z * np.sqrt(p * (1 - p) / n + z**2 / (4 * n**2))
    found = proportion_interval([15, 2, 48], n)
    assert found.low[0] == pytest.approx((middle - margin) / (1 + z**2 / n), abs=1e-6)
    assert found.high[0] == pytest.approx((middle + margin) / (1 + z**2 / n), abs=1e-6)
    assert found.low[1] == pytest.approx(stats.chi2.ppf(0.05, 4) / 2 / n)
    assert found.high[2] == pytest.approx(1 - found.low[1])
    for successes, of in (([1.5], 3), ([4], 3), ([-1], 3), ([0], 0)):
        with pytest.raises(ValueError, match="successes"):
            proportion_interval(successes, of)


def test_the_variance_over_people_is_that_of_a_regression_on_a_constant() -> None:
    """CR2 and its degrees of freedom, from their matrices (Bell and McCaffrey 2002)."""
    sizes, random = np.array([3, 1, 5, 2]), np.random.default_rng(0)
    values, who = random.random(11), np.repeat(np.arange(4), sizes)
    residuals = values - values.mean()
    of = [who == person for person in range(4)]
    hat = np.eye(11) - 1 / 11
    contributions = []
    for mine in of:
        size = int(mine.sum())
        shares, vectors = np.linalg.eigh(np.eye(size) - 1 / 11)
        adjusted = vectors @ np.diag(shares**-0.5) @ vectors.T
        contributions.append(np.ones(size) @ adjusted @ hat[mine] / 11)
    weights = np.array(contributions)
    expected = float(((weights @ residuals) ** 2).sum())
    traces = np.trace(weights @ weights.T) ** 2 / np.trace(weights @ weights.T @ weights @ weights.T)
    variance, degrees = clustered_variance(residuals[None], np.ones(11), clusterings(11, who))
    assert variance[0] == pytest.approx(expected)
    assert degrees == pytest.approx(traces * 2 / 3 + 3 / 3)


def test_people_who_all_agree_with_themselves_count_once_each() -> None:
    """Ten answers of each person, all right or all wrong: nearly as uncertain as one answer of each."""
    right = np.array([1.0, 1.0, 0.0, 1.0, 0.0, 1.0, 1.0])
    tenfold = mean_interval(np.repeat(right, 10), clusters=np.repeat(np.arange(7), 10))
    once = mean_interval(right, clusters=np.arange(7))
    assert tenfold.low == pytest.approx(once.low, abs=0.01)
    assert tenfold.width > 2 * mean_interval(np.repeat(right, 10)).width


@given(
    rows=st.lists(st.lists(st.sampled_from([0.0, 0.25, 1.0]), min_size=7, max_size=7), min_size=1, max_size=4),
    clustered=st.booleans(),
)
@thorough(100)
def test_intervals_contain_their_means_and_stay_within_bounds(rows: list[list[float]], clustered: bool) -> None:
    clusters = [0, 0, 0, 1, 1, 2, 3] if clustered else None
    values: FloatArray = np.array(rows)
    found = mean_intervals(values, clusters=clusters)
    means = values.mean(axis=1)
    assert (found.low >= 0).all()
    assert (found.low <= means).all()
    assert (means <= found.high).all()
    assert (found.high <= 1).all()
    mirrored = mean_intervals(1 - values, clusters=clusters)
    assert mirrored.low == pytest.approx(1 - found.high, abs=1e-9)
    for row, low, high in zip(values, found.low, found.high, strict=True):
        alone = mean_interval(row, clusters)
        assert (alone.low, alone.high) == (low, high), "a row's interval does not depend on the others"


@given(
    values=st.lists(st.sampled_from([0.0, 0.25, 1.0]), min_size=8, max_size=8),
    clusters=st.lists(st.lists(st.integers(0, 3), min_size=8, max_size=8), min_size=1, max_size=2),
)
@thorough(100)
def test_clusters_make_no_interval_narrower(values: list[float], clusters: list[list[int]]) -> None:
    if min(len(set(way)) for way in clusters) > 1:
        alone, clustered = mean_interval(values), mean_interval(values, clusters if clusters[1:] else clusters[0])
        assert clustered.low <= alone.low
        assert alone.high <= clustered.high


def test_people_who_agree_by_chance_say_little_of_others() -> None:
    """Five people with one right answer of five each: Wilson's interval of 5 in 25."""
    found = mean_interval([1, 0, 0, 0, 0] * 5, np.repeat(np.arange(5), 5))
    assert (found.low, found.high) == pytest.approx((0.0886, 0.3913), abs=1e-4)


def test_the_variance_over_people_and_questions() -> None:
    """The sum of that of both, less that of what both have in common (Cameron, Gelbach and Miller 2011)."""
    random = np.random.default_rng(0)
    values, who, asked = random.random(24), np.repeat(np.arange(6), 4), np.tile([0, 0, 1, 2, 3, 4, 5, 6], 3)
    residuals = values - values.mean()

    def of(clusters: list[str]) -> float:
        named = {name: [at for at, other in enumerate(clusters) if other == name] for name in clusters}
        return float(sum(residuals[at].sum() ** 2 / (1 - len(at) / 24) for at in named.values())) / 24**2

    pairs = [f"{one} {other}" for one, other in zip(who, asked, strict=True)]
    expected = [of([str(name) for name in names]) for names in (who, asked)]
    variance, degrees = clustered_variance(residuals[None], np.ones(24), clusterings(24, (who, asked)))
    assert variance[0] == pytest.approx(max(*expected, sum(expected) - of(pairs)))
    assert degrees == min(
        clustered_variance(residuals[None], np.ones(24), clusterings(24, way))[1] for way in (who, asked)
    )


def test_questions_that_nobody_shares_leave_the_interval_over_people() -> None:
    values, who = np.repeat([0, 1, 0.5, 1, 0.25], 4) * (np.arange(20) % 5 > 0), np.repeat(np.arange(5), 4)
    assert mean_interval(values, (who, np.arange(20))) == mean_interval(values, who)


def test_values_beyond_0_and_1_have_a_symmetric_interval() -> None:
    values = np.array([-0.5, 0.1, 0.4, 1.2])
    found = mean_interval(values)
    margin = stats.t.ppf(0.975, 3) * values.std(ddof=1) / 2
    assert (found.low, found.high) == pytest.approx((values.mean() - margin, values.mean() + margin), abs=1e-6)


def test_one_answer_or_one_person_gives_no_interval() -> None:
    with pytest.raises(TooFewUnitsError):
        mean_interval([1.0])
    with pytest.raises(TooFewUnitsError):
        mean_interval([1.0, 0.0], clusters=["a", "a"])
    with pytest.raises(TooFewUnitsError):
        mean_interval([1.0, 0.0, 1.0], clusters=(["a", "b", "c"], ["q"] * 3))
    with pytest.raises(ValueError, match="one dimension"):
        mean_interval([[1.0, 0.0]])


def drawn_values_and_weights(n_items: int = 40) -> tuple[FloatArray, FloatArray]:
    random = np.random.default_rng(6)
    return (random.random(n_items) < 0.4).astype(float), random.integers(1, 6, n_items).astype(float)


def test_a_weighted_mean_with_equal_weights_has_the_interval_of_a_mean() -> None:
    values, _ = drawn_values_and_weights()
    names = ["a", "b", "c", "d"] * 10
    assert weighted_mean_interval(values, np.full(40, 3.0)) == mean_interval(values)
    assert weighted_mean_interval(values, clusters=names) == mean_interval(values, names)


def test_items_that_do_not_count_change_no_interval() -> None:
    values, weights = drawn_values_and_weights()
    ends = weighted_mean_interval(np.append(values, [1, 0]), np.append(weights, [0, 0]))
    assert ends == weighted_mean_interval(values, weights)
    assert ends == weighted_mean_interval(np.append(values, np.nan), np.append(weights, 2))


def test_the_ends_of_a_weighted_interval_are_plain_numbers_that_can_be_stored() -> None:
    values, weights = drawn_values_and_weights()
    for shares in (True, False):
        ends = weighted_mean_interval(values, weights, shares=shares)
        assert [type(end) for end in (ends.low, ends.high)] == [float, float]


def test_an_interval_of_a_weighted_mean_is_wider_for_unequal_weights_and_contains_the_mean() -> None:
    values, weights = drawn_values_and_weights()
    ends = weighted_mean_interval(values, weights)
    assert ends.low < np.average(values, weights=weights) < ends.high
    assert ends.width > mean_interval(values).width
    assert weighted_mean_interval(values, weights**3).width > ends.width
    assert weighted_mean_interval(values, weights, clusters=["a", "b", "c", "d"] * 10).width >= ends.width
    assert weighted_mean_interval(10 * values, weights, shares=False).high > 1


def test_all_right_answers_have_an_interval_however_they_count() -> None:
    _, weights = drawn_values_and_weights()
    ends = weighted_mean_interval(np.ones(40), weights)
    assert ends.high == 1
    assert 0.8 < ends.low < mean_interval(np.ones(40)).low


def test_a_completed_vector_has_the_weighted_mean_and_its_variance() -> None:
    values, weights = drawn_values_and_weights()
    mean = np.average(values, weights=weights)
    vector = completed(values, weights)
    assert vector.mean() == pytest.approx(mean)
    squares = (weights**2 * (values - mean) ** 2).sum() / weights.sum() ** 2
    assert vector.var() / len(vector) == pytest.approx(squares)
    assert (completed(values) == values).all()


def test_weights_that_cannot_be_are_refused() -> None:
    for weights in ([1.0, -1.0], [1.0], [0.0, 0.0], [1.0, float("inf")]):
        for function in (completed, weighted_mean_interval, largest_square):
            with pytest.raises(ValueError, match=r"weights|values"):
                function([1.0, 0.0], weights)
    with pytest.raises(TooFewUnitsError):
        weighted_mean_interval([1.0, 0.0], [1.0, 0.0])
    with pytest.raises(TooFewUnitsError):
        weighted_mean_interval([1.0, 0.0, 1.0], [1.0, 2.0, 3.0], clusters=["a", "a", "a"])


def test_a_system_that_attempts_ten_of_a_thousand_questions_is_not_found_better() -> None:
    few, many = np.zeros(1000), np.ones(1000)
    few[:10] = 1
    values = np.array([np.ones(1000), np.arange(1000) % 20 > 0], dtype=float)
    least = largest_square(values[0], few)
    assert least == pytest.approx(100**2)
    rows = [completed(values[0], few), completed(values[1], many)]
    assert paired_differences(rows).p_value.item() < 0.001, "all ten are right, so that they seem to have no variance"
    assert paired_differences(rows, least=least).p_value.item() > 0.05
