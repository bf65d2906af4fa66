"""The fewest comparisons that any choice of pairs needs for the widths of a full design.

The variance of strengths follows from the covariance of the outcomes of all pairs on a question, without a simulation
of boards: it is B S B, with the inverse information B of the pairs chosen and the covariance S of their scores.
"""

from collections.abc import Collection, Iterator
from itertools import combinations

import numpy as np

from tests.bench.calibration.adaptive import BASELINE, Judged, Situation, adaptive, pairs_of
from tests.bench.calibration.figures import Figure, Subject

N_QUESTIONS = 20_000
N_STARTS = 3
MOST_ENUMERATED = 6_000
NULL = 1e-10
"""Eigenvalues below this share of the largest are 0: strengths are relative."""
Design = tuple[int, ...]
"""Numbers of pairs, as in :func:`pairs_of`."""


class Widths:
    """The mean width of intervals, up to a factor, that a design has with many questions."""

    def __init__(self, situation: Situation) -> None:
        chance = np.random.default_rng(7)
        n = len(situation.truth)
        quality = situation.truth[:, None] + situation.spread * chance.normal(size=(n, N_QUESTIONS))
        self.pairs = pairs_of(n)
        self.signs = np.zeros((len(self.pairs), n))
        one, other = np.array(self.pairs).T
        rows = np.arange(len(self.pairs))
        self.signs[rows, one], self.signs[rows, other] = 1, -1
        wins, ties = situation.outcomes(np.stack([quality[one] - quality[other], quality[other] - quality[one]]))
        means = wins + ties / 2
        preferences = (means[0] + 1 - means[1]) / 2
        self.means = preferences.mean(axis=1)
        scores = 2 * (preferences - self.means[:, None])
        self.covariance = scores @ scores.T / N_QUESTIONS
        self.covariance[rows, rows] += (wins + ties / 4 - means**2).sum(axis=0).mean(axis=1)

    def of(self, design: Collection[int]) -> float:
        """Infinite if some systems are not connected."""
        chosen = list(design)
        signs, means = self.signs[chosen], self.means[chosen]
        if np.linalg.matrix_rank(signs) < signs.shape[1] - 1:
            return float("inf")
        values = np.zeros(signs.shape[1])
        for _ in range(8):  # Newton's method, from strengths that are not far apart
            expected = 1 / (1 + np.exp(-signs @ values))
            weights = expected * (1 - expected)
            bread = np.linalg.pinv(signs.T @ (signs * weights[:, None]), rcond=NULL, hermitian=True)
            values += bread @ signs.T @ (means - expected)
        scores = signs.T @ self.covariance[np.ix_(chosen, chosen)] @ signs
        return float(np.sqrt(np.diag(bread @ scores @ bread)).mean())

    def least(self, n_pairs: int, fixed: Design) -> float:
        """The least width of any design with so many pairs that has those fixed: of all, if they are few, otherwise
        the best that is found by exchanging one pair at a time."""
        free = [pair for pair in range(len(self.pairs)) if pair not in fixed]
        n_free = n_pairs - len(fixed)
        designs = list(combinations(free, n_free)) if len(free) <= 15 else []
        if 0 < len(designs) <= MOST_ENUMERATED:
            return min(self.of((*fixed, *design)) for design in designs)
        chance = np.random.default_rng(n_pairs)
        return min(self._exchanged(fixed, chance.permutation(free).tolist(), n_free) for _ in range(N_STARTS))

    def _exchanged(self, fixed: Design, order: list[int], n_free: int) -> float:
        path = [pair for pair in range(len(self.signs)) if abs(np.subtract(*self.pairs[pair])) == 1]
        start = order if fixed else [*path, *(pair for pair in order if pair not in path)]
        design, others = start[:n_free], start[n_free:]
        width, improved = self.of((*fixed, *design)), True
        while improved:
            improved = False
            for place in range(n_free):
                for index, other in enumerate(others):
                    found = self.of((*fixed, *design[:place], other, *design[place + 1 :]))
                    if found < width - NULL:
                        design[place], others[index] = other, design[place]
                        width, improved = found, True
        return width


def simulate(n_trials: int) -> Iterator[Figure]:
    boards: list[tuple[Situation, tuple[int, ...]]] = [
        (Situation("6 systems over 2, n = 100, spread 2", np.linspace(0, 2, 6), 100, 2.0), (5, 6, 7)),
        (Situation("8 over 1, n = 300, spread 1", np.linspace(0, 1, 8), 300, 1.0), (7, 9, 11)),
    ]
    if n_trials < SUBJECT.n_trials:
        boards = [(boards[0][0], (6,))]
    for situation, numbers in boards:
        widths = Widths(situation)
        full = widths.of(range(len(widths.pairs)))
        with_baseline = tuple(number for number, pair in enumerate(widths.pairs) if BASELINE in pair)
        for n_pairs in numbers:
            share = n_pairs / len(widths.pairs) + NULL
            least = widths.least(n_pairs, with_baseline)
            any_pairs = widths.least(n_pairs, ()) if n_trials >= SUBJECT.n_trials else None
            beside = f"of any pairs {share * (any_pairs / full) ** 2:.3f}" if any_pairs else ""
            what = f"{situation.name}, {n_pairs} pairs, all with the baseline first"
            yield Figure(f"least, {what}", share * (least / full) ** 2, 0, unit="of a full design", beside=beside)
            yield _chosen(what, widths, situation, share, least, n_trials)


def _chosen(what: str, widths: Widths, situation: Situation, share: float, least: float, n_trials: int) -> Figure:
    """How much more the pairs need that the product chooses."""
    chance = np.random.default_rng(11)
    chosen = [adaptive(Judged(situation, chance), share) for _ in range(n_trials)]
    ratios = [(widths.of([widths.pairs.index(pair) for pair in pairs]) / least) ** 2 for pairs in chosen]
    error = float(np.std(ratios)) / len(ratios) ** 0.5
    mean = float(np.mean(ratios))
    return Figure(f"chosen, {what}", mean, n_trials, at_most=1.05, unit="of the least", standard_error=error)


SUBJECT = Subject(
    simulate, n_trials=40, n_short=4, about="The fewest comparisons for the widths of a full design: optimal designs."
)
