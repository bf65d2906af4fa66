"""Rank sets: the share of trials in which the ranges of all systems contain their true ranks."""

from collections.abc import Callable, Iterator
from functools import partial
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from scoring.statistics import rank_sets
from tests.bench.calibration.figures import Figure, Subject

SEED = 20240820
SHARED = 0.5
"""The share of the variance between questions that all systems have in common."""

Values = NDArray[np.float64]
Draw = Callable[[np.random.Generator, int], Values]
"""Scores of systems on so many questions."""


def right_or_wrong(rates: Values, chance: np.random.Generator, n: int) -> Values:
    """Scores of 0 or 1 with these rates; some questions are hard for all systems."""
    bars = np.array([NormalDist().inv_cdf(rate) for rate in rates])[:, None]
    skill = np.sqrt(SHARED) * chance.normal(size=n) + np.sqrt(1 - SHARED) * chance.normal(size=(len(rates), n))
    return np.asarray(skill < bars, dtype=np.float64)


def graded(rates: Values, chance: np.random.Generator, n: int) -> Values:
    """Scores between 0 and 1 with these means, many of them close to an end."""
    return np.asarray(chance.beta(rates[:, None], 1 - rates[:, None], size=(len(rates), n)))


def mixed(rates: Values, chance: np.random.Generator, n: int) -> Values:
    """The first half of the systems right or wrong, the second half between 0 and 1: skewed differences."""
    values = right_or_wrong(rates, chance, n)
    half = len(rates) // 2
    values[half:] = chance.beta(8 * rates[half:, None], 8 * (1 - rates[half:, None]), size=(len(rates) - half, n))
    return values


def with_copies(rates: Values, chance: np.random.Generator, n: int) -> Values:
    """The same, with an exact copy of each system, and two systems that are always wrong."""
    values = right_or_wrong(rates, chance, n)
    return np.concatenate([values, values, np.zeros((2, n))])


def true_ranks(means: Values) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The first and the last of the ranks that each system shares with those of equal mean."""
    return (
        1 + (means[None, :] > means[:, None]).sum(axis=1),
        len(means) - (means[None, :] < means[:, None]).sum(axis=1),
    )


def held(draw: Draw, means: Values, n: int, n_trials: int) -> tuple[float, float]:
    """The share of trials in which all ranges contain all true ranks, and the mean width of a range."""
    chance = np.random.default_rng(SEED)
    first, last = true_ranks(means)
    n_held, width = 0, 0.0
    for _ in range(n_trials):
        best, worst = np.array(rank_sets(draw(chance, n))).T
        n_held += bool(((best <= first) & (last <= worst)).all())
        width += float((worst - best).mean())
    return n_held / n_trials, width / n_trials


Case = tuple[str, Draw, Values, int]


def _cases(*, short: bool) -> list[Case]:
    close: Values = np.asarray(0.4 + 0.002 * np.arange(20), dtype=np.float64)
    equal, rare = np.full(20, 0.4), np.full(20, 0.03)
    copied = np.concatenate([equal, equal, np.zeros(2)])
    cases: list[Case] = [
        ("20 systems .002 apart, 0/1", partial(right_or_wrong, close), close, 310),
        ("20 equal with copies, 2 at zero", partial(with_copies, equal), copied, 100),
        ("2 equal, graded", partial(graded, equal[:2]), equal[:2], 100),
    ]
    if short:
        return cases
    spread: Values = np.asarray(np.linspace(0.2, 0.7, 50), dtype=np.float64)
    return [
        *cases,
        ("2 equal, 0/1", partial(right_or_wrong, equal[:2]), equal[:2], 100),
        ("20 systems .002 apart, graded", partial(graded, close), close, 310),
        *(("20 equal, 0/1", partial(right_or_wrong, equal), equal, n) for n in (30, 310, 724)),
        *(("20 equal, graded", partial(graded, equal), equal, n) for n in (30, 310)),
        *(("20 equal, rate .03", partial(right_or_wrong, rare), rare, n) for n in (100, 724)),
        ("50 systems from .2 to .7, 0/1", partial(right_or_wrong, spread), spread, 724),
    ]


def simulate(n_trials: int) -> Iterator[Figure]:
    short = n_trials < SUBJECT.n_trials
    for what, draw, means, n in _cases(short=short):
        share, width = held(draw, means, n, n_trials)
        yield Figure(f"{what}, n = {n}", share, n_trials, at_least=0.95, beside=f"mean width {width:.1f}")
    rates = np.full(20, 0.2)
    for n in () if short else (30, 100, 310):  # without a bound: the known limit of the method
        share, width = held(partial(mixed, rates), rates, n, n_trials)
        yield Figure(f"10 of 0/1, 10 graded, mean .2, n = {n}", share, n_trials, beside=f"mean width {width:.1f}")


SUBJECT = Subject(
    simulate,
    n_trials=1000,
    n_short=10,
    about="All rank ranges of a board at once: the share of trials in which each contains the true ranks.",
)
