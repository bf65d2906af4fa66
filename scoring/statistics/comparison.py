"""Compare two systems on the same items: difference, and agreement item by item; and statistics of a column."""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike

from scoring.statistics.arrays import (
    TIE,
    Clusters,
    FloatArray,
    Interval,
    Units,
    as_rows,
    as_vector,
    check_level,
    check_units,
    clusterings,
)
from scoring.statistics.distributions import student_quantile, student_tail
from scoring.statistics.means import (
    PRIOR_CORRELATION,
    answers_beside,
    clustered_ends,
    clustered_variance,
    mean_intervals,
)

FEWEST_QUESTIONS = 5
"""With answers to fewer questions, no difference from people is shown: they say too little about other questions."""
USUAL_LEVEL = 0.95
SMALLEST_P = sys.float_info.min
"""A p-value is never 0, however far two systems are apart."""
N_ADDED = 2
"""So many differences are added to the sum of squares of each pair."""
N_OF_BOUND = 3.0
"""The largest possible difference of two shares, 1, counts as much as so many items that differ."""


@dataclass(frozen=True)
class PairedDifferences:
    """Differences of means between systems, in the unit of the scores; each of shape ``(n_pairs,)``."""

    pairs: tuple[tuple[int, int], ...]
    """Rows of the systems compared: the first minus the second."""
    value: FloatArray
    interval: Interval[FloatArray]
    """Confidence interval of the difference of each single pair."""
    p_value: FloatArray
    """P-value of each single pair, two-sided."""
    corrected: FloatArray
    """The p-values, Holm-corrected for the number of pairs."""


def paired_differences(
    per_item: ArrayLike,
    pairs: Sequence[tuple[int, int]] | None = None,
    *,
    level: float = 0.95,
    clusters: Clusters | None = None,
    shares: ArrayLike = True,
    least: ArrayLike = 0.0,
) -> PairedDifferences:
    """Differences between systems on the same items, with intervals and p-values.

    Both are of one procedure, `difference_intervals`: the interval holds exactly the differences that the test does not
    reject. Subtract a number from the scores of the first system, and its p-value is below 1 - ``level`` exactly if the
    number is outside the interval.

    Overlapping intervals of two systems do not show that their difference is chance: only this comparison does, because
    questions that are hard for both cancel out.

    Args:
        per_item: Shape ``(n_systems, n_items)``, at least two systems.
        pairs: Rows to compare; by default all, the earlier minus the later. Memory is proportional to their number
            times the number of items.
        level: As in `difference_intervals`, like the next two.
        clusters: The cluster of each item, shape ``(n_items,)``.
        shares: Whether the scores are shares, for all pairs or each.
        least: What each added square is at least, for all pairs or each. It should be 1 where one system answered each
            question more often than the other: nearly all differences are then small and say little of the large
            ones. For vectors of weighted means it should be the greater `largest_square` of both.

    Raises:
        TooFewUnitsError: If there is one item or cluster.
        ValueError: As in that function, if there is no pair, or a pair names no row.

    >>> found = paired_differences([[1, 1, 1, 1, 0, 1, 1, 1], [0, 1, 0, 0, 0, 0, 0, 0]])
    >>> round(found.value.item(), 3), round(found.interval.low.item(), 3), round(found.p_value.item(), 3)
    (0.75, 0.2, 0.015)
    """
    rows = as_rows(per_item)
    chosen = tuple(combinations(range(len(rows)), 2)) if pairs is None else tuple(pairs)
    if not chosen:
        raise ValueError("pairs: expected at least one")
    indices = np.asarray(chosen)
    if indices.shape != (len(chosen), 2) or indices.min() < 0 or indices.max() >= len(rows):
        raise ValueError(f"pairs: expected two of the rows 0 to {len(rows) - 1} in each, found {chosen}")
    first, second = indices.T
    differences = rows[first] - rows[second]
    errors = _standard_errors(differences, clusters, shares, least)
    p_values = np.max([_p_values(differences.mean(axis=1), *error) for error in errors], axis=0)
    return PairedDifferences(
        chosen,
        rows.mean(axis=1)[first] - rows.mean(axis=1)[second],
        _ends(differences, errors, level, shares),
        p_values,
        holm(p_values),
    )


@dataclass(frozen=True)
class DifferenceFromPeople:
    """A system's mean minus that of people, in the unit of the scores."""

    difference: float
    low: float
    high: float
    p_value: float
    """Two-sided; never 0."""


def system_against_people(
    system: ArrayLike,
    people: ArrayLike,
    questions: Clusters,
    participants: Clusters,
    level: float = 0.95,
    *,
    shares: bool = True,
) -> DifferenceFromPeople | None:
    """The difference between a system and people on the questions that people answered.

    It is an estimate for all questions of the kind and all such people. The interval follows from those of the two
    means (Zou and Donner 2008, https://doi.org/10.1002/sim.3095): its distance from the difference is √(a² + b² -
    2rab), with the distances a and b of the ends of theirs, and the correlation r of the means. For people, that is
    `mean_intervals`, clustered by person and by question; for the system, whose score on a
    question counts once, by question. The p-value is Student's, which is .05 where the 95 % interval ends at 0.

    Args:
        system: For each answer of a person, the system's score on that question, shape ``(n_answers,)``.
        people: The person's score, shape ``(n_answers,)``; likewise the next two.
        questions: The question of each answer, or the cluster of that question.
        participants: The person who gave each answer.
        level: The share of intervals that shall contain the true difference, above 0 and below 1.
        shares: Whether the scores are shares; as in `mean_intervals`.

    Returns:
        ``None`` with one person, with fewer than `FEWEST_QUESTIONS` questions, or without a variance.

    Raises:
        ValueError: If there is no answer, a value is not finite, or the shapes do not match.

    >>> who, asked = np.repeat(np.arange(6), 5), np.tile(np.arange(10), 3)
    >>> found = system_against_people(asked != 3, asked < 5, asked, who)
    >>> round(found.difference, 2), round(found.low, 2), round(found.high, 2), round(found.p_value, 3)
    (0.4, -0.2, 0.83, 0.149)
    """
    check_level(level)
    ours, theirs = as_vector(system, "system")[None], as_vector(people, "people")[None]
    n_answers = ours.shape[1]
    if theirs.shape != ours.shape:
        raise ValueError(f"people: expected one for each of {n_answers} answers, found {theirs.shape[1]}")
    labels = [Units.labels_of(n_answers, names) for names in (questions, participants)]
    ways = clusterings(n_answers, labels)
    if ways[0].n_units < FEWEST_QUESTIONS or ways[1].n_units < 2:
        return None
    correlation, degrees = _common_part(ours, theirs, ways)
    means = ours.mean(axis=1), theirs.mean(axis=1)
    both = (
        (
            Interval(*clustered_ends(ours, ways[:1], to, repeated=True, shares=shares)),
            mean_intervals(theirs, to, clusters=labels, shares=shares),
        )
        for to in (USUAL_LEVEL, level)
    )
    usual, asked = (_combined(means, *ends, correlation) for ends in both)
    difference = (means[0] - means[1]).item()
    margin = difference - usual.low.item() if difference > 0 else usual.high.item() - difference
    if not margin:
        return None
    statistic = abs(difference) / margin * _critical_value(USUAL_LEVEL, degrees)
    p_value = max(2 * student_tail(statistic, degrees), SMALLEST_P)
    return DifferenceFromPeople(difference, asked.low.item(), asked.high.item(), p_value)


def _common_part(ours: FloatArray, theirs: FloatArray, ways: Sequence[Units]) -> tuple[FloatArray, float]:
    """The correlation of the means of a system and of people, from the sums of questions, and the fewer degrees of
    freedom of both."""
    n_answers, by_question = ours.shape[1], ways[0]
    first, second = (row - row.mean() for row in (ours, theirs))
    variance, degrees = clustered_variance(first, np.ones(n_answers), ways[:1])
    their_variance, their_degrees = clustered_variance(second, np.ones(n_answers), ways)
    products = by_question.totals(first) * by_question.totals(second) / (1 - by_question.sizes / n_answers)
    scale = np.sqrt(variance * their_variance) * n_answers**2
    correlation = products.sum(axis=1) / np.where(scale > 0, scale, 1)
    return np.clip(correlation, -1, 1), min(degrees, their_degrees)


def _combined(
    means: tuple[FloatArray, FloatArray],
    first: Interval[FloatArray],
    second: Interval[FloatArray],
    correlation: FloatArray,
) -> Interval[FloatArray]:
    """The intervals of differences of means from those of the means (Zou and Donner 2008)."""

    def distance(first: FloatArray, second: FloatArray) -> FloatArray:
        squared: FloatArray = first**2 + second**2 - 2 * correlation * first * second
        return np.sqrt(np.maximum(squared, 0))

    difference = means[0] - means[1]
    low = difference - distance(means[0] - first.low, second.high - means[1])
    high = difference + distance(first.high - means[0], means[1] - second.low)
    return Interval(low, high)


def difference_intervals(
    differences: ArrayLike,
    level: float = 0.95,
    *,
    clusters: Clusters | None = None,
    shares: ArrayLike = True,
    least: ArrayLike = 0.0,
) -> Interval[FloatArray]:
    """Confidence intervals of means of differences: those of Student's test for pairs, with two more differences.

    If few items differ, the differences seen are no measure of those that other items would show: among 30 items none
    may differ where a tenth of all do. The sum of the squared deviations e from the mean is therefore increased by two
    more squares. If every item differs by 0 or 1, each is about 1, as many as Bonett and Price add (2012, Journal of
    Educational and Behavioral Statistics 37, https://doi.org/10.3102/1076998611411915). In general each is
    (3 + k·r²) / (3 + k), where r is the largest deviation seen, and k the effective number of items that deviate,
    (Σe²)² / Σe⁴: the largest possible difference, 1, weighs as much as three items, because an outcome of three in n
    items is missing among n of them with a probability of .05. Other scores than shares have no largest possible
    difference: there each is r².

    The interval is the mean ± Student's quantile times the standard error. So it is the set of all differences that the
    test does not reject. With clusters, the variance is that of `mean_intervals`, the added squares count for more by
    the design effect that is assumed of few answers, and no interval is narrower than the one without clusters.

    Args:
        differences: One for each item, shape ``(n_items,)`` or ``(n_pairs, n_items)``.
        level: The share of intervals that shall contain the true difference, above 0 and below 1.
        clusters: As in `mean_intervals`.
        shares: Whether they are differences of shares, for all rows or each.
        least: As in `paired_differences`.

    Returns:
        Ends of shape ``()`` or ``(n_pairs,)``; each interval contains the mean. Those of differences of shares that are
        within -1 to 1 are too.

    Raises:
        TooFewUnitsError: If there is one item or cluster.
        ValueError: As `mean_intervals`.

    >>> found = difference_intervals([[0] * 30, [0] * 20 + [1] * 8 + [-1] * 2])
    >>> found.low.round(3), found.high.round(3)
    (array([-0.098, -0.035]), array([0.098, 0.435]))
    """
    check_level(level)
    rows = as_rows(differences, "differences")
    ends = _ends(rows, _standard_errors(rows, clusters, shares, least), level, shares)
    return Interval(ends.low[0], ends.high[0]) if np.ndim(differences) == 1 else ends


def _standard_errors(
    differences: FloatArray, clusters: Clusters | None, shares: ArrayLike, least: ArrayLike
) -> list[tuple[FloatArray, float]]:
    """The standard errors of the means of rows, shape ``(n_rows,)``, with their degrees of freedom: over items, and
    with clusters also over these."""
    n_items = differences.shape[1]
    deviations = differences - differences.mean(axis=1)[:, None]
    rounding = TIE * np.abs(differences).max(axis=1)[:, None]
    deviations = np.where(np.abs(deviations) > rounding, deviations, 0.0)
    squares = deviations**2
    total, fourth = squares.sum(axis=1), (squares**2).sum(axis=1)
    n_unlike = np.divide(total**2, fourth, out=np.zeros_like(total), where=fourth > 0)
    largest = squares.max(axis=1)
    added = np.where(shares, (N_OF_BOUND + n_unlike * largest) / (N_OF_BOUND + n_unlike), largest)
    added = np.maximum(added, least)
    errors = []
    for labels in (None,) if clusters is None else (None, clusters):
        ways = clusterings(n_items, labels)
        for units in ways:
            check_units(units.n_units)
        variance, degrees = clustered_variance(deviations, np.ones(n_items), ways)
        design_effect = 1 + answers_beside(ways) * PRIOR_CORRELATION
        variance = variance + N_ADDED * added * design_effect / (n_items * (n_items - 1))
        errors.append((np.sqrt(variance), degrees))
    return errors


def _ends(
    differences: FloatArray, errors: Sequence[tuple[FloatArray, float]], level: float, shares: ArrayLike
) -> Interval[FloatArray]:
    means = differences.mean(axis=1)
    margins = [_critical_value(level, degrees) * error for error, degrees in errors]
    margin = np.max(margins, axis=0)
    limit = np.where((np.abs(differences).max(axis=1) <= 1) & np.asarray(shares), 1.0, np.inf)
    return Interval(np.maximum(means - margin, -limit), np.minimum(means + margin, limit))


def _p_values(means: FloatArray, errors: FloatArray, degrees: float) -> FloatArray:
    """Two-sided p-values of Student's test that the true means are 0; never 0."""
    statistics = np.divide(np.abs(means), errors, out=np.where(means == 0, 0.0, np.inf), where=errors > 0)
    return np.array([max(2 * student_tail(value, degrees), SMALLEST_P) for value in statistics.tolist()])


@lru_cache(maxsize=256)
def _critical_value(level: float, degrees: float) -> float:
    """The quantile of Student's t, refined so that `student_tail` has the same p-value to the last digits."""
    tail = (1 - level) / 2
    value = student_quantile(tail, degrees)
    for _ in range(3):  # Newton's method, with the derivative of the tail as a difference
        step = 1e-6 * value
        slope = (student_tail(value + step, degrees) - student_tail(value - step, degrees)) / (2 * step)
        value -= (student_tail(value, degrees) - tail) / slope
    return value


def holm(p_values: ArrayLike) -> FloatArray:
    """p-values corrected for multiple tests, by Holm's step-down method (1979, https://www.jstor.org/stable/4615733).

    If those up to α are called significant, the probability of even one wrong call is at most α, for any dependence.

    Both have the shape ``(n,)``, in the order given; none at all is allowed. None gets smaller, or above 1.

    Raises:
        ValueError: If one is not between 0 and 1.

    >>> holm([0.01, 0.04, 0.03])
    array([0.03, 0.06, 0.06])
    """
    if np.size(p_values) == 0:
        return np.empty(0)
    given = as_vector(p_values, "p_values")
    if (given < 0).any() or (given > 1).any():
        raise ValueError("p_values: expected numbers between 0 and 1")
    order = np.argsort(given, kind="stable")
    stepped = np.maximum.accumulate(given[order] * np.arange(len(given), 0, -1))
    corrected = np.empty(len(given))
    corrected[order] = np.minimum(stepped, 1.0)
    return corrected


def detectable_difference(deviation: float, n_items: int, *, level: float = 0.95, power: float = 0.8) -> float | None:
    """The smallest difference between two systems' means that a paired test finds with this probability.

    (t((1 - level) / 2) + t(1 - power)) · s / √n, where t are upper quantiles of Student's distribution with n - 1
    degrees of freedom: the usual approximation of the power of a paired t test (Cohen 1988, Statistical Power Analysis
    for the Behavioral Sciences, chapter 2; for test sets Card et al. 2020,
    https://aclanthology.org/2020.emnlp-main.745/).

    Args:
        deviation: Standard deviation of the difference on an item, such as the median of `deviation`. 1 is the largest
            possible of scores from 0 to 1.
        level: Of the interval of this one pair's difference, which then does not contain 0.

    Returns:
        In the unit of the deviation; ``None`` for fewer than two items.

    >>> round(detectable_difference(0.5, 724), 4), round(detectable_difference(1.0, 30), 4)
    (0.0521, 0.5294)
    """
    if n_items < 2:
        return None
    tail = round((1 - level) / 2, 12)  # 1 - .95 is not exactly .05 as floating point numbers
    quantiles = student_quantile(tail, n_items - 1) + student_quantile(1 - power, n_items - 1)
    return quantiles * deviation / math.sqrt(n_items)


@dataclass(frozen=True)
class Agreement:
    """The agreement of two systems' outcomes, item by item."""

    n_items: int
    equal_share: float
    """The share of items with the same outcome, 0 to 1."""
    kappa: float | None
    """Cohen's kappa, at most 1, 0 for agreement by chance. ``None`` unless every outcome is 0 or 1, and if all outcomes
    of both systems are the same value (chance alone then gives full agreement)."""
    pearson: float | None
    """Correlation of the outcomes, -1 to 1; ``None`` if all outcomes of a system are the same."""


def agreement(first: ArrayLike, second: ArrayLike) -> Agreement:
    """The agreement of two systems' outcomes: whether they answer the same questions correctly.

    Cohen's kappa (1960, https://doi.org/10.1177/001316446002000104) is (p - c) / (1 - c), where p is the share of equal
    outcomes and c the share expected by chance if each system has its own rate.

    Args:
        first: Scores of each item, shape ``(n_items,)``; the second are of the same items.

    Raises:
        ValueError: If the shapes differ, there are no items, or a value is not finite.

    >>> found = agreement([1, 1, 0, 0], [1, 0, 0, 0])
    >>> found.equal_share, found.kappa, round(found.pearson, 4)
    (0.75, 0.5, 0.5774)
    """
    a, b = as_vector(first, "first"), as_vector(second, "second")
    if a.shape != b.shape:
        raise ValueError(f"{len(a)} items against {len(b)}")
    equal = float(np.mean(np.abs(a - b) <= TIE))
    kappa = None
    if np.isin(a, (0, 1)).all() and np.isin(b, (0, 1)).all():
        rate_a, rate_b = float(a.mean()), float(b.mean())
        by_chance = rate_a * rate_b + (1 - rate_a) * (1 - rate_b)
        kappa = None if by_chance == 1 else (equal - by_chance) / (1 - by_chance)
    return Agreement(len(a), equal, kappa, correlation(a, b))


def correlation(first: FloatArray, second: FloatArray) -> float | None:
    """Pearson's correlation of finite values, -1 to 1; ``None`` if all of either are the same."""
    if np.ptp(first) <= TIE * np.abs(first).max() or np.ptp(second) <= TIE * np.abs(second).max():
        return None
    a, b = first - first.mean(), second - second.mean()
    a, b = a / np.abs(a).max(), b / np.abs(b).max()
    return float(np.clip(a @ b / np.sqrt((a @ a) * (b @ b)), -1.0, 1.0))
