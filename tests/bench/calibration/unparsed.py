"""Systems compared with a baseline whose comparisons cannot all be read: differences and rank sets of the rest."""

from collections.abc import Iterator

import numpy as np

from scoring.statistics import completed, paired_differences, rank_sets
from tests.bench.calibration.figures import Figure, Subject, coverage
from tests.bench.calibration.preferences import BIAS, Values

SEED = 2026
N_TRUTH = 100_000
ABILITIES = np.array([0.0, 0.3])
BY_LENGTH = 1.5
"""By how much an answer that is longer by one standard deviation is less often read, in log-odds. Longer answers win
more often: the correlation of length and quality is one half."""


def drawn(chance: np.random.Generator, abilities: Values, n_items: int) -> tuple[Values, Values]:
    """The preferences for each system on each question, the mean of both orders, and the lengths of its answers."""
    shape = len(abilities), n_items
    quality, baseline = chance.normal(size=shape), chance.normal(size=n_items)
    apart = abilities[:, None] + quality - baseline
    first, second = (chance.random(shape) < 1 / (1 + np.exp(-apart - bias)) for bias in (BIAS, -BIAS))
    return (first * 1.0 + second) / 2, quality / 2 + np.sqrt(0.75) * chance.normal(size=shape)


def unread(chance: np.random.Generator, lengths: Values, share: float, *, by_length: bool) -> Values:
    """1 where a comparison cannot be read, in about this share of all."""
    slope = BY_LENGTH if by_length else 0.0
    points = np.linspace(-4, 4, 81)
    weights = np.exp(-(points**2) / 2)
    low, high = -20.0, 10.0
    for _ in range(30):
        middle = (low + high) / 2
        found = float(weights @ (1 / (1 + np.exp(-middle - slope * points)))) / weights.sum()
        low, high = (middle, high) if found < share else (low, middle)
    return (chance.random(lengths.shape) < 1 / (1 + np.exp(-low - slope * lengths))).astype(np.float64)


def simulate(n_trials: int) -> Iterator[Figure]:
    short = n_trials < SUBJECT.n_trials
    truth = float(np.diff(drawn(np.random.default_rng(SEED), ABILITIES, N_TRUTH)[0].mean(axis=1))[0])
    for n_items in (100,) if short else (100, 300):
        for share in (0.2,) if short else (0.01, 0.05, 0.2):
            for by_length in (False, True):
                chance = np.random.default_rng([SEED, n_items, int(100 * share), by_length])
                covered = [0, 0]
                for _ in range(n_trials):
                    values, lengths = drawn(chance, ABILITIES, n_items)
                    known = np.where(unread(chance, lengths, share, by_length=by_length) > 0, np.nan, values)
                    filled = np.where(np.isnan(known), np.nanmean(known, axis=1)[:, None], known)
                    for place, rows in enumerate((np.stack([completed(row) for row in known]), filled)):
                        ends = paired_differences(rows, [(1, 0)]).interval
                        covered[place] += bool(ends.low[0] <= truth <= ends.high[0])
                how = "by length" if by_length else "at random"
                beside = f"filled with the mean {covered[1] / n_trials:.3f}"
                yield coverage(f"{n_items} questions, {share} unread {how}", covered[0] / n_trials, n_trials, beside)
    if not short:
        yield from (_rank_sets(share, n_trials) for share in (0.0, 0.05, 0.2))


def _rank_sets(share: float, n_trials: int) -> Figure:
    """Of eight equal systems."""
    chance = np.random.default_rng([SEED, int(100 * share)])
    held = [0, 0]
    for _ in range(n_trials):
        values, lengths = drawn(chance, np.zeros(8), 100)
        known = np.where(unread(chance, lengths, share, by_length=False) > 0, np.nan, values)
        filled = np.where(np.isnan(known), np.nanmean(known, axis=1)[:, None], known)
        for place, rows in enumerate((np.stack([completed(row) for row in known]), filled)):
            held[place] += all(ends == (1, 8) for ends in rank_sets(rows))
    beside = f"filled with the mean {held[1] / n_trials:.3f}"
    return Figure(f"rank sets, 100 questions, {share} unread", held[0] / n_trials, n_trials, 0.94, beside=beside)


SUBJECT = Subject(
    simulate, n_trials=1_000, n_short=30, about="Differences and rank sets where some comparisons cannot be read."
)
