"""What a board can tell apart: how often a paired test finds the difference that the board states."""

from collections.abc import Iterator
from statistics import NormalDist

import numpy as np

from scoring.statistics import detectable_difference, paired_differences, rank_statistics
from tests.bench.calibration.figures import Figure, Subject

SEED = 20240822
N_SYSTEMS = 8
POWER = (0.75, 0.85)


def _scores(means: np.ndarray, n: int, *, binary: bool, chance: np.random.Generator) -> np.ndarray:
    shared = chance.normal(size=n)
    if binary:
        bars = np.array([NormalDist().inv_cdf(mean) for mean in means])[:, None]
        skill = np.sqrt(0.6) * shared + np.sqrt(0.4) * chance.normal(size=(len(means), n))
        return np.asarray(skill < bars, dtype=float)
    return np.asarray(means[:, None] + 0.2 * shared + 0.2 * chance.normal(size=(len(means), n)))


def simulate(n_trials: int) -> Iterator[Figure]:
    """The board states a difference; two new systems that are this far apart are then compared on the questions."""
    chance = np.random.default_rng(SEED)
    for binary in (True, False):
        for n in (100, 310, 724):
            n_found, stated = 0, 0.0
            for _ in range(n_trials):
                board = _scores(np.linspace(0.35, 0.5, N_SYSTEMS), n, binary=binary, chance=chance)
                deviation = rank_statistics(board).deviation
                assert deviation is not None
                difference = detectable_difference(deviation, n)
                assert difference is not None
                pair = _scores(np.array([0.42 + difference, 0.42]), n, binary=binary, chance=chance)
                n_found += bool(paired_differences(pair).p_value[0] <= 0.05)
                stated += difference
            yield Figure(
                f"{'0/1' if binary else 'graded'}, n = {n}",
                n_found / n_trials,
                n_trials,
                *POWER,
                unit="found",
                beside=f"difference {stated / n_trials:.3f}",
            )


SUBJECT = Subject(
    simulate,
    n_trials=1000,
    n_short=8,
    about=f"The smallest difference found with 80 % power, from {N_SYSTEMS} systems of a board: the power that it has.",
)
