"""Systems compared two at a time: strengths, and the bias towards the first place.

A comparison shows two answers to one question and has an outcome: 1 if the first answer wins, 0 if the second one does,
1/2 for a tie, or a share in between. Comparisons of one question are not independent, so every interval here is over
questions, each with all of its comparisons.
"""

from __future__ import annotations

from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike

from scoring.statistics.arrays import (
    BOARD_SEED,
    BoolArray,
    FloatArray,
    IntArray,
    OneWay,
    TooFewUnitsError,
    Units,
    as_vector,
    check_level,
    clusterings,
)
from scoring.statistics.distributions import student_quantile
from scoring.statistics.means import clustered_variance, mean_interval
from scoring.statistics.ranks import RankStatistics, rank_statistics

TIED = 0.5
NEWTON_STEPS = 100
LONGEST_STEP = 2.0
"""Newton's method may overshoot from far away: no coefficient changes more than this in a step."""
PRECISION = 1e-11
ZERO_EIGENVALUE = 1e-12
"""Relative to the largest. In a chain of 200 systems whose halves meet in one pair, in which the same system wins 9,999
times of 10,000, the smallest one that is not 0 is 5e-7 of the largest."""
EVEN_COMPARISONS = 3.0
"""What fewer comparisons of equal systems tell is all taken from the model: what happens in a share 3 / n of all cases
is missing among n of them with a probability of .05."""


@dataclass(frozen=True)
class Comparisons:
    """Comparisons with an outcome, in any order."""

    first: IntArray
    """The number of the system shown first, from 0; shape ``(n,)``."""
    second: IntArray
    outcomes: FloatArray
    """For the first system, from 0 to 1; shape ``(n,)``."""
    items: IntArray
    """The number of the question, from 0; shape ``(n,)``."""
    n_systems: int
    clusters: IntArray | None = None
    """The number of the question's cluster, shape ``(n,)``; ``None`` if each question is one of its own."""

    @classmethod
    def of(
        cls,
        first: ArrayLike,
        second: ArrayLike,
        outcomes: ArrayLike,
        items: OneWay,
        n_systems: int,
        clusters: OneWay | None = None,
    ) -> Comparisons:
        """Checked comparisons.

        Args:
            outcomes: 1 if the first system wins, 0 if the second one does, 1/2 for a tie; shape ``(n,)``. Leave out
                comparisons without an outcome, such as those whose reply could not be read.
            items: The question of each comparison, whole numbers or texts, shape ``(n,)``.
            clusters: The cluster of that question, such as its template, likewise.

        Raises:
            ValueError: If the shapes do not match, a number is out of range, or a system is compared with itself.
        """
        given = as_vector(outcomes, "outcomes")
        if not ((given >= 0) & (given <= 1)).all():
            raise ValueError("outcomes: expected numbers from 0 to 1")
        pair = []
        for name, numbers in (("first", first), ("second", second)):
            system = np.asarray(numbers, dtype=np.int64)
            if system.shape != given.shape:
                raise ValueError(f"{name}: expected one for each of {len(given)} outcomes, found {system.shape}")
            if system.min() < 0 or system.max() >= n_systems:
                raise ValueError(f"{name}: expected numbers from 0 to {n_systems - 1}")
            pair.append(system)
        if (pair[0] == pair[1]).any():
            raise ValueError("a system is compared with itself")
        labels = np.asarray(items)
        if labels.shape != given.shape:
            raise ValueError(f"items: expected one for each of {len(given)} outcomes, found {labels.shape}")
        numbers = np.unique(labels, return_inverse=True)[1].astype(np.int64)
        named = None if clusters is None else Units.labels_of(len(given), clusters)
        return cls(pair[0], pair[1], given, numbers, n_systems, named)

    @property
    def n_items(self) -> int:
        """The number of questions."""
        return int(self.items.max()) + 1

    @property
    def clusters_of_items(self) -> IntArray | None:
        """The cluster of each question, shape ``(n_items,)``."""
        if self.clusters is None:
            return None
        clusters = np.empty(self.n_items, dtype=np.int64)
        clusters[self.items] = self.clusters
        return clusters

    def between(self, systems: IntArray) -> Comparisons:
        """The comparisons between these systems, which are numbered by their place here.

        Raises:
            ValueError: If there are none.
        """
        places = np.full(self.n_systems, -1)
        places[systems] = np.arange(len(systems))
        first, second = places[self.first], places[self.second]
        inside = (first >= 0) & (second >= 0)
        clusters = None if self.clusters is None else self.clusters[inside]
        parts = (first[inside], second[inside], self.outcomes[inside], self.items[inside])
        return Comparisons.of(*parts, len(systems), clusters)

    def wins(self) -> FloatArray:
        """The sum of outcomes of each system (row) against each other (column), shape ``(n_systems, n_systems)``."""
        wins = np.zeros((self.n_systems, self.n_systems))
        np.add.at(wins, (self.first, self.second), self.outcomes)
        np.add.at(wins, (self.second, self.first), 1 - self.outcomes)
        return wins


def connected_parts(first: IntArray, second: IntArray, n_systems: int) -> IntArray:
    """Which systems are connected by comparisons, directly or by way of others: only these have strengths relative to
    each other. Both systems of a comparison are numbers from 0, shape ``(n,)``.

    Returns:
        For each system the lowest number of a system in its part, shape ``(n_systems,)``.

    >>> connected_parts(np.array([0, 3]), np.array([2, 4]), 5)
    array([0, 1, 0, 3, 3])
    """
    met = np.eye(n_systems, dtype=np.bool_)
    met[first, second] = met[second, first] = True
    return np.asarray(_reached(met).argmax(axis=1), dtype=np.int64)


def _reached(steps: BoolArray) -> BoolArray:
    """What can be reached in any number of steps; each system reaches itself in one."""
    for _ in range(len(steps).bit_length()):
        paths = steps.astype(np.float32)
        steps = paths @ paths > 0
    return steps


@dataclass(frozen=True)
class Strengths:
    """The strengths of systems; arrays of shape ``(n_systems,)``."""

    values: FloatArray
    """Natural logarithms of odds, with the mean 0: a system that is higher by d wins with the odds exp(d)."""
    low: FloatArray
    high: FloatArray
    ranks: RankStatistics
    """Ranks by strength, with rank sets that hold for all systems at once."""
    regularised: bool
    """Whether each system was given a tie with a system of mean strength, because some group of systems (or one system)
    never won against the others, or never lost: without it, strengths would be infinite."""


def strengths(
    comparisons: Comparisons, level: float = 0.95, *, seed: int = BOARD_SEED, caution: ArrayLike | None = None
) -> Strengths:
    """Strengths by the model of Bradley and Terry (1952, https://doi.org/10.2307/2334029), with intervals.

    Estimated by maximum likelihood; a tie is half a win for both, and shares count as they are. Intervals and rank sets
    come from what each question contributes to the estimate (its gradient times the inverse of the information): a
    variance that is right even if outcomes of a question depend on each other or the model does not hold exactly
    (Huber 1967; for pairwise comparisons Chiang et al. 2024, https://arxiv.org/abs/2403.04132), with Student's
    quantile. Rank sets are those of `rank_sets` for these contributions.

    Contributions of few comparisons may be equal by chance, and those of a single one say nothing of its variance. No
    interval is therefore narrower than by the part of the model's variance that comes from thinly compared systems,
    with the normal quantile (`fit`), and rank sets add this part to the variance of each difference.

    Args:
        level: Of each interval, and of all rank sets at once.
        caution: A share for each system by which rank sets are wider, shape ``(n_systems,)``; see `rank_statistics`.

    Raises:
        TooFewUnitsError: With a single question, or a single cluster of questions.
        ValueError: If some systems are not connected with the others (`connected_parts`): leave them out.

    >>> of = Comparisons.of([0, 1, 0, 1] * 9, [1, 0, 1, 0] * 9, [1, 0, 1, 1] * 9, [n // 2 for n in range(36)], 2)
    >>> strengths(of).values.round(3)
    array([ 0.549, -0.549])
    """
    check_level(level)
    if connected_parts(comparisons.first, comparisons.second, comparisons.n_systems).any():
        raise ValueError("some systems are not connected with the others by comparisons")
    values, contributions, least, regularised = fit(comparisons)
    n_items = comparisons.n_items
    margin = NormalDist().inv_cdf((1 + level) / 2) * np.sqrt(np.diag(least))
    clusters = comparisons.clusters_of_items
    for way in (None,) if clusters is None else (None, clusters):
        ways = clusterings(n_items, way)
        if ways[0].n_units < 2:
            raise TooFewUnitsError("one cluster of questions: the variation of the result cannot be estimated")
        variance, degrees = clustered_variance(contributions * n_items, np.ones(n_items), ways)
        margin = np.maximum(margin, student_quantile((1 - level) / 2, degrees) * np.sqrt(variance))
    vectors = values[:, None] + n_items * contributions
    squares, axes = np.linalg.eigh(least)
    root = (axes * np.sqrt(np.maximum(squares, 0))) @ axes.T  # the symmetric one, which is unique
    ranks = rank_statistics(vectors, level, seed=seed, caution=caution, errors=root, clusters=clusters)
    return Strengths(values, values - margin, values + margin, ranks, regularised)


def fit(comparisons: Comparisons) -> tuple[FloatArray, FloatArray, FloatArray, bool]:
    """The estimate of `strengths`, without intervals.

    Returns:
        The strengths, of mean 0, shape ``(n_systems,)``; what each question contributes to them, shape ``(n_systems,
        n_items)``, where rows sum to about 0; the part of the model's covariance of strengths that contributions may
        not show, shape ``(n_systems, n_systems)``; and whether they are regularised. That part is, of comparisons of
        two systems whose difference is known no better than from N comparisons of equal systems, the share 3 / N, at
        most 1. Comparisons of two systems on one question, such as those in both orders, count as one.

    Raises:
        TooFewUnitsError: With a single question.
    """
    if comparisons.n_items < 2:
        raise TooFewUnitsError("one question: the variation of the result cannot be estimated")
    wins = comparisons.wins()
    regularised = not _reached((wins > 0) | np.eye(len(wins), dtype=np.bool_)).all()
    values = _fit(wins, regularised=regularised)
    pairs = np.sort([comparisons.first, comparisons.second], axis=0)
    met, counts = np.unique(np.vstack([pairs, comparisons.items]), axis=1, return_counts=True)
    prior = np.diag(1 / (2 + 2 * np.cosh(values))) if regularised else np.zeros_like(wins)
    bread = _inverse(_information(met, counts, values) + prior)
    # What each question adds to the gradient of the likelihood.
    first, second = comparisons.first, comparisons.second
    residuals = comparisons.outcomes - 1 / (1 + np.exp(values[second] - values[first]))
    gradient = np.zeros((comparisons.n_systems, comparisons.n_items))
    np.add.at(gradient, (first, comparisons.items), residuals)
    np.add.at(gradient, (second, comparisons.items), -residuals)
    contributions = bread @ gradient
    least = _least(met, counts, values, bread, prior)
    return values, np.asarray(contributions - contributions.mean(axis=0)), least, regularised


def _least(met: IntArray, counts: IntArray, values: FloatArray, bread: FloatArray, prior: FloatArray) -> FloatArray:
    """See `fit`; all comparisons of two systems on one question are taken to have the same outcome.

    Args:
        met: Two systems and a question in each column, each once, shape ``(3, n)``.
        counts: The number of comparisons of each, shape ``(n,)``.
    """
    squares = counts.astype(np.float64) ** 2
    model = bread @ (_information(met, squares, values) + prior) @ bread
    own = np.diag(model)
    n_even = 1 / TIED**2 / (own[met[0]] + own[met[1]] - 2 * model[met[0], met[1]])
    shares = np.minimum(1, EVEN_COMPARISONS / n_even)
    centred = (np.eye(len(values)) - 1 / len(values)) @ bread
    return np.asarray(centred @ (_information(met, shares * squares, values) + prior) @ centred.T)


def _fit(wins: FloatArray, *, regularised: bool) -> FloatArray:
    """The strengths with the greatest likelihood, of mean 0, by Newton's method."""
    n = len(wins)
    first, second = np.triu_indices(n, 1)
    met = wins[first, second] + wins[second, first] > 0
    first, second = first[met], second[met]
    design = np.zeros((len(first), n))
    design[np.arange(len(first)), first], design[np.arange(len(first)), second] = 1, -1
    won, lost = wins[first, second], wins[second, first]
    if regularised:
        design = np.concatenate([design, np.eye(n)])
        won, lost = (np.concatenate([counts, np.full(n, TIED)]) for counts in (won, lost))
    values = np.zeros(n)
    for _ in range(NEWTON_STEPS):
        expected = 1 / (1 + np.exp(-design @ values))
        gradient = design.T @ (won - (won + lost) * expected)
        information = design.T @ (design * ((won + lost) * expected * (1 - expected))[:, None])
        step = _inverse(information) @ gradient
        values += step / max(1.0, float(np.abs(step).max()) / LONGEST_STEP)
        if np.abs(step).max() < PRECISION:
            break
    return np.asarray(values - values.mean())


def _inverse(information: FloatArray) -> FloatArray:
    """The pseudo-inverse. Adding a constant to all strengths changes no likelihood: that eigenvalue is 0, and about
    1e-15 of the largest as computed for hundreds of systems."""
    return np.asarray(np.linalg.pinv(information, rcond=ZERO_EIGENVALUE, hermitian=True))


def _information(met: IntArray, weights: FloatArray | IntArray, values: FloatArray) -> FloatArray:
    """The information of weighted comparisons about the strengths, shape ``(n_systems, n_systems)``.

    Args:
        met: Two systems in each column, shape ``(≥ 2, n)``.
    """
    expected = 1 / (1 + np.exp(values[met[1]] - values[met[0]]))
    information = np.zeros((len(values), len(values)))
    np.add.at(information, (met[0], met[1]), -weights * expected * (1 - expected))
    information += information.T
    information -= np.diag(information.sum(axis=1))
    return information


@dataclass(frozen=True)
class PositionBias:
    """What the order of two answers changes, over the pairs that were compared in both orders."""

    n_pairs: int
    consistency: float
    """The share of pairs with the same winner (or a tie) in both orders."""
    first_place: float
    """The mean outcome for the answer shown first; 0.5 without bias."""
    low: float
    """With ``high`` the interval of ``first_place``, over questions."""
    high: float


def position_bias(comparisons: Comparisons, level: float = 0.95) -> PositionBias | None:
    """The bias towards the first place, from pairs of answers that were compared in both orders.

    In such pairs each answer is first once, so that the mean outcome for the first place is 1/2 for a judge who sees no
    order, whatever the answers are. Several comparisons of a pair in one order count as their mean.

    Returns:
        ``None`` with pairs of fewer than two questions.

    >>> of = Comparisons.of([0, 1, 0, 1], [1, 0, 1, 0], [1, 0, 1, 1], [0, 0, 1, 1], 2)
    >>> found = position_bias(of)
    >>> found.n_pairs, found.consistency, found.first_place
    (2, 0.5, 0.75)
    """
    by_order: dict[tuple[int, int, int], list[float]] = {}
    rows = zip(comparisons.items, comparisons.first, comparisons.second, comparisons.outcomes, strict=True)
    for item, first, second, outcome in rows:
        by_order.setdefault((int(item), int(first), int(second)), []).append(float(outcome))
    means, items, agreeing = [], [], 0
    for (item, first, second), outcomes in by_order.items():
        reverse = by_order.get((item, second, first))
        if first < second and reverse is not None:
            there, back = float(np.mean(outcomes)), float(np.mean(reverse))
            means.append((there + back) / 2)
            items.append(item)
            agreeing += bool(np.sign(there - TIED) == -np.sign(back - TIED))
    clusters = items if (of_items := comparisons.clusters_of_items) is None else of_items[items].tolist()
    if len(set(clusters)) < 2:
        return None
    ends = mean_interval(means, clusters, level)
    return PositionBias(len(means), agreeing / len(means), float(np.mean(means)), ends.low, ends.high)
