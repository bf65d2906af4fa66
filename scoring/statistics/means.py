"""Confidence intervals of means: of questions, and of the answers of people."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from scoring.statistics.arrays import (
    BoolArray,
    Clusters,
    Estimate,
    FloatArray,
    Interval,
    TooFewUnitsError,
    Units,
    as_rows,
    as_vector,
    check_level,
    check_units,
    clusterings,
)
from scoring.statistics.distributions import student_quantile
from scoring.statistics.proportions import proportion_interval

FEWEST_PEOPLE = 5
"""Results of fewer people carry a warning: their intervals are wide, and miss what other people would do."""
PRIOR_CORRELATION = 0.1
"""The correlation of two answers of one person that is assumed while there are too few successes to estimate it."""
PRIOR_DEGREES = 32.0
"""With fewer degrees of freedom the assumed variance weighs less, because Student's quantile is wide enough."""

FEWEST_COUNTED = 30
"""A mean over fewer of the items than this has no interval, no rank and no differences, where some do not count."""

SKEW_DEGREES = 6.0
"""With fewer degrees of freedom the skewness counts less, because Student's quantile is wide enough."""

TOWARDS_NUMBER = 1 / 3
"""How far the Satterthwaite degrees of freedom are moved towards the number of clusters minus 1."""
CONSTANT = 1e-12
"""Results whose mean m has m(1 - m) below this are all 0, or all 1."""


def mean_interval(values: ArrayLike, clusters: Clusters | None = None, level: float = 0.95) -> Interval[float]:
    """The confidence interval of one mean, of values of shape ``(n_items,)``; see `mean_intervals`.

    >>> ends = mean_interval([0] * 100)
    >>> round(ends.low, 3), round(ends.high, 3)
    (0.0, 0.037)
    >>> ends = mean_interval([1, 1, 0, 1, 0, 0, 0, 1], clusters=["a", "a", "a", "b", "b", "c", "c", "c"])
    >>> round(ends.low, 2), round(ends.high, 2)
    (0.15, 0.85)
    """
    intervals = mean_intervals(as_vector(values, "values")[None], level, clusters=clusters)
    return Interval(float(intervals.low[0]), float(intervals.high[0]))


def mean_estimate(
    values: ArrayLike,
    clusters: Clusters | None = None,
    level: float = 0.95,
    *,
    bounds: tuple[float, float] = (0.0, 1.0),
) -> Estimate:
    """A mean with its interval, as far as the values allow.

    Args:
        values: One number for each item, within the bounds; may be empty. The others as in `mean_intervals`.
        bounds: The least and the greatest possible value: the interval is that of the place between them.

    Raises:
        ValueError: If a value is not finite, or the shapes do not match.

    >>> mean_estimate([1, 0, 1, 1]).value, mean_estimate([1]), mean_estimate([])
    (0.75, Estimate(value=1.0, interval=None, n_items=1), Estimate(value=None, interval=None, n_items=0))
    """
    given = np.asarray(values, dtype=np.float64)
    if not given.size:
        return Estimate(None, None, 0)
    lowest, span = bounds[0], bounds[1] - bounds[0]
    try:
        places = mean_interval((given - lowest) / span, clusters, level)
    except TooFewUnitsError:
        interval = None
    else:
        interval = Interval(lowest + span * places.low, lowest + span * places.high)
    return Estimate(float(given.mean()), interval, len(given))


def mean_intervals(
    per_item: ArrayLike, level: float = 0.95, *, clusters: Clusters | None = None, shares: ArrayLike = True
) -> Interval[FloatArray]:
    """Confidence intervals of means over items: the modified Wilson interval for results of 0 or 1, and for other
    results and for clusters the same form with an effective number of results.

    - Results of 0 or 1 without clusters: `proportion_interval`.
    - Other results of 0 to 1, and all with clusters: Wilson's interval for n* = p(1 - p) / v results, with Student's
      quantile in place of the normal one (Korn and Graubard 1998, Survey Methodology 24; compared by Dean and Pagano
      2015, https://doi.org/10.1093/jssam/smv024). v is the variance of the mean. Few successes estimate it badly: with
      k of them (or failures, if these are fewer) it is averaged with that of 0/1 results of the same mean, with the
      weights k² and 1.
    - Results beyond 0 to 1: mean ± Student's quantile times √v.

    With clusters (the answers of a person, the questions of a template), v is the cluster-robust variance of the ratio
    Σ sums / Σ sizes with the bias correction of Bell and McCaffrey (2002, Survey Methodology 28; "CR2"). The degrees of
    freedom are their Satterthwaite degrees, moved a third of the way to the number of clusters minus 1, because the
    former are too cautious for 3 or 4 people. The end nearer to one half is moved outwards for the skewness of the
    clusters' sums; see `wilson`. Few clusters may agree by chance, so no interval is narrower than the one
    without clusters.

    Clusters in two ways, such as people and questions, may cross: v is the sum of the variances of both ways, minus
    that of the clusters in which both are equal (Cameron, Gelbach and Miller 2011,
    https://doi.org/10.1198/jbes.2010.07136), and at least each of the two; the degrees of freedom are the smaller ones.
    ``make bench ARGS=calibration`` has the coverage of all of these.

    Args:
        per_item: Shape ``(n_items,)`` or ``(n_systems, n_items)``; a row's interval depends on that row alone.
        level: The share of intervals that shall contain the true mean, above 0 and below 1.
        clusters: The cluster of each item, shape ``(n_items,)``, or its clusters in two ways, ``(2, n_items)``; each
            item alone if not given.
        shares: Whether the results are shares, for all rows or each; others, such as seconds, get the third form
            wherever they lie.

    Returns:
        Ends of shape ``(n_systems,)``, or ``()`` for a vector; within 0 to 1 for results of 0 to 1.

    Raises:
        TooFewUnitsError: If there is only one item, or one cluster in some way.
        ValueError: If there is nothing to take a mean of, a value is not finite, or the shapes do not match.

    >>> found = mean_intervals([[0, 1, 1, 0, 1, 1, 0, 1], [0.5, 0.5, 0.25, 0, 0, 1, 0, 0]])
    >>> found.low.round(3), found.high.round(3)
    (array([0.306, 0.088]), array([0.898, 0.615]))
    """
    check_level(level)
    rows = np.ascontiguousarray(as_rows(per_item))
    n_items = rows.shape[1]
    low, high = clustered_ends(rows, clusterings(n_items, None), level, shares=shares)
    binary = ((rows == 0) | (rows == 1)).all(axis=1) & np.asarray(shares)
    if binary.any():
        wilson_ends = proportion_interval(rows[binary].sum(axis=1), n_items, level)
        low[binary], high[binary] = wilson_ends.low, wilson_ends.high
    if clusters is not None:
        clustered_low, clustered_high = clustered_ends(rows, clusterings(n_items, clusters), level, shares=shares)
        low, high = np.minimum(low, clustered_low), np.maximum(high, clustered_high)
    if np.ndim(per_item) == 1:
        return Interval(low[0], high[0])
    return Interval(low, high)


def clustered_ends(
    rows: FloatArray, ways: Sequence[Units], level: float, *, repeated: bool = False, shares: ArrayLike = True
) -> tuple[FloatArray, FloatArray]:
    """Lower and upper ends as in `mean_intervals`, shape ``(n_rows,)``.

    Args:
        rows: Shape ``(n_rows, n_items)``.
        ways: From `clusterings`.
        repeated: Whether the items of a cluster are one result, repeated, which counts once (with a weight).
        shares: As in `mean_intervals`.

    Raises:
        TooFewUnitsError: If there is one unit in some way.
    """
    for units in ways:
        check_units(units.n_units)
    means, n_items, beside = rows.mean(axis=1), float(rows.shape[1]), answers_beside(ways)
    variance, degrees = clustered_variance(rows - means[:, None], np.ones(rows.shape[1]), ways)
    if repeated:
        n_items, beside = n_items / (1 + beside), 0.0
    bounded = (rows.min(axis=1) >= 0) & (rows.max(axis=1) <= 1) & np.asarray(shares)
    return _ends(means, variance, degrees, n_items, n_items, beside, level, bounded)


def _ends(
    means: FloatArray,
    variance: FloatArray,
    degrees: float,
    n_items: float,
    n_telling: float,
    beside: float,
    level: float,
    bounded: BoolArray,
) -> tuple[FloatArray, FloatArray]:
    """Lower and upper ends of means: by `wilson` where *bounded*, of results of 0 to 1; else by Student's quantile.

    Args:
        n_items: The number of results, with weights the effective one.
        n_telling: The number of those that say much of the variance.
        beside: From `answers_beside`.
    """
    margin = student_quantile((1 - level) / 2, degrees) * np.sqrt(variance)
    low, high = means - margin, means + margin
    if bounded.any():
        means, design_effect = means[bounded], 1 + beside * PRIOR_CORRELATION
        low[bounded], high[bounded] = wilson(
            means,
            variance[bounded],
            degrees,
            n_telling * np.minimum(means, 1 - means),
            prior=means * (1 - means) / n_items * design_effect,
            n_without_variance=n_items / design_effect,
            n_items=n_items,
            beside=beside,
            level=level,
        )
    return low, high


def completed(values: ArrayLike, weights: ArrayLike | None = None) -> FloatArray:
    """A vector over all items for a weighted mean, or a mean over some of them: with the same mean, and with the
    variance of that mean.

    An unknown value becomes the mean; the deviation of a known one is multiplied by its weight over the mean weight,
    which without weights is (number of items) / (number of known ones). Differences of such vectors, too, have the
    variance of the difference of the two means, whichever items each of them lacks at random (Taylor linearisation of a
    ratio: Woodruff 1971, https://doi.org/10.1080/01621459.1971.10482279). Filled with the mean alone, intervals would
    be too narrow. These are no values of items: do not show them.

    Args:
        values: Shape ``(n_items,)``, NaN where unknown.
        weights: What each item counts, at least 0, the same shape; an item that counts 0 is unknown.

    Returns:
        Shape ``(n_items,)``; may be beyond the range of the values.

    Raises:
        ValueError: If no value is known, or the weights are not such.

    >>> completed([1, 0, 1, float("nan"), 0]).tolist()
    [1.125, -0.125, 1.125, 0.5, -0.125]
    >>> completed([1, 0, 0], weights=[2, 1, 1]).tolist()
    [1.25, 0.125, 0.125]
    """
    given = np.asarray(values, dtype=np.float64)
    counts = weights_of_known(given, weights)
    known = counts > 0
    mean = np.average(given[known], weights=counts[known])
    # In this order the numbers without weights are those of earlier versions to the last bit.
    return np.asarray(
        np.where(known, mean + (given - mean) * (counts * (len(given) / counts.sum())), mean), dtype=np.float64
    )


def counted_often(values: ArrayLike, weights: ArrayLike) -> FloatArray:
    """A vector with the weighted mean of some values, to rank systems whose items have the same weights.

    Each value is multiplied by its weight over the mean weight. Unlike those of `completed`, differences of two such
    vectors are symmetric where two systems are equally good, so that a few heavy items do not mislead `rank_sets`; but
    a vector alone does not have the variance of its mean.

    Args:
        values: Shape ``(n_items,)``.
        weights: What each item counts, above 0, the same shape.

    >>> counted_often([1, 0, 0], [2, 1, 1]).tolist()
    [1.5, 0.0, 0.0]
    """
    given = np.asarray(values, dtype=np.float64)
    counts = weights_of_known(given, weights)
    return np.asarray(given * (counts * (len(given) / counts.sum())), dtype=np.float64)


def largest_square(values: ArrayLike, weights: ArrayLike | None = None) -> float:
    """The square of the largest deviation of a typical item in a vector from `completed`, where values are 0 to 1.

    It is the mean square of the factors by which deviations are multiplied there, over the items that count: 1 if all
    count alike, and large if few items count much. Arguments as in `completed`; see `paired_differences`.

    >>> largest_square([1, 0, 1, 1]), largest_square([1, 0, float("nan"), float("nan")])
    (1.0, 4.0)
    """
    given = np.asarray(values, dtype=np.float64)
    counts = weights_of_known(given, weights)
    return float(((counts * (len(given) / counts.sum())) ** 2).sum() / (counts > 0).sum())


def weights_of_known(values: FloatArray, weights: ArrayLike | None = None) -> FloatArray:
    """What each item counts: 0 where its value is unknown (NaN), otherwise its weight, or 1 without weights.

    Raises:
        ValueError: If no value is known, or a weight is negative, infinite or missing.
    """
    counts = np.ones(len(values)) if weights is None else np.asarray(weights, dtype=np.float64)
    if counts.shape != values.shape or not np.isfinite(counts).all() or (counts < 0).any():
        raise ValueError(f"weights: expected a number from 0 for each of {len(values)} items")
    counts = np.where(np.isnan(values), 0.0, counts)
    if not counts.any():
        raise ValueError("values: none is known")
    return counts


def weighted_mean_interval(
    values: ArrayLike,
    weights: ArrayLike | None = None,
    clusters: Clusters | None = None,
    level: float = 0.95,
    *,
    shares: bool = True,
) -> Interval[float]:
    """The confidence interval of a weighted mean, or of a mean over some of the items.

    Items without a value, or with the weight 0, are left out: the interval is about the others. If these have equal
    weights, it is `mean_interval`. Otherwise it has the same form with the variance of the ratio of two sums,
    Σw²(x - m)² / (Σw)² (Woodruff 1971, see `completed`), where each square is divided by the share of it that remains
    after the mean has been fitted, 1 - 2w/Σw + Σw²/(Σw)²; with Kish's effective number of items, (Σw)² / Σw² (Kish
    1965, Survey Sampling, section 11.7), in place of their number; and with (Σw²)² / Σw⁴ - 1 degrees of freedom,
    because a few heavy items say as little as a few items.

    Args:
        values: One number for each item, NaN where unknown, shape ``(n_items,)``.
        weights: What each item counts, at least 0, shape ``(n_items,)``; 1 if not given. They may depend on the answer:
            the F-score of SimpleQA is the mean of correct answers where attempted ones count twice.
        clusters: As in `mean_intervals`, and so are the others.

    Raises:
        TooFewUnitsError: If fewer than two items, or clusters of them, count.
        ValueError: If no item counts, or the shapes do not match.

    >>> ends = weighted_mean_interval([1, 0, float("nan"), 1, 0, 1, 1, 0, 1])
    >>> ends == mean_interval([1, 0, 1, 0, 1, 1, 0, 1])
    True
    >>> ends = weighted_mean_interval([1, 0, 1, 0, 1, 1, 0, 1], [1, 2, 3, 4, 5, 1, 2, 3])
    >>> round(ends.low, 2), round(ends.high, 2)
    (0.15, 0.94)
    """
    given = np.asarray(values, dtype=np.float64)
    counts = weights_of_known(given, weights)
    known = counts > 0
    given, counts = given[known], counts[known]
    chosen = None if clusters is None else np.asarray(clusters)[..., known]
    if (counts == counts[0]).all():
        intervals = mean_intervals(given[None], level, clusters=chosen, shares=shares)
        return Interval(float(intervals.low[0]), float(intervals.high[0]))
    check_level(level)
    total = counts.sum()
    mean = float(np.average(given, weights=counts))
    squares = (counts**2).sum()
    n_effective = float(total**2 / squares)
    degrees = max(1.0, float(squares**2 / (counts**4).sum()) - 1)
    remaining = 1 - 2 * counts / total + squares / total**2
    variance = float(((counts * (given - mean)) ** 2 / remaining).sum() / total**2)
    estimates = [(variance, degrees, 0.0)]
    if chosen is not None:
        ways = clusterings(len(given), chosen)
        for units in ways:
            check_units(units.n_units)
        deviations = (completed(given, counts) - mean)[None]
        (clustered,), their_degrees = clustered_variance(deviations, np.ones(len(given)), ways)
        estimates.append((float(clustered), min(degrees, their_degrees), answers_beside(ways)))
    bounded = np.array([shares and given.min() >= 0 and given.max() <= 1])
    ends = [
        # Of the items, the heavy ones say much of the variance.
        _ends(np.array([mean]), np.array([of]), free, n_effective, free + 1, beside, level, bounded)
        for of, free, beside in estimates
    ]
    return Interval(min(float(low[0]) for low, _ in ends), max(float(high[0]) for _, high in ends))


def clustered_variance(
    deviations: FloatArray, sizes: FloatArray, ways: Sequence[Units] = ()
) -> tuple[FloatArray, float]:
    """The variance of means over clusters, corrected for bias, from the deviations of their items.

    Args:
        deviations: The deviation of each item from the mean, shape ``(n_rows, n_items)``.
        sizes: To which the variances of independent items are proportional: 1 for answers; shape ``(n_items,)``.
        ways: From `clusterings`; if not given, each item is a unit of its own.

    Returns:
        The variances, shape ``(n_rows,)``, and the degrees of freedom, at least 1.
    """
    if not ways:
        return _variance_of(deviations, sizes)
    spreads = [_variance_of(units.totals(deviations), units.totals(sizes[None])[0]) for units in ways]
    if len(spreads) == 1:
        return spreads[0]
    (first, degrees), (second, other_degrees), (both, _) = spreads
    return np.maximum(np.maximum(first, second), first + second - both), min(degrees, other_degrees)


def _variance_of(sums: FloatArray, sizes: FloatArray) -> tuple[FloatArray, float]:
    total = sizes.sum()
    shares = sizes / total
    variance = (sums**2 / (1 - shares)).sum(axis=1) / total**2
    ratios = shares**2 / (1 - shares)
    satterthwaite = 1 / float((shares**2).sum() + ratios.sum() ** 2 - (ratios**2).sum())
    degrees = satterthwaite + (len(sizes) - 1 - satterthwaite) * TOWARDS_NUMBER
    return variance, max(1.0, degrees)


def wilson(
    means: FloatArray,
    variance: FloatArray,
    degrees: float,
    fewer: FloatArray,
    *,
    prior: FloatArray,
    n_without_variance: FloatArray | float,
    n_items: float = 1.0,
    beside: float = 0.0,
    level: float,
) -> tuple[FloatArray, FloatArray]:
    """Wilson's interval for the number of 0/1 results that would have the variance of these means.

    Wilson's interval takes the variance at a candidate c as proportional to c(1 - c). If clusters differ in their
    rates, the variance falls faster than that towards 0 (and 1), and a low mean comes with a variance that is too low
    for a high candidate. With beta-distributed rates, a correlation r of two answers in a cluster, and the rest of the
    variance due to it, the surplus of the slope is a share (1 - r) / (1 + r) of that rest (from the beta
    distribution's skewness). It is added, up to twice where rates are near 0 or 1, to the variance at candidates
    towards one half; the other end of the interval does not change.

    Args:
        means: Within 0 to 1, shape ``(n,)``.
        variance: Their variances.
        degrees: The degrees of freedom of these.
        fewer: The number of successes or of failures, whichever is less.
        prior: The variance that is assumed if there are few.
        n_without_variance: The effective number of results if all are 0, or all are 1.
        n_items: The number of results.
        beside: The mean number of other results in the cluster of a result, from which and from the variance r follows.
            With 0, this skewness is left out.

    Returns:
        Lower and upper ends, within 0 to 1.
    """
    weight = min(1.0, degrees / PRIOR_DEGREES)
    variance = (fewer**2 * variance + weight * prior) / (fewer**2 + weight)
    single = means * (1 - means)
    varied = single > CONSTANT
    n = np.where(varied, single / np.where(varied, variance, 1.0), n_without_variance)
    square = student_quantile((1 - level) / 2, degrees) ** 2
    low, high = _roots(means, square / n, 0.0)
    if beside:
        rest = np.maximum(1 / n - 1 / n_items, 0)
        correlation = np.minimum(rest * n_items / beside, 1)
        side = (1 - 2 * means) * min(1.0, degrees / SKEW_DEGREES)
        slope = square * rest * (1 - correlation) / (1 + correlation) * side * (1 + np.abs(1 - 2 * means))
        skewed_low, skewed_high = _roots(means, square / n, slope)
        low, high = np.minimum(low, skewed_low), np.maximum(high, skewed_high)
    low, high = np.clip(np.minimum(low, means), 0, 1), np.clip(np.maximum(high, means), 0, 1)
    return np.where(means == 0, 0.0, low), np.where(means == 1, 1.0, high)


def answers_beside(ways: Sequence[Units]) -> float:
    """The mean number of other answers in the clusters of an answer; one that shares both clusters counts once."""
    numbers = [float((units.sizes**2).sum() / units.sizes.sum()) - 1 for units in ways]
    return numbers[0] if len(numbers) == 1 else numbers[0] + numbers[1] - numbers[2]


def _roots(means: FloatArray, scale: FloatArray, slope: FloatArray | float) -> tuple[FloatArray, FloatArray]:
    """The candidates c for which (c - mean)² = scale · c(1 - c) + slope · (c - mean)."""
    middle = (means + (scale + slope) / 2) / (1 + scale)
    margin = np.sqrt(np.maximum(middle**2 - means * (means + slope) / (1 + scale), 0))
    return middle - margin, middle + margin
