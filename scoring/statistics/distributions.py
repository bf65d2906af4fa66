"""The beta distribution, and quantiles of Student's t, by integration over an angle.

With x = sin² φ the density of Beta(a, b) is proportional to sin(φ)^(2a - 1) · cos(φ)^(2b - 1), which is finite for all
a and b of at least one half; below, the power is integrated in the cells at its infinite end. Errors are below 1e-5 for
sums of a and b up to 5,000. (Probabilities of values near an infinite end have larger errors, up to 0.005.)
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property, lru_cache
from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike

from scoring.statistics.arrays import FloatArray

SMALLEST = 1 / 3
_N_ANGLES = 2**13
_EDGES = np.arange(_N_ANGLES + 1) * (math.pi / 2 / _N_ANGLES)
_LOG_SINES = np.log(np.sin(_EDGES[:-1] + _EDGES[1] / 2))
_LOG_COSINES = _LOG_SINES[::-1]
_N_STEEP = 64
"""The number of cells in which an infinite density is integrated as a power of the angle."""
_NUMBERS = np.arange(_N_STEEP + 1.0)
_MIDDLES = _NUMBERS[:-1] + 0.5
_MOST_TERMS = 10_000
_PRECISION = 1e-14


@dataclass(frozen=True)
class Beta:
    """A beta distribution."""

    a: float
    """At least `SMALLEST`, and so is ``b``."""
    b: float

    def __post_init__(self) -> None:
        if min(self.a, self.b) < SMALLEST:
            raise ValueError(f"a, b: expected at least {SMALLEST:.3f}, found {self.a} and {self.b}")

    @cached_property
    def _below(self) -> FloatArray:
        """The probability of an angle below each of the edges."""
        logs = (2 * self.a - 1) * _LOG_SINES + (2 * self.b - 1) * _LOG_COSINES
        for power, ends in ((2 * self.a, logs[:_N_STEEP]), (2 * self.b, logs[::-1][:_N_STEEP])):
            if power < 1:
                ends += np.log(np.diff(_NUMBERS**power) / power / _MIDDLES ** (power - 1))
        sums = np.concatenate(([0.0], np.cumsum(np.exp(logs - logs.max()))))
        below: FloatArray = sums / sums[-1]
        return below

    @property
    def mean(self) -> float:
        """The expected value."""
        return self.a / (self.a + self.b)

    @property
    def variance(self) -> float:
        """The variance."""
        return self.mean * (1 - self.mean) / (self.a + self.b + 1)

    def quantiles(self, shares: ArrayLike) -> FloatArray:
        """The values below which it lies with these probabilities, 0 to 1.

        >>> Beta(1, 1).quantiles([0.25, 0.5]).round(6), Beta(0.5, 10.5).quantiles(0.975).round(4)
        (array([0.25, 0.5 ]), np.float64(0.2172))
        """
        angles = np.interp(np.asarray(shares, dtype=np.float64), self._below, _EDGES)
        return np.asarray(np.sin(angles) ** 2)


@lru_cache(maxsize=256)
def student_quantile(share: float, degrees: float) -> float:
    """The value that Student's t exceeds with a given probability.

    From the beta distribution: t² / (degrees + t²) is a Beta(1 / 2, degrees / 2) variable. Above 100 degrees of freedom
    from the expansion of Abramowitz and Stegun (1964, 26.7.5). Relative errors are below 3e-4, and below 1e-5 for at
    least 2 degrees and shares of at least 0.01.

    Args:
        share: The probability, above 0 and below 0.5.
        degrees: Degrees of freedom, at least 1; not necessarily whole.

    >>> [round(student_quantile(0.025, degrees), 3) for degrees in (1, 2, 2.5, 13, 723, 10**6)]
    [12.706, 4.303, 3.575, 2.16, 1.963, 1.96]
    """
    if degrees > 100:
        z = NormalDist().inv_cdf(1 - share)
        second, third = 5 * z**5 + 16 * z**3 + 3 * z, 3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z
        return z + (z**3 + z) / (4 * degrees) + second / (96 * degrees**2) + third / (384 * degrees**3)
    squared = 1 - float(Beta(0.5, degrees / 2).quantiles(1 - 2 * share))
    return math.sqrt(degrees * (1 / squared - 1))


def student_tail(value: float, degrees: float) -> float:
    """The probability that Student's t exceeds a value, with a relative error below 1e-9.

    Half of the incomplete beta function of degrees / (degrees + value²), by its continued fraction (Abramowitz and
    Stegun 1964, 26.5.8), which is as exact far out as near 0.

    Args:
        value: At least 0; may be infinite.
        degrees: Degrees of freedom, at least 1.

    >>> [round(student_tail(value, 13), 4) for value in (0, 2.16, 50)]
    [0.5, 0.025, 0.0]
    """
    if math.isinf(value):
        return 0.0
    a, b, x = degrees / 2, 0.5, degrees / (degrees + value**2)
    y = value**2 / (degrees + value**2)
    if y == 0:
        return 0.5
    log_front = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log1p(-y) + b * math.log(y)
    if x < (a + 1) / (a + b + 2):
        return math.exp(log_front) * _continued_fraction(a, b, x) / a / 2
    return (1 - math.exp(log_front) * _continued_fraction(b, a, y) / b) / 2


def _continued_fraction(a: float, b: float, x: float) -> float:
    """The continued fraction of the incomplete beta function, by the method of Lentz."""
    c, d = 1.0, 1 / (1 - (a + b) * x / (a + 1))
    value = d
    for m in range(1, _MOST_TERMS):
        for term in (
            m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
        ):
            c, d = 1 + term / c, 1 / (1 + term * d)
            value *= c * d
        if abs(c * d - 1) < _PRECISION:
            break
    return value
