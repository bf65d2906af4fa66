"""Intervals of means over ratings of texts, over people: scales, and scores weighted over two questions.

As in a study in which each person rates 50 texts of 9 groups, 5 or 6 of each: `humaneval.results.ratings`. A person's
ratings are similar, because each person uses the scale in their own way.
"""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from scoring.statistics import mean_intervals
from tests.bench.calibration.figures import Figure, Subject

PEOPLE = (5, 8, 18)
CORRELATIONS = (0.0, 0.1, 0.3)
SCALES: dict[str, tuple[float, ...]] = {
    "even": (0.2, 0.2, 0.2, 0.2, 0.2),
    "both ends": (0.4, 0.08, 0.04, 0.08, 0.4),
    "low": (0.55, 0.25, 0.12, 0.05, 0.03),
    "nearly all 1": (0.88, 0.08, 0.02, 0.01, 0.01),
}
"""The shares of the numbers 1 to 5."""
MACHINE = 0.2
"""The share of texts said to be a machine's; in the score, it counts as much as the scale."""
SEED = 23


def rated(
    random: np.random.Generator, n_trials: int, sizes: NDArray[np.int64], shares: tuple[float, ...], correlation: float
) -> NDArray[np.float64]:
    """Numbers from 0 to 1 with these shares, and this correlation of two ratings of a person; a row for each trial."""
    cells = np.tile(np.cumsum(shares), (n_trials, len(sizes), 1))
    if correlation:
        own = random.dirichlet(np.array(shares) * (1 - correlation) / correlation, (n_trials, len(sizes)))
        cells = np.cumsum(own, axis=2)
    bounds = np.repeat(cells, sizes, axis=1)[:, :, :-1]
    places = (random.random(bounds.shape[:2])[:, :, None] > bounds).sum(axis=2)
    return np.asarray(places / (len(shares) - 1), dtype=np.float64)


def simulate(n_trials: int) -> Iterator[Figure]:
    for n_people in PEOPLE:
        sizes = np.where(np.arange(n_people) % 9 < 5, 6, 5)
        clusters = np.repeat(np.arange(n_people), sizes)
        for correlation in CORRELATIONS:
            for name, shares in SCALES.items():
                random = np.random.default_rng([SEED, n_people, int(100 * correlation), len(name)])
                scale = rated(random, n_trials, sizes, shares, correlation)
                machine = rated(random, n_trials, sizes, (1 - MACHINE, MACHINE), correlation)
                mean = float(np.dot(shares, np.arange(5)) / 4)
                for what, rows, truth in (
                    ("scale", scale, mean),
                    ("score", 1 - (scale + machine) / 2, 1 - (mean + MACHINE) / 2),
                ):
                    found = mean_intervals(rows, clusters=clusters)
                    covered = float(((found.low <= truth) & (truth <= found.high)).mean())
                    situation = f"{what}, {name}, {n_people} people, correlation {correlation}"
                    beside = f"width {found.width.mean():.2f}"
                    yield Figure(situation, covered, n_trials, at_least=0.93, beside=beside)


SUBJECT = Subject(simulate, n_trials=4_000, n_short=100, about="Means over ratings of texts, 5 or 6 by each person.")
