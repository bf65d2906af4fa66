"""Intervals of agreement: of a judge with people (Cohen's kappa), and between graders (alpha, Fleiss' kappa).

The figures of docs/statistics.md are of 1,000 trials for kappa, and of 300 for agreement between graders with every
number of items, 700 too: the standard error of a coverage of .95 is then .013.
"""

from collections.abc import Callable, Iterator
from functools import partial

import numpy as np
from numpy.typing import NDArray

from scoring.statistics import Estimate, cohen_kappa, fleiss_kappa, krippendorff_alpha
from tests.bench.calibration.figures import Figure, Subject

SIZES = (10, 30, 100, 310, 700)
JUDGES = (0.5, 0.7, 0.9, 0.97)
"""The shares of answers that a judge gets right."""
RATES = (0.05, 0.5, 0.9, 0.98)
"""The shares of right answers."""
SEED = 37
N_OF_TRUTH = 400_000
"""The true alpha is that of so many items."""

Grades = NDArray[np.float64]
Draw = Callable[[np.random.Generator, int], Grades]
"""Grades of so many items, shape ``(n_graders, n_items)``."""


def judged(accuracy: float, rate: float, random: np.random.Generator, n: int) -> Grades:
    """People's grades, and those of a judge who errs independently of them."""
    right = random.random(n) < rate
    return np.asarray([right, np.where(random.random(n) < accuracy, right, ~right)], dtype=np.float64)


def kappa_of(accuracy: float, rate: float) -> float:
    judged_right = rate * accuracy + (1 - rate) * (1 - accuracy)
    chance = rate * judged_right + (1 - rate) * (1 - judged_right)
    return (accuracy - chance) / (1 - chance)


def labels(shares: tuple[float, ...], accuracy: float, n_graders: int, random: np.random.Generator, n: int) -> Grades:
    """Graders who find the true label with this probability, and otherwise draw one; a fifth is not graded."""
    draw = partial(random.choice, len(shares), p=shares)
    grades = np.where(random.random((n_graders, n)) < accuracy, draw(size=n), draw(size=(n_graders, n))).astype(float)
    return np.where(random.random((n_graders, n)) < 0.2, np.nan, grades) if n_graders > 2 else grades


def parts_found(noise: float, random: np.random.Generator, n: int) -> Grades:
    """Two graders' shares of four parts found, each part seen differently with this probability."""
    found = random.random((n, 4)) < random.beta(2, 1, (n, 1))
    return np.asarray([np.where(random.random((n, 4)) < noise, ~found, found).mean(axis=1) for _ in range(2)])


def of_answers(random: np.random.Generator, n: int) -> Grades:
    """Ticks of two graders on five items of each answer; on a fifth of the answers they disagree often."""
    right = random.random((n, 5)) < random.beta(2, 2, (n, 1))
    error = np.where(random.random((n, 1)) < 0.2, 0.3, 0.02)
    return np.asarray([np.where(random.random((n, 5)) < error, ~right, right).ravel() for _ in range(2)], dtype=float)


def measured(coefficient: Callable[[Grades], Estimate], draw: Draw, n: int, truth: float, n_trials: int) -> Figure:
    random = np.random.default_rng([SEED, n, int(1000 * abs(truth))])
    n_known, n_covered, width = 0, 0, 0.0
    for _ in range(n_trials):
        ends = coefficient(draw(random, n)).interval
        if ends is not None:
            n_known += 1
            n_covered += ends.low <= truth <= ends.high
            width += ends.width
    share, beside = n_covered / max(1, n_known), f"width {width / max(1, n_known):.2f}, {n_known} defined"
    return Figure(f"n = {n}, true value {truth:.2f}", share, max(1, n_known), at_least=0.93, beside=beside)


def _between_graders() -> Iterator[tuple[str, Callable[[Grades], Estimate], Draw, int]]:
    """A name, the coefficient, the grades, and the number of items of a unit."""
    letters = (0.3, 0.3, 0.2, 0.1, 0.06, 0.04)
    for accuracy in (0.6, 0.95):
        yield f"alpha, 3 graders, 6 letters, {accuracy}", krippendorff_alpha, partial(labels, letters, accuracy, 3), 1
        ordinal = partial(krippendorff_alpha, scale="ordinal")
        yield f"ordinal alpha, 5 steps, {accuracy}", ordinal, partial(labels, (0.1, 0.2, 0.4, 0.2, 0.1), accuracy, 3), 1
        yield f"Fleiss, 2 graders, {accuracy}", fleiss_kappa, partial(labels, (0.2, 0.8), accuracy, 2), 1
    for noise in (0.02, 0.2):
        interval = partial(krippendorff_alpha, scale="interval")
        yield f"interval alpha, shares of four, {noise}", interval, partial(parts_found, noise), 1

    def clustered(grades: Grades) -> Estimate:
        return krippendorff_alpha(grades, clusters=np.repeat(np.arange(grades.shape[1] // 5), 5))

    yield "alpha, five items an answer", clustered, of_answers, 5


def simulate(n_trials: int) -> Iterator[Figure]:
    short = n_trials < SUBJECT.n_trials
    for n in SIZES[1:2] if short else SIZES:
        for accuracy in JUDGES:
            for rate in RATES:
                figure = measured(
                    lambda grades: cohen_kappa(*grades),
                    partial(judged, accuracy, rate),
                    n,
                    kappa_of(accuracy, rate),
                    n_trials,
                )
                yield Figure(**vars(figure) | {"what": f"kappa, judge {accuracy}, rate {rate}, {figure.what}"})
    for name, coefficient, draw, size in _between_graders():
        truth = coefficient(draw(np.random.default_rng(SEED), N_OF_TRUTH // (10 if short else 1) // size)).value
        for n in SIZES[1:2] if short else SIZES:
            figure = measured(coefficient, draw, n, truth or 0.0, n_trials)
            yield Figure(**vars(figure) | {"what": f"{name}, {figure.what}"})


SUBJECT = Subject(simulate, n_trials=1_000, n_short=40, about="Agreement of a judge with people, and between graders.")
