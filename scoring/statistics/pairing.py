"""Which systems to compare next, and what comparisons cost before they start.

All systems are compared with one of them, the baseline, first. Then :func:`next_pairs` chooses further pairs, in one or
more rounds. A pair is compared on all questions in both orders, or not at all: what a question says about a system then
does not depend on the opponents that were drawn for it.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np

from scoring.statistics.arrays import FloatArray
from scoring.statistics.preferences import PRECISION, Comparisons, fit

ORDERS = 2
"""Each pair of answers is compared in both orders."""
UNDECIDED = 3.0
"""A pair that is 3 standard errors apart counts 0.61 times as much as an equal pair, one that is 6 apart 0.14 times."""
Pair = tuple[int, int]


def next_pairs(comparisons: Comparisons, n_pairs: int, *, excluded: Collection[Pair] = ()) -> list[Pair]:
    """The pairs of systems to compare next, the most informative first.

    Each next pair is the one that most decreases the sum, over all pairs of systems, of the variance of the difference
    of their strengths, weighted by exp(-(z / 3)² / 2) for a difference of z standard errors: pairs whose order is
    uncertain count most. Variances are those of the model (the inverse of the information), after the pairs chosen so
    far; standard errors are those of :func:`~scoring.statistics.strengths`, over questions. Such a choice, one pair
    after the other and optimal for the present estimates, is usual in optimal design: for this model see Graßhoff and
    Schwabe (2008, https://doi.org/10.1007/s10260-007-0058-4), for systems compared by people Chiang et al. (2024,
    https://arxiv.org/abs/2403.04132, section 5).

    The choice looks at estimated strengths, not at single outcomes, and the weights fall slowly. Intervals of all
    comparisons together therefore have their coverage, for strengths as these pairs show them: see
    ``docs/statistics.md``.

    :param comparisons: those made so far, of all systems.
    :param n_pairs: how many to choose, at least 0.
    :param excluded: pairs not to choose, such as those whose comparison is not finished.
    :returns: pairs of numbers of systems that were not compared with each other, the lower number first; fewer than
        ``n_pairs`` if there are no more.
    :raises TooFewUnitsError: with a single question.
    :raises ValueError: if ``n_pairs`` is negative.

    >>> against_first = Comparisons.of([0, 1, 0, 2, 0, 3] * 9, [1, 0, 2, 0, 3, 0] * 9, [1, 0, 0, 1, 0.5, 0] * 9,
    ...     [n // 6 for n in range(54)], 4)
    >>> next_pairs(against_first, 2)
    [(1, 3), (2, 3)]
    """
    if n_pairs < 0:
        raise ValueError(f"n_pairs: expected at least 0, found {n_pairs}")
    values, contributions, _, _ = fit(comparisons)
    counts = np.zeros((comparisons.n_systems, comparisons.n_systems), dtype=np.int64)
    np.add.at(counts, (comparisons.first, comparisons.second), 1)
    counts = counts + counts.T
    expected = 1 / (1 + np.exp(values[None, :] - values[:, None]))
    weights = expected * (1 - expected)
    prior = np.diag(1 / (2 + 2 * np.cosh(values)))  # a tie with a mean system: unconnected systems vary most
    covariance: FloatArray = np.asarray(np.linalg.inv(_laplacian(counts * weights) + prior), dtype=np.float64)
    apart = np.abs(values[:, None] - values[None, :])
    errors = np.sqrt(np.maximum(_variances(contributions @ contributions.T), PRECISION))
    importance = _laplacian(np.exp(-0.5 * np.minimum(apart / errors / UNDECIDED, 30.0) ** 2))
    gained = ORDERS * comparisons.n_items * weights
    left = np.triu(counts == 0, 1)
    for pair in excluded:
        left[min(pair), max(pair)] = False
    pairs = []
    for _ in range(min(n_pairs, int(left.sum()))):
        decrease = gained * _variances(covariance @ importance @ covariance) / (1 + gained * _variances(covariance))
        first, second = divmod(int(np.where(left, decrease, -1).argmax()), len(left))
        pairs.append((first, second))
        left[first, second] = False
        difference = covariance[first] - covariance[second]
        scale = gained[first, second] / (1 + gained[first, second] * (difference[first] - difference[second]))
        covariance = covariance - scale * np.outer(difference, difference)
    return pairs


def _laplacian(weights: FloatArray) -> FloatArray:
    """The matrix whose quadratic form is the sum of weighted squares of differences."""
    off_diagonal = weights - np.diag(np.diag(weights))
    return np.asarray(np.diag(off_diagonal.sum(axis=1)) - off_diagonal)


def _variances(covariance: FloatArray) -> FloatArray:
    """The variance of each difference of two."""
    own = np.diag(covariance)
    return np.asarray(own[:, None] + own[None, :] - 2 * covariance)


@dataclass(frozen=True)
class ComparisonPlan:
    """What a budget pays for, before anything is asked."""

    first: list[Pair]
    """The pairs with the baseline that are still to be compared."""
    n_further: int
    """The number of further pairs."""
    n_comparisons: int
    """Of all of these pairs, on all questions, in both orders."""
    cost: float
    """Of these comparisons, at most the budget."""


def comparison_plan(
    compared: Collection[Pair], n_systems: int, n_items: int, *, baseline: int = 0, unit_cost: float, budget: float
) -> ComparisonPlan:
    """What to compare within a budget: all systems with the baseline, then so many further pairs.

    :param compared: pairs that were compared already, in any order.
    :param n_systems: at least 2, with the baseline.
    :param n_items: the number of questions, at least 1.
    :param baseline: its number, from 0.
    :param unit_cost: of one comparison in one order, above 0, in the currency of ``budget``.
    :raises ValueError: if a number is out of range, or the budget does not pay for the comparisons with the baseline.

    >>> plan = comparison_plan([], 8, 1000, unit_cost=0.001, budget=30)
    >>> len(plan.first), plan.n_further, plan.n_comparisons, round(plan.cost, 2)
    (7, 8, 30000, 30.0)
    """
    if n_systems < 2 or n_items < 1 or not 0 <= baseline < n_systems or not unit_cost > 0:
        raise ValueError("expected 2 systems with the baseline among them, a question, and a cost above 0")
    done = {(min(pair), max(pair)) for pair in compared}
    with_baseline = {(min(baseline, other), max(baseline, other)) for other in range(n_systems) if other != baseline}
    first = sorted(with_baseline - done)
    n_all = n_systems * (n_systems - 1) // 2
    pair_cost = ORDERS * n_items * unit_cost
    affordable = int(budget / pair_cost * (1 + 1e-12))
    if affordable < len(first):
        least = len(first) * pair_cost
        raise ValueError(f"the comparisons with the baseline cost {least:.2f}: raise the budget of {budget:g}")
    n_further = min(affordable - len(first), n_all - len(done | with_baseline))
    n_comparisons = ORDERS * n_items * (len(first) + n_further)
    return ComparisonPlan(first, n_further, n_comparisons, n_comparisons * unit_cost)
