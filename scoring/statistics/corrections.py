"""Means of human grades, estimated from a few grades and a judge's verdicts on all answers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import ArrayLike

from scoring.statistics.arrays import (
    TIE,
    Clusters,
    FloatArray,
    IntArray,
    Interval,
    Units,
    as_vector,
    check_level,
    clusterings,
)
from scoring.statistics.distributions import Beta
from scoring.statistics.means import clustered_variance, wilson

FEWEST_GRADES: Final = 30
"""With fewer grades no corrected mean is shown, whatever they say: a rule that looks at outcomes biases the results."""
PRIOR: Final = 1 / 3
"""The number of right answers, and of wrong ones, that the prior adds to each stratum. With 1/2 (Jeffreys) in both,
intervals from 30 grades and an accurate judge cover up to .980."""
_N_POINTS = 2**12
_POINTS: Final = (np.arange(1, _N_POINTS + 1) * 1.2207440846057596 ** -np.arange(1.0, 4.0)[:, None]) % 1
"""Evenly spread points of the unit cube, shape ``(3, n)``: a Kronecker sequence for the root of x⁴ = x + 1. They stand
for draws from the three posteriors, and give the same interval everywhere and each time."""


@dataclass(frozen=True)
class Corrected:
    """A mean of human grades, estimated from a few grades and a verdict on each answer."""

    value: float
    low: float
    """With ``high`` the interval of the mean over all answers of this kind; within 0 to 1."""
    high: float
    n_graded: int
    n_judged: int
    """The number of answers with a verdict alone."""

    def beside(self, settled: ArrayLike) -> Corrected:
        """The mean over these answers and others with a known outcome, such as questions without an answer.

        A known outcome, of which there may be none, adds no uncertainty.

        >>> Corrected(0.8, 0.6, 0.9, 30, 70).beside([0] * 100)
        Corrected(value=0.4, low=0.3, high=0.45, n_graded=30, n_judged=70)
        """
        others = np.asarray(settled, dtype=np.float64)
        n = self.n_graded + self.n_judged
        total, share = float(others.sum()) / (n + others.size), n / (n + others.size)
        value, low, high = (total + share * of for of in (self.value, self.low, self.high))
        return replace(self, value=value, low=low, high=high)


def corrected_mean(
    verdicts: ArrayLike,
    graded: ArrayLike,
    grades: ArrayLike,
    probabilities: ArrayLike | None = None,
    clusters: Clusters | None = None,
    level: float = 0.95,
) -> Corrected | None:
    """The mean of human grades over all answers, estimated within the answers of each verdict.

    The answers that the judge accepts and those that it rejects are two strata. The mean of human grades is
    Σ share of the stratum · rate in the stratum. The value takes the weighted rate of the grades in each stratum
    (post-stratification, weights 1 / inclusion probability); it is unbiased however wrong the judge is.

    - Without clusters, the interval is that of the posterior with Kerman's neutral prior, Beta(1/3, 1/3) (2011,
      https://doi.org/10.1214/11-EJS648), for each rate and for the share of the verdict. Unequal weights count as
      (Σ w)² / Σ w² grades (Kish 1965, Survey Sampling, section 11.7).
    - With clusters, it is Wilson's for the cluster-robust variance of the linearised value, as in
      `mean_intervals`, and never narrower than the one without clusters.

    Args:
        verdicts: One for each of N answers, 0 or 1; a number above one half counts as 1. Shape ``(N,)``.
        graded: The indices of the graded answers, shape ``(m,)``, each once.
        grades: Their human grades, 0 to 1, shape ``(m,)``.
        probabilities: The probability of each answer to be drawn for grading, above 0, shape ``(N,)``; if not given, a
            simple random sample.
        clusters: The cluster (person) of each answer, shape ``(N,)``, or its clusters in two ways, ``(2, N)``.

    Returns:
        ``None`` with fewer than `FEWEST_GRADES` grades, or with a single cluster in some way.

    Raises:
        ValueError: If the shapes do not match, or a value is out of range.

    >>> found = corrected_mean([1] * 60 + [0] * 40, range(0, 100, 2), ([1] * 25 + [0] * 5) + [0] * 20)
    >>> round(found.value, 2), round(found.low, 2), round(found.high, 2)
    (0.5, 0.39, 0.61)
    """
    check_level(level)
    sample = _Sample(verdicts, graded, grades, probabilities)
    if len(sample.grades) < FEWEST_GRADES:
        return None
    value = sample.value
    ends = [sample.posterior(level)]
    if clusters is not None:
        ways = clusterings(len(sample.verdicts), clusters)
        if min(units.n_units for units in ways) < 2:
            return None
        ends.append(sample.clustered(ways, level))
    low = max(0.0, min(value, *(interval.low for interval in ends)))
    high = min(1.0, max(value, *(interval.high for interval in ends)))
    return Corrected(value, low, high, len(sample.grades), len(sample.verdicts) - len(sample.grades))


def corrected_total(
    judged: ArrayLike,
    graded: ArrayLike,
    totals: ArrayLike,
    probabilities: ArrayLike | None = None,
    clusters: Clusters | None = None,
    level: float = 0.95,
    *,
    lowest: float = 0.0,
) -> Corrected | None:
    """The mean of scores that people give over all answers, where a judge's scores of all are known: those of reports,
    which are no shares and may be below 0.

    The value is the regression estimator (Cochran 1977, Sampling Techniques, section 7.3): the weighted mean of
    people's scores, moved by as much as the judge's mean over all answers differs from that over the graded ones, times
    the slope of people's scores on the judge's. It is nearly unbiased however wrong the judge is.

    The interval is Wilson's, as in `mean_intervals`, for the place between the lowest and the highest possible mean.
    Its variance is that of what each answer contributes, with the weights of the calibrated sample (Särndal, Swensson
    and Wretman 1992, Model Assisted Survey Sampling, section 6.6). With clusters it is never narrower than without.

    Args:
        judged: The judge's score of each of N answers, at most 1, shape ``(N,)``.
        graded: The indices of the graded answers, shape ``(m,)``, each once.
        totals: The scores that people give these, at most 1, shape ``(m,)``.
        probabilities: As in `corrected_mean`, like the clusters.
        lowest: The lowest possible mean; below 0 where faults may weigh more than what is met.

    Returns:
        ``None`` with fewer than `FEWEST_GRADES` graded answers, or with a single cluster in some way.

    Raises:
        ValueError: If the shapes do not match, or a value is out of range.

    >>> judged = np.linspace(-0.2, 1, 100)
    >>> found = corrected_total(judged, range(0, 100, 2), judged[::2] - 0.1, lowest=-0.5)
    >>> round(found.value, 3), round(found.low, 2), round(found.high, 2)
    (0.3, 0.23, 0.37)
    """
    check_level(level)
    scores, given = as_vector(judged, "judged"), np.asarray(totals, dtype=np.float64).reshape(-1)
    indices, weights = _drawn(len(scores), graded, len(given), probabilities)
    if not (np.isfinite(given).all() and (given <= 1 + TIE).all() and (scores <= 1 + TIE).all()):
        raise ValueError("expected scores of at most 1")
    m, n = len(given), len(scores)
    ways = () if clusters is None else clusterings(n, clusters)
    if m < FEWEST_GRADES or min((units.n_units for units in ways), default=2) < 2:
        return None
    weights = weights / weights.sum()
    mean, middle = float(weights @ given), float(weights @ scores[indices])
    deviations = scores[indices] - middle
    spread = float(weights @ deviations**2)
    slope = float(weights @ (deviations * given)) / spread if spread > TIE else 0.0
    moved = float(scores.mean()) - middle
    value = mean + slope * moved
    calibrated = weights * (1 + moved * deviations / spread) if spread > TIE else weights
    residuals = given - mean - slope * deviations
    contributions = slope * (scores - scores.mean()) / n
    contributions[indices] += calibrated * residuals * math.sqrt(m / (m - 2))
    # What independent answers would contribute, for the degrees of freedom.
    expected = np.full(n, slope**2 * float(scores.var()) / n**2)
    expected[indices] += weights**2 * float(weights @ residuals**2)
    expected += TIE / n  # where nothing varies
    value = min(max(value, lowest), 1.0)
    share = (value - lowest) / (1 - lowest)
    ends = [
        wilson(
            np.array([share]),
            variance / (1 - lowest) ** 2,
            degrees,
            np.array([m * min(share, 1 - share)]),
            prior=np.array([share * (1 - share) / m]),
            n_without_variance=m,
            level=level,
        )
        for way in ([(), ways] if ways else [()])
        for variance, degrees in [clustered_variance(contributions[None] * expected.sum(), expected, way)]
    ]
    low, high = min(float(low[0]) for low, _ in ends), max(float(high[0]) for _, high in ends)
    return Corrected(value, lowest + (1 - lowest) * low, lowest + (1 - lowest) * high, m, n - m)


def _drawn(n: int, graded: ArrayLike, m: int, probabilities: ArrayLike | None) -> tuple[IntArray, FloatArray]:
    """The indices of the m graded of n answers, and what each stands for: 1 / probability.

    Raises:
        ValueError: If they do not fit together.
    """
    indices = np.asarray(graded, dtype=np.int64).reshape(-1)
    if len(indices) != m:
        raise ValueError(f"{len(indices)} graded answers, but {m} grades")
    if m and (indices.min() < 0 or indices.max() >= n or len(set(indices)) < m):
        raise ValueError(f"graded: expected different indices below {n}")
    chances = np.ones(n) if probabilities is None else as_vector(probabilities, "probabilities")
    if chances.shape != (n,) or not ((chances > 0) & (chances <= 1)).all():
        raise ValueError(f"probabilities: expected {n} numbers above 0, at most 1")
    return indices, 1 / chances[indices]


class _Sample:
    """Verdicts of 0 and 1, and weighted grades of some of them."""

    def __init__(
        self, verdicts: ArrayLike, graded: ArrayLike, grades: ArrayLike, probabilities: ArrayLike | None
    ) -> None:
        judged = as_vector(verdicts, "verdicts")
        given = np.asarray(grades, dtype=np.float64).reshape(-1)
        self.graded, self.weights = _drawn(len(judged), graded, len(given), probabilities)
        if not ((given >= 0) & (given <= 1)).all():
            raise ValueError("grades: expected numbers from 0 to 1")
        self.verdicts = (judged > 0.5).astype(np.int64)
        self.grades = given

    @property
    def counts(self) -> FloatArray:
        """The number of answers with verdict 0, and with verdict 1."""
        return np.bincount(self.verdicts, minlength=2).astype(np.float64)

    @property
    def strata(self) -> tuple[FloatArray, FloatArray]:
        """The effective number of grades, and the weighted rate, in each stratum; the rate is 1/2 without a grade."""
        of = self.verdicts[self.graded]
        weights = np.bincount(of, self.weights, minlength=2)
        squares = np.bincount(of, self.weights**2, minlength=2)
        right = np.bincount(of, self.weights * self.grades, minlength=2)
        some = weights > 0
        n = np.divide(weights**2, squares, out=np.zeros(2), where=some)
        return n, np.divide(right, weights, out=np.full(2, 0.5), where=some)

    @property
    def value(self) -> float:
        """The post-stratified mean."""
        return float(self.counts @ self.strata[1]) / len(self.verdicts)

    @property
    def posteriors(self) -> tuple[Beta, Beta]:
        """The posterior of the rate in each stratum."""
        n, rates = self.strata
        right, wrong = n * rates + PRIOR, n * (1 - rates) + PRIOR
        rejected, accepted = (Beta(float(a), float(b)) for a, b in zip(right, wrong, strict=True))
        return rejected, accepted

    @property
    def share(self) -> Beta:
        """The posterior of the share of answers with verdict 1."""
        n_rejected, n_accepted = self.counts.tolist()
        return Beta(n_accepted + PRIOR, n_rejected + PRIOR)

    def posterior(self, level: float) -> Interval[float]:
        """The equal-tailed interval of the posterior of the mean."""
        rejected, accepted = (rate.quantiles(of) for rate, of in zip(self.posteriors, _POINTS[:2], strict=True))
        share = self.share.quantiles(_POINTS[2])
        low, high = np.quantile(share * accepted + (1 - share) * rejected, [(1 - level) / 2, (1 + level) / 2])
        return Interval(float(low), float(high))

    def moments(self) -> tuple[float, float]:
        """Mean and variance of the posterior."""
        (rejected, accepted), share = self.posteriors, self.share
        mean = share.mean * accepted.mean + (1 - share.mean) * rejected.mean
        within = (share.mean**2 + share.variance) * accepted.variance
        within += ((1 - share.mean) ** 2 + share.variance) * rejected.variance
        return mean, within + share.variance * (accepted.mean - rejected.mean) ** 2

    def clustered(self, ways: Sequence[Units], level: float) -> Interval[float]:
        """Wilson's interval for the variance between the clusters' contributions to the value."""
        n, rates = self.strata
        shares, of = self.counts / len(self.verdicts), self.verdicts[self.graded]
        weights = self.weights * shares[of] / np.bincount(of, self.weights, minlength=2)[of]
        contributions = (rates[self.verdicts] - self.value) / len(self.verdicts)
        expected = contributions**2
        corrections = weights * (self.grades - rates[of]) * np.sqrt(n / np.maximum(n - 1, 0.5))[of]
        contributions[self.graded] += corrections
        smooth = np.array([rate.mean for rate in self.posteriors])[of]
        expected[self.graded] += weights**2 * smooth * (1 - smooth)
        spread, degrees = clustered_variance(contributions[None] * expected.sum(), expected, ways)
        middle, variance = self.moments()
        right = float(n @ rates)
        low, high = wilson(
            np.array([self.value]),
            spread,
            degrees,
            np.array([min(right, float(n.sum()) - right)]),
            prior=np.array([variance]),
            n_without_variance=middle * (1 - middle) / variance,
            level=level,
        )
        return Interval(float(low[0]), float(high[0]))
