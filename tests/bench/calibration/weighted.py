"""Weighted means: of questions with weights, and of answers that count by what they are, such as attempted ones."""

from collections.abc import Callable, Iterable, Iterator

import numpy as np
from numpy.typing import NDArray

from scoring.statistics import (
    FEWEST_COUNTED,
    completed,
    counted_often,
    largest_square,
    paired_differences,
    rank_sets,
    weighted_mean_interval,
)
from scoring.statistics.arrays import Interval
from tests.bench.calibration.figures import COVERAGE, Figure, Subject

Values = NDArray[np.float64]

SIZES = (30, 100, 300, 1000)
WEIGHTS: dict[str, Callable[[np.random.Generator, int], Values]] = {
    "weights 1 to 5": lambda random, n: random.integers(1, 6, n).astype(np.float64),
    "lognormal weights, sd 1": lambda random, n: np.exp(random.normal(0, 1, n)),
    "lognormal weights, sd 1.5": lambda random, n: np.exp(random.normal(0, 1.5, n)),
}
RATES = (0.05, 0.3, 0.5, 0.9)
ATTEMPTED = (0.05, 0.2, 0.6, 0.95)
GIVEN = (0.3, 0.7, 0.95)
AGAINST_COMPLETE = ((100, 0.3), (1000, 0.03), (1000, 0.1), (1000, 0.2))
"""Numbers of questions, and the share of them that a system attempts which is compared with one that attempts .9."""
CLUSTERED = ((10, 3), (10, 10), (33, 3), (30, 10), (100, 3), (333, 3))
"""Numbers of clusters, such as one question in several languages, and of questions in each."""
N_TRUTH = 400_000
SEED = 1971


def heavier_is_harder(weights: Values, rate: float) -> Values:
    """Chances of being right that fall from 1.6 times the rate with growing weights."""
    return np.clip(2 * rate / (1 + (weights / np.e) ** 0.7), 0, 1)


def simulate(n_trials: int) -> Iterator[Figure]:
    short = n_trials < SUBJECT.n_trials
    sizes = SIZES[1:2] if short else SIZES
    for kind in WEIGHTS:
        for n in sizes:
            for rate in RATES[:2] if short else RATES:
                for harder in (False, True):
                    yield from _of_questions(kind, n, rate, n_trials, harder=harder)
    for kind in WEIGHTS:
        for n_clusters, size in CLUSTERED[2:3] if short else CLUSTERED:
            for rate in RATES[1:2] if short else RATES[1:]:
                yield from _of_clusters(kind, n_clusters, size, rate, n_trials)
    for n in sizes:
        for attempted in ATTEMPTED:
            for given in GIVEN[:2] if short else GIVEN:
                if n * attempted >= FEWEST_COUNTED:
                    yield from _of_answers(n, attempted, given, n_trials)
    for n, attempted in AGAINST_COMPLETE[:1] if short else AGAINST_COMPLETE:
        for given in GIVEN:
            yield _against_complete(n, attempted, given, n_trials)
    for n in (100,) if short else (100, 1000):
        yield _rank_sets(n, max(n_trials // 3, 20))
        for kind in WEIGHTS:
            yield _rank_sets_of_questions(kind, n, max(n_trials // 3, 20))


def _of_questions(kind: str, n: int, rate: float, n_trials: int, *, harder: bool) -> Iterator[Figure]:
    """The interval of a system, and of the difference to an equal one."""
    draw = WEIGHTS[kind]
    random = np.random.default_rng([SEED, list(WEIGHTS).index(kind), n, round(100 * rate), harder])
    many = draw(random, N_TRUTH)
    truth = float(np.average(heavier_is_harder(many, rate), weights=many)) if harder else rate
    covered = [0, 0]
    for _ in range(n_trials):
        weights = draw(random, n)
        chances = heavier_is_harder(weights, rate) if harder else np.full(n, rate)
        systems = (random.random((2, n)) < chances).astype(np.float64)
        ends = weighted_mean_interval(systems[0], weights)
        covered[0] += ends.low <= truth <= ends.high
        apart = _difference((row, weights) for row in systems)
        covered[1] += bool(apart.low[0] <= 0 <= apart.high[0])
    situation = f"{n} questions, {kind}{', the heavier the harder' if harder else ''}, {rate}"
    for what, number in zip(("mean", "difference"), covered, strict=True):
        yield Figure(f"{what}, {situation}", number / n_trials, n_trials, at_least=COVERAGE[0])


def _of_clusters(kind: str, n_clusters: int, size: int, rate: float, n_trials: int) -> Iterator[Figure]:
    """The same with clusters of questions that are about as hard, and have weights of their own."""
    random = np.random.default_rng([SEED, list(WEIGHTS).index(kind), n_clusters, size, round(100 * rate)])
    clusters = np.repeat(np.arange(n_clusters), size)
    covered = [0, 0]
    for _ in range(n_trials):
        weights = WEIGHTS[kind](random, len(clusters))
        chances = random.beta(rate, 1 - rate, (2, n_clusters))[:, clusters]  # two questions of a cluster: r = .5
        systems = (random.random(chances.shape) < chances).astype(np.float64)
        ends = weighted_mean_interval(systems[0], weights, clusters)
        covered[0] += ends.low <= rate <= ends.high
        apart = _difference(((row, weights) for row in systems), clusters)
        covered[1] += bool(apart.low[0] <= 0 <= apart.high[0])
    situation = f"{n_clusters} clusters of {size}, {kind}, {rate}"
    for what, number in zip(("mean", "difference"), covered, strict=True):
        yield Figure(f"{what}, {situation}", number / n_trials, n_trials, at_least=COVERAGE[0])


def _difference(systems: Iterable[tuple[Values, Values]], clusters: NDArray[np.intp] | None = None) -> Interval[Values]:
    """The interval of the difference of two systems, each with its values and weights."""
    both = list(systems)
    least = max(largest_square(*system) for system in both)
    return paired_differences([completed(*system) for system in both], least=least, clusters=clusters).interval


def answers(random: np.random.Generator, n: int, attempted: float, given: float) -> tuple[Values, Values]:
    """Which questions of one system are attempted, and which answers are right. Easier ones are attempted more."""
    ease = random.normal(size=n)
    tried = (ease + random.normal(size=n)) / np.sqrt(2) > np.quantile(_STANDARD, 1 - attempted)
    chances = 1 / (1 + np.exp(-(np.log(given / (1 - given)) + 0.5 * ease)))
    return tried.astype(np.float64), tried * (random.random(n) < chances)


_STANDARD = np.random.default_rng(SEED).normal(size=N_TRUTH)


def _of_answers(n: int, attempted: float, given: float, n_trials: int) -> Iterator[Figure]:
    """The accuracy given attempted and the F-score of SimpleQA, and their differences to an equal system."""
    random = np.random.default_rng([SEED, n, round(100 * attempted), round(100 * given)])
    tried, right = answers(random, N_TRUTH, attempted, given)
    truths = right.sum() / tried.sum(), 2 * right.sum() / (N_TRUTH + tried.sum())
    covered = np.zeros((2, 2), dtype=int)
    n_shown = 0
    while n_shown < n_trials:
        systems = [answers(random, n, attempted, given) for _ in range(2)]
        if min(tried.sum() for tried, _ in systems) < FEWEST_COUNTED:
            continue
        n_shown += 1
        for place, truth in enumerate(truths):
            weighted = [(right, tried + place) for tried, right in systems]
            ends = weighted_mean_interval(*weighted[0])
            covered[place, 0] += ends.low <= truth <= ends.high
            apart = _difference(weighted)
            covered[place, 1] += bool(apart.low[0] <= 0 <= apart.high[0])
    for place, score in enumerate(("given attempted", "F-score")):
        for other, what in enumerate(("", "difference of ")):
            situation = f"{what}{score}, {n} questions, {attempted} attempted, {given} of these right"
            yield Figure(situation, covered[place, other] / n_trials, n_trials, at_least=COVERAGE[0])


def _at_random(random: np.random.Generator, n: int, n_tried: int, given: float) -> tuple[Values, Values]:
    """The answers of a system that attempts any of the questions: which are right, and which are attempted."""
    tried = np.zeros(n)
    tried[random.choice(n, n_tried, replace=False)] = 1
    return tried * (random.random(n) < given), tried


def _against_complete(n: int, attempted: float, given: float, n_trials: int) -> Figure:
    """The difference of a system that attempts little and one that attempts nearly all, and is right as often."""
    random = np.random.default_rng([SEED, n, round(100 * attempted), round(100 * given), 1])
    n_covered = 0
    for _ in range(n_trials):
        numbers = round(n * attempted), round(0.9 * n)
        apart = _difference(_at_random(random, n, n_tried, given) for n_tried in numbers)
        n_covered += bool(apart.low[0] <= 0 <= apart.high[0])
    what = f"difference of given attempted, {n} questions, {attempted} and .9 attempted, {given} of these right"
    return Figure(what, n_covered / n_trials, n_trials, at_least=COVERAGE[0])


def _rank_sets(n: int, n_trials: int) -> Figure:
    """Of eight systems that are right equally often if they attempt a question, from .3 to all of them."""
    random = np.random.default_rng([SEED, n])
    held = 0
    for _ in range(n_trials):
        systems = [_at_random(random, n, round(n * share), 0.8) for share in (0.3, 0.3, 0.5, 0.5, 0.7, 0.7, 0.9, 1)]
        held += all(ends == (1, 8) for ends in rank_sets([completed(*system) for system in systems]))
    return Figure(f"rank sets of given attempted, {n} questions", held / n_trials, n_trials, at_least=0.93)


def _rank_sets_of_questions(kind: str, n: int, n_trials: int) -> Figure:
    """Of eight equal systems on questions with weights."""
    random = np.random.default_rng([SEED, n, list(WEIGHTS).index(kind)])
    held = 0
    for _ in range(n_trials):
        weights, chances = WEIGHTS[kind](random, n), random.beta(1, 1, n)
        systems = (random.random((8, n)) < chances).astype(np.float64)
        held += all(ends == (1, 8) for ends in rank_sets([counted_often(system, weights) for system in systems]))
    return Figure(f"rank sets, {n} questions, {kind}", held / n_trials, n_trials, at_least=0.93)


SUBJECT = Subject(simulate, n_trials=1_000, n_short=20, about="Weighted means.")
