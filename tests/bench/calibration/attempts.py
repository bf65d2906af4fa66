"""Several attempts at each question: intervals of the mean over questions and attempts, of pass@k and pass^k, of
differences of systems with the same and with other numbers of attempts, and rank sets of such systems."""

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from scoring.statistics import mean_intervals, paired_differences, pass_at_k, pass_hat_k, rank_sets
from tests.bench.calibration.figures import COVERAGE, Figure, Subject

Values = NDArray[np.float64]
Draw = Callable[[np.random.Generator, tuple[int, ...]], Values]

N_ATTEMPTS = (2, 3, 4, 5, 10)
SIZES = (30, 100, 724, 3000)
DIFFICULTIES: dict[str, Draw] = {
    "all alike, .3": lambda random, shape: np.full(shape, 0.3),
    "all alike, .02": lambda random, shape: np.full(shape, 0.02),
    "beta, mean .5": lambda random, shape: random.beta(0.5, 0.5, shape),
    "beta, mean .1": lambda random, shape: random.beta(0.2, 1.8, shape),
    "two kinds, .05 and .95": lambda random, shape: np.where(random.random(shape) < 0.5, 0.05, 0.95),
    "two kinds, .01 and .9": lambda random, shape: np.where(random.random(shape) < 0.9, 0.01, 0.9),
}
"""The chance of a question to be answered rightly, drawn for each."""
SECOND = 0.8
"""The share of questions at which both systems of a difference have the same chance."""
FEW = 20
"""While fewer questions than this are expected to have another value than the rest, coverage may be above the band."""
LEAST = 0.92
"""Values of a question are few and apart (pass@2 of 2 attempts is 0 or 1), so coverage varies with the true mean."""
N_TRUTH = 400_000
AT_ONCE = 1_000_000
SEED = 73


def outcomes(random: np.random.Generator, chances: Values, n_attempts: int) -> Values:
    """How many of the attempts are right, the same shape as the chances."""
    return random.binomial(n_attempts, chances).astype(np.float64)


def simulate(n_trials: int) -> Iterator[Figure]:
    short = n_trials < SUBJECT.n_trials
    sizes = SIZES[:2] if short else SIZES
    for number, (name, draw) in enumerate(DIFFICULTIES.items()):
        truth = draw(np.random.default_rng([SEED, number]), (N_TRUTH,))
        for n_attempts in (2, 5) if short else N_ATTEMPTS:
            for n in sizes:
                random = np.random.default_rng([SEED, number, n_attempts, n])
                yield from _intervals(random, draw, truth, n_attempts, n, n_trials, f"{n} questions, {name}")
                for of_first in (1, n_attempts):
                    yield _difference(random, draw, (of_first, n_attempts), n, n_trials, f"{n} questions, {name}")
    for n in sizes[1:2] if short else (30, 310):
        yield _rank_sets(n, max(n_trials // 8, 20))


def _intervals(
    random: np.random.Generator, draw: Draw, truth: Values, n_attempts: int, n: int, n_trials: int, situation: str
) -> Iterator[Figure]:
    """Of the mean, and of pass@k and pass^k for the middle and the largest k."""
    measures: dict[str, tuple[Values, float]] = {"mean": (np.arange(n_attempts + 1) / n_attempts, truth.mean())}
    every, numbers = np.full(n_attempts + 1, n_attempts), np.arange(n_attempts + 1)
    for k in sorted({(n_attempts + 1) // 2, n_attempts} - {1}):
        measures[f"pass@{k}"] = pass_at_k(every, numbers, k), float((1 - (1 - truth) ** k).mean())
        measures[f"pass^{k}"] = pass_hat_k(every, numbers, k), float((truth**k).mean())
    n_covered, widths = dict.fromkeys(measures, 0), dict.fromkeys(measures, 0.0)
    at_once = max(1, AT_ONCE // n)
    for start in range(0, n_trials, at_once):
        right = outcomes(random, draw(random, (min(at_once, n_trials - start), n)), n_attempts).astype(np.int64)
        for measure, (values, true) in measures.items():
            found = mean_intervals(values[right])
            n_covered[measure] += int(((found.low <= true) & (true <= found.high)).sum())
            widths[measure] += float(found.width.sum())
    for measure, (_, true) in measures.items():
        beside = f"width {widths[measure] / n_trials:.3f}"
        what, share = f"{measure} of {n_attempts} attempts, {situation}", n_covered[measure] / n_trials
        at_most = COVERAGE[1] if n * min(true, 1 - true) >= FEW else None
        yield Figure(what, share, n_trials, LEAST, at_most, beside=beside)


def _difference(
    random: np.random.Generator, draw: Draw, n_attempts: tuple[int, int], n: int, n_trials: int, situation: str
) -> Figure:
    """Of two equal systems with these numbers of attempts: at most questions both have the same chance."""
    n_covered = 0
    at_once = max(1, AT_ONCE // n)
    for start in range(0, n_trials, at_once):
        shape = min(at_once, n_trials - start), n
        first = draw(random, shape)
        second = np.where(random.random(shape) < SECOND, first, draw(random, shape))
        each = zip((first, second), n_attempts, strict=True)
        rows = np.concatenate([outcomes(random, chances, attempts) / attempts for chances, attempts in each])
        least = 1.0 if n_attempts[0] != n_attempts[1] else 0.0
        pairs = [(trial, trial + len(first)) for trial in range(len(first))]
        found = paired_differences(rows, pairs, least=least).interval
        n_covered += int(((found.low <= 0) & (found.high >= 0)).sum())
    what = f"difference of {n_attempts[0]} and {n_attempts[1]} attempts, {situation}"
    # With few questions intervals are wide, as those of differences with one attempt are.
    return Figure(what, n_covered / n_trials, n_trials, at_least=COVERAGE[0])


def _rank_sets(n: int, n_trials: int) -> Figure:
    """Of eight equal systems, half of them with one attempt and half with five."""
    random = np.random.default_rng([SEED, n])
    held = 0
    for _ in range(n_trials):
        chances = random.beta(0.5, 0.5, n)
        rows = [outcomes(random, chances, attempts) / attempts for attempts in (1, 5) * 4]
        held += all(ends == (1, 8) for ends in rank_sets(np.stack(rows)))
    return Figure(f"rank sets, {n} questions, 1 and 5 attempts", held / n_trials, n_trials, at_least=0.94)


SUBJECT = Subject(simulate, n_trials=2_000, n_short=100, about="Several attempts at each question.")
