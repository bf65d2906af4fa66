"""A judge's win rates corrected by people who compare answers: with ties, and a judge who is biased."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scoring.statistics import Corrected, corrected_mean, mean_interval
from tests.bench.calibration.figures import Figure, Subject, coverage

Vector = NDArray[np.float64]
SEED = 29
SPREAD = 1.2
"""The standard deviation, over questions, of the logarithm of the odds that a person chooses the system."""
JUDGE_BIAS = 0.7
"""By how much the judge's odds are larger, as a logarithm."""
N_CROWD = 50_000
N_CHOICES = 20
"""Choices of each person."""


@dataclass(frozen=True)
class Case:
    """A situation: questions that the judge compared, those that people compared, and how."""

    n: int
    n_people_compared: int
    rate: float
    ties: float
    n_choices: int = 1
    """Choices on each of these questions."""

    @property
    def name(self) -> str:
        """In words."""
        each = f", {self.n_choices} choices each" if self.n_choices > 1 else ""
        return f"{self.n_people_compared} of {self.n} questions{each}, odds of {self.rate}, ties {self.ties}"


CASES = (
    *(Case(1000, m, rate, ties) for m in (50, 200) for rate in (0.5, 0.9) for ties in (0.0, 0.3)),
    *(Case(300, 30, rate, 0.3) for rate in (0.5, 0.9)),
    *(Case(1000, 50, rate, 0.3, 3) for rate in (0.7, 0.9)),
)
PEOPLE = ((3, 0.0), (3, 0.5), (10, 0.5))
"""Numbers of people, and how much their bias towards the left place differs."""


def outcomes(random: np.random.Generator, case: Case, chances: Vector) -> Vector:
    """The mean outcome of a few choices for each chance of a win."""
    shape = (len(chances), case.n_choices)
    wins = (random.random(shape) < chances[:, None]).astype(np.float64)
    return np.asarray(np.where(random.random(shape) < case.ties, 0.5, wins).mean(axis=1))


def trial(random: np.random.Generator, case: Case) -> Corrected | None:
    """The corrected win rate of one simulated study; the judge's preference is the mean over both orders."""
    odds = random.normal(np.log(case.rate / (1 - case.rate)), SPREAD, case.n)
    judged = (random.random((case.n, 2)) < logistic(odds + JUDGE_BIAS)[:, None]).mean(axis=1)
    compared = random.permutation(case.n)[: case.n_people_compared]
    given = outcomes(random, case, logistic(odds[compared]))
    return corrected_mean(judged, compared, given, clusters=np.arange(case.n))


def logistic(odds: Vector) -> Vector:
    """Probabilities from logarithms of odds."""
    return np.asarray(1 / (1 + np.exp(-odds)))


def simulate(n_trials: int) -> Iterator[Figure]:
    for number, case in enumerate(CASES):
        random = np.random.default_rng([SEED, number])
        crowd = logistic(random.normal(np.log(case.rate / (1 - case.rate)), SPREAD, N_CROWD)).mean()
        truth = case.ties / 2 + (1 - case.ties) * crowd
        found = [one for one in (trial(random, case) for _ in range(n_trials)) if one is not None]
        width = float(np.mean([one.high - one.low for one in found]))
        covered = sum(one.low <= truth <= one.high for one in found) / len(found)
        yield coverage(case.name, covered, len(found), f"width {width:.3f}")
    for number, (n_people, spread) in enumerate(PEOPLE):
        random = np.random.default_rng([SEED, len(CASES) + number])
        truth = logistic(random.normal(0.4, spread, N_CROWD)).mean()
        covered = sum(left_place(random, n_people, spread, truth) for _ in range(n_trials)) / n_trials
        yield coverage(f"left place, {n_people} people, bias differs by {spread}", covered, n_trials)


def left_place(random: np.random.Generator, n_people: int, spread: float, truth: float) -> bool:
    """Whether the interval of the left place, over people, contains what all people would choose."""
    chances = logistic(random.normal(0.4, spread, n_people))
    values = (random.random((n_people, N_CHOICES)) < chances[:, None]).astype(np.float64)
    found = mean_interval(values.ravel(), np.repeat(np.arange(n_people), N_CHOICES))
    return found.low <= truth <= found.high


SUBJECT = Subject(
    simulate,
    n_trials=2_000,
    n_short=15,
    about="A judge's win rates corrected by people's choices, and people's bias towards the left place.",
)
