"""Ranks with ties, and their uncertainty."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from scoring.statistics.arrays import BLOCK_VALUES, TIE, FloatArray, IntArray, as_rows, as_vector, check_confidence


def competition_ranks(values: ArrayLike, *, higher_is_better: bool = True) -> IntArray:
    """Competition ranks: equal values share the best rank among them, and the next ranks are left out ("1224").

    Values within :data:`~scoring.statistics.arrays.TIE` of their neighbour in the order are equal.

    :param values: one for each system, shape ``(n_systems,)``.
    :returns: ranks from 1, shape ``(n_systems,)``.
    :raises ValueError: if there are none, or one is not finite.

    >>> competition_ranks([0.3, 0.5, 0.1 + 0.2, 0.1])
    array([2, 1, 2, 4])
    """
    vector = as_vector(values, "values")
    ranks: IntArray = _ranks_in_rows(vector[None, :] if higher_is_better else -vector[None, :])[0]
    return ranks


def _ranks_in_rows(values: FloatArray) -> IntArray:
    """Competition ranks within each row, the highest value first; shape ``(n_rows, n_systems)``."""
    order = np.argsort(-values, axis=1)
    ordered = np.take_along_axis(values, order, axis=1)
    places = np.broadcast_to(np.arange(1, values.shape[1] + 1), values.shape).copy()
    places[:, 1:][ordered[:, :-1] - ordered[:, 1:] <= TIE] = 1  # a tie with the one before, whose rank it takes below
    ranks = np.empty(values.shape, dtype=np.int64)
    np.put_along_axis(ranks, order, np.maximum.accumulate(places, axis=1), axis=1)
    return ranks


@dataclass(frozen=True)
class RankRanges:
    """Ranks from 1, each of shape ``(n_systems,)``; ``best <= rank <= worst``."""

    rank: IntArray
    """The rank by the values themselves."""
    best: IntArray
    worst: IntArray
    confidence: float


def rank_ranges(
    values: ArrayLike, resampled: ArrayLike, confidence: float = 0.95, *, higher_is_better: bool = True
) -> RankRanges:
    """The ranks that a system could have had with other questions.

    All systems are ranked in each resample. A system's range leaves out at most (1 - confidence) / 2 of its ranks on
    either side, and is widened to its present rank if that is outside. It is not the very best and worst rank of all
    resamples, because these move outwards with the number of resamples. Percentile ranges of bootstrapped ranks go back
    to Goldstein and Spiegelhalter (1996, https://doi.org/10.2307/2983325) and Hall and Miller (2009,
    https://doi.org/10.1214/09-AOS699), who show their limit: among systems that are truly equal the bootstrap of ranks
    is not consistent, even with more questions. A range is valid for one system, not for all systems at once.

    :param values: the present means, shape ``(n_systems,)``.
    :param resampled: means over resampled items, shape ``(n_systems, n_resamples)``, from
        :func:`~scoring.statistics.bootstrap_means`.
    :param confidence: the share of ranks in the range, above 0 and below 1.
    :raises ValueError: if the shapes do not match, or a value is not finite.

    >>> ranges = rank_ranges([0.6, 0.5, 0.1], [[0.6, 0.4], [0.5, 0.5], [0.1, 0.1]])
    >>> ranges.best, ranges.worst
    (array([1, 1, 3]), array([2, 2, 3]))
    """
    present = competition_ranks(values, higher_is_better=higher_is_better)
    means = as_rows(resampled, "resampled")
    check_confidence(confidence)
    if np.ndim(resampled) != 2 or len(means) != len(present):
        raise ValueError(f"resampled: expected one row for each of {len(present)} systems, found {np.shape(resampled)}")
    n_systems, n_resamples = means.shape
    ranks = np.empty(means.shape, dtype=np.int32)
    step = max(1, BLOCK_VALUES // n_systems)
    for start in range(0, n_resamples, step):
        columns = np.ascontiguousarray(means[:, start : start + step].T)
        ranks[:, start : start + step] = _ranks_in_rows(columns if higher_is_better else -columns).T
    ranks.sort(axis=1)
    left_out = math.floor(n_resamples * (1 - confidence) / 2 + 1e-9)
    best = np.minimum(ranks[:, left_out].astype(np.int64), present)
    worst = np.maximum(ranks[:, n_resamples - 1 - left_out].astype(np.int64), present)
    return RankRanges(present, best, worst, confidence)
