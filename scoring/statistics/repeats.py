"""The noise of a judge: repeated judgements of the same answers."""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike

from scoring.statistics.arrays import TIE, FloatArray, as_rows


@dataclass(frozen=True)
class RepeatNoise:
    """The spread of repeats of one scoring, in the unit of the score unless stated otherwise."""

    n_changed: int
    """The number of items whose outcome was not the same in all repeats."""
    half_range: float
    """Half of the highest minus the lowest score of a repeat: "± this much"."""
    standard_deviation: float
    """Of the score between repeats (n_repeats - 1 in the denominator). With three repeats it is only a rough estimate:
    half of it is compatible with them, and so is six times as much. With two it is below half of the truth in a third
    of all cases."""
    item_standard_deviation: float
    """The noise of one repeat, pooled over items: √(mean variance of an item / n_items), for items that are judged
    independently of each other. Every item contributes, so two repeats are enough."""
    item_interval: tuple[float, float]
    """The 95 % confidence interval of ``item_standard_deviation``."""


def repeat_noise(repeats: ArrayLike, width: float = 1.0) -> RepeatNoise:
    """The spread of repeated scorings of the same answers.

    :param repeats: the score of each item in each repeat, shape ``(n_repeats, n_items)``, at least two repeats; only
        items with a verdict in all repeats.
    :param width: the largest possible difference of two scores.
    :raises ValueError: if there is one repeat only, no item, or a value that is not finite.

    Items are those of one scoring: the interval is about the noise of judging these answers again.

    >>> noise = repeat_noise([[1, 1, 0, 0], [1, 0, 0, 0], [1, 1, 0, 0]])
    >>> noise.n_changed, noise.half_range, round(noise.item_standard_deviation, 4)
    (1, 0.125, 0.1443)
    """
    rows = as_rows(repeats, "repeats")
    if len(rows) < 2:
        raise ValueError("repeats: expected at least two, a single one has no spread")
    n_changed = int((np.ptp(rows, axis=0) > TIE).sum())
    variances = rows.var(axis=0, ddof=1) if n_changed else np.zeros(rows.shape[1])
    values = rows.mean(axis=1)
    return RepeatNoise(
        n_changed=n_changed,
        half_range=float(np.ptp(values)) / 2,
        standard_deviation=float(values.std(ddof=1)) if n_changed else 0.0,
        item_standard_deviation=math.sqrt(float(variances.sum())) / rows.shape[1],
        item_interval=_interval(variances, len(rows), width),
    )


def _interval(variances: FloatArray, n_repeats: int, width: float, level: float = 0.95) -> tuple[float, float]:
    """The confidence interval of the pooled standard deviation.

    Few items change their outcome, so the sum of their variances is treated as a weighted sum of rare events: the gamma
    interval of Fay and Feuer (1997, https://doi.org/10.1002/(SICI)1097-0258(19970415)16:7<791::AID-SIM500>3.0.CO;2-%23),
    whose upper end is above 0 even if no item changed. The heaviest event that could have occurred is an item whose
    repeats are as different as the largest observed variance, or as far apart as possible in one of the repeats.
    """
    n_items = len(variances)
    total, weights = float(variances.sum()), float((variances**2).sum())
    heaviest = max(float(variances.max()), width**2 / n_repeats)  # the variance of the width, 0, …, 0
    tail = (1 - level) / 2
    low = weights / (2 * total) * chi_square_quantile(tail, 2 * total**2 / weights) if total else 0.0
    above, above_weights = total + heaviest, weights + heaviest**2
    high = above_weights / (2 * above) * chi_square_quantile(1 - tail, 2 * above**2 / above_weights)
    return math.sqrt(low) / n_items, math.sqrt(high) / n_items


def chi_square_quantile(share: float, degrees: float) -> float:
    """The value that a chi-square variable is below with this probability, to 1 % from 5 degrees of freedom.

    The approximation of Wilson and Hilferty (1931, https://doi.org/10.1073/pnas.17.12.684). With two degrees of freedom
    the lower quantiles are too low (0.026 instead of 0.051), which makes an interval wider.

    :param share: above 0 and below 1.
    :param degrees: degrees of freedom, above 0; need not be whole.

    >>> [round(chi_square_quantile(share, 10), 2) for share in (0.025, 0.5, 0.975)]
    [3.22, 9.35, 20.48]
    """
    spread = 2 / (9 * degrees)
    root: float = 1 - spread + NormalDist().inv_cdf(share) * math.sqrt(spread)
    return degrees * max(0.0, root) ** 3
