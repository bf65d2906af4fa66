"""Intervals of scores of 0 or 1, without participants: coverage computed exactly from the binomial distribution."""

import math
from collections.abc import Iterator

import numpy as np

from scoring.statistics.proportions import proportion_interval
from tests.bench.calibration.figures import Figure, Subject, coverage

SIZES = (100, 200, 310, 724)
RATES = (0.03, 0.1, 0.3, 0.5, 0.9, 0.97)


def covered(n: int, rate: float) -> tuple[float, float]:
    """The probability that the interval contains the rate, and the interval's expected width."""
    counts = np.arange(n + 1)
    logs = [
        math.lgamma(n + 1)
        - math.lgamma(k + 1)
        - math.lgamma(n - k + 1)
        + k * math.log(rate)
        + (n - k) * math.log1p(-rate)
        for k in counts.tolist()
    ]
    probability = np.exp(logs)
    found = proportion_interval(counts, n)
    inside = (found.low <= rate) & (rate <= found.high)
    return float(probability[inside].sum()), float(probability @ found.width)


def simulate(n_trials: int) -> Iterator[Figure]:
    del n_trials  # exact
    for n in SIZES:
        for rate in RATES:
            share, width = covered(n, rate)
            yield coverage(f"n = {n}, rate {rate}", share, 0, f"width {width:.3f}")
    # So few successes that a step from one number to the next is a step of .06 in coverage: only the lower bound.
    for n in SIZES:
        share, width = covered(n, 0.01)
        yield Figure(f"n = {n}, rate 0.01", share, 0, at_least=0.93, beside=f"width {width:.3f}")


SUBJECT = Subject(simulate, n_trials=0, n_short=0, about="Scores of 0 or 1: the modified Wilson interval; exact.")
