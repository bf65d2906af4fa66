"""Win rates of a board's systems at equal length."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.optimize import minimize

from scoring.statistics import LengthControlled, length_controlled_board
from scoring.statistics.equal_length import MEAN_SLOPE_PENALTY, QUESTION_PENALTY, SLOPE_PENALTY
from tests.bench.calibration.equal_length import drawn_board

Values = NDArray[np.float64]
NAN = float("nan")


def rates(outcomes: Any, differences: Any) -> list[float]:
    found = length_controlled_board(outcomes, differences)
    return [NAN if system is None else system.controlled for system in found]


def system(found: LengthControlled | None) -> LengthControlled:
    assert found is not None
    return found


def test_a_win_by_length_alone_is_none_at_equal_length() -> None:
    chance = np.random.default_rng(3)
    longer = chance.normal([[300], [-400]], 400, (2, 1000))
    outcomes = (chance.random((2, 1000)) < 1 / (1 + np.exp(-2 * np.tanh(longer / 400)))).astype(float)
    assert outcomes.mean(axis=1).tolist() == pytest.approx([0.7, 0.25], abs=0.05)
    for found in map(system, length_controlled_board(outcomes, longer)):
        assert found.low < 0.5 < found.high


def test_answers_of_equal_length_keep_their_win_rate() -> None:
    outcomes = np.random.default_rng(1).integers(0, 5, (3, 40)) / 4
    assert rates(outcomes, np.zeros((3, 40))) == pytest.approx(outcomes.mean(axis=1))


def test_the_estimate_equals_an_independent_one() -> None:
    """The same penalised likelihood with the mean slope as a coefficient, minimised by SciPy."""
    outcomes, differences, _ = drawn_board(np.random.default_rng(5), 3, 40)
    outcomes[0, :5] = NAN
    known = np.isfinite(outcomes)
    regressors = np.tanh(differences / np.median([row[has].std() for row, has in zip(differences, known, strict=True)]))

    def loss(coefficients: Values) -> float:
        constants, slopes, mean, terms = np.split(coefficients, [3, 6, 7])
        odds = constants[:, None] + slopes[:, None] * regressors + terms
        likelihood = np.where(known, np.nan_to_num(outcomes) * odds - np.logaddexp(0, odds), 0).sum()
        pulls = SLOPE_PENALTY * ((slopes - mean) ** 2).sum() + MEAN_SLOPE_PENALTY * float(mean[0]) ** 2
        return float(-likelihood + (40 * pulls + QUESTION_PENALTY * (terms**2).sum()) / 2)

    fitted = minimize(loss, np.zeros(47), method="BFGS", options={"gtol": 1e-5}).x
    expected = (1 / (1 + np.exp(-fitted[:3, None] - fitted[7:]))).mean(axis=1)
    assert rates(outcomes, differences) == pytest.approx(expected, abs=1e-5)


def test_with_clusters_the_interval_is_as_wide_as_the_jackknife_over_them_has_it() -> None:
    outcomes, differences, _ = drawn_board(np.random.default_rng(6), 4, 60)
    families = np.repeat(np.arange(60), 4)
    outcomes, differences = (np.repeat(rows, 4, axis=1) for rows in (outcomes, differences))
    without = np.array(
        [rates(outcomes[:, families != left_out], differences[:, families != left_out]) for left_out in range(60)]
    )
    deviations = np.sqrt(59 / 60 * ((without - without.mean(axis=0)) ** 2).sum(axis=0))
    alone = length_controlled_board(outcomes, differences)
    for deviation, found, narrow in zip(
        deviations,
        map(system, length_controlled_board(outcomes, differences, clusters=families)),
        map(system, alone),
        strict=True,
    ):
        assert found.controlled == narrow.controlled
        assert (found.high - found.low) / 2 == pytest.approx(2 * deviation, rel=0.1)
        assert found.high - found.low > 1.5 * (narrow.high - narrow.low)


def test_clusters_of_one_question_each_change_nothing() -> None:
    outcomes, differences, _ = drawn_board(np.random.default_rng(6), 2, 60)
    alone = length_controlled_board(outcomes, differences)
    assert length_controlled_board(outcomes, differences, clusters=[f"{one}" for one in range(60)]) == alone


def test_questions_of_one_cluster_have_no_interval_and_no_value() -> None:
    outcomes, differences, _ = drawn_board(np.random.default_rng(6), 2, 60)
    assert length_controlled_board(outcomes, differences, clusters=["template"] * 60) == [None, None]
    with pytest.raises(ValueError, match="one for each of 60 items"):
        length_controlled_board(outcomes, differences, clusters=["template"] * 59)


def test_order_and_unit_change_nothing() -> None:
    outcomes, differences, _ = drawn_board(np.random.default_rng(7), 5, 60)
    rows, columns = np.array([3, 1, 4, 0, 2]), np.random.default_rng(1).permutation(60)
    shuffled = rates(outcomes[rows][:, columns], differences[rows][:, columns] / 6)
    assert shuffled == pytest.approx([rates(outcomes, differences)[row] for row in rows])


@pytest.mark.parametrize("n_systems", [1, 2, 8])
def test_leaving_the_hardest_half_blank_does_not_pay(n_systems: int) -> None:
    outcomes, differences, terms = drawn_board(np.random.default_rng(8), n_systems, 300)
    hardest = terms < np.median(terms)
    blank, unknown = outcomes.copy(), differences.copy()
    blank[0, hardest], unknown[0, hardest] = 0, NAN
    before, after = rates(outcomes, differences), rates(blank, unknown)
    assert outcomes[0].mean() - blank[0].mean() > 0.05, "it has something to lose"
    assert after[0] < before[0] - 0.05
    assert after[1:] == pytest.approx(before[1:], abs=0.03), "and takes little from the others"


def test_the_terms_of_questions_account_for_missing_verdicts() -> None:
    """Without verdicts on the hardest third, the win rate rises, and the win rate at equal length does not."""
    outcomes, differences, terms = drawn_board(np.random.default_rng(9), 12, 300)
    lacking = outcomes.copy()
    lacking[0, terms < np.quantile(terms, 1 / 3)] = NAN
    assert np.nanmean(lacking[0]) > outcomes[0].mean() + 0.08
    assert rates(lacking, differences)[0] == pytest.approx(rates(outcomes, differences)[0], abs=0.03)


def test_questions_without_any_verdict_do_not_count() -> None:
    outcomes, differences, _ = drawn_board(np.random.default_rng(10), 3, 80)
    some = outcomes.copy()
    some[:, 50:] = NAN
    assert length_controlled_board(some, differences) == length_controlled_board(outcomes[:, :50], differences[:, :50])


@pytest.mark.parametrize(
    ("outcomes", "differences"),
    [
        ([1] * 20, range(-10, 10)),
        ([0] * 20, range(-10, 10)),
        ([0, 1] * 10, [7] * 20),
        ([0, 1, 1, 0] * 5, [19_900, 19_901] * 10),
        ([0, 1, 1, 0] * 5, [-19_000, -17_000] * 10),
        ([0, 1] * 10, [*range(100, 118), 0, 1]),
        ([0, 1, *[NAN] * 10], range(-6, 6)),
        ([NAN] * 20, range(-10, 10)),
        ([0, 1] * 10, [NAN] * 20),
    ],
    ids=[
        *("all won", "all lost", "all equally longer", "all far longer", "all far shorter", "two about as long"),
        *("two verdicts", "no verdict", "no length"),
    ],
)
def test_there_is_no_value_where_length_cannot_be_controlled(outcomes: list[float], differences: Any) -> None:
    """Of that system alone; the others of its board have the values that they have without it."""
    assert length_controlled_board([outcomes], [list(differences)]) == [None]
    others, longer, _ = drawn_board(np.random.default_rng(11), 2, 60)
    lacking = np.full(60 - len(outcomes), NAN)
    board = length_controlled_board(
        [[*outcomes, *lacking], *others], [[*(200.0 * one for one in differences), *lacking], *longer]
    )
    assert board[0] is None
    assert None not in board[1:]


@pytest.mark.parametrize(
    ("outcomes", "differences"),
    [
        ([0, 1], [1, 2]),
        ([[0, 1]], [[1, 2, 3]]),
        ([[0, 1.5]], [[1, 2]]),
        ([[0, -1]], [[1, 2]]),
        ([[0, 1]], [[1, float("inf")]]),
    ],
    ids=["one system as a vector", "too many lengths", "above 1", "below 0", "infinite"],
)
def test_arrays_of_the_wrong_shape_or_range_are_refused(outcomes: Any, differences: Any) -> None:
    with pytest.raises(ValueError, match="expected"):
        length_controlled_board(outcomes, differences)
