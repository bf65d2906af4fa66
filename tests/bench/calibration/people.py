"""Intervals of means over the answers of people, who differ in their numbers of answers and in how good they are."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from scoring.statistics import mean_intervals
from tests.bench.calibration.figures import Figure, Subject

PEOPLE = (3, 4, 5, 8, 15, 30)
RATES = (0.3, 0.5, 0.8)
FEW_PEOPLE = (3, 4, 5, 8)
FEW_ANSWERS = (2, 4, 8)
RARE = (0.03, 0.1, 0.97)
CORRELATIONS = (0.0, 0.1, 0.3)
BOUNDS = (0.93, 0.98)
SEED = 7
AT_ONCE = 2_000


def sizes_of(n_people: int) -> NDArray[np.int64]:
    """From 3 to 30 answers, evenly spread."""
    return np.linspace(3, 30, n_people).round().astype(np.int64)


def answers(
    random: np.random.Generator, n_trials: int, sizes: NDArray[np.int64], rate: float, correlation: float
) -> NDArray[np.float64]:
    """Results of 0 or 1 with this mean, and this correlation between two answers of a person; a row for each trial."""
    shape = (n_trials, len(sizes))
    rates = np.full(shape, rate)
    if correlation:
        weight = (1 - correlation) / correlation
        rates = random.beta(rate * weight, (1 - rate) * weight, shape)
    return (random.random((n_trials, int(sizes.sum()))) < np.repeat(rates, sizes, axis=1)).astype(np.float64)


def measured(n_trials: int, sizes: NDArray[np.int64], rate: float, correlation: float) -> tuple[float, float]:
    """The share of intervals that contain the rate, and their mean width."""
    n_people = len(sizes)
    random = np.random.default_rng([SEED, n_people, int(100 * rate), int(100 * correlation)])
    n_covered, width = 0, 0.0
    for start in range(0, n_trials, AT_ONCE):
        rows = answers(random, min(AT_ONCE, n_trials - start), sizes, rate, correlation)
        found = mean_intervals(rows, clusters=np.repeat(np.arange(n_people), sizes))
        n_covered += int(((found.low <= rate) & (rate <= found.high)).sum())
        width += float(found.width.sum())
    return n_covered / n_trials, width / n_trials


def simulate(n_trials: int) -> Iterator[Figure]:
    for n_people in PEOPLE:
        for correlation in CORRELATIONS:
            for rate in RATES:
                share, width = measured(n_trials, sizes_of(n_people), rate, correlation)
                what = f"{n_people} people, rate {rate}, correlation {correlation}"
                # Never narrower than for independent answers: without a correlation, wider than promised.
                at_most = BOUNDS[1] if correlation else None
                yield Figure(what, share, n_trials, BOUNDS[0], at_most, beside=f"width {width:.2f}")
    # Few answers each: with 3 people, all may have the same rate by chance. Wider than promised, as numbers are coarse.
    for n_people in FEW_PEOPLE:
        for n_answers in FEW_ANSWERS:
            for correlation in CORRELATIONS:
                for rate in RATES:
                    sizes = np.full(n_people, n_answers)
                    share, width = measured(n_trials, sizes, rate, correlation)
                    what = f"{n_people} people, {n_answers} answers each, rate {rate}, correlation {correlation}"
                    yield Figure(what, share, n_trials, at_least=0.93, beside=f"width {width:.2f}")
    # Rare successes (or failures): wider than promised with few people, because one person's may be all there are.
    for n_people in PEOPLE:
        for correlation in CORRELATIONS:
            for rate in RARE:
                share, width = measured(n_trials, sizes_of(n_people), rate, correlation)
                what = f"{n_people} people, rate {rate}, correlation {correlation}"
                yield Figure(what, share, n_trials, at_least=0.93, beside=f"width {width:.2f}")


SUBJECT = Subject(
    simulate, n_trials=4_000, n_short=100, about="Means over answers of people with 3 to 30 answers each, 0 or 1."
)
