"""The bootstrap against enumeration, other arithmetic and other machines; intervals against what they promise."""

import hashlib
import math
import os
import subprocess
import sys
import tracemalloc
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from numpy.typing import ArrayLike

from scoring.statistics import TooFewUnitsError, arrays, bootstrap_interval, bootstrap_means, interval, resampling
from scoring.statistics.distributions import student_quantile
from scoring.statistics.resampling import expanded_tail, resample_counts
from tests.scoring.metrics.strategies import thorough
from tests.scoring.statistics.samples import score_matrices, systems

# The draws -----------------------------------------------------------------------------------------------------------


def drawn(n_units: int, n_resamples: int, seed: int) -> list[list[int]]:
    """The units drawn in each resample, by a loop over the generator's words as documented."""
    bits = np.random.PCG64(np.random.SeedSequence((seed, 1)))
    resamples = []
    for _ in range(n_resamples):
        halves: list[int] = []
        for word in bits.random_raw((n_units + 1) // 2).tolist():
            halves += [word & 0xFFFFFFFF, word >> 32]
        resamples.append([half * n_units >> 32 for half in halves[:n_units]])
    return resamples


@pytest.mark.parametrize("n_units", [1, 2, 3, 8, 31])
def test_the_draws_are_those_of_a_plain_loop(n_units: int) -> None:
    counts = np.concatenate(list(resample_counts(n_units, 50, seed=7)))
    assert counts.tolist() == [[row.count(unit) for unit in range(n_units)] for row in drawn(n_units, 50, 7)]


def test_the_draws_stay_as_they_are() -> None:
    """Intervals on the site must not change with a version of NumPy: the draws of 724 questions, pinned."""
    counts = np.concatenate(list(resample_counts(724, 1000, seed=20240811)))
    digest = hashlib.sha256(counts.astype("<f8").tobytes()).hexdigest()
    assert digest == "14c868c5a2904050e9cbb47b97f0d9726f2d013740b59deebe0e1d004b99c092"


def test_all_resamples_are_equally_likely() -> None:
    """Three items: 27 resamples. The χ² statistic has 26 degrees of freedom; 54.05 is exceeded once in 1,000 times."""
    n_resamples = 27_000
    found: dict[tuple[int, ...], int] = dict.fromkeys(product(range(3), repeat=3), 0)
    for row in drawn(3, n_resamples, 11):
        found[tuple(row)] += 1
    assert sum((count - 1000) ** 2 / 1000 for count in found.values()) < 54.05


def test_means_have_the_distribution_of_all_resamples() -> None:
    values = [0.0, 0.25, 1.0]
    exact = [sum(values[index] for index in chosen) / 3 for chosen in product(range(3), repeat=3)]
    means = bootstrap_means(values, seed=3, n_resamples=27_000)
    for value in sorted(set(exact)):
        expected = exact.count(value) / 27
        error = math.sqrt(expected * (1 - expected) / 27_000)
        assert abs(np.mean(np.abs(means - value) < 1e-12) - expected) < 4 * error


def test_the_spread_is_the_standard_error() -> None:
    rows = systems(5, 400, seed=1)
    means = bootstrap_means(rows, seed=5)
    assert np.allclose(means.std(axis=1), rows.std(axis=1) / 20, rtol=0.03)
    assert np.allclose(means.mean(axis=1), rows.mean(axis=1), atol=4 * rows.std() / 20 / 100)


@given(score_matrices(), st.integers(0, 2**64))
@thorough(100)
def test_means_are_exact_to_the_last_digits(rows: arrays.FloatArray, seed: int) -> None:
    found = bootstrap_means(rows, seed=seed, n_resamples=5)
    for row, means in zip(rows.tolist(), found.tolist(), strict=True):
        span = max(row) - min(row) + max(map(abs, row))
        for chosen, mean in zip(drawn(len(row), 5, seed), means, strict=True):
            exact = sum(Fraction(row[index]) for index in chosen) / len(row)
            assert abs(Fraction(mean) - exact) <= 1e-13 * span
            assert min(row) <= mean <= max(row)


# Pairing, order, blocks, machines ------------------------------------------------------------------------------------


@given(score_matrices(min_systems=2), st.randoms())
@thorough(60)
def test_a_system_does_not_depend_on_the_others_or_on_their_order(rows: arrays.FloatArray, chance: object) -> None:
    together = bootstrap_means(rows, seed=1, n_resamples=40)
    order = list(range(len(rows)))
    chance.shuffle(order)  # type: ignore[attr-defined]
    assert bootstrap_means(rows[order], seed=1, n_resamples=40).tolist() == together[order].tolist()
    for row, means in zip(rows, together, strict=True):
        alone = bootstrap_means(row, seed=1, n_resamples=40)
        assert alone.shape == (40,)
        assert alone.tolist() == means.tolist()


def test_equal_systems_stay_equal_to_the_last_bit_among_many() -> None:
    """A matrix product of floats adds in another order in other places of the matrix; whole numbers do not mind."""
    rows = np.array([systems(1, 724, seed=2)[0]] * 61)
    means = bootstrap_means(rows, seed=1, n_resamples=500)
    assert (means == means[0]).all()


@given(score_matrices(), st.floats(-1e3, 1e3))
@thorough(60)
def test_shifting_the_values_shifts_means_and_interval(rows: arrays.FloatArray, shift: float) -> None:
    scale = 1e-12 * (1 + np.abs(rows).max() + abs(shift))
    means = bootstrap_means(rows, seed=9, n_resamples=60)
    shifted = bootstrap_means(rows + shift, seed=9, n_resamples=60)
    assert np.abs(shifted - means - shift).max() <= scale
    here, there = interval(means), interval(shifted)
    assert np.abs(there.low - here.low - shift).max() <= scale
    assert np.abs(there.high - here.high - shift).max() <= scale


@pytest.mark.parametrize("clusters", [None, [index // 4 for index in range(101)]])
@pytest.mark.parametrize("block_values", [1, 101, 1000, 2**30])
def test_the_size_of_blocks_changes_nothing(
    monkeypatch: pytest.MonkeyPatch, block_values: int, clusters: list[int] | None
) -> None:
    rows = systems(3, 101, seed=4)
    expected = bootstrap_means(rows, seed=1, n_resamples=77, clusters=clusters)
    monkeypatch.setattr(arrays, "BLOCK_VALUES", block_values)
    assert bootstrap_means(rows, seed=1, n_resamples=77, clusters=clusters).tolist() == expected.tolist()


@pytest.mark.parametrize(("n_systems", "n_items"), [(2, 1000), (300, 10)])
def test_memory_beside_the_result_is_a_few_blocks(
    monkeypatch: pytest.MonkeyPatch, n_systems: int, n_items: int
) -> None:
    monkeypatch.setattr(arrays, "BLOCK_VALUES", 2**15)
    monkeypatch.setattr(resampling, "MAX_CACHED_COUNTS", 0)
    rows = systems(n_systems, n_items, seed=4)
    bootstrap_means(rows, seed=1, n_resamples=5)
    tracemalloc.start()
    try:
        means = bootstrap_means(rows, seed=1, n_resamples=4000)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert means.shape == (n_systems, 4000)
    block = 2**15 * 8
    assert peak - means.nbytes < 8 * block + 4 * rows.nbytes  # all counts at once would take 32 MB, 120 blocks


@pytest.mark.parametrize("n_units", [1, 2, 101, 300])
def test_kept_draws_are_the_drawn_ones_made_once(monkeypatch: pytest.MonkeyPatch, n_units: int) -> None:
    monkeypatch.setattr(resampling, "MAX_CACHED_COUNTS", 0)
    drawn = np.concatenate(list(resampling.resample_counts(n_units, 900, seed=8)))
    monkeypatch.undo()
    resampling._cached_counts.cache_clear()
    first = np.concatenate(list(resampling.resample_counts(n_units, 900, seed=8, n_rows=5)))
    monkeypatch.setattr(resampling, "random_words", None)  # nothing is drawn again
    again = np.concatenate(list(resampling.resample_counts(n_units, 900, seed=8, n_rows=100_000)))
    assert drawn.tolist() == first.tolist() == again.tolist()
    assert drawn.sum(axis=1).tolist() == [n_units] * 900


def test_kept_draws_count_beyond_a_byte() -> None:
    counts = np.concatenate(list(resampling.resample_counts(1, 4, seed=0)))
    assert counts.tolist() == [[1.0]] * 4
    assert resampling._cached_counts(724, 100, 0).itemsize == 1
    many = [np.full((2, 2), 300), np.array([[1, 599]])]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(resampling, "_drawn_counts", lambda *args: iter(many))
        resampling._cached_counts.cache_clear()
        assert resampling._cached_counts(2, 3, 99).tolist() == [[300, 300], [300, 300], [1, 599]]
    resampling._cached_counts.cache_clear()


def test_blocks_hold_no_more_values_than_allowed() -> None:
    for n_units, n_rows in product((1, 7, 724, 100_000), (1, 50, 12_000)):
        size = arrays.block_size(n_units, n_rows)
        assert size >= 1
        assert size * max(n_units, n_rows) <= arrays.BLOCK_VALUES
    assert arrays.block_size(arrays.BLOCK_VALUES + 1, 1) == 1


@pytest.mark.slow
def test_every_machine_and_number_of_threads_gives_the_same_bits() -> None:
    """Other instructions and other kernels of the matrix product, as other processors would take them."""
    program = (
        "import hashlib; from tests.scoring.statistics.samples import systems; import scoring.statistics as s; "
        "rows = systems(23, 724, seed=8); means = s.bootstrap_means(rows, seed=1, n_resamples=800); "
        "h = hashlib.sha256(means.tobytes()); "
        "h.update(s.sign_flip_test(rows[1:] - rows[0], seed=1, n_resamples=800).tobytes()); print(h.hexdigest())"
    )
    plain = {"OPENBLAS_CORETYPE": "Prescott", "OPENBLAS_NUM_THREADS": "1"}
    outputs = set()
    for changes in ({}, {"OPENBLAS_NUM_THREADS": "3"}, plain):
        done = subprocess.run(
            [sys.executable, "-c", program], env=os.environ | changes, capture_output=True, text=True, check=True
        )
        outputs.add(done.stdout)
    assert len(outputs) == 1


# Clusters ------------------------------------------------------------------------------------------------------------


def test_clusters_are_drawn_whole() -> None:
    values, clusters = [0.5, 1.0, 0.0, 0.25, 1.0, 0.75], ["b", "a", "b", "c", "a", "b"]
    members = [[1.0, 1.0], [0.5, 0.0, 0.75], [0.25]]
    means = bootstrap_means(values, seed=2, n_resamples=200, clusters=clusters)
    for chosen, mean in zip(drawn(3, 200, 2), means.tolist(), strict=True):
        items = [value for index in chosen for value in members[index]]
        assert mean == pytest.approx(sum(items) / len(items), abs=1e-13)


def test_clusters_of_one_item_are_no_clusters() -> None:
    rows = systems(2, 30, seed=6)
    alone = bootstrap_means(rows, seed=1, n_resamples=100)
    assert bootstrap_means(rows, seed=1, n_resamples=100, clusters=list(range(30))).tolist() == alone.tolist()


def test_one_cluster_has_no_interval() -> None:
    assert set(bootstrap_means([0.0, 1.0], seed=0, n_resamples=50, clusters=[3, 3]).tolist()) == {0.5}
    with pytest.raises(TooFewUnitsError):
        bootstrap_interval([0.0, 1.0], seed=0, clusters=[3, 3])


@pytest.mark.parametrize("clusters", [[1], [1, 2, 3], [[1, 2]], [1.0, 2.0], [None, "a"]])
def test_clusters_that_do_not_fit_are_refused(clusters: list[int]) -> None:
    with pytest.raises(ValueError, match="clusters"):
        bootstrap_means([0.0, 1.0], seed=0, clusters=clusters)


# Intervals -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("confidence", "low", "high"), [(0.95, 250, 9751), (0.9, 500, 9501), (0.5, 2500, 7501), (0.99, 50, 9951)]
)
def test_the_ends_are_the_stated_order_statistics(confidence: float, low: int, high: int) -> None:
    values = np.random.default_rng(0).permutation(np.arange(1.0, 10_001))
    found = interval(values, confidence)
    assert (found.low.item(), found.high.item(), found.confidence) == (low, high, confidence)
    assert found.low.shape == ()
    assert found.width.item() == high - low


def test_intervals_of_several_systems_are_those_of_each(monkeypatch: pytest.MonkeyPatch) -> None:
    means = bootstrap_means(systems(7, 60, seed=3), seed=1, n_resamples=999)
    alone = [interval(row) for row in means]
    for block_values in (arrays.BLOCK_VALUES, 2500):
        monkeypatch.setattr("scoring.statistics.resampling.BLOCK_VALUES", block_values)
        together = interval(means)
        assert together.low.tolist() == [found.low.item() for found in alone]
        assert together.high.tolist() == [found.high.item() for found in alone]


@given(score_matrices())
@thorough(60)
def test_turning_the_scale_around_turns_the_interval_around(rows: arrays.FloatArray) -> None:
    means = bootstrap_means(rows, seed=1, n_resamples=45)
    forwards, backwards = interval(means), interval(-means)
    assert (backwards.low == -forwards.high).all()
    assert (backwards.high == -forwards.low).all()
    assert (forwards.low <= forwards.high).all()


@pytest.mark.parametrize("value", [0.0, 1.0, 0.1, 1 / 3, -7e300, 5e-324])
def test_equal_values_give_exactly_that_value(value: float) -> None:
    found = bootstrap_interval([value] * 7, seed=0)
    assert found.low.item() == found.high.item() == value


def test_one_item_has_a_mean_and_no_interval() -> None:
    assert set(bootstrap_means([0.3], seed=0, n_resamples=20).tolist()) == {0.3}
    with pytest.raises(TooFewUnitsError):
        bootstrap_interval([0.3], seed=0)
    with pytest.raises(TooFewUnitsError):
        interval([0.3] * 100, n_units=1)


def test_sizes_far_from_one_are_no_trouble() -> None:
    for size in (1e-300, 1e300):
        found = bootstrap_interval([0.0, size, size, 0.0], seed=0)
        assert 0 <= found.low.item() < size / 2 < found.high.item() <= size
    with pytest.raises(ValueError, match="far apart"):
        bootstrap_means([-1.7e308, 1.7e308], seed=0)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([], "nothing"),
        ([[], []], "nothing"),
        ([0.5, math.nan], "item 1 is nan"),
        ([[0.5, 1], [math.inf, 0]], "system 1, item 0 is inf"),
        (0.5, "shape"),
        ([[[0.5]]], "shape"),
        ([None, 0.5], "numbers"),
        (["0.5", "1"], "numbers"),
        ([1j], "numbers"),
    ],
)
def test_what_has_no_mean_is_refused(values: ArrayLike, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        bootstrap_means(values, seed=0)


def test_impossible_wishes_are_refused() -> None:
    with pytest.raises(ValueError, match="n_resamples"):
        bootstrap_means([1.0], seed=0, n_resamples=0)
    with pytest.raises(ValueError, match="seed"):
        bootstrap_means([1.0], seed=-1)
    for confidence in (0, 1, -0.5, 1.5, math.nan):
        with pytest.raises(ValueError, match="confidence"):
            interval([1.0] * 100, confidence)
    with pytest.raises(ValueError, match="too few"):
        interval([1.0] * 38, 0.95)
    assert interval([1.0] * 39, 0.95).low == 1


def test_the_seed_matters_and_nothing_is_changed_in_place() -> None:
    rows = systems(2, 50, seed=1)
    before = rows.copy()
    first = bootstrap_means(rows, seed=1, n_resamples=100)
    assert first.tolist() == bootstrap_means(rows, seed=1, n_resamples=100).tolist()
    assert first.tolist() != bootstrap_means(rows, seed=2, n_resamples=100).tolist()
    kept = first.copy()
    interval(first)
    assert (rows == before).all()
    assert (first == kept).all()


# What intervals promise ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("degrees", "share", "quantile"),
    [  # tables of Student's distribution
        (1, 0.025, 12.7062), (2, 0.025, 4.3027), (3, 0.05, 2.3534), (4, 0.025, 2.7764), (9, 0.005, 3.2498),
        (10, 0.025, 2.2281), (13, 0.025, 2.1604), (30, 0.1, 1.3104), (100, 0.025, 1.9840), (1000, 0.025, 1.9623),
        (1001, 0.025, 1.9623), (10**9, 0.025, 1.9600),
    ],
)  # fmt: skip
def test_student_quantiles(degrees: int, share: float, quantile: float) -> None:
    assert student_quantile(share, degrees) == pytest.approx(quantile, abs=6e-5)


@given(st.integers(4, 3000), st.floats(0.01, 0.4))
@thorough(100)
def test_expanding_leaves_less_outside_and_less_so_with_more_units(n_units: int, share: float) -> None:
    assume(n_units != 1001)  # where the series hands over to the expansion, which differs in the eighth digit
    assert expanded_tail(share, n_units) < expanded_tail(share, n_units + 1) < share


def coverage(rows: arrays.FloatArray, truth: float, *, n_units: int | None, clusters: list[int] | None = None) -> float:
    """The share of samples (rows) whose interval holds the truth."""
    found = interval(bootstrap_means(rows, seed=17, n_resamples=1999, clusters=clusters), n_units=n_units)
    return float(np.mean((found.low <= truth) & (truth <= found.high)))


def test_intervals_hold_the_truth_as_often_as_they_say() -> None:
    """2,000 samples: the share is known to ±1 %."""
    chance = np.random.default_rng(5)
    right_or_wrong = (chance.random((2000, 200)) < 0.3).astype(float)
    assert 0.925 < coverage(right_or_wrong, 0.3, n_units=200) < 0.97
    shares = chance.choice([0.0, 0.25, 0.5, 1.0], p=[0.4, 0.2, 0.2, 0.2], size=(2000, 120))
    assert 0.93 < coverage(shares, 0.35, n_units=120) < 0.97


def test_few_units_need_the_expanded_interval() -> None:
    samples = np.random.default_rng(6).normal(0.5, 0.1, (2000, 8))
    assert coverage(samples, 0.5, n_units=None) < 0.915
    assert 0.93 < coverage(samples, 0.5, n_units=8) < 0.97


def test_answers_of_a_participant_are_not_independent() -> None:
    """14 people with 10 answers each, half of the variance between people."""
    chance = np.random.default_rng(7)
    people = [index // 10 for index in range(140)]
    samples = 0.5 + 0.1 * (chance.normal(size=(1000, 14))[:, people] + chance.normal(size=(1000, 140)))
    assert coverage(samples, 0.5, n_units=140) < 0.75
    assert 0.93 < coverage(samples, 0.5, n_units=14, clusters=people) < 0.97
