"""A system against people who share questions, and the people's own mean: intervals over people and questions."""

from collections.abc import Iterator
from itertools import product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from scoring.statistics import mean_intervals, system_against_people
from tests.bench.calibration.figures import Figure, Subject

SEED = 41
N_DESIGNS = 4
"""The number of times that questions are drawn for people."""
N_TRUTH = 200_000
Values = NDArray[np.float64]


class Design(NamedTuple):
    """Who answers what."""

    n_people: int
    n_each: int
    n_questions: int
    """As many as each person answers: everybody has the same list."""
    uneven: bool = False
    """Whether people differ in their numbers of answers, and questions in how often they are asked."""

    def __str__(self) -> str:
        return f"{self.n_people} people × {self.n_each} of {self.n_questions}{', uneven' * self.uneven}"

    def draw(self, random: np.random.Generator) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The person and the question of each answer."""
        sizes, chances = np.full(self.n_people, self.n_each), None
        if self.uneven:
            spread = np.linspace(max(2, self.n_each // 3), 2 * self.n_each, self.n_people)
            sizes = np.minimum(spread.astype(np.int64), self.n_questions)
            weights = 1 / np.arange(1, self.n_questions + 1) ** 0.7
            chances = weights / weights.sum()
        asked = [random.choice(self.n_questions, size, replace=False, p=chances) for size in sizes]
        return np.repeat(np.arange(self.n_people), sizes), np.concatenate(asked)


class Population(NamedTuple):
    """What people and the system find easy, in log-odds."""

    people: float
    system: float
    between_people: float
    between_questions: float
    shared: float = 0.5
    """The correlation of what questions ask of people and of the system."""
    graded: bool = False
    """Whether scores are between 0 and 1; otherwise they are 0 or 1."""

    def __str__(self) -> str:
        kind = "graded" if self.graded else "0/1"
        return (
            f"log-odds {self.people} and {self.system}, sd of people {self.between_people}, of questions "
            f"{self.between_questions}, correlation {self.shared}, {kind}"
        )

    def means(self) -> tuple[float, float]:
        """The true means of the system and of people."""
        normal = np.random.default_rng(1).normal(size=N_TRUTH)
        of_people = np.hypot(self.between_people, self.between_questions)
        system = _rate(self.system + normal * self.between_questions)
        return float(system.mean()), float(_rate(self.people + normal * of_people).mean())

    def draw(
        self, random: np.random.Generator, n_trials: int, who: NDArray[np.int64], asked: NDArray[np.int64]
    ) -> tuple[Values, Values]:
        """The scores of the system and of people for each answer; a row for each trial."""
        skill = random.normal(0, self.between_people, (n_trials, who.max() + 1))
        ease, own = random.normal(0, self.between_questions, (2, n_trials, asked.max() + 1))
        own = np.sqrt(1 - self.shared**2) * own + self.shared * ease
        system = self._scores(random, _rate(self.system + own))[:, asked]
        return system, self._scores(random, _rate(self.people + skill[:, who] + ease[:, asked]))

    def _scores(self, random: np.random.Generator, rates: Values) -> Values:
        if self.graded:
            return np.asarray(random.beta(2 * rates + 1e-3, 2 * (1 - rates) + 1e-3))
        return np.asarray(random.random(rates.shape) < rates, dtype=np.float64)


def _rate(log_odds: Values) -> Values:
    return np.asarray(1 / (1 + np.exp(-log_odds)))


def simulate(n_trials: int) -> Iterator[Figure]:
    for design, population in _situations(short=n_trials < SUBJECT.n_trials):
        random = np.random.default_rng([SEED, *design])
        system_mean, people_mean = population.means()
        truth = system_mean - people_mean
        n_shown = n_covered = n_people_covered = 0
        widths = []
        for _ in range(N_DESIGNS):
            who, asked = design.draw(random)
            system, people = population.draw(random, n_trials // N_DESIGNS, who, asked)
            ends = mean_intervals(people, clusters=(who, asked))
            n_people_covered += int(((ends.low <= people_mean) & (people_mean <= ends.high)).sum())
            for ours, theirs in zip(system, people, strict=True):
                found = system_against_people(ours, theirs, asked, who)
                if found is not None:
                    n_shown += 1
                    n_covered += found.low <= truth <= found.high
                    widths.append(found.high - found.low)
        total = n_trials // N_DESIGNS * N_DESIGNS
        what = f"{design}; {population}"
        beside = f"width {np.mean(widths):.2f}" if widths else ""
        yield Figure(f"difference, {what}", n_covered / n_shown if n_shown else 1.0, n_shown, 0.92, beside=beside)
        yield Figure(f"shown, {what}", n_shown / total, total, 0.95, unit="of the cases")
        few = 0.9 if design.n_questions < 10 else 0.92
        yield Figure(f"people, {what}", n_people_covered / total, total, few)


def _situations(*, short: bool) -> Iterator[tuple[Design, Population]]:
    usual = [Population(0, 0, 0.7, 1.5), Population(2, 3, 0.7, 1.5), Population(-2.5, 0, 0.5, 2.5)]
    if short:
        yield Design(14, 10, 724), usual[0]
        yield Design(30, 10, 40), usual[1]
        return
    named = (Design(14, 10, 724), Design(30, 10, 40), Design(30, 10, 10), Design(30, 10, 40, uneven=True))
    few = (Design(2, 10, 40), Design(3, 30, 60), Design(5, 10, 40), Design(14, 7, 8), Design(60, 5, 5))
    several = (Design(60, 5, 20), Design(15, 15, 15), Design(60, 10, 30), Design(20, 25, 25), Design(60, 12, 724))
    others = [Population(0, 0, 0, 0), Population(0, 0, 1, 0.5), Population(3, 3, 0.7, 1.5, -0.5)]
    others += [Population(0, 0, 0.7, 1.5, 0.9, graded=True), Population(2, 3, 0.7, 1.5, 0.9, graded=True)]
    yield from product((*named, *few, *several), (*usual, *others))


SUBJECT = Subject(
    simulate,
    n_trials=400,
    n_short=60,
    about="A system against people on the questions that these answered, and the people's mean; who share questions.",
)
