"""Intervals of differences of two systems on the same questions, of a judge's bias, and of a grader's."""

from collections.abc import Iterator
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from scoring.statistics import difference_intervals
from tests.bench.calibration.figures import Figure, Subject, coverage

SIZES = (10, 30, 100, 310, 700)
RATES = ((0.02, 0.02), (0.02, 0.05), (0.05, 0.15), (0.3, 0.3), (0.3, 0.5), (0.5, 0.9), (0.95, 0.98))
SHARED = 0.5
"""The share of the variance between questions that both systems have in common."""
N_PARTS = 4
"""The number of parts of an answer whose score is a share of parts found."""
LEAST_DIFFERENT = 25
"""While the sum of all differences is less, coverage may be above the band: they may all be missing by chance."""
SEED = 31
AT_ONCE = 500

Values = NDArray[np.float64]


def scores(random: np.random.Generator, n_trials: int, n: int, rate: float, difficulty: Values, n_parts: int) -> Values:
    """Shares of parts found: results of 0 or 1 with one part."""
    noise = random.normal(size=(n_trials, n, n_parts))
    found = np.sqrt(SHARED) * difficulty[:, :, None] + np.sqrt(1 - SHARED) * noise < NormalDist().inv_cdf(rate)
    return np.asarray(found.mean(axis=2))


def measured(n_trials: int, n: int, rates: tuple[float, float], n_parts: int) -> tuple[float, float, float]:
    """The share of intervals with the true difference, their mean width, and the sum of absolute differences."""
    random = np.random.default_rng([SEED, n, n_parts, int(1000 * rates[0]), int(1000 * rates[1])])
    n_covered, width, different = 0, 0.0, 0.0
    for start in range(0, n_trials, AT_ONCE):
        size = min(AT_ONCE, n_trials - start)
        difficulty = random.normal(size=(size, n))
        first, second = (scores(random, size, n, rate, difficulty, n_parts) for rate in rates)
        found = difference_intervals(first - second)
        truth = rates[0] - rates[1]
        n_covered += int(((found.low <= truth) & (truth <= found.high)).sum())
        width += float(found.width.sum())
        different += float(np.abs(first - second).sum())
    return n_covered / n_trials, width / n_trials, different / n_trials


def simulate(n_trials: int) -> Iterator[Figure]:
    for n_parts, kind in ((1, "0/1"), (N_PARTS, "shares")):
        for n in SIZES:
            for rates in RATES:
                share, width, different = measured(n_trials, n, rates, n_parts)
                what = f"n = {n}, {kind}, {rates[0]} and {rates[1]}"
                beside = f"width {width:.3f}"
                if different >= LEAST_DIFFERENT:
                    yield coverage(what, share, n_trials, beside)
                else:
                    yield Figure(what, share, n_trials, at_least=0.93, beside=beside)


SUBJECT = Subject(simulate, n_trials=2_000, n_short=60, about="Differences of two systems on the same questions.")
