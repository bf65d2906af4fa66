"""The judge's noise: the interval of the standard deviation of a score between judgings, pooled over answers."""

from collections.abc import Iterator

import numpy as np

from scoring.statistics import repeat_noise
from tests.bench.calibration.figures import Figure, Subject

SEED = 20240821


def simulate(n_trials: int) -> Iterator[Figure]:
    """A share of the answers is doubtful: the judge finds each of them right with a probability of its own."""
    chance = np.random.default_rng(SEED)
    for n_items, doubtful, n_repeats in ((724, 0.3, 2), (724, 0.05, 2), (724, 0.05, 4), (310, 0.02, 2), (100, 0.1, 3)):
        n_doubtful = round(n_items * doubtful)
        held, far, far_before, width = 0, 0, 0, 0.0
        for _ in range(n_trials):
            rates = np.zeros(n_items)
            rates[:n_doubtful] = chance.random(n_doubtful)
            truth = float(np.sqrt((rates * (1 - rates)).sum())) / n_items
            found = repeat_noise(chance.random((n_repeats, n_items)) < rates)
            low, high = found.item_interval
            held += low <= truth <= high
            far += found.item_standard_deviation < truth / 2
            far_before += found.standard_deviation < truth / 2
            width += (high - low) / truth
        what = f"n = {n_items}, {doubtful:.0%} doubtful, {n_repeats} judgings"
        beside = f"width {width / n_trials:.2f} of the truth; below half: {far / n_trials:.3f}"
        # Conservative where few outcomes change: only the lower bound.
        yield Figure(what, held / n_trials, n_trials, at_least=0.93, beside=beside)
        if doubtful * n_items > 30:
            yield Figure(
                f"{what}: below half of the truth",
                far / n_trials,
                n_trials,
                at_most=0.01,
                unit="share",
                beside=f"unpooled: {far_before / n_trials:.3f}",
            )


SUBJECT = Subject(
    simulate,
    n_trials=4000,
    n_short=60,
    about="Judge noise: the interval of the pooled standard deviation, and how often it is below half of the truth.",
)
