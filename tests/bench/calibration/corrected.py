"""Corrected means: a judge's verdicts on all answers, and human grades of some of them."""

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scoring.statistics import Corrected, corrected_mean
from tests.bench.calibration.figures import COVERAGE, Figure, Subject, coverage
from tests.bench.calibration.people import answers, sizes_of

SEED = 13
FEWEST_TRIALS = 100
"""With fewer trials only some of the cases are simulated, and none is enumerated."""
RAREST = 1e-6
"""Outcomes that are less probable are left out of an enumeration: together less than 0.001."""
STEP = 12
"""So many neighbouring numbers of accepted answers count as their middle."""


@dataclass(frozen=True)
class Case:
    """A situation: the numbers of answers and of grades, the true rate and the judge."""

    n: int
    n_grades: int
    rate: float
    accuracy: float
    """The share of right answers that the judge accepts, and of wrong ones that it rejects."""
    n_people: int = 0
    unequal: bool = False
    """Whether half of the answers are drawn three times as often, and are right half as often."""

    @property
    def name(self) -> str:
        """In words."""
        of = f"{self.n_people} people, " if self.n_people else ""
        unequal = ", unequal probabilities" if self.unequal else ""
        graded = f"{self.n_grades} of {self.n}" if self.n else f"{self.n_grades} answers"
        return f"{of}{graded} graded, rate {self.rate}, judge {self.accuracy}{unequal}"


CASES = (
    *(Case(724, 30, rate, 0.85) for rate in (0.03, 0.1, 0.3, 0.5, 0.97)),
    *(Case(724, 30, rate, 0.6) for rate in (0.1, 0.5)),
    *(Case(724, 30, rate, 0.95) for rate in (0.03, 0.1, 0.3, 0.5)),
    *(Case(310, 60, rate, 0.8) for rate in (0.03, 0.1, 0.5, 0.97)),
    *(Case(724, 200, rate, 0.9) for rate in (0.03, 0.1, 0.5, 0.97)),
    *(Case(100, 100, rate, 0.9) for rate in (0.1, 0.5)),
    *(Case(724, 60, rate, 0.85, unequal=True) for rate in (0.1, 0.3, 0.6)),
    *(Case(0, m, rate, 0.9, n_people=n) for n, m in ((5, 30), (10, 60), (30, 200)) for rate in (0.3, 0.6)),
)

ENUMERATED = [Case(724, 30, rate, 0.95) for rate in (0.03, 0.3, 0.5)]
"""With few grades and an accurate judge, few outcomes are probable: their coverage jumps from rate to rate."""


def systematic(random: np.random.Generator, probabilities: NDArray[np.float64]) -> NDArray[np.int64]:
    """The items drawn with these probabilities, at equal steps from a random start."""
    ends = np.floor(np.cumsum(probabilities) - random.random())
    return np.flatnonzero(np.diff(ends, prepend=-1.0) > 0)


def trial(random: np.random.Generator, case: Case) -> Corrected | None:
    """The corrected mean of one simulated round."""
    sizes = sizes_of(case.n_people) if case.n_people else np.array([case.n])
    n = int(sizes.sum())
    chances = np.full(n, case.n_grades / n)
    right = answers(random, 1, sizes, case.rate, 0.1 if case.n_people else 0.0)[0]
    if case.unequal:
        often = random.random(n) < 0.5
        chances = np.where(often, 1.5, 0.5) * case.n_grades / n
        right = (random.random(n) < np.where(often, 2 / 3, 4 / 3) * case.rate).astype(np.float64)
    verdicts = np.where(random.random(n) < case.accuracy, right, 1 - right)
    order = random.permutation(n)
    graded = order[systematic(random, chances[order])]
    return corrected_mean(
        verdicts,
        graded,
        right[graded],
        chances,
        np.repeat(np.arange(case.n_people), sizes) if case.n_people else None,
    )


def binomial(n: int, rate: float) -> NDArray[np.float64]:
    """The probabilities of 0 to n successes."""
    logs = [math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1) for k in range(n + 1)]
    k = np.arange(n + 1)
    return np.asarray(np.exp(np.array(logs) + k * math.log(rate) + (n - k) * math.log1p(-rate)))


def exact(case: Case) -> Figure:
    """The coverage of a case with a simple random sample: the sum over its outcomes."""
    n, m = case.n, case.n_grades
    accepted = case.rate * case.accuracy + (1 - case.rate) * (1 - case.accuracy)
    right = case.rate * (1 - case.accuracy) / (1 - accepted), case.rate * case.accuracy / accepted
    others = binomial(n - m, accepted)
    groups = [(start + STEP // 2, others[start : start + STEP].sum()) for start in range(0, n - m - STEP + 2, STEP)]
    covered = total = 0.0
    for graded, chance in enumerate(binomial(m, accepted)):
        each = np.multiply.outer(*(binomial(k, of) for k, of in zip((m - graded, graded), right, strict=True))) * chance
        for low, high in np.argwhere(each > RAREST):
            grades = np.zeros(m)
            grades[:high] = grades[graded : graded + low] = 1
            for more, share in groups:
                if each[low, high] * share > RAREST / 10:
                    verdicts = np.repeat([1, 0, 1, 0], [graded, m - graded, more, n - m - more])
                    found = corrected_mean(verdicts, range(m), grades)
                    total += each[low, high] * share
                    if found is not None and found.low <= case.rate <= found.high:
                        covered += each[low, high] * share
    return coverage(f"enumerated: {case.name}", covered / total, 0, f"of {total:.4f} of all outcomes")


def simulate(n_trials: int) -> Iterator[Figure]:
    if n_trials >= FEWEST_TRIALS:
        yield from map(exact, ENUMERATED)
    for number, case in enumerate(CASES):
        if n_trials < FEWEST_TRIALS and number % 6:
            continue  # a few milliseconds each: the short form takes some of the cases
        random = np.random.default_rng([SEED, number])
        found = [one for one in (trial(random, case) for _ in range(n_trials)) if one is not None]
        n = len(found)
        covered = sum(one.low <= case.rate <= one.high for one in found) / n
        bias = float(np.mean([one.value for one in found])) - case.rate
        width = float(np.mean([one.high - one.low for one in found]))
        yield Figure(case.name, covered, n, *COVERAGE, beside=f"width {width:.3f}, bias {bias:+.3f}")


SUBJECT = Subject(
    simulate, n_trials=1_000, n_short=40, about="Corrected means; the grades are a sample with known probabilities."
)
