"""Which pairs of systems to compare next, and what comparisons cost."""

from collections.abc import Iterable

import numpy as np
import pytest

from scoring.statistics import Comparisons, comparison_plan, next_pairs, strengths
from scoring.statistics.pairing import Pair


def drawn(truth: list[float], pairs: Iterable[Pair], n_items: int = 80) -> Comparisons:
    """Each of these pairs in both orders on each question."""
    chance = np.random.default_rng(7)
    both = [order for one, other in pairs for order in ((one, other), (other, one))]
    first, second = np.array(both).T
    chances = 1 / (1 + np.exp(np.array(truth)[second] - np.array(truth)[first]))
    outcomes = (chance.random((n_items, len(both))) < chances).astype(np.float64)
    items = np.repeat(np.arange(n_items), len(both))
    return Comparisons.of(np.tile(first, n_items), np.tile(second, n_items), outcomes.ravel(), items, len(truth))


def against_first(n_systems: int) -> list[Pair]:
    return [(0, other) for other in range(1, n_systems)]


def test_neighbours_come_before_systems_far_apart() -> None:
    chosen = next_pairs(drawn([0, -2, 2, -1.9, 2.1], against_first(5)), 2)
    assert sorted(chosen) == [(1, 3), (2, 4)]


def test_each_pair_is_chosen_once_and_then_there_are_no_more() -> None:
    comparisons = drawn([0, 0.5, 1, 1.5, 2], against_first(5))
    chosen = next_pairs(comparisons, 100)
    assert sorted(chosen) == [(one, other) for one in range(1, 5) for other in range(one + 1, 5)]
    assert next_pairs(comparisons, 3) == chosen[:3]
    assert next_pairs(comparisons, 0) == []
    assert next_pairs(comparisons, 1, excluded=[chosen[0][::-1]]) != chosen[:1]
    assert sorted(next_pairs(comparisons, 100, excluded=chosen[:4])) == sorted(chosen[4:])
    assert next_pairs(drawn([0, 1, 2], [(0, 1), (0, 2), (1, 2)]), 1) == []


def test_a_system_that_met_nobody_is_connected_first() -> None:
    assert 4 in next_pairs(drawn([0, 0.5, 1, 1.5, 2], against_first(4)), 1)[0]


def test_systems_that_always_win_and_identical_systems_can_be_chosen() -> None:
    comparisons = Comparisons.of([0, 0, 0] * 20, [1, 2, 3] * 20, [0, 0, 1] * 20, np.repeat(range(20), 3), 4)
    assert next_pairs(comparisons, 1) == [(1, 2)]


def test_the_first_choice_decreases_the_variance_most() -> None:
    """Compared with the inverse of the information of each candidate: all pairs count alike if systems are equal."""
    first, second = [0, 1, 1, 2, 2, 3] * 40, [1, 0, 2, 1, 3, 2] * 40
    comparisons = Comparisons.of(first, second, [0.5] * 240, np.repeat(range(40), 6), 4)
    chain = [(0, 1), (1, 2), (2, 3)]

    def total_variance(added: Pair) -> float:
        design = np.zeros((4, 4))
        for row, (one, other) in enumerate([*chain, added]):
            design[row, one], design[row, other] = 1, -1
        return float(np.trace(np.linalg.pinv(design.T @ design)))

    assert next_pairs(comparisons, 1) == [min([(0, 2), (1, 3), (0, 3)], key=total_variance)]


def test_chosen_pairs_make_intervals_narrower_than_others() -> None:
    """Two clusters: as many pairs across them say less."""
    truth = [0, 1.5, 1.6, 1.7, -1.5, -1.6, -1.7]
    start = against_first(7)
    across = [(one, other) for one in (1, 2, 3) for other in (4, 5, 6)][:6]
    chosen = next_pairs(drawn(truth, start), 6)
    widths = [strengths(drawn(truth, [*start, *added])) for added in (chosen, across)]
    assert (widths[0].high - widths[0].low).mean() < (widths[1].high - widths[1].low).mean()


def test_a_negative_number_of_pairs_is_refused() -> None:
    with pytest.raises(ValueError, match="n_pairs"):
        next_pairs(drawn([0, 1], [(0, 1)]), -1)


def test_a_plan_spends_at_most_the_budget() -> None:
    plan = comparison_plan([], 6, 100, baseline=2, unit_cost=0.01, budget=19.99)
    assert plan.first == [(0, 2), (1, 2), (2, 3), (2, 4), (2, 5)]
    assert (plan.n_further, plan.n_comparisons) == (4, 1800)
    assert plan.cost == pytest.approx(18)


def test_a_plan_pays_for_nothing_twice() -> None:
    plan = comparison_plan([(2, 1), (3, 0), (0, 3), (3, 4)], 6, 100, baseline=2, unit_cost=0.01, budget=1000)
    assert (1, 2) not in plan.first
    assert len(plan.first) == 4
    assert plan.n_further == 15 - 5 - 2
    done = [(one, other) for one in range(6) for other in range(one)]
    assert comparison_plan(done, 6, 100, baseline=2, unit_cost=0.01, budget=0).n_comparisons == 0


def test_a_budget_of_the_exact_cost_is_enough() -> None:
    for n_pairs in range(5, 16):
        plan = comparison_plan([], 6, 37, unit_cost=0.003, budget=2 * 37 * 0.003 * n_pairs)
        assert len(plan.first) + plan.n_further == n_pairs


def test_a_budget_below_the_comparisons_with_the_baseline_is_refused() -> None:
    with pytest.raises(ValueError, match=r"10\.00"):
        comparison_plan([], 6, 100, unit_cost=0.01, budget=9.99)
    with pytest.raises(ValueError, match="2 systems"):
        comparison_plan([], 6, 100, baseline=6, unit_cost=0.01, budget=100)
