"""Ranks and rank sets against plain loops. ``tests/bench/calibration/rank_sets.py`` simulates their level."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.statistics import competition_ranks, rank_sets, rank_statistics, ranks
from scoring.statistics.arrays import FloatArray
from tests.scoring.metrics.strategies import thorough
from tests.scoring.statistics.samples import SHARES, score_matrices, systems


def counted_ranks(values: list[float]) -> list[int]:
    """One more than those that are better by more than rounding."""
    return [1 + sum(other > value + 1e-10 for other in values) for value in values]


@given(st.lists(st.sampled_from([*SHARES, 0.1 + 0.2, 0.3]), min_size=1, max_size=12))
@thorough(200)
def test_rank_is_one_more_than_the_number_of_better_ones(values: list[float]) -> None:
    assert competition_ranks(values).tolist() == counted_ranks(values)
    turned = competition_ranks([-value for value in values], higher_is_better=False)
    assert turned.tolist() == counted_ranks(values)


def looped_sets(rows: FloatArray, n_resamples: int, level: float) -> list[tuple[int, int]]:
    """The definition, pair by pair and resample by resample, with the signs that the module draws."""
    n_systems, n_items = rows.shape
    ones = np.eye(n_items)  # sums of one item with a random sign are that sign
    signs = ranks._signed_sums(ones, n_resamples, seed=5).astype(np.float64)
    most = float(np.ptp(rows))
    pairs = [(a, b) for a in range(n_systems) for b in range(n_systems) if (rows[a] != rows[b]).any()]
    scale = {(a, b): math.sqrt(float(((rows[a] - rows[b]) ** 2).sum()) + 4 * most**2) for a, b in pairs}
    largest = [
        max((abs(float((rows[a] - rows[b]) @ signs[:, number])) / scale[a, b] for a, b in pairs), default=0.0)
        for number in range(n_resamples)
    ]
    n_above = math.floor(0.8 * (1 - level) * (n_resamples + 1) + 1e-9)
    critical = sorted(largest)[n_resamples - n_above] * (1 + 1e-5)
    better = {(a, b) for a, b in pairs if float((rows[a] - rows[b]).sum()) / scale[a, b] > critical}
    return [
        (
            1 + sum((b, a) in better for b in range(n_systems)),
            n_systems - sum((a, b) in better for b in range(n_systems)),
        )
        for a in range(n_systems)
    ]


@pytest.mark.parametrize("binary", [True, False])
@pytest.mark.parametrize("higher", [True, False])
def test_sets_are_those_of_a_loop(monkeypatch: pytest.MonkeyPatch, binary: bool, higher: bool) -> None:
    monkeypatch.setattr(ranks, "N_RESAMPLES", 600)
    rows = np.rint(systems(7, 90, seed=4, binary=binary) * 64) / 64
    found = rank_sets(rows, 0.8, seed=5, higher_is_better=higher)
    assert found == looped_sets(rows if higher else -rows, 600, 0.8)
    assert len(set(found)) > 2, "some systems can be told apart"


@given(score_matrices(min_systems=2), st.randoms())
@thorough(30)
def test_the_order_of_systems_does_not_matter(rows: FloatArray, chance: object) -> None:
    order = list(range(len(rows)))
    chance.shuffle(order)  # type: ignore[attr-defined]
    here, there = rank_sets(rows), rank_sets(rows[order])
    assert there == [here[index] for index in order]
    for rank, (best, worst) in zip(rank_statistics(rows).rank, here, strict=True):
        assert 1 <= best <= rank <= worst <= len(rows)


def test_clear_systems_have_one_rank_and_copies_share_theirs() -> None:
    rows = systems(4, 724, seed=2)
    rows = np.concatenate([rows, rows[1:2], np.zeros((1, 724))])
    assert rank_statistics(rows).rank.tolist() == [5, 3, 2, 1, 3, 6]
    assert rank_sets(rows) == [(5, 5), (3, 4), (2, 2), (1, 1), (3, 4), (6, 6)]


def test_systems_alike_have_every_rank() -> None:
    chance = np.random.default_rng(3)
    assert rank_sets((chance.random((3, 100)) < 0.5).astype(float)) == [(1, 3)] * 3
    assert rank_sets(np.full((4, 50), 0.3)) == [(1, 4)] * 4
    assert rank_sets([[0.2, 0.4]]) == [(1, 1)]


@pytest.mark.parametrize("n_items", range(1, 6))
def test_with_five_items_nothing_is_certain(n_items: int) -> None:
    assert rank_sets([[1.0] * n_items, [0.5] * n_items, [0.0] * n_items]) == [(1, 3)] * 3


def test_few_different_items_are_no_difference() -> None:
    """Of 724 questions, six differ, all in favour of the first system: p = .03 alone, but not among 20 systems."""
    rows = np.tile((np.arange(724) < 300).astype(float), (20, 1))
    chance = np.random.default_rng(1)
    for row in rows[2:]:
        row[chance.permutation(724)[:60]] = 1.0
    rows[1] = rows[0]
    rows[0, 300:306] = 1.0
    found = rank_sets(rows)
    assert found[0][0] == found[1][0]
    assert found[0][1] == found[1][1] == 20


def test_groups_start_where_a_system_is_worse_than_the_first_of_the_last_group() -> None:
    chance = np.random.default_rng(7)
    right = [110, 300, 290, 100, 295]
    rows = np.array([chance.permutation(400) < n_right for n_right in right]).astype(float)
    found = rank_statistics(rows)
    assert found.rank.tolist() == [4, 1, 3, 5, 2]
    assert found.group.tolist() == [2, 1, 1, 2, 1]


def test_the_deviation_is_the_median_of_all_pairs() -> None:
    rows = systems(5, 60, seed=6)
    pairs = [np.std(rows[a] - rows[b], ddof=1) for a in range(5) for b in range(a)]
    assert rank_statistics(rows).deviation == pytest.approx(float(np.sqrt(np.median(np.square(pairs)))), abs=1e-6)
    assert rank_statistics(rows[:1]).deviation is None
    assert rank_statistics(rows[:, :1]).deviation is None


@pytest.mark.parametrize("caution", [None, [0.02 * number for number in range(7)]])
def test_the_p_value_is_at_most_the_level_where_a_system_is_significantly_better(
    monkeypatch: pytest.MonkeyPatch, caution: list[float] | None
) -> None:
    for seed, n_resamples in enumerate([499, 600, 999, 1000, 1713]):
        monkeypatch.setattr(ranks, "N_RESAMPLES", n_resamples)
        rows = np.rint(systems(7, 90, seed=seed, binary=seed % 2 == 0) * 64) / 64
        found = rank_statistics(rows, 0.8, caution=caution)
        assert ((found.p_value <= 0.2) == (found.best > 1)).all()
        assert (found.p_value[found.rank == 1] == 1).all()
        assert 1 < (found.best > 1).sum() < 6
    assert rank_statistics([[0.0, 1.0]]).p_value.tolist() == [1.0]
    assert rank_statistics(np.ones((3, 9))).p_value.tolist() == [1.0] * 3


def test_the_p_value_is_that_of_a_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two systems that differ on 12 items by 1: with the first, 12 signs decide, and |sum| >= 12 if all are equal."""
    rows = np.array([[1.0] * 12 + [0.0] * 8, [0.0] * 20])
    equal = np.abs(ranks._signed_sums(np.eye(20), 10_000, seed=1)[:12].sum(axis=0)) == 12
    found = rank_statistics(rows, seed=1)
    assert found.p_value.tolist() == [1.0, pytest.approx((1 + equal.sum()) / 10_001 / 0.8)]
    assert found.best.tolist() == [1, 2]


def test_caution_widens_ranges() -> None:
    rows = systems(12, 300, seed=8, binary=True)
    plain, careful = rank_statistics(rows), rank_statistics(rows, caution=[0.1] * 12)
    assert (careful.best <= plain.best).all()
    assert (careful.worst >= plain.worst).all()
    assert (careful.worst - careful.best).sum() > (plain.worst - plain.best).sum()
    with pytest.raises(ValueError, match="caution"):
        rank_statistics(rows, caution=[0.1] * 11)
    with pytest.raises(ValueError, match="caution"):
        rank_statistics(rows, caution=[-0.1] * 12)


def test_errors_count_like_the_variation_of_items() -> None:
    """A difference of 0.5 on 100 items without variation is clear; with a standard error of 0.5 it is not."""
    rows = np.repeat([[1.0], [0.5], [0.0]], 100, axis=1)
    assert rank_statistics(rows).worst.tolist() == [1, 2, 3]
    found = rank_statistics(rows, errors=[[0.0], [0.5], [0.0]])
    assert (found.best.tolist(), found.worst.tolist()) == ([1, 1, 2], [2, 3, 3])
    assert rank_statistics(rows, errors=np.eye(3) / 9).worst.tolist() == [1, 2, 3]
    nothing = rank_statistics(systems(6, 50, seed=1, binary=True), errors=np.zeros((6, 2)))
    assert nothing.best.tolist() == rank_statistics(systems(6, 50, seed=1, binary=True)).best.tolist()
    with pytest.raises(ValueError, match="errors"):
        rank_statistics(rows, errors=[[0.0], [0.5]])


def test_unusable_values_are_rejected() -> None:
    with pytest.raises(ValueError, match="nan"):
        competition_ranks([0.1, math.nan])
    with pytest.raises(ValueError, match="nan"):
        rank_sets([[0.1, math.nan]])
    with pytest.raises(ValueError, match="level"):
        rank_sets([[0.1]], 1.0)
    with pytest.raises(ValueError, match="too far apart"):
        rank_sets([[-1e308], [1.7e308]])
