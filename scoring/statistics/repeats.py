"""The noise of a judge: repeated judgements of the same answers."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from scoring.statistics.arrays import TIE, FloatArray, as_rows


@dataclass(frozen=True)
class RepeatNoise:
    """The spread of repeats of one scoring, in the unit of the score (0 to 1) unless stated otherwise."""

    values: FloatArray
    """The score of each repeat, shape ``(n_repeats,)``."""
    n_items: int
    n_changed: int
    """The number of items whose outcome was not the same in all repeats."""
    standard_deviation: float
    """Of the score between repeats (n_repeats - 1 in the denominator): the noise of one repeat for the same questions.
    With three repeats it is only a rough estimate: half of it is compatible with them, and so is six times as much."""
    item_standard_deviation: float
    """The standard deviation if items were judged independently of each other: √(mean variance of an item / n_items).
    This estimate is much more precise, because every item contributes."""

    @property
    def n_repeats(self) -> int:
        """The number of repeats."""
        return len(self.values)

    @property
    def mean(self) -> float:
        """The mean score of all repeats."""
        return float(self.values.mean())

    @property
    def half_range(self) -> float:
        """Half of the highest minus the lowest score: "± this much"."""
        return float(np.ptp(self.values)) / 2

    @property
    def changed_share(self) -> float:
        """The share of items whose outcome changed, 0 to 1."""
        return self.n_changed / self.n_items

    @property
    def shared_standard_deviation(self) -> float:
        """The part that changes all items of a repeat together, √(standard_deviation² - item_standard_deviation²), 0 if
        negative.

        Only this part is missing in an interval over questions.
        """
        return math.sqrt(max(0.0, self.standard_deviation**2 - self.item_standard_deviation**2))

    def share_of_sampling(self, sampling_standard_error: float) -> float:
        """The judge's noise as a share of the variance that an interval over questions shows, 0 to 1.

        :param sampling_standard_error: standard deviation of the resampled means of one repeat.
        :raises ValueError: if it is not above 0.
        """
        if not sampling_standard_error > 0:
            raise ValueError(f"sampling_standard_error: expected a number above 0, found {sampling_standard_error}")
        return min(1.0, (self.item_standard_deviation / sampling_standard_error) ** 2)

    def total_standard_error(self, sampling_standard_error: float) -> float:
        """The standard error of one repeat's score for other questions *and* another judgement.

        Not √(sampling² + standard_deviation²), which would count the judge's independent errors twice: each question's
        outcome already contains one, so resampling the questions resamples them too. Only
        :attr:`shared_standard_deviation` is added.

        :param sampling_standard_error: standard deviation of the resampled means of one repeat.
        :raises ValueError: if it is negative or not finite.
        """
        if not 0 <= sampling_standard_error < math.inf:
            raise ValueError(f"sampling_standard_error: expected a number from 0, found {sampling_standard_error}")
        return math.hypot(sampling_standard_error, self.shared_standard_deviation)


def repeat_noise(repeats: ArrayLike) -> RepeatNoise:
    """The spread of repeated scorings of the same answers.

    :param repeats: the score of each item in each repeat, shape ``(n_repeats, n_items)``, at least two repeats; only
        items with a verdict in all repeats.
    :raises ValueError: if there is one repeat only, no item, or a value that is not finite.

    >>> noise = repeat_noise([[1, 1, 0, 0], [1, 0, 0, 0], [1, 1, 0, 0]])
    >>> noise.changed_share, round(noise.standard_deviation, 4), noise.half_range
    (0.25, 0.1443, 0.125)
    """
    rows = as_rows(repeats, "repeats")
    if len(rows) < 2:
        raise ValueError("repeats: expected at least two, a single one has no spread")
    values = rows.mean(axis=1)
    changed = np.ptp(rows, axis=0) > TIE
    same = not changed.any()
    return RepeatNoise(
        values=values,
        n_items=rows.shape[1],
        n_changed=int(changed.sum()),
        standard_deviation=0.0 if same else float(values.std(ddof=1)),
        item_standard_deviation=0.0 if same else math.sqrt(float(rows.var(axis=0, ddof=1).mean()) / rows.shape[1]),
    )
