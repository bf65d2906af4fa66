"""Systems compared two at a time."""

from typing import Any

import numpy as np
import pytest
from statsmodels.discrete.discrete_model import Logit

from scoring.statistics import (
    Comparisons,
    TooFewUnitsError,
    connected_parts,
    position_bias,
    strengths,
)
from scoring.statistics.distributions import student_quantile
from scoring.statistics.preferences import fit


def drawn(truth: list[float], n_items: int, *, bias: float = 0.0, seed: int = 1) -> Comparisons:
    """Each pair in both orders on each question."""
    chance = np.random.default_rng(seed)
    n = len(truth)
    pairs = [(one, other) for one in range(n) for other in range(n) if one != other]
    first, second = np.array(pairs).T
    chances = 1 / (1 + np.exp(np.array(truth)[second] - np.array(truth)[first] - bias))
    outcomes = (chance.random((n_items, len(pairs))) < chances).astype(np.float64)
    items = np.repeat(np.arange(n_items), len(pairs))
    return Comparisons.of(np.tile(first, n_items), np.tile(second, n_items), outcomes.ravel(), items, n)


def fitted_by_statsmodels(comparisons: Comparisons) -> Any:
    design = np.zeros((len(comparisons.outcomes), comparisons.n_systems))
    rows = np.arange(len(design))
    design[rows, comparisons.first], design[rows, comparisons.second] = 1, -1
    values = np.concatenate([[0], Logit(comparisons.outcomes, design[:, 1:]).fit(disp=0, tol=1e-12).params])
    return values - values.mean()


@pytest.mark.parametrize("truth", [[0, 1], [0, 0.5, 1.5], [0, 0.1, 0.2, 0.3, 2.5]])
def test_strengths_equal_an_independent_fit(truth: list[float]) -> None:
    comparisons = drawn(truth, 40)
    assert strengths(comparisons).values == pytest.approx(fitted_by_statsmodels(comparisons), abs=1e-6)


def test_systems_that_never_met_are_compared_by_way_of_others() -> None:
    """With the odds 3 : 1 twice in a row, the first has 9 : 1 against the last."""
    first, second, outcomes = [0] * 4 + [1] * 4, [1] * 4 + [2] * 4, [1, 1, 1, 0] * 2
    found = strengths(Comparisons.of(first, second, outcomes, [0, 1, 2, 3] * 2, 3))
    assert found.values[0] - found.values[2] == pytest.approx(np.log(9))
    assert not found.regularised


def test_the_order_of_rows_and_names_of_questions_change_nothing() -> None:
    comparisons = drawn([0, 0.5, 1], 20)
    order = np.random.default_rng(2).permutation(len(comparisons.outcomes))
    names = np.array([f"question {number}" for number in comparisons.items])
    shuffled = Comparisons.of(
        comparisons.second[order], comparisons.first[order], 1 - comparisons.outcomes[order], names[order], 3
    )
    one, other = strengths(comparisons), strengths(shuffled)
    assert other.values == pytest.approx(one.values)
    assert other.low == pytest.approx(one.low)


def test_a_system_that_always_wins_has_a_finite_strength() -> None:
    found = strengths(Comparisons.of([0] * 30, [1] * 30, [1] * 30, range(30), 2))
    assert found.regularised
    assert np.isfinite([found.values, found.low, found.high]).all()
    assert found.values[0] > 2
    assert [*found.ranks.best, *found.ranks.worst] == [1, 2, 1, 2]
    # 30 wins out of 30: the true win rate may be far from that of the estimate, although no two questions differ.
    assert (found.high - found.low > 2).all()
    both_orders = Comparisons.of([0, 1] * 30, [1, 0] * 30, [1, 0] * 30, [n // 2 for n in range(60)], 2)
    assert (strengths(both_orders).high - strengths(both_orders).low >= found.high - found.low).all()


def test_the_same_question_many_times_is_no_more_certain() -> None:
    """Comparisons of one question are one unit."""
    once = Comparisons.of([0] * 12, [1] * 12, [1, 0, 1] * 4, range(12), 2)
    tenfold = Comparisons.of([0] * 120, [1] * 120, [1, 0, 1] * 40, [*range(12)] * 10, 2)
    assert (strengths(tenfold).high - strengths(tenfold).low) == pytest.approx(
        strengths(once).high - strengths(once).low
    )


def test_the_same_question_in_many_wordings_is_no_more_certain_with_clusters() -> None:
    once = strengths(Comparisons.of([0] * 12, [1] * 12, [1, 0, 1] * 4, range(12), 2))
    ten = ([0] * 120, [1] * 120, [1, 0, 1] * 40, range(120), 2)
    named, unnamed = strengths(Comparisons.of(*ten, [*range(12)] * 10)), strengths(Comparisons.of(*ten))
    assert (named.high - named.low) == pytest.approx(once.high - once.low)
    assert (named.ranks.best.tolist(), named.ranks.worst.tolist()) == ([1, 1], [2, 2])
    assert (unnamed.high - unnamed.low < 0.5 * (named.high - named.low)).all()
    both_orders = ([0, 1] * 60, [1, 0] * 60, [1, 0, 1, 1] * 30, [n // 2 for n in range(120)], 2)
    bias = position_bias(Comparisons.of(*both_orders)), position_bias(Comparisons.of(*both_orders, [1, 1, 2, 2] * 30))
    assert bias[0] is not None
    assert bias[1] is not None
    assert bias[1].high - bias[1].low > bias[0].high - bias[0].low
    with pytest.raises(TooFewUnitsError):
        strengths(Comparisons.of(*ten, ["the same"] * 120))


def test_a_judge_who_prefers_the_first_place_is_found_out_and_ranks_hold() -> None:
    comparisons = drawn([0.0, 0.7, 1.4], 400, bias=0.4)
    bias = position_bias(comparisons)
    assert bias is not None
    assert bias.n_pairs == 1200
    assert 0.5 < bias.low < bias.first_place < bias.high
    assert bias.first_place == pytest.approx(1 / (1 + np.exp(-0.4)), abs=0.03)
    assert strengths(comparisons).ranks.rank.tolist() == [3, 2, 1]


def test_a_judge_who_sees_no_order_has_none() -> None:
    outcomes = [1.0, 0.0, 0.5, 0.5, 0.0, 1.0]
    found = position_bias(Comparisons.of([0, 1] * 3, [1, 0] * 3, outcomes, [0, 0, 1, 1, 2, 2], 2))
    assert found is not None
    assert (found.consistency, found.first_place) == (1, 0.5)


def test_pairs_in_one_order_say_nothing_of_the_order() -> None:
    assert position_bias(Comparisons.of([0] * 5, [1] * 5, [1] * 5, range(5), 2)) is None


@pytest.mark.parametrize(
    ("first", "second", "outcomes", "items"),
    [
        ([0], [0], [1], [0]),
        ([0], [2], [1], [0]),
        ([0], [1], [1.5], [0]),
        ([0], [1], [float("nan")], [0]),
        ([0, 1], [1], [1], [0]),
        ([0], [1], [1], [0, 1]),
    ],
    ids=["against itself", "no such system", "above 1", "no number", "too many", "too many questions"],
)
def test_wrong_comparisons(first: list[int], second: list[int], outcomes: list[float], items: list[int]) -> None:
    with pytest.raises(ValueError, match=r"itself|expected|is nan"):
        Comparisons.of(first, second, outcomes, items, 2)


def test_preferences_on_one_question_are_refused() -> None:
    with pytest.raises(TooFewUnitsError):
        strengths(Comparisons.of([0, 1], [1, 0], [1, 0], [0, 0], 2))


def test_connected_parts_go_by_way_of_others() -> None:
    first, second = np.array([1, 3, 6, 5]), np.array([3, 0, 2, 6])
    assert connected_parts(first, second, 7).tolist() == [0, 0, 2, 0, 4, 2, 2]
    assert connected_parts(np.arange(99), np.arange(1, 100), 100).tolist() == [0] * 100
    assert connected_parts(first[:0], second[:0], 2).tolist() == [0, 1]


def test_comparisons_between_some_systems() -> None:
    every = Comparisons.of([0, 2, 3, 2], [1, 3, 2, 0], [1, 0, 0.5, 1], ["a", "b", "c", "d"], 4)
    found = every.between(np.array([2, 3]))
    assert (found.first.tolist(), found.second.tolist(), found.n_systems) == ([0, 1], [1, 0], 2)
    assert (found.outcomes.tolist(), found.n_items) == ([0, 0.5], 2)


@pytest.mark.parametrize(
    ("first", "second", "n_systems"),
    [([0, 1] * 5, [1, 0] * 5, 3), ([0, 2] * 5, [1, 3] * 5, 4)],
    ids=["no comparison", "two pairs"],
)
def test_systems_that_are_not_connected_have_no_strengths(first: list[int], second: list[int], n_systems: int) -> None:
    with pytest.raises(ValueError, match="connected"):
        strengths(Comparisons.of(first, second, [1, 0] * 5, range(10), n_systems))


@pytest.mark.parametrize("outcomes", [[0.5], [1, 1, 0]], ids=["ties", "two of three"])
@pytest.mark.parametrize("n_items", [2, 5])
def test_questions_with_equal_results_leave_doubt(outcomes: list[float], n_items: int) -> None:
    n = n_items * len(outcomes)
    items = np.repeat(range(n_items), len(outcomes))
    found = strengths(Comparisons.of([0] * n, [1] * n, outcomes * n_items, items, 2))
    assert (found.low < 0).all() and (found.high > 0).all()
    assert (found.high - found.low > 1).all()
    assert [*found.ranks.best, *found.ranks.worst] == [1, 1, 2, 2]


def test_ties_alone_leave_room_for_rare_wins() -> None:
    """Of 50 ties, the next result may be a win with a probability of 3 / 50."""
    found = strengths(Comparisons.of([0] * 50, [1] * 50, [0.5] * 50, range(50), 2))
    win_rate = 1 / (1 + np.exp(found.low[1] - found.high[0]))
    assert win_rate == pytest.approx(0.5 + 0.06 / 2, abs=0.006)


@pytest.mark.parametrize("outcome", [0, 0.5, 1])
def test_a_single_vote_leaves_all_ranks_open(outcome: float) -> None:
    """However many comparisons there are of the other systems, whose ranks stay apart."""
    won = ([1] * 8 + [0] * 2) * 20
    found = strengths(Comparisons.of([0] * 200 + [2], [1] * 201, [*won, outcome], [*range(200), 3], 3))
    assert found.regularised == (outcome != 0.5)
    assert (found.ranks.best[2], found.ranks.worst[2]) == (1, 3)
    assert (found.low[2] < found.high).all() and (found.high[2] > found.low).all()
    assert (found.ranks.worst[0], found.ranks.best[1]) == (2, 2)


def test_many_questions_need_nothing_of_the_model() -> None:
    comparisons = drawn([0, 0.5, 1], 300)
    found = strengths(comparisons)
    by_question = fit(comparisons)[1] * comparisons.n_items
    margin = student_quantile(0.025, 299) * by_question.std(axis=1, ddof=1) / np.sqrt(300)
    assert found.high - found.values == pytest.approx(margin)
