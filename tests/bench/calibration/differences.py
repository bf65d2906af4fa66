"""Differences of two systems on the same questions: coverage of intervals, and level and power of their test.

The same intervals are those of a judge's bias, and of a grader's.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from scoring.statistics import paired_differences
from tests.bench.calibration.figures import COVERAGE, Figure, Subject, coverage

SIZES = (10, 30, 100, 724, 3000)
RATES = ((0.3, 0.3), (0.9, 0.9), (0.05, 0.15), (0.3, 0.5), (0.5, 0.9))
RARE = ((0.002, 0.002), (0.02, 0.02), (0.02, 0.05), (0.95, 0.98))
SHARED = 0.5
"""The share of the variance between questions that both systems have in common."""
N_PARTS = {"0/1": 1, "ties": 4, "no ties": 64}
"""Parts of an answer, whose score is the share of parts found; with 64, few differences are 0 and none is large."""
SKEWED = (((0.1, 0.3), (-1.0, 0.03)), ((0.25, 0.2), (-1.0, 0.05)))
"""Differences of equal systems with their probabilities: often a small one, seldom a large one; 0 otherwise."""
LEAST_DIFFERENT = 25
"""While the sum of all differences is less, coverage may be above the band: they may all be missing by chance."""
SEED = 31
VALUES_AT_ONCE = 2_000_000

Values = NDArray[np.float64]


def drawn(random: np.random.Generator, n_trials: int, n: int, rates: tuple[float, float], n_parts: int) -> Values:
    """Scores of two systems, shape ``(2, n_trials, n)``."""
    difficulty = random.normal(size=(n_trials, n, 1))
    rows = []
    for rate in rates:
        # With many parts, what a system finds of one answer is alike, so that scores vary between questions.
        noise = random.normal(size=(n_trials, n, n_parts))
        found = np.sqrt(SHARED) * difficulty + np.sqrt(1 - SHARED) * noise < NormalDist().inv_cdf(rate)
        rows.append(found.mean(axis=2))
    return np.stack(rows)


def skewed(random: np.random.Generator, n_trials: int, n: int, outcomes: Sequence[tuple[float, float]]) -> Values:
    """Differences with these sizes and probabilities, as the scores of a system against zeros, the same shape."""
    sizes, chances = zip(*outcomes, strict=True)
    first = random.choice([*sizes, 0.0], p=[*chances, 1 - sum(chances)], size=(n_trials, n))
    return np.stack([first, np.zeros_like(first)])


def measured(rows: Values, truth: float) -> tuple[int, int, float, float]:
    """Of trials: how many intervals hold the truth, and how many tests find a difference; the sums of widths and of
    absolute differences."""
    n_trials = rows.shape[1]
    flat = rows.reshape(2 * n_trials, -1)
    found = paired_differences(flat, [(trial, trial + n_trials) for trial in range(n_trials)])
    low, high = found.interval.low, found.interval.high
    assert ((found.p_value <= 0.05) == ~((low < 0) & (high > 0))).all(), "interval and test contradict each other"
    n_covered = int(((low <= truth) & (truth <= high)).sum())
    return (
        n_covered,
        int((found.p_value <= 0.05).sum()),
        float((high - low).sum()),
        float(np.abs(rows[0] - rows[1]).sum()),
    )


def simulate(n_trials: int) -> Iterator[Figure]:
    short = n_trials < SUBJECT.n_trials
    for n in SIZES[:3] if short else SIZES:
        for kind, n_parts in N_PARTS.items():
            for rates in RATES + RARE:
                sums = _summed(n_trials, n, rates[0] - rates[1], partial(drawn, rates=rates, n_parts=n_parts), n_parts)
                covered, found, width, different = sums
                situation = f"n = {n}, {kind}, {rates[0]} and {rates[1]}"
                beside = f"width {width:.4f}, p ≤ .05 in {found:.3f}"
                if different >= LEAST_DIFFERENT and n > SIZES[1]:
                    yield coverage(situation, covered, n_trials, beside)
                else:
                    yield Figure(situation, covered, n_trials, at_least=COVERAGE[0], beside=beside)
        for outcomes in () if short else SKEWED:
            covered, _, width, _ = _summed(n_trials, n, 0.0, partial(skewed, outcomes=outcomes))
            yield Figure(f"n = {n}, skewed, {outcomes}", covered, n_trials, at_least=0.9, beside=f"width {width:.4f}")


def _summed(n_trials: int, n: int, truth: float, draw: Callable[..., Values], n_parts: int = 1) -> list[float]:
    """The means over trials of what is `measured`."""
    random = np.random.default_rng([SEED, n, n_parts])
    at_once = max(1, VALUES_AT_ONCE // (n * n_parts))
    sums = np.zeros(4)
    for start in range(0, n_trials, at_once):
        sums += measured(draw(random, min(at_once, n_trials - start), n), truth)
    return [float(number) for number in sums / n_trials]


SUBJECT = Subject(simulate, n_trials=2_000, n_short=60, about="Differences of two systems on the same questions.")
