"""Intervals of proportions: means of results that are 0 or 1."""

from __future__ import annotations

import math
from functools import lru_cache
from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike

from scoring.statistics.arrays import FloatArray, Interval, check_level

N_MODIFIED = 3
"""The largest number of successes (or failures) for which Wilson's end near 0 (or 1) is replaced."""


def proportion_interval(successes: ArrayLike, n: int, level: float = 0.95) -> Interval[FloatArray]:
    """The modified Wilson interval of a proportion.

    Wilson's interval (1927, https://doi.org/10.1080/01621459.1927.10502953) covers less than promised for rates that
    are close to 0 or 1. Brown, Cai and DasGupta (2001, https://doi.org/10.1214/ss/1009213286, section 4.1.1) therefore
    replace its lower end for 1 to 3 successes by a one-sided Poisson bound, and likewise its upper end for 1 to 3
    failures. No success gives an interval from 0 to about 4 / n.

    Args:
        successes: The number of results that are 1, 0 to *n*; any shape.
        n: The number of results, at least 1.
        level: The share of intervals that shall contain the true rate, above 0 and below 1.

    Returns:
        Ends within 0 to 1, in the shape of *successes*.

    Raises:
        ValueError: If there are no results, or a number of successes is not one of 0 to *n*.

    >>> found = proportion_interval([0, 5, 10], 10)
    >>> found.low.round(3), found.high.round(3)
    (array([0.   , 0.237, 0.722]), array([0.278, 0.763, 1.   ]))
    """
    check_level(level)
    count = np.asarray(successes, dtype=np.float64)
    if n < 1 or (count < 0).any() or (count > n).any() or (count != np.rint(count)).any():
        raise ValueError(f"expected numbers of successes among n results, n at least 1, found {count} of {n}")
    z = NormalDist().inv_cdf(0.5 + level / 2)
    middle = (count + z**2 / 2) / (n + z**2)
    margin = z / (n + z**2) * np.sqrt(count * (n - count) / n + z**2 / 4)
    low = np.where(count == 0, 0.0, np.maximum(middle - margin, 0.0))
    high = np.where(count == n, 1.0, np.minimum(middle + margin, 1.0))
    for number in range(1, min(N_MODIFIED, n // 2) + 1):
        bound = poisson_bound(number, 1 - level) / n
        low = np.where(count == number, bound, low)
        high = np.where(n - count == number, 1 - bound, high)
    return Interval(low, high)


@lru_cache(maxsize=64)
def poisson_bound(number: int, tail: float) -> float:
    """The expected number of events for which at least *number* occur with the probability *tail*.

    >>> round(poisson_bound(1, 0.05), 4), round(poisson_bound(3, 0.05), 4)
    (0.0513, 0.8177)
    """
    low, high = 0.0, float(number)
    for _ in range(60):
        middle = (low + high) / 2
        fewer = math.exp(-middle) * sum(middle**k / math.factorial(k) for k in range(number))
        low, high = (middle, high) if 1 - fewer < tail else (low, middle)
    return high
