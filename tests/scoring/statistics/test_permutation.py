"""Permutation tests against enumeration of all signs, and against the level they promise."""

import math
import os
import subprocess
import sys
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from scoring.statistics import arrays, holm, sign_flip_test
from tests.scoring.metrics.strategies import thorough
from tests.scoring.statistics.samples import SHARES, score_matrices

EIGHTHS = [Fraction(number, 8) for number in range(-8, 9)]


def enumerated(differences: list[Fraction]) -> Fraction:
    """The share of all signs that give a sum as far from 0 as the one observed."""
    total = abs(sum(differences, Fraction()))
    sums = [
        abs(sum((sign * value for sign, value in zip(signs, differences, strict=True)), Fraction()))
        for signs in product((1, -1), repeat=len(differences))
    ]
    return Fraction(sum(found >= total for found in sums), len(sums))


# p-values ------------------------------------------------------------------------------------------------------------


@given(st.lists(st.sampled_from(EIGHTHS), min_size=1, max_size=9))
@thorough(150)
def test_few_differences_give_the_exact_value(differences: list[Fraction]) -> None:
    assert sign_flip_test([float(value) for value in differences], seed=0).item() == float(enumerated(differences))


@given(st.lists(st.tuples(st.sampled_from(SHARES), st.sampled_from(SHARES)), min_size=1, max_size=8))
@thorough(300)
def test_sums_that_are_equal_but_for_rounding_count_as_equal(pairs: list[tuple[float, float]]) -> None:
    """A third, taken three times, against 1: rounded numbers add up to something else, and ways would be missed."""
    first, second = np.array(pairs).T
    exact = [Fraction(a).limit_denominator(7) - Fraction(b).limit_denominator(7) for a, b in pairs]
    assert sign_flip_test(first - second, seed=0).item() == float(enumerated(exact))


def test_sums_of_rounded_thirds_equal_the_exact_sum_for_every_choice_of_signs() -> None:
    differences = [1 / 3, 1 / 3, 1 / 3, 1.0, 1 / 7]
    exact = [Fraction(1, 3)] * 3 + [Fraction(1), Fraction(1, 7)]
    for total in product((1, -1), repeat=5):
        signed = [sign * value for sign, value in zip(total, differences, strict=True)]
        expected = enumerated([sign * value for sign, value in zip(total, exact, strict=True)])
        assert sign_flip_test(signed, seed=0).item() == float(expected)


@pytest.mark.parametrize(
    ("wins", "losses", "p_value"),
    [  # the exact form of McNemar's test, by hand from binomial coefficients
        (0, 0, 1.0), (1, 0, 1.0), (1, 1, 1.0), (5, 0, 2 / 32), (9, 1, 2 * 11 / 1024), (3, 7, 2 * 176 / 1024),
        (15, 5, 2 * (1 + 20 + 190 + 1140 + 4845 + 15504) / 2**20),
    ],
)  # fmt: skip
@pytest.mark.parametrize("size", [1, 0.1, 37])
def test_differences_of_one_size_give_the_exact_value_however_many(
    wins: int, losses: int, p_value: float, size: float
) -> None:
    differences = [size] * wins + [-size] * losses + [0.0] * 5
    assert sign_flip_test(differences, seed=0, n_resamples=10).item() == pytest.approx(p_value, rel=1e-14)


def test_hundreds_of_questions_right_or_wrong() -> None:
    """Against the sum of binomial coefficients, and never 0."""
    differences = [1] * 230 + [-1] * 170 + [0] * 324
    exact = 2 * sum(math.comb(400, number) for number in range(171)) / 2**400
    assert sign_flip_test(differences, seed=0).item() == pytest.approx(exact, rel=1e-14)
    assert sign_flip_test([1] * 3000, seed=0).item() > 0
    assert sign_flip_test(np.linspace(1, 2, 3000), seed=0).item() > 0


def test_random_signs_come_close_to_the_exact_value() -> None:
    rows = np.random.default_rng(1).normal(0.25, 1, (40, 12))
    exact = sign_flip_test(rows, seed=0, n_resamples=4096)
    assert exact.tolist() == sign_flip_test(rows, seed=99, n_resamples=4096).tolist()
    by_chance = sign_flip_test(rows, seed=0, n_resamples=4095)
    assert by_chance.tolist() != exact.tolist()
    error = np.sqrt(exact * (1 - exact) / 4095)
    assert (np.abs(by_chance - exact) < 4 * error + 1 / 4095).all()
    assert np.allclose((by_chance * 4096) % 1, 0)  # (1 + as extreme) / (1 + number)


@pytest.mark.parametrize("thirds", [1, 2])
def test_random_signs_too_count_sums_that_are_equal_but_for_rounding(thirds: int) -> None:
    """More than a tenth of all ways are exactly as far from 0 as the one observed; rounding must not lose them."""
    whole = np.array([thirds] * 6 + [-thirds] * 3 + [3, 3, 3, -3, -3])
    signs = 1 - 2 * ((np.arange(2**14)[:, None] >> np.arange(14)) & 1)
    exact = np.mean(np.abs(signs @ whole) >= abs(whole.sum()))
    assert np.mean(np.abs(signs @ whole) == abs(whole.sum())) > 0.1
    found = sign_flip_test(whole / 3, seed=0, n_resamples=2**14 - 1).item()
    assert abs(found - exact) < 4 * math.sqrt(exact * (1 - exact) / 2**14)


def test_far_from_chance_the_bound_stands_in_and_is_no_smaller_than_the_exact_value() -> None:
    chance = np.random.default_rng(2)
    for row in np.abs(chance.normal(1, 0.3, (20, 18))) * np.where(chance.random((20, 18)) < 0.03, -1, 1):
        exact = sign_flip_test(row, seed=0, n_resamples=2**18).item()
        found = sign_flip_test(row, seed=0, n_resamples=200).item()
        bound = 2 * math.exp(-(row.sum() ** 2) / (2 * (row**2).sum()))
        if bound < 1 / 201:
            assert found == pytest.approx(bound, rel=1e-9)
            assert found >= exact
        else:
            assert found >= 1 / 201
    assert sign_flip_test([*np.linspace(1, 2, 17)], seed=0, n_resamples=200).item() < 1 / 201


@given(score_matrices(max_systems=3, max_items=20), st.floats(0.01, 100))
@thorough(60)
def test_sign_unit_and_company_do_not_matter(rows: arrays.FloatArray, unit: float) -> None:
    together = sign_flip_test(rows, seed=4, n_resamples=99)
    assert together.shape == (len(rows),)
    assert ((together > 0) & (together <= 1)).all()
    assert sign_flip_test(-rows, seed=4, n_resamples=99).tolist() == together.tolist()
    assert [sign_flip_test(row, seed=4, n_resamples=99).item() for row in rows] == together.tolist()
    assert sign_flip_test(rows * 2.0**7, seed=4, n_resamples=99).tolist() == together.tolist()


def test_the_test_keeps_its_level() -> None:
    """3,000 pairs without a difference, by each way of finding p: at most so many fall below α (known to ±0.4 %)."""
    chance = np.random.default_rng(3)
    for rows in (
        chance.normal(0, 1, (3000, 40)),
        chance.normal(0, 1, (3000, 10)),
        chance.choice([-1.0, 0.0, 1.0], size=(3000, 60)),
        chance.choice([-1.0, -0.5, 0.0, 0.5, 1.0], size=(3000, 60)),
    ):
        p_values = sign_flip_test(rows, seed=5, n_resamples=999 if rows.shape[1] > 10 else 1024)
        for alpha in (0.01, 0.05, 0.2):
            share = float(np.mean(p_values <= alpha))
            assert share <= alpha + 4 * math.sqrt(alpha * (1 - alpha) / 3000)
            assert share >= 0.5 * alpha


def test_a_difference_is_found() -> None:
    rows = np.random.default_rng(4).normal(0.4, 1, (500, 60))
    assert np.mean(sign_flip_test(rows, seed=5, n_resamples=999) <= 0.05) > 0.8


def test_clusters_are_swapped_whole() -> None:
    """Three people: 2³ ways to swap, however many answers each gave."""
    differences, people = [1.0, 0.5, 0.25, 0.5, -0.25, 1.0], ["a", "a", "a", "b", "b", "c"]
    sums = [Fraction(7, 4), Fraction(1, 4), Fraction(1)]
    assert sign_flip_test(differences, seed=0, clusters=people).item() == float(enumerated(sums)) == 0.25
    chance = np.random.default_rng(5)
    people = [str(index % 30) for index in range(300)]
    rows = chance.normal(0, 1, (400, 30))[:, np.arange(300) % 30] + chance.normal(0, 1, (400, 300))
    assert np.mean(sign_flip_test(rows, seed=1, n_resamples=499) <= 0.05) > 0.3
    assert np.mean(sign_flip_test(rows, seed=1, n_resamples=499, clusters=people) <= 0.05) < 0.1


def test_blocks_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = np.random.default_rng(6).normal(0, 1, (5, 130))
    expected = sign_flip_test(rows, seed=1, n_resamples=300)
    for block_values in (1, 130, 1000, 2**30):
        monkeypatch.setattr(arrays, "BLOCK_VALUES", block_values)
        assert sign_flip_test(rows, seed=1, n_resamples=300).tolist() == expected.tolist()


def test_what_cannot_be_tested_is_refused() -> None:
    for differences, message in (([], "nothing"), ([math.nan], "nan"), ([[[1.0]]], "shape")):
        with pytest.raises(ValueError, match=message):
            sign_flip_test(differences, seed=0)
    with pytest.raises(ValueError, match="n_resamples"):
        sign_flip_test([1.0], seed=0, n_resamples=0)
    with pytest.raises(ValueError, match="seed"):
        sign_flip_test(np.linspace(-1, 1.1, 40), seed=-1)


@pytest.mark.parametrize("clusters", [[1], [1, 2, 3], [[1, 2]], [1.0, 2.0], [None, "a"]])
def test_clusters_that_do_not_fit_are_refused(clusters: list[int]) -> None:
    with pytest.raises(ValueError, match="clusters"):
        sign_flip_test([0.0, 1.0], seed=0, clusters=clusters)


@pytest.mark.slow
def test_every_machine_and_number_of_threads_gives_the_same_bits() -> None:
    """Other instructions and other kernels of the matrix product, as other processors would take them."""
    program = (
        "import hashlib; from tests.scoring.statistics.samples import systems; import scoring.statistics as s; "
        "rows = systems(23, 724, seed=8); "
        "print(hashlib.sha256(s.sign_flip_test(rows[1:] - rows[0], seed=1, n_resamples=800).tobytes()).hexdigest())"
    )
    plain = {"OPENBLAS_CORETYPE": "Prescott", "OPENBLAS_NUM_THREADS": "1"}
    outputs = set()
    for changes in ({}, {"OPENBLAS_NUM_THREADS": "3"}, plain):
        done = subprocess.run(
            [sys.executable, "-c", program], env=os.environ | changes, capture_output=True, text=True, check=True
        )
        outputs.add(done.stdout)
    assert len(outputs) == 1


def test_blocks_hold_no_more_values_than_allowed() -> None:
    for n_units, n_rows in product((1, 7, 724, 100_000), (1, 50, 12_000)):
        size = arrays.block_size(n_units, n_rows)
        assert size >= 1
        assert size * max(n_units, n_rows) <= arrays.BLOCK_VALUES
    assert arrays.block_size(arrays.BLOCK_VALUES + 1, 1) == 1


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


@given(p_value_lists, st.randoms())
@thorough(200)
def test_holm_keeps_order_and_never_lowers(p_values: list[float], chance: object) -> None:
    corrected = holm(p_values)
    assert (corrected >= np.array(p_values)).all()
    assert (corrected <= np.minimum(1, np.array(p_values) * len(p_values))).all()
    order = np.argsort(p_values, kind="stable")
    assert (np.diff(corrected[order]) >= 0).all()
    shuffled = list(range(len(p_values)))
    chance.shuffle(shuffled)  # type: ignore[attr-defined]
    assert holm([p_values[index] for index in shuffled]).tolist() == corrected[shuffled].tolist()


@given(st.lists(st.floats(0, 1), min_size=2, max_size=10), st.data())
@thorough(100)
def test_holm_is_monotone(p_values: list[float], data: st.DataObject) -> None:
    """A smaller p-value makes no corrected one larger."""
    index = data.draw(st.integers(0, len(p_values) - 1))
    smaller = list(p_values)
    smaller[index] = data.draw(st.floats(0, p_values[index]))
    assert (holm(smaller) <= holm(p_values) + 1e-15).all()


def test_holm_refuses_what_is_no_probability() -> None:
    for p_values in ([-0.1], [1.1], [math.nan]):
        with pytest.raises(ValueError, match="p_values"):
            holm(p_values)
