"""Intervals of means of results between 0 and 1, such as shares of items found, without participants."""

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from scoring.statistics import mean_intervals
from tests.bench.calibration.figures import Figure, Subject, coverage

Draw = Callable[[np.random.Generator, tuple[int, int]], NDArray[np.float64]]
SIZES = (100, 310, 724)
SEED = 11
AT_ONCE = 500


def _rare(share: float) -> Draw:
    """0, except for a share of results that are uniform."""
    return lambda random, shape: np.where(random.random(shape) < share, random.random(shape), 0.0)


DRAWS: dict[str, tuple[float, Draw]] = {
    "symmetric": (0.5, lambda random, shape: random.beta(0.3, 0.3, shape)),
    "thirds": (0.5, lambda random, shape: random.integers(0, 4, shape) / 3),
    "narrow, mean .15": (0.15, lambda random, shape: random.beta(1.5, 8.5, shape)),
    "skewed, mean .1": (0.1, lambda random, shape: random.beta(0.2, 1.8, shape)),
    "mostly 0, mean .05": (0.05, _rare(0.1)),
    "mostly 0, mean .02": (0.02, _rare(0.04)),
    "mostly 1, mean .97": (0.97, lambda random, shape: 1 - _rare(0.06)(random, shape)),
}


def simulate(n_trials: int) -> Iterator[Figure]:
    for n in SIZES:
        for name, (mean, draw) in DRAWS.items():
            random = np.random.default_rng([SEED, n, int(1000 * mean)])
            n_covered, width = 0, 0.0
            for start in range(0, n_trials, AT_ONCE):
                found = mean_intervals(draw(random, (min(AT_ONCE, n_trials - start), n)))
                n_covered += int(((found.low <= mean) & (mean <= found.high)).sum())
                width += float(found.width.sum())
            yield coverage(f"n = {n}, {name}", n_covered / n_trials, n_trials, f"width {width / n_trials:.3f}")


SUBJECT = Subject(simulate, n_trials=4_000, n_short=150, about="Means of results between 0 and 1.")
