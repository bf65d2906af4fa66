"""Confidence intervals of means: of questions, and of the answers of people."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from scoring.statistics.arrays import Clusters, Ends, FloatArray, Units, as_rows, as_vector, check_confidence
from scoring.statistics.distributions import student_quantile
from scoring.statistics.proportions import proportion_interval
from scoring.statistics.resampling import Interval, check_units

FEWEST_PEOPLE = 5
"""Results of fewer people carry a warning: their intervals are wide, and miss what other people would do."""
PRIOR_CORRELATION = 0.1
"""The correlation of two answers of one person that is assumed while there are too few successes to estimate it."""
NORMAL_DEGREES = 1e6
"""Student's distribution with so many degrees of freedom is the normal one."""
PRIOR_DEGREES = 32.0
"""With fewer degrees of freedom the assumed variance weighs less, because Student's quantile is wide enough."""

SKEW_DEGREES = 6.0
"""With fewer degrees of freedom the skewness counts less, because Student's quantile is wide enough."""

TOWARDS_NUMBER = 1 / 3
"""How far the Satterthwaite degrees of freedom are moved towards the number of clusters minus 1."""
CONSTANT = 1e-12
"""Results whose mean m has m(1 - m) below this are all 0, or all 1."""


def mean_interval(values: ArrayLike, clusters: Clusters | None = None, level: float = 0.95) -> Ends:
    """The confidence interval of one mean; see :func:`mean_intervals`.

    :param values: one number for each answer, shape ``(n_items,)``.
    :param clusters: the person of each answer, shape ``(n_items,)``.
    :param level: the share of intervals that shall contain the true mean, above 0 and below 1.
    :raises TooFewUnitsError: if there is only one answer, or one person.
    :raises ValueError: if there is no answer, a value is not finite, or the shapes do not match.

    >>> found = mean_interval([0] * 100)
    >>> round(found.low, 3), round(found.high, 3)
    (0.0, 0.037)
    >>> found = mean_interval([1, 1, 0, 1, 0, 0, 0, 1], clusters=["a", "a", "a", "b", "b", "c", "c", "c"])
    >>> round(found.low, 2), round(found.high, 2)
    (0.15, 0.85)
    """
    found = mean_intervals(as_vector(values, "values")[None], level, clusters=clusters)
    return Ends(float(found.low[0]), float(found.high[0]))


def mean_intervals(per_item: ArrayLike, confidence: float = 0.95, *, clusters: Clusters | None = None) -> Interval:
    """Confidence intervals of means over items: the modified Wilson interval for results of 0 or 1, and for other
    results and for people the same form with an effective number of results.

    - Results of 0 or 1 without clusters: :func:`~scoring.statistics.proportion_interval`.
    - Other results of 0 to 1, and all with clusters: Wilson's interval for n* = p(1 - p) / v results, with Student's
      quantile in place of the normal one (Korn and Graubard 1998, Survey Methodology 24; compared by Dean and Pagano
      2015, https://doi.org/10.1093/jssam/smv024). v is the variance of the mean. Few successes estimate it badly: with
      k of them (or failures, if these are fewer) it is averaged with that of 0/1 results of the same mean, with the
      weights k² and 1.
    - Results beyond 0 to 1: mean ± Student's quantile times √v.

    With clusters, v is the cluster-robust variance of the ratio Σ sums / Σ sizes with the bias correction of Bell and
    McCaffrey (2002, Survey Methodology 28; "CR2"). The degrees of freedom are their Satterthwaite degrees, moved a
    third of the way to the number of clusters minus 1, because the former are too cautious for 3 or 4 people, for whom
    v is at least a part of the variance of independent results; see :func:`_not_below_chance`. The end
    nearer to one half is moved outwards for the skewness of people's sums; see :func:`wilson`.
    ``make bench ARGS=calibration`` has the coverage of all of these.

    :param per_item: shape ``(n_items,)`` or ``(n_systems, n_items)``; a row's interval depends on that row alone.
    :param clusters: the cluster (person) of each item, shape ``(n_items,)``; each item alone if not given.
    :returns: ends of shape ``(n_systems,)``, or ``()`` for a vector; within 0 to 1 for results of 0 to 1.
    :raises TooFewUnitsError: if there is only one item, or one cluster.
    :raises ValueError: if there is nothing to take a mean of, a value is not finite, or the shapes do not match.

    >>> found = mean_intervals([[0, 1, 1, 0, 1, 1, 0, 1], [0.5, 0.5, 0.25, 0, 0, 1, 0, 0]])
    >>> found.low.round(3), found.high.round(3)
    (array([0.306, 0.088]), array([0.898, 0.615]))
    """
    check_confidence(confidence)
    rows = np.ascontiguousarray(as_rows(per_item))
    units = Units.of(rows.shape[1], clusters)
    check_units(units.n_units)
    means = rows.mean(axis=1)
    spread = clustered_variance(units.totals(rows) - means[:, None] * units.sizes, units.sizes)
    margin = student_quantile((1 - confidence) / 2, spread.degrees) * np.sqrt(spread.variance)
    low, high = means - margin, means + margin
    bounded = (rows.min(axis=1) >= 0) & (rows.max(axis=1) <= 1)
    if bounded.any():
        low[bounded], high[bounded] = _within_bounds(rows[bounded], spread.of(bounded), units, confidence)
    if clusters is None:
        binary = bounded & ((rows == 0) | (rows == 1)).all(axis=1)
        if binary.any():
            found = proportion_interval(rows[binary].sum(axis=1), rows.shape[1], confidence)
            low[binary], high[binary] = found.low, found.high
    if np.ndim(per_item) == 1:
        return Interval(low[0], high[0], confidence)
    return Interval(low, high, confidence)


def completed(values: ArrayLike) -> FloatArray:
    """A vector over all items for a mean over some of them: with the same mean, and with the variance of that mean.

    An unknown value becomes the mean; the deviation of a known one is multiplied by (number of items) / (number of
    known ones). Differences of such vectors, too, have the variance of the difference of the two means, whichever items
    each of them lacks at random (Taylor linearisation of a ratio: Woodruff 1971,
    https://doi.org/10.1080/01621459.1971.10482279). Filled with the mean alone, intervals would be too narrow.

    :param values: shape ``(n_items,)``, NaN where unknown.
    :returns: shape ``(n_items,)``; may be beyond the range of the values.
    :raises ValueError: if no value is known.

    >>> completed([1, 0, 1, float("nan"), 0]).tolist()
    [1.125, -0.125, 1.125, 0.5, -0.125]
    """
    given = np.asarray(values, dtype=np.float64)
    known = ~np.isnan(given)
    if not known.any():
        raise ValueError("values: none is known")
    mean = given[known].mean()
    return np.asarray(np.where(known, mean + (given - mean) * (len(given) / known.sum()), mean))


@dataclass(frozen=True)
class ClusteredVariance:
    """The variance of a sum of clusters' contributions."""

    variance: FloatArray
    """Shape ``(n_rows,)``."""
    degrees: float
    """The degrees of freedom, at least 1."""

    def of(self, rows: FloatArray) -> ClusteredVariance:
        """The same of some of the rows."""
        return ClusteredVariance(self.variance[rows], self.degrees)


def clustered_variance(deviations: FloatArray, sizes: FloatArray) -> ClusteredVariance:
    """The variance of means over clusters, corrected for bias, from the deviations of the clusters' sums.

    :param deviations: a cluster's sum minus its size times the mean, shape ``(n_rows, n_clusters)``.
    :param sizes: the sizes of the clusters, to which the variances of their sums are taken to be proportional if
        answers are independent; shape ``(n_clusters,)``.
    """
    total = sizes.sum()
    shares = sizes / total
    variance = (deviations**2 / (1 - shares)).sum(axis=1) / total**2
    ratios = shares**2 / (1 - shares)
    satterthwaite = 1 / float((shares**2).sum() + ratios.sum() ** 2 - (ratios**2).sum())
    degrees = satterthwaite + (len(sizes) - 1 - satterthwaite) * TOWARDS_NUMBER
    return ClusteredVariance(variance, max(1.0, degrees))


def _within_bounds(
    rows: FloatArray, spread: ClusteredVariance, units: Units, confidence: float
) -> tuple[FloatArray, FloatArray]:
    n_items = rows.shape[1]
    means = rows.mean(axis=1)
    if units.n_units < FEWEST_PEOPLE and n_items > units.n_units:
        spread = _not_below_chance(spread, means * (1 - means) / n_items, confidence)
    design_effect = 1 + _answers_beside(units) * PRIOR_CORRELATION
    successes = rows.sum(axis=1)
    return wilson(
        means,
        spread,
        np.minimum(successes, n_items - successes),
        prior=means * (1 - means) / n_items * design_effect,
        n_without_variance=n_items / design_effect,
        units=units,
        confidence=confidence,
    )


def _not_below_chance(spread: ClusteredVariance, independent: FloatArray, confidence: float) -> ClusteredVariance:
    """With few people who give few answers each, all may by chance have nearly the same rate, which says nothing about
    others. Their variance is taken to be at least that of independent 0/1 results times (z / t)³, with the normal
    quantile z and Student's t: the least power for which 3 people with 2 to 16 answers each are covered."""
    quantile = student_quantile((1 - confidence) / 2, spread.degrees)
    least = independent * (student_quantile((1 - confidence) / 2, NORMAL_DEGREES) / quantile) ** 3
    return ClusteredVariance(np.maximum(spread.variance, least), spread.degrees)


def wilson(
    means: FloatArray,
    spread: ClusteredVariance,
    fewer: FloatArray,
    *,
    prior: FloatArray,
    n_without_variance: FloatArray | float,
    units: Units | None = None,
    confidence: float,
) -> tuple[FloatArray, FloatArray]:
    """Wilson's interval for the number of 0/1 results that would have the variance of these means.

    Wilson's interval takes the variance at a candidate c as proportional to c(1 - c). If clusters differ in their
    rates, the variance falls faster than that towards 0 (and 1), and a low mean comes with a variance that is too low
    for a high candidate. With beta-distributed rates, a correlation r of two answers in a cluster, and the rest of the
    variance due to it, the surplus of the slope is a share (1 - r) / (1 + r) of that rest (from the beta
    distribution's skewness). It is added, up to twice where rates are near 0 or 1, to the variance at candidates
    towards one half; the other end of the interval does not change.

    :param means: within 0 to 1, shape ``(n,)``.
    :param spread: their variances.
    :param fewer: the number of successes or of failures, whichever is less.
    :param prior: the variance that is assumed if there are few.
    :param n_without_variance: the effective number of results if all are 0, or all are 1.
    :param units: the clusters, from whose sizes and the variance r follows. If not given, this skewness is left out.
    :returns: lower and upper ends, within 0 to 1.
    """
    weight = min(1.0, spread.degrees / PRIOR_DEGREES)
    variance = (fewer**2 * spread.variance + weight * prior) / (fewer**2 + weight)
    single = means * (1 - means)
    varied = single > CONSTANT
    n = np.where(varied, single / np.where(varied, variance, 1.0), n_without_variance)
    square = student_quantile((1 - confidence) / 2, spread.degrees) ** 2
    low, high = _roots(means, square / n, 0.0)
    if units is not None and (beside := _answers_beside(units)):
        n_items = units.sizes.sum()
        rest = np.maximum(1 / n - 1 / n_items, 0)
        correlation = np.minimum(rest * n_items / beside, 1)
        side = (1 - 2 * means) * min(1.0, spread.degrees / SKEW_DEGREES)
        slope = square * rest * (1 - correlation) / (1 + correlation) * side * (1 + np.abs(1 - 2 * means))
        skewed_low, skewed_high = _roots(means, square / n, slope)
        low, high = np.minimum(low, skewed_low), np.maximum(high, skewed_high)
    low, high = np.clip(np.minimum(low, means), 0, 1), np.clip(np.maximum(high, means), 0, 1)
    return np.where(means == 0, 0.0, low), np.where(means == 1, 1.0, high)


def _answers_beside(units: Units) -> float:
    """The mean number of other answers in the cluster of an answer."""
    return float((units.sizes**2).sum() / units.sizes.sum()) - 1


def _roots(means: FloatArray, scale: FloatArray, slope: FloatArray | float) -> tuple[FloatArray, FloatArray]:
    """The candidates c for which (c - mean)² = scale · c(1 - c) + slope · (c - mean)."""
    middle = (means + (scale + slope) / 2) / (1 + scale)
    margin = np.sqrt(np.maximum(middle**2 - means * (means + slope) / (1 + scale), 0))
    return middle - margin, middle + margin
