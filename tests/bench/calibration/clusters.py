"""Questions made from a template or about one entity: families of similar questions, named as clusters."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from scoring.statistics import length_controlled_board, mean_intervals, paired_differences, rank_sets
from tests.bench.calibration.figures import COVERAGE, Figure, Subject

SEED = 43
SIZES = (4, 10)
SPREAD = 1.5
"""The standard deviation between families, in log-odds: in equal parts of what systems share and have of their own."""
N_TRUTH = 200_000
CASES = ((300, (0.0, 0.0)), (300, (1.0, 0.0)), (300, (2.5, 2.0)), (100, (0.0, 0.0)), (40, (0.0, 0.0)))
"""Questions, and the log-odds of two systems."""
N_SYSTEMS = 10
COMPARED = ((2, 100, 4), (2, 100, 10), (5, 100, 10), (5, 200, 20), (10, 300, 10), (10, 800, 4), (10, 800, 20))
"""Systems that a judge compared with a baseline, questions, and the size of their families."""
N_COMPARED = 20_000
Values = NDArray[np.float64]


def drawn(random: np.random.Generator, clusters: NDArray[np.int64], log_odds: Values) -> Values:
    """Results of 0 or 1, a row for each system."""
    n_families = int(clusters.max()) + 1
    spread = SPREAD / np.sqrt(2)
    effects = random.normal(0, spread, n_families) + random.normal(0, spread, (len(log_odds), n_families))
    rates = 1 / (1 + np.exp(-(log_odds[:, None] + effects)[:, clusters]))
    return np.asarray(random.random(rates.shape) < rates, dtype=np.float64)


def mean_of(log_odds: float) -> float:
    """The true mean of a system."""
    normal = np.random.default_rng(1).normal(0, SPREAD, N_TRUTH)
    return float((1 / (1 + np.exp(-log_odds - normal))).mean())


def families(n_questions: int, size: int, random: np.random.Generator | None = None) -> NDArray[np.int64]:
    """The family of each question: all of one size, or of one to twice that size."""
    if random is None:
        return np.arange(n_questions) // size
    sizes = random.integers(1, 2 * size, n_questions)
    return np.repeat(np.arange(n_questions), sizes)[:n_questions]


def simulate(n_trials: int) -> Iterator[Figure]:
    short = n_trials < SUBJECT.n_trials
    for size in SIZES:
        for n_questions, log_odds in CASES[:1] if short else CASES:
            for uneven in (False,) if short else (False, True):
                yield from _of_two(n_trials, n_questions, size, np.array(log_odds), uneven=uneven)
        for n_questions in (300,) if short else (300, 100):
            yield from _of_several(max(5, n_trials // 4), n_questions, size)
    for case in COMPARED[:1] if short else COMPARED:
        yield _at_equal_length(n_trials, *case)


def _of_two(n_trials: int, n_questions: int, size: int, log_odds: Values, *, uneven: bool) -> Iterator[Figure]:
    random = np.random.default_rng([SEED, n_questions, size, int(10 * log_odds[0]), uneven])
    means = np.array([mean_of(one) for one in log_odds])
    covered = {"mean": [0, 0], "difference": [0, 0]}
    for _ in range(n_trials):
        clusters = families(n_questions, size, random if uneven else None)
        rows = drawn(random, clusters, log_odds)
        for at, known in enumerate((clusters, None)):
            ends = mean_intervals(rows, clusters=known)
            covered["mean"][at] += int(((ends.low <= means) & (means <= ends.high)).sum())
            found = paired_differences(rows, clusters=known).interval
            apart = means[0] - means[1]
            covered["difference"][at] += int((found.low <= apart).item() and (apart <= found.high).item())
    situation = f"n = {n_questions}, families of {'1 to ' + str(2 * size - 1) if uneven else size}, log-odds {log_odds}"
    for what, (named, unnamed) in covered.items():
        trials = n_trials * (2 if what == "mean" else 1)
        beside = f"not named {unnamed / trials:.3f}"
        least = 0.93 if n_questions >= 15 * size else 0.92
        yield Figure(f"{what}, {situation}", named / trials, trials, least, beside=beside)


def _of_several(n_trials: int, n_questions: int, size: int) -> Iterator[Figure]:
    random = np.random.default_rng([SEED, n_questions, size])
    clusters = families(n_questions, size)
    held = [0, 0]
    for _ in range(n_trials):
        rows = drawn(random, clusters, np.zeros(N_SYSTEMS))
        for at, known in enumerate((clusters, None)):
            held[at] += all(ends == (1, N_SYSTEMS) for ends in rank_sets(rows, clusters=known))
    what = f"rank sets of {N_SYSTEMS} equal systems, n = {n_questions}, families of {size}"
    yield Figure(what, held[0] / n_trials, n_trials, 0.93, beside=f"not named {held[1] / n_trials:.3f}")


def _at_equal_length(n_trials: int, n_systems: int, n_questions: int, size: int) -> Figure:
    random = np.random.default_rng([SEED, n_systems, n_questions, size])
    strengths, shorter = np.linspace([0.3, -0.6], [-1, 0], n_systems).T[..., None]

    def compared(clusters: NDArray[np.int64], scale: float | None) -> tuple[Values, Values]:
        """Outcomes in both orders, of a judge who prefers longer answers, and differences of lengths."""
        n_families, spread = int(clusters.max()) + 1, SPREAD / np.sqrt(2)
        terms = random.normal(0, spread, n_families)[clusters]
        own = random.normal(0, spread, (n_systems, n_families))[:, clusters]
        baseline = random.lognormal(7.2 - 0.1 * terms, 0.9)
        longer = baseline * np.expm1(shorter + random.normal(0, 0.5, own.shape))
        odds = strengths + terms + own + 1.6 * np.tanh(longer / (scale or np.median(longer.std(axis=1))))
        return (random.random((2, *odds.shape)) < 1 / (1 + np.exp(-odds))).mean(axis=0), longer

    many = compared(np.arange(N_COMPARED), None)
    targets = [system.controlled for system in length_controlled_board(*many) if system is not None]
    scale = float(np.median(many[1].std(axis=1)))
    clusters = families(n_questions, size)
    covered, n_values = np.zeros(2), np.zeros(2)
    for _ in range(n_trials):
        board = compared(clusters, scale)
        for at, known in enumerate((clusters, None)):
            for target, system in zip(targets, length_controlled_board(*board, clusters=known), strict=True):
                if system is not None:
                    n_values[at] += 1
                    covered[at] += system.low <= target <= system.high
    named, unnamed = covered / n_values
    what = f"win rates at equal length of {n_systems} systems, n = {n_questions}, families of {size}"
    return Figure(what, float(named), n_trials, COVERAGE[0], beside=f"not named {unnamed:.3f}")


SUBJECT = Subject(
    simulate,
    n_trials=400,
    n_short=40,
    about="Families of similar questions: means, differences, rank sets and win rates at equal length.",
)
