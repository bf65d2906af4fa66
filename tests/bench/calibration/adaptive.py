"""Pairs chosen by earlier comparisons: coverage, and the number of comparisons that a full design needs instead."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from scoring.statistics import Comparisons, Strengths, next_pairs, strengths
from scoring.statistics.preferences import fit
from tests.bench.calibration.figures import Figure, Subject, coverage
from tests.bench.calibration.preferences import BIAS, Pairs, Values
from tests.bench.calibration.rank_sets import true_ranks

SEED = 20251122
N_ROUNDS = 2
BASELINE = 0
N_POINTS = 61
MOST_SAVED = 0.4
"""The share of all pairs for which the goal is checked; with more, the widths approach those of the full design."""


@dataclass(frozen=True)
class Situation:
    """Systems compared by a judge who prefers the first place by :data:`BIAS`."""

    name: str
    truth: Values
    n_items: int
    spread: float
    """The standard deviation of the quality of a system's answers, in log-odds. With 0, 1, 2 and 3 the judge names the
    same winner in both orders of 48, 62, 75 and 82 % of the pairs of equal systems."""
    ties: float = 0.0
    """The share of ties among answers of equal quality."""
    at_most: float | None = None
    """The bound for the comparisons relative to a full design of the same widths."""

    def outcomes(self, difference: Values) -> tuple[Values, Values]:
        """The chances of a win and of a tie for the answer shown first, which is so much better."""
        ties = self.ties * np.exp(-(difference**2))
        return (1 - ties) / (1 + np.exp(-difference - BIAS)), ties


def pairs_of(n_systems: int) -> Pairs:
    return [(one, other) for one in range(n_systems) for other in range(one + 1, n_systems)]


class Judged:
    """All comparisons of a board, of which a design sees some."""

    def __init__(self, situation: Situation, chance: np.random.Generator) -> None:
        self.n_systems, self.n_items = len(situation.truth), situation.n_items
        quality = situation.truth[:, None] + situation.spread * chance.normal(size=(self.n_systems, self.n_items))
        one, other = np.array(pairs_of(self.n_systems)).T
        self.rows = np.full((self.n_systems, self.n_systems), -1)
        self.rows[one, other] = np.arange(len(one))
        wins, ties = situation.outcomes(np.stack([quality[one] - quality[other], quality[other] - quality[one]]))
        drawn = chance.random(wins.shape)
        self.outcomes = np.where(drawn < wins, 1.0, np.where(drawn < wins + ties, 0.5, 0.0))

    def seen(self, pairs: Pairs) -> Comparisons:
        one, other = np.array(pairs).T
        outcomes = self.outcomes[:, self.rows[one, other]]
        first, second = (np.repeat(systems, self.n_items) for systems in ((one, other), (other, one)))
        items = np.tile(np.arange(self.n_items), 2 * len(pairs))
        return Comparisons.of(first, second, outcomes.ravel(), items, self.n_systems)


def adaptive(judged: Judged, share: float) -> Pairs:
    """All against the baseline, then further pairs up to this share of all pairs, chosen in rounds."""
    pairs = [(BASELINE, other) for other in range(1, judged.n_systems)]
    left = int(share * len(pairs_of(judged.n_systems)) + 1e-9) - len(pairs)
    for n_rounds in range(N_ROUNDS, 0, -1):
        chosen = next_pairs(judged.seen(pairs), left // n_rounds)
        pairs += chosen
        left -= len(chosen)
    return sorted(pairs)


class Expected:
    """What a design would find with all questions of this kind."""

    def __init__(self, situation: Situation) -> None:
        points, weights = np.polynomial.hermite_e.hermegauss(N_POINTS)
        one, other = np.array(pairs_of(len(situation.truth))).T
        apart = (situation.truth[one] - situation.truth[other])[:, None] + situation.spread * np.sqrt(2) * points
        wins, ties = situation.outcomes(apart)
        losses, other_ties = situation.outcomes(-apart)
        self.means = (wins + ties / 2 + 1 - losses - other_ties / 2) @ (weights / weights.sum()) / 2
        self.rows = {pair: row for row, pair in enumerate(pairs_of(len(situation.truth)))}
        self.n_systems = len(situation.truth)

    def values(self, pairs: Pairs) -> Values:
        """The strengths that describe these pairs best."""
        one, other = np.array([*pairs, *pairs]).T
        means = [self.means[self.rows[pair]] for pair in pairs] * 2
        return fit(Comparisons.of(one, other, means, np.repeat([0, 1], len(pairs)), self.n_systems))[0]


class Tally:
    """What the trials of one design found."""

    def __init__(self, situation: Situation) -> None:
        self.best, self.worst = true_ranks(situation.truth)
        self.covered: list[float] = []
        self.covered_full: list[float] = []
        self.held: list[bool] = []
        self.widths: list[float] = []
        self.ranges: list[float] = []

    def add(self, found: Strengths, true: Values, true_of_full: Values) -> None:
        self.covered.append(float(((found.low <= true) & (true <= found.high)).mean()))
        self.covered_full.append(float(((found.low <= true_of_full) & (true_of_full <= found.high)).mean()))
        self.held.append(bool(((found.ranks.best <= self.best) & (self.worst <= found.ranks.worst)).all()))
        self.widths.append(float((found.high - found.low).mean()))
        self.ranges.append(float((found.ranks.worst - found.ranks.best).mean()) + 1)


def simulated(situation: Situation, shares: tuple[float, ...], n_trials: int) -> Iterator[Figure]:
    """Designs with these shares of all pairs, beside the full design of the same outcomes."""
    n_systems = len(situation.truth)
    chance = np.random.default_rng([SEED, n_systems, situation.n_items, int(10 * situation.spread)])
    everything = pairs_of(n_systems)
    expected = Expected(situation)
    true_of_full = expected.values(everything)
    full, designs = Tally(situation), [Tally(situation) for _ in shares]
    for _ in range(n_trials):
        judged = Judged(situation, chance)
        full.add(strengths(judged.seen(everything)), true_of_full, true_of_full)
        for share, tally in zip(shares, designs, strict=True):
            pairs = adaptive(judged, share)
            tally.add(strengths(judged.seen(pairs)), expected.values(pairs), true_of_full)
    for share, tally in zip(shares, designs, strict=True):
        yield from _figures(situation, int(share * len(everything) + 1e-9) / len(everything), tally, full)


def _figures(situation: Situation, share: float, design: Tally, full: Tally) -> Iterator[Figure]:
    """Coverage and widths. The widths of a full design fall with the root of the number of its questions, so one with
    the widths of ``design`` makes (full width / width)² times as many comparisons as one on all questions."""
    name, n_trials = f"{situation.name}, {share:.2f} of the pairs", len(design.covered)
    target = f"{np.mean(design.covered_full):.3f} for the strengths of all pairs"
    yield coverage(f"strengths, {name}", float(np.mean(design.covered)), n_trials, target)
    yield Figure(f"rank sets, {name}", float(np.mean(design.held)), n_trials, at_least=0.94)
    ratios = np.array(design.widths) / full.widths
    ranges = np.mean(design.ranges) / np.mean(full.ranges)
    beside = f"on the same questions: widths {ratios.mean():.3f} times those of a full design, rank ranges {ranges:.3f}"
    yield Figure(
        f"comparisons for the same widths, {name}",
        float(share * (ratios**2).mean()),
        n_trials,
        at_most=situation.at_most if share <= MOST_SAVED else None,
        unit="of a full design",
        standard_error=float(share * (ratios**2).std() / np.sqrt(n_trials)),
        beside=beside,
    )


def _situations() -> list[Situation]:
    clustered = np.concatenate([np.linspace(at, at + 0.3, n) for at, n in ((0.0, 7), (1.0, 7), (2.0, 6))])
    even: dict[tuple[int, int], Values] = {
        (n, top): np.linspace(0, top, n) for n, top in ((6, 2), (8, 1), (12, 3), (20, 3), (20, 6))
    }
    goal = 0.6
    return [
        Situation("6 systems over 2, n = 100, spread 2", even[6, 2], 100, 2.0),
        Situation("8 over 1, n = 300, spread 1", even[8, 1], 300, 1.0),
        Situation("8 over 1, n = 1000, spread 2", even[8, 1], 1000, 2.0, at_most=goal),
        Situation("12 over 3, n = 100, spread 2", even[12, 3], 100, 2.0, at_most=goal),
        Situation("12 equal, n = 300, spread 1", np.zeros(12), 300, 1.0, at_most=goal),
        Situation("20 over 3, n = 300, spread 1", even[20, 3], 300, 1.0, at_most=goal),
        Situation("20 in 3 clusters, n = 300, spread 2", clustered, 300, 2.0, at_most=goal),
        Situation("20 over 3, n = 1000, spread 2, ties", even[20, 3], 1000, 2.0, ties=0.4, at_most=goal),
        Situation("20 over 6, n = 300, spread 1", even[20, 6], 300, 1.0, at_most=goal),
        Situation("20 over 3, n = 300, spread 0", even[20, 3], 300, 0.0),
    ]


def simulate(n_trials: int) -> Iterator[Figure]:
    if n_trials < SUBJECT.n_trials:
        yield from simulated(
            Situation("8 over 1, n = 60, spread 2", np.linspace(0, 1, 8), 60, 2.0, at_most=0.6), (MOST_SAVED,), n_trials
        )
        return
    for situation in _situations():
        yield from simulated(situation, (MOST_SAVED, 0.6), n_trials)


SUBJECT = Subject(
    simulate,
    n_trials=400,
    n_short=10,
    about="All systems against a baseline, then pairs chosen by these results: all comparisons counted together.",
)
