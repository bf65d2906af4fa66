"""Systems compared two at a time: strengths, their rank sets, the bias towards the first place."""

from collections.abc import Iterator
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from scoring.statistics import Comparisons, competition_ranks, position_bias, strengths
from scoring.statistics.distributions import student_quantile
from scoring.statistics.preferences import fit
from tests.bench.calibration.figures import COVERAGE, Figure, Subject, coverage
from tests.bench.calibration.rank_sets import true_ranks

SEED = 20240404
BIAS = 0.4
"""Towards the first place, in log-odds: about 10 % of the comparisons of equal answers."""
N_RESAMPLES = 600
Values = NDArray[np.float64]
Pairs = list[tuple[int, int]]


def drawn(chance: np.random.Generator, truth: Values, n_items: int, spread: float, pairs: Pairs) -> Comparisons:
    """Each pair in both orders on every question; a system's answers differ in quality, with this deviation."""
    quality = truth[:, None] + spread * chance.normal(size=(len(truth), n_items))
    first, second = np.array([*pairs, *(pair[::-1] for pair in pairs)]).T
    chances = 1 / (1 + np.exp(quality[second] - quality[first] - BIAS))
    outcomes = (chance.random(chances.shape) < chances).astype(np.float64)
    items = np.broadcast_to(np.arange(n_items), outcomes.shape)
    left, right = (np.repeat(numbers, n_items) for numbers in (first, second))
    return Comparisons.of(left, right, outcomes.ravel(), items.ravel(), len(truth))


def expected(truth: Values, spread: float, pairs: Pairs) -> tuple[Comparisons, float]:
    """The mean outcome of each pair and order as one comparison each, and the mean outcome for the first place."""
    points, weights = np.polynomial.hermite_e.hermegauss(41)
    first, second = np.array([*pairs, *(pair[::-1] for pair in pairs)]).T
    differences = (truth[first] - truth[second])[:, None] + spread * np.sqrt(2) * points
    outcomes = (1 / (1 + np.exp(-differences - BIAS))) @ weights / weights.sum()
    items = np.arange(len(outcomes)) % 2
    return Comparisons.of(first, second, outcomes, items, len(truth)), float(outcomes.mean())


def bootstrapped(comparisons: Comparisons, chance: np.random.Generator) -> tuple[Values, Values]:
    """What :func:`strengths` would give with a bootstrap over questions, of one-step estimates: percentiles, expanded
    for few questions like those of Hesterberg (2015)."""
    values, contributions, _, _ = fit(comparisons)
    n = comparisons.n_items
    drawn_often = chance.multinomial(n, np.full(n, 1 / n), size=N_RESAMPLES)
    beyond = NormalDist().cdf(-student_quantile(0.025, n - 1) * (n / (n - 1)) ** 0.5)
    low, high = np.quantile(drawn_often @ contributions.T, [beyond, 1 - beyond], axis=0)
    return values + low, values + high


def simulated(truth: Values, n_items: int, spread: float, pairs: Pairs, n_trials: int, name: str) -> Iterator[Figure]:
    chance = np.random.default_rng([SEED, len(truth), n_items, int(10 * spread)])
    means, first_place = expected(truth, spread, pairs)
    true = strengths(means).values
    best, worst = true_ranks(-competition_ranks(true).astype(np.float64))
    covered, by_bootstrap, held, biased = 0.0, 0.0, 0, 0
    resampling = np.random.default_rng(SEED)
    for _ in range(n_trials):
        comparisons = drawn(chance, truth, n_items, spread, pairs)
        found = strengths(comparisons)
        covered += float(((found.low <= true) & (true <= found.high)).mean())
        low, high = bootstrapped(comparisons, resampling)
        by_bootstrap += float(((low <= true) & (true <= high)).mean())
        held += bool(((found.ranks.best <= best) & (worst <= found.ranks.worst)).all())
        bias = position_bias(comparisons)
        biased += bias is not None and bias.low <= first_place <= bias.high
    yield coverage(f"strengths of {name}", covered / n_trials, n_trials, f"bootstrap {by_bootstrap / n_trials:.3f}")
    yield Figure(f"rank sets of {name}", held / n_trials, n_trials, at_least=0.94)
    yield coverage(f"first place, {name}", biased / n_trials, n_trials)


def far_apart(truth: Values, n_items: int, n_trials: int) -> Figure:
    """Systems of which one wins nearly always: in a part of the trials it never loses, and the estimate is regularised.

    Both orders give the same outcome, so that each question counts once.
    """
    chance = np.random.default_rng([SEED, len(truth), n_items])
    one, other = np.triu_indices(len(truth), 1)
    first, second = (np.repeat(np.concatenate(pair), n_items) for pair in ((one, other), (other, one)))
    items = np.tile(np.arange(n_items), 2 * len(one))
    chances = np.repeat(1 / (1 + np.exp(truth[other] - truth[one])), n_items)
    covered = by_bootstrap = regularised = 0.0
    resampling = np.random.default_rng(SEED)
    for _ in range(n_trials):
        outcomes = (chance.random(len(chances)) < chances).astype(np.float64)
        comparisons = Comparisons.of(first, second, np.concatenate([outcomes, 1 - outcomes]), items, len(truth))
        found = strengths(comparisons)
        centred = truth - truth.mean()
        covered += float(((found.low <= centred) & (centred <= found.high)).mean())
        low, high = bootstrapped(comparisons, resampling)
        by_bootstrap += float(((low <= centred) & (centred <= high)).mean())
        regularised += found.regularised
    name = f"strengths of {len(truth)} systems, {n_items} questions, strengths up to {truth.max():g}"
    beside = f"regularised in {regularised / n_trials:.0%}, bootstrap {by_bootstrap / n_trials:.3f}"
    return Figure(name, covered / n_trials, n_trials, at_least=COVERAGE[0], beside=beside)


@dataclass(frozen=True)
class Votes:
    """Comparisons by people: all pairs of the systems but the last on every question, the last on some of them."""

    truth: tuple[float, ...]
    n_items: int
    n_votes: int = 1
    """Of each pair on each question."""
    ties: float = 0.0
    """The share of ties; with two systems only, whose outcomes then have the same mean as without ties."""
    n_of_last: int | None = None
    """The number of questions on which the last system is compared, with one other each; None for all, with all."""

    @property
    def name(self) -> str:
        """In words."""
        span = max(self.truth) - min(self.truth)
        said = f"{len(self.truth)} systems over {span:g}, {self.n_items} questions, {self.n_votes} a pair"
        said += f", {self.ties:.0%} ties" if self.ties else ""
        return said if self.n_of_last is None else f"{said}, the last on {self.n_of_last}"

    def drawn(self, chance: np.random.Generator) -> Comparisons:
        """One study."""
        n_full = len(self.truth) - (self.n_of_last is not None)
        one, other = (np.repeat(systems, self.n_items) for systems in np.triu_indices(n_full, 1))
        items = np.tile(np.arange(self.n_items), n_full * (n_full - 1) // 2)
        if self.n_of_last is not None:
            one = np.concatenate([one, np.full(self.n_of_last, n_full)])
            other = np.concatenate([other, chance.integers(0, n_full, self.n_of_last)])
            items = np.concatenate([items, chance.permutation(self.n_items)[: self.n_of_last]])
        one, other, items = (np.repeat(column, self.n_votes) for column in (one, other, items))
        apart = np.array(self.truth)[one] - np.array(self.truth)[other]
        chances = (1 / (1 + np.exp(-apart)) - self.ties / 2) / (1 - self.ties)
        outcomes = (chance.random(len(one)) < chances).astype(np.float64)
        outcomes[chance.random(len(one)) < self.ties] = 0.5
        return Comparisons.of(one, other, outcomes, items, len(self.truth))


def thinly_compared(votes: Votes, n_trials: int) -> Iterator[Figure]:
    """Few questions, or a system with few of them. Outcomes are discrete, so only the lower bound counts."""
    chance = np.random.default_rng([SEED, votes.n_items, votes.n_votes, len(votes.truth), votes.n_of_last or 0])
    true = np.array(votes.truth) - np.mean(votes.truth)
    best, worst = true_ranks(true)
    covered, held, widths = np.zeros(len(true)), 0, []
    for _ in range(n_trials):
        found = strengths(votes.drawn(chance))
        covered += (found.low <= true) & (true <= found.high)
        held += bool(((found.ranks.best <= best) & (worst <= found.ranks.worst)).all())
        widths.append(float((found.high - found.low).mean()))
    beside = f"the last system {covered[-1] / n_trials:.3f}, median width {np.median(widths):.2f}"
    at_least = COVERAGE[0]
    yield Figure(f"strengths of {votes.name}", float(covered.mean()) / n_trials, n_trials, at_least, beside=beside)
    if votes.n_of_last is not None:
        yield Figure(f"the last of {votes.name}", float(covered[-1]) / n_trials, n_trials, at_least)
    yield Figure(f"rank sets of {votes.name}", held / n_trials, n_trials, at_least=0.94)


FEW_QUESTIONS = (
    *(Votes((0, top), n, n_votes) for top in (0, 1, 2) for n in (2, 3, 5, 10) for n_votes in (1, 3)),
    *(Votes((0, top), n, ties=0.3) for top in (0, 1) for n in (2, 3, 5, 10)),
    *(Votes((0, 0), n, ties=0.9) for n in (2, 5, 10)),
    *(Votes((0, 0.5, 1), n, n_votes) for n in (2, 4, 8) for n_votes in (1, 2)),
    *(Votes((0, 0.3, 0.6, 0.9, 1.2), n, n_votes) for n in (2, 4, 8) for n_votes in (1, 2)),
)
THINLY_COMPARED = tuple(
    Votes(truth, n, n_votes, n_of_last=n_of_last)
    for truth, n in (((0, 0, 0), 30), ((0, 0.5, 1, -1), 100), ((0, 1, 2, 3), 30))
    for n_votes in (1, 3)
    for n_of_last in (1, 2, 4, 10)
)


def simulate(n_trials: int) -> Iterator[Figure]:
    short = n_trials < SUBJECT.n_trials
    for n_systems, n_items, spread in (
        ((2, 30, 1.0),) if short else ((2, 30, 1.0), (8, 30, 1.0), (8, 100, 2.0), (8, 300, 1.0))
    ):
        pairs = [(one, other) for one in range(n_systems) for other in range(one + 1, n_systems)]
        name = f"{n_systems} systems, {n_items} questions"
        yield from simulated(np.linspace(0, 0.5, n_systems), n_items, spread, pairs, n_trials, name)
        yield from simulated(
            np.zeros(n_systems), n_items, spread, pairs, n_trials, f"{n_systems} equal, {n_items} questions"
        )
    if not short:
        against = [(0, other) for other in range(1, 8)]
        yield from simulated(np.linspace(0, 1, 8), 100, 1.0, against, n_trials, "8 systems against one, 100 questions")
    for truth, n_items in (((0, 4), 30),) if short else (((0, 2), 10), ((0, 3), 30), ((0, 4), 30), ((0, 1, 2, 6), 50)):
        yield far_apart(np.array(truth, dtype=np.float64), n_items, n_trials)
    for votes in (FEW_QUESTIONS[1], THINLY_COMPARED[-7]) if short else (*FEW_QUESTIONS, *THINLY_COMPARED):
        yield from thinly_compared(votes, n_trials)


SUBJECT = Subject(
    simulate, n_trials=400, n_short=30, about="Comparisons in both orders by a judge who prefers the first place."
)
