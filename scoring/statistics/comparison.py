"""Compare two systems on the same items: difference, and agreement item by item; and statistics of a column."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike

from scoring.statistics.arrays import (
    N_RESAMPLES,
    TIE,
    BoolArray,
    Clusters,
    FloatArray,
    IntArray,
    Units,
    as_rows,
    as_vector,
)
from scoring.statistics.distributions import student_quantile
from scoring.statistics.means import mean_intervals
from scoring.statistics.permutation import holm, indistinguishable_from_best, sign_flip_test
from scoring.statistics.ranks import rank_statistics
from scoring.statistics.resampling import Interval, bootstrap_means, check_units, interval


@dataclass(frozen=True)
class PairedDifferences:
    """Differences of means between systems, in the unit of the scores; each of shape ``(n_pairs,)``."""

    pairs: tuple[tuple[int, int], ...]
    """Rows of the systems compared: the first minus the second."""
    value: FloatArray
    interval: Interval
    """Of each single pair."""
    p_value: FloatArray
    """Of each single pair, two-sided."""
    corrected: FloatArray
    """The p-values, Holm-corrected for the number of pairs."""


def paired_differences(
    per_item: ArrayLike,
    pairs: Sequence[tuple[int, int]] | None = None,
    *,
    seed: int,
    confidence: float = 0.95,
    n_resamples: int = N_RESAMPLES,
    clusters: Clusters | None = None,
) -> PairedDifferences:
    """Differences between systems on the same items, with intervals and p-values.

    The interval is the percentile interval of the difference of resampled means, both from the same draws
    (:func:`~scoring.statistics.bootstrap_means`, expanded for few units as in :func:`~scoring.statistics.interval`);
    the p-value is from :func:`~scoring.statistics.sign_flip_test`. They answer different questions and may disagree
    close to the limit: the interval is about the size of a difference, the test about its existence.

    Overlapping intervals of two systems do not show that their difference is chance: only this comparison does, because
    questions that are hard for both cancel out.

    :param per_item: shape ``(n_systems, n_items)``, at least two systems.
    :param pairs: rows to compare; by default all, the earlier minus the later. Memory is proportional to their number
        times the number of items, or of resamples.
    :param clusters: as in these functions; if given, whole clusters are drawn and swapped (systems against people: by
        participant).
    :raises TooFewUnitsError: if there is one item or cluster.
    :raises ValueError: as in these functions, if there is no pair, or a pair names no row.

    >>> found = paired_differences([[1, 1, 1, 1, 0, 1], [0, 1, 0, 0, 0, 0]], seed=0)
    >>> round(found.value.item(), 3), found.p_value.item()
    (0.667, 0.125)
    """
    rows = as_rows(per_item)
    chosen = tuple(combinations(range(len(rows)), 2)) if pairs is None else tuple(pairs)
    if not chosen:
        raise ValueError("pairs: expected at least one")
    indices = np.asarray(chosen)
    if indices.shape != (len(chosen), 2) or indices.min() < 0 or indices.max() >= len(rows):
        raise ValueError(f"pairs: expected two of the rows 0 to {len(rows) - 1} in each, found {chosen}")
    n_units = Units.of(rows.shape[1], clusters).n_units
    check_units(n_units)
    first, second = indices.T
    differences = rows[first] - rows[second]
    p_values = sign_flip_test(differences, seed=seed, n_resamples=n_resamples, clusters=clusters)
    means = bootstrap_means(rows, seed=seed, n_resamples=n_resamples, clusters=clusters)
    ends = interval(means[first] - means[second], confidence, n_units=n_units)
    return PairedDifferences(
        chosen, rows.mean(axis=1)[first] - rows.mean(axis=1)[second], ends, p_values, holm(p_values)
    )


def detectable_difference(deviation: float, n_items: int, *, alpha: float = 0.05, power: float = 0.8) -> float | None:
    """The smallest difference between two systems' means that a paired test finds with this probability.

    (t(α / 2) + t(1 - power)) · s / √n, where t are upper quantiles of Student's distribution with n - 1 degrees of
    freedom: the usual approximation of the power of a paired t test (Cohen 1988, Statistical Power Analysis for the
    Behavioral Sciences, chapter 2; for test sets Card et al. 2020, https://aclanthology.org/2020.emnlp-main.745/).

    :param deviation: standard deviation of the difference on an item, such as the median of
        :attr:`~scoring.statistics.RankStatistics.deviation`. 1 is the largest possible of scores from 0 to 1.
    :param n_items: the number of items.
    :param alpha: the level of the two-sided test of this one pair.
    :param power: the probability of finding the difference.
    :returns: in the unit of the deviation; ``None`` for fewer than two items.

    >>> round(detectable_difference(0.5, 724), 4), round(detectable_difference(1.0, 30), 4)
    (0.0521, 0.5294)
    """
    if n_items < 2:
        return None
    quantiles = student_quantile(alpha / 2, n_items - 1) + student_quantile(1 - power, n_items - 1)
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

    :param first: scores of each item, shape ``(n_items,)``.
    :param second: those of the other system, on the same items.
    :raises ValueError: if the shapes differ, there are no items, or a value is not finite.

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
    """Pearson's correlation, -1 to 1; ``None`` if all values of either are the same.

    :param first: shape ``(n,)``, finite.
    :param second: shape ``(n,)``, finite.
    """
    if np.ptp(first) <= TIE * np.abs(first).max() or np.ptp(second) <= TIE * np.abs(second).max():
        return None
    a, b = first - first.mean(), second - second.mean()
    a, b = a / np.abs(a).max(), b / np.abs(b).max()
    return float(np.clip(a @ b / np.sqrt((a @ a) * (b @ b)), -1.0, 1.0))


@dataclass(frozen=True)
class ColumnStatistics:
    """The statistics of one column of a leaderboard besides the values; arrays of shape ``(n_systems,)``."""

    interval: Interval | None
    """``None`` if there is a single item."""
    rank: IntArray
    best_rank: IntArray
    """With ``worst_rank`` the rank set: see :func:`~scoring.statistics.rank_sets`."""
    worst_rank: IntArray
    group: IntArray
    """As in :class:`~scoring.statistics.RankStatistics`, like ``deviation``."""
    deviation: float | None
    best: BoolArray
    marked: BoolArray
    p_values: FloatArray
    """As in :class:`~scoring.statistics.BestMarks`."""


def column_statistics(
    per_item: ArrayLike,
    *,
    seed: int,
    confidence: float = 0.95,
    n_resamples: int = N_RESAMPLES,
    higher_is_better: bool = True,
    caution: ArrayLike | None = None,
) -> ColumnStatistics:
    """Intervals, rank ranges and marks of the systems in one column.

    Intervals are those of :func:`~scoring.statistics.mean_intervals`.

    :param per_item: one score of each system on the same items, shape ``(n_systems, n_items)``; only of systems that
        are scored and ranked against each other.
    :param seed: the same for all columns of a board.
    :param caution: see :func:`~scoring.statistics.rank_statistics`.
    :raises ValueError: as :func:`~scoring.statistics.bootstrap_means`.

    >>> column = column_statistics([[1, 0, 1, 1], [0, 0, 1, 0]], seed=0)
    >>> column.rank, column.worst_rank, column.marked
    (array([1, 2]), array([2, 2]), array([ True,  True]))
    """
    rows = as_rows(per_item)
    ends = mean_intervals(rows, confidence) if rows.shape[1] > 1 else None
    found = rank_statistics(rows, confidence, seed=seed, higher_is_better=higher_is_better, caution=caution)
    marks = indistinguishable_from_best(
        rows, seed=seed, alpha=1 - confidence, n_resamples=n_resamples, higher_is_better=higher_is_better
    )
    return ColumnStatistics(
        ends,
        found.rank,
        found.best,
        found.worst,
        found.group,
        found.deviation,
        marks.best,
        marks.marked,
        marks.p_values,
    )
