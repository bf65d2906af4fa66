"""Questions as the items of a test: how hard each is for some systems, and how well it tells them apart."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from scoring.statistics.arrays import TIE, FloatArray

FEWEST_SYSTEMS = 10
"""With fewer systems, discrimination says little: of sound questions, many have a negative one by chance alone."""


def difficulty(scores: ArrayLike) -> FloatArray:
    """The mean score of each question over systems, of shape ``(n_systems, n_questions)``: the lower, the harder.

    >>> difficulty([[1.0, 0.0], [0.5, 0.0]]).tolist()
    [0.75, 0.0]
    """
    mean: FloatArray = np.asarray(scores, dtype=np.float64).mean(axis=0)
    return mean


def discrimination(scores: ArrayLike) -> FloatArray:
    """The item-rest correlation of each question: over systems, between the score of the question and the mean score of
    all other questions. NaN with fewer than `FEWEST_SYSTEMS` systems or two questions, and where either does not vary.

    Below 0, better systems do worse: a reason to look at the reference answer.

    Lord, Novick. Statistical Theories of Mental Test Scores. 1968, chapter 15.

    Args:
        scores: shape ``(n_systems, n_questions)``.

    >>> ability = np.arange(10) / 10
    >>> discrimination(np.stack([ability, ability, 1 - ability], axis=1)).round(2).tolist()
    [nan, nan, -1.0]
    """
    values = np.asarray(scores, dtype=np.float64)
    n_systems, n_questions = values.shape
    if n_systems < FEWEST_SYSTEMS or n_questions < 2:
        return np.full(n_questions, np.nan)
    rest = (values.sum(axis=1, keepdims=True) - values) / (n_questions - 1)
    own, others = values - values.mean(axis=0), rest - rest.mean(axis=0)
    spread = np.sqrt((own**2).sum(axis=0) * (others**2).sum(axis=0))
    correlation: FloatArray = np.full(n_questions, np.nan)
    varies = (np.ptp(values, axis=0) > TIE) & (np.ptp(rest, axis=0) > TIE)
    correlation[varies] = (own * others).sum(axis=0)[varies] / spread[varies]
    return correlation
