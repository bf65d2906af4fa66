"""Reports graded by criteria: agreement, the judge's sensitivity and specificity, and corrected scores.

An answer's level shifts all of its criteria, so that decisions about one answer are not independent.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scoring.statistics import corrected_total, krippendorff_alpha, validate_judge
from tests.bench.calibration.corrected import systematic
from tests.bench.calibration.figures import COVERAGE, Figure, Subject
from tests.bench.calibration.win_rates import logistic

Table = NDArray[np.float64]
SEED = 47
LEVELS = 1.0
"""The standard deviation, over answers, of the logarithm of the odds that a criterion is met."""
DIFFICULTIES = 1.0
"""The same over the criteria of a question."""
N_OF_TRUTH = 40_000
"""True values are those of so many answers."""


@dataclass(frozen=True)
class Case:
    """A situation: reports, their criteria, and how often graders and judge err."""

    n: int
    n_criteria: int
    error: float
    """The share of decisions that a grader, or the judge, draws anew."""
    partly: float = 0.0
    """The share of criteria that are met in part."""

    @property
    def name(self) -> str:
        """In words."""
        graded = f", {self.partly} partly met" if self.partly else ""
        return f"{self.n} reports of {self.n_criteria} criteria, error {self.error}{graded}"


CASES = (
    *(Case(n, 8, error) for n in (10, 30, 100) for error in (0.1, 0.4)),
    *(Case(n, 25, error, 0.2) for n in (10, 30, 100) for error in (0.1, 0.4)),
)


@dataclass(frozen=True)
class Round:
    """A situation of corrected scores."""

    n: int
    n_graded: int
    error: float
    faults: int
    """Criteria with a negative weight."""
    lenience: float = 0.0
    """How much higher the judge's odds of finding a criterion met are, as a logarithm."""
    unequal: bool = False
    """Whether half of the reports are drawn three times as often, and are worse."""
    n_clusters: int = 0
    ease: float = 0.0
    """How much higher the odds are that a criterion is met, as a logarithm."""
    n_criteria: int = 12

    @property
    def name(self) -> str:
        """In words."""
        unequal = ", unequal probabilities" if self.unequal else ""
        clusters = f", of {self.n_clusters} people" if self.n_clusters else ""
        return (
            f"corrected: {self.n_graded} of {self.n}{clusters}, judge's error {self.error}, lenience {self.lenience}, "
            f"{self.n_criteria} criteria with {self.faults} faults, ease {self.ease}{unequal}"
        )


ROUNDS = (
    *(Round(n, m, error, 2, 0.7) for n, m in ((100, 30), (300, 60), (100, 100)) for error in (0.02, 0.2, 0.8)),
    *(Round(100, 30, error, 0, n_criteria=k) for error in (0.0, 0.02, 0.2) for k in (3, 12)),
    *(Round(100, 30, error, 0, ease=ease, n_criteria=3) for error in (0.02, 0.2) for ease in (2.5, -2.5)),
    *(Round(300, 30, 0.2, faults, -0.7) for faults in (1, 6)),
    *(Round(300, 60, error, 2, 0.7, unequal=True) for error in (0.1, 0.5)),
    *(Round(n, m, 0.2, 2, 0.7, n_clusters=k) for n, m, k in ((100, 40, 5), (100, 60, 10), (300, 100, 30))),
)


def truths(random: np.random.Generator, n: int, n_criteria: int, partly: float, levels: Table | float = 0.0) -> Table:
    """How far each criterion of each report is met, shape ``(n, n_criteria)``."""
    odds = levels + random.normal(0.4, LEVELS, (n, 1)) + random.normal(0, DIFFICULTIES, (n, n_criteria))
    met = (random.random(odds.shape) < logistic(odds)).astype(np.float64)
    return np.where(random.random(met.shape) < partly, 0.5, met)


def seen(random: np.random.Generator, met: Table, error: float, odds: float = 0.4) -> Table:
    """What a grader or a judge says: some decisions are drawn anew, more of them in some reports."""
    errors = np.minimum(1.0, error * random.gamma(2, 0.5, (len(met), 1)))
    drawn = (random.random(met.shape) < logistic(np.array(odds))).astype(np.float64)
    return np.where(random.random(met.shape) < errors, drawn, met)


def decided(random: np.random.Generator, case: Case) -> tuple[Table, Table, NDArray[np.int64]]:
    """Decisions of two people, or of the judge and a person, and the report of each."""
    met = truths(random, case.n, case.n_criteria, case.partly)
    reports = np.repeat(np.arange(case.n), case.n_criteria)
    return seen(random, met, case.error).ravel(), seen(random, met, case.error / 2).ravel(), reports


def _agreement(number: int, case: Case, n_trials: int) -> Iterator[Figure]:
    """Alpha, accuracy, sensitivity and specificity, each with reports as clusters."""
    random = np.random.default_rng([SEED, number])
    first, second, reports = decided(random, Case(N_OF_TRUTH // 10, case.n_criteria, case.error, case.partly))
    truth = {"alpha": krippendorff_alpha([first, second], scale="ordinal").value}
    whole = validate_judge(first == 1, second == 1)
    names = ("accuracy", "sensitivity", "specificity")
    truth |= {name: getattr(whole, name).value for name in names}
    hits, known = dict.fromkeys(truth, 0), dict.fromkeys(truth, 0)
    for _ in range(n_trials):
        first, second, reports = decided(random, case)
        found = {"alpha": krippendorff_alpha([first, second], scale="ordinal", clusters=reports)}
        trial = validate_judge(first == 1, second == 1, clusters=reports)
        for name, estimate in (found | {name: getattr(trial, name) for name in names}).items():
            if estimate.interval is not None:
                known[name] += 1
                hits[name] += estimate.interval.low <= truth[name] <= estimate.interval.high
    for name in truth:
        yield Figure(f"{name}, {case.name}", hits[name] / known[name], known[name], at_least=COVERAGE[0])


def score(met: Table, faults: int) -> Table:
    """The score of each report: the last criteria are faults."""
    weights = np.arange(met.shape[1]) % 3 + 1.0
    weights[met.shape[1] - faults :] *= -1
    return np.asarray(met @ weights / weights[weights > 0].sum())


def _corrected(number: int, case: Round, n_trials: int) -> Figure:
    random = np.random.default_rng([SEED, 100 + number])

    def reports(n: int, clusters: int) -> tuple[Table, Table]:
        often = random.random(n) < 0.5 if case.unequal else np.zeros(n, dtype=bool)
        levels = case.ease + np.where(often, -1.0, 0.0)[:, None]
        if clusters:
            levels = levels + np.repeat(random.normal(0, 0.5, clusters), -(-n // clusters))[:n, None]
        chances = np.where(often, 1.5, 0.5) if case.unequal else np.ones(n)
        return truths(random, n, case.n_criteria, 0.0, levels), chances

    met, _ = reports(N_OF_TRUTH, N_OF_TRUTH // 20 if case.n_clusters else 0)
    truth = float(score(seen(random, met, 0.05), case.faults).mean())
    lowest = float(score(np.repeat([[0.0, 1.0]], [case.n_criteria - case.faults, case.faults], axis=1), case.faults)[0])
    values, widths, hits = [], [], 0
    for _ in range(n_trials):
        met, chances = reports(case.n, case.n_clusters)
        order = random.permutation(case.n)
        probabilities = np.minimum(1.0, chances * case.n_graded / case.n)
        graded = order[systematic(random, probabilities[order])]
        judged = score(seen(random, met, case.error, 0.4 + case.lenience), case.faults)
        people = score(seen(random, met[graded], 0.05), case.faults)
        clusters = np.arange(case.n) // -(-case.n // case.n_clusters) if case.n_clusters else None
        found = corrected_total(judged, graded, people, probabilities, clusters, lowest=lowest)
        if found is not None:
            values.append(found.value)
            widths.append(found.high - found.low)
            hits += found.low <= truth <= found.high
    beside = f"width {np.mean(widths):.3f}, bias {np.mean(values) - truth:+.3f}"
    return Figure(case.name, hits / len(values), len(values), at_least=COVERAGE[0], beside=beside)


def simulate(n_trials: int) -> Iterator[Figure]:
    short = n_trials < SUBJECT.n_trials
    for number, case in enumerate(CASES):
        if not short or not number % 5:
            yield from _agreement(number, case, n_trials)
    for number, situation in enumerate(ROUNDS):
        if not short or not number % 6:
            yield _corrected(number, situation, n_trials)


SUBJECT = Subject(simulate, n_trials=1_000, n_short=30, about="Reports graded by criteria.")
