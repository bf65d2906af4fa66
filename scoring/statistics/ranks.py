"""Ranks with ties, and their uncertainty."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from scoring.statistics.arrays import (
    BOARD_SEED,
    N_RESAMPLES,
    TIE,
    Clusters,
    FloatArray,
    IntArray,
    Units,
    as_rows,
    as_vector,
    block_size,
    check_level,
    random_words,
)

_STREAM = 3
_ERROR_STREAM = 4
ADDED = 4.0
"""So many items with the largest difference are added to the denominator of each pair's statistic: a pair that differs
on few items needs a clearer difference (the constant of Tusher, Tibshirani and Chu 2001)."""
SHARE_OF_ERROR = 0.8
"""The critical value is exceeded in this share of 1 - level of the resamples. The rest is for its own error (a standard
error of 0.002 of the level) and for slightly skewed differences."""
SLACK = 1e-5
"""Two test statistics that differ by at most this share are equal: above the rounding errors of float32."""
_ONES = np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1).sum(axis=1, dtype=np.uint8)
"""The number of ones among the bits of each byte."""
_SUM_BITS = 52


def competition_ranks(values: ArrayLike, *, higher_is_better: bool = True) -> IntArray:
    """Competition ranks from 1: equal values share the best rank among them, and the next ranks are left out ("1224").

    Values within `TIE` of their neighbour in the order are equal. Both have the shape ``(n_systems,)``.

    Raises:
        ValueError: If there are none, or one is not finite.

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
class RankStatistics:
    """The order of systems with its uncertainty; arrays of shape ``(n_systems,)`` unless stated otherwise."""

    rank: IntArray
    """Competition ranks of the means, from 1."""
    best: IntArray
    """The lowest rank of each system's rank set; ``best <= rank <= worst``."""
    worst: IntArray
    group: IntArray
    """Groups of statistical ties, from 1: in the order of ranks, a group ends before the first system that is
    significantly worse than the group's first one. Equal ranks are in one group."""
    deviation: float | None
    """Median over all pairs of systems of the standard deviation of their differences per item; with clusters, that of
    independent items whose mean difference has the same variance. ``None`` for a single system, item or cluster."""
    p_value: FloatArray
    """The smallest p-value of the differences from better systems, corrected for all pairs of systems: at most 1 -
    level where ``best`` is above 1. 1 for the system of rank 1."""


def rank_sets(
    vectors: ArrayLike,
    level: float = 0.95,
    *,
    seed: int = BOARD_SEED,
    higher_is_better: bool = True,
    clusters: Clusters | None = None,
) -> list[tuple[int, int]]:
    """For each system the range of ranks that it can have; all ranges hold at once.

    With a probability of at least *level*, over the choice of the items, every system's true rank is in its range: the
    simultaneous confidence sets of Mogstad, Romano, Shaikh and Wilhelm (2024, Inference for Ranks with Applications to
    Mobility across Neighbourhoods and Academic Achievement across Countries, Review of Economic Studies 91,
    https://doi.org/10.1093/restud/rdad006). All pairs of systems are compared by a studentised difference; a pair is
    *significantly different* if it exceeds what the largest of all pairs reaches in 95 % of the resamples. A system's
    best rank is 1 + the number of systems that are significantly better; its worst rank is the number of systems - the
    number of those that are significantly worse.

    The true ranks are those of the means over all items of this kind. Systems with equal true means share the ranks
    that they take together, such as 3, 4 and 5 (so, 1 to k if all k are equal), and a range that holds has all of them.

    The resamples are those of the wild bootstrap: the differences of all systems on an item are multiplied by a common
    random sign (Liu 1988, https://doi.org/10.1214/aos/1176351062).
    The statistic is Σd / √(Σd² + a), with a constant a (`ADDED`) for pairs that differ on few items: a monotone
    function of Student's t, whose denominator no change of signs affects. For symmetric differences, such as those of
    scores of 0 or 1 with equal rates, it is exact with few items and with rare outcomes too, and with up to five items
    every range goes from 1 to the number of systems. Strongly skewed differences on few items lower the level:
    ``docs/statistics.md`` has figures.

    There is no step-down: after the first step, the reverse of each difference found still counts, so that the critical
    value falls at most from that of a two-sided test to that of a one-sided test, for twice the time.

    Args:
        vectors: A score of each item, shape ``(n_systems, n_items)``; any finite numbers. Differences below 1 / 2²¹ of
            the range of all values are rounded.
        level: The probability that all ranges hold, above 0 and below 1.
        seed: Chooses the signs; not negative.
        clusters: The cluster of each item, such as the template of a question, shape ``(n_items,)``: the differences on
            all of its items have a common sign, and their sum counts as that of one item.

    Returns:
        ``(best, worst)`` for each system, from 1.

    Raises:
        ValueError: If there is no system or item, a value is not finite, or *level* is out of range.

    >>> rank_sets([[1] * 20, [1] * 10 + [0] * 10, [0] * 10 + [1] * 10, [0] * 20])
    [(1, 1), (2, 3), (2, 3), (4, 4)]
    >>> rank_sets([[1], [0]])
    [(1, 2), (1, 2)]
    """
    ranks = rank_statistics(vectors, level, seed=seed, higher_is_better=higher_is_better, clusters=clusters)
    return list(zip(ranks.best.tolist(), ranks.worst.tolist(), strict=True))


def rank_statistics(
    vectors: ArrayLike,
    level: float = 0.95,
    *,
    seed: int = BOARD_SEED,
    higher_is_better: bool = True,
    caution: ArrayLike | None = None,
    errors: ArrayLike | None = None,
    clusters: Clusters | None = None,
) -> RankStatistics:
    """Ranks, rank sets and groups of statistical ties, from one set of resamples; see `rank_sets`.

    Args:
        caution: A share for each system, at least 0, shape ``(n_systems,)``; a pair's statistic must exceed the
            critical value by the sum of both shares. Ranges become wider, never narrower.
        errors: What items do not show of the uncertainty of means, shape ``(n_systems, n_errors)``: each column is
            multiplied by a normal number of its own and added to the means. Resamples and standard errors include them.
        clusters: As in `rank_sets`.

    Raises:
        ValueError: As `rank_sets`, or if *caution* or *errors* has another shape, or *caution* a negative value.

    >>> rank_statistics([[1] * 20, [1] * 10 + [0] * 10, [0] * 10 + [1] * 10, [0] * 20]).group
    array([1, 2, 2, 3])
    """
    check_level(level)
    rows = as_rows(vectors, "vectors") if higher_is_better else -as_rows(vectors, "vectors")
    units = Units.of(rows.shape[1], clusters)
    numbers, unit = _whole_numbers(units.totals(rows))
    ranks = _ranks_in_rows(rows.mean(axis=1)[None, :])[0]
    squares = _squared_distances(numbers)
    shares = np.zeros(len(rows)) if caution is None else as_vector(caution, "caution")
    if shares.shape != (len(rows),) or (shares < 0).any():
        raise ValueError(f"caution: expected a number from 0 for each of {len(rows)} systems, found {caution!r}")
    further = np.zeros((len(rows), 0)) if errors is None else as_rows(errors, "errors") * rows.shape[1] / unit
    if len(further) != len(rows):
        raise ValueError(f"errors: expected a row for each of {len(rows)} systems, found {len(further)}")
    statistics, drawn = _standardised(numbers, squares, further, level, seed)
    statistics /= 1 + shares[:, None] + shares
    better = statistics > 1
    best = np.minimum(1 + better.sum(axis=0), ranks)
    worst = np.maximum(len(rows) - better.sum(axis=1), ranks)
    deviation = _median_deviation(numbers, squares, unit * math.sqrt(units.n_units / rows.shape[1]))
    n_as_large = len(drawn) - np.searchsorted(drawn, statistics.max(axis=0))
    p_value = np.minimum(1, (1 + n_as_large) / (1 + len(drawn)) / SHARE_OF_ERROR)
    groups = np.empty(len(ranks), dtype=np.int64)
    group, first, last = 0, -1, -1
    for system in np.lexsort((np.arange(len(ranks)), ranks)):
        if first < 0 or (better[first, system] and ranks[system] != ranks[last]):
            group, first = group + 1, int(system)
        groups[system], last = group, system
    return RankStatistics(ranks, best, worst, groups, deviation, p_value)


def _whole_numbers(rows: FloatArray) -> tuple[FloatArray, float]:
    """Rows as whole numbers from 0, and their unit, such that sums of squares over all items are exact in float64.

    A mean of floats depends on the order in which they are added, which for a fast matrix product differs between
    machines, numbers of threads, and even rows of one matrix. Two systems with the same outcomes would then differ in
    the last bit, and get different ranks.
    """
    with np.errstate(over="ignore"):
        above = rows - rows.min()
    largest = above.max()
    if not math.isfinite(largest):
        raise ValueError("vectors: values lie too far apart")
    bits = (_SUM_BITS - rows.shape[1].bit_length()) // 2
    exponent = bits - math.frexp(largest)[1]
    return np.rint(np.ldexp(above, exponent)), math.ldexp(1.0, -exponent)


def _squared_distances(numbers: FloatArray) -> FloatArray:
    """Σd² of each pair of rows, exactly for whole numbers; symmetric, shape ``(n_systems, n_systems)``."""
    squares = numbers @ numbers.T
    own = np.diag(squares).copy()
    squares *= -2
    squares += own[:, None] + own
    return squares


def _standardised(
    numbers: FloatArray, squares: FloatArray, errors: FloatArray, level: float, seed: int
) -> tuple[FloatArray, FloatArray]:
    """The statistic of each pair in units of the critical value, shape ``(n_systems, n_systems)``: above 1 if the
    system of the row is significantly better than that of the column. And the largest statistic of each resample in
    the same unit, sorted, shape ``(n_resamples,)``; none where nothing can differ significantly.

    Args:
        errors: Of the sums of rows, shape ``(n_systems, n_errors)``.
    """
    n_systems = len(numbers)
    if n_systems == 1:
        return np.zeros((1, 1)), np.empty(0)
    farthest: FloatArray | float = numbers.max()
    if errors.shape[1]:
        # The largest difference of each pair on an item.
        farthest = np.zeros((n_systems, n_systems))
        for system in range(n_systems - 1):
            apart = np.abs(numbers[system + 1 :] - numbers[system]).max(axis=1)
            farthest[system + 1 :, system] = farthest[system, system + 1 :] = apart
        squares = squares + np.maximum(_squared_distances(errors), 0)
    with np.errstate(divide="ignore"):
        weights = np.where(squares > 0, 1 / np.sqrt(squares + ADDED * farthest**2), 0.0)
    sums = _signed_sums(numbers, N_RESAMPLES, seed)
    if errors.shape[1]:
        sums += _drawn_errors(errors, N_RESAMPLES, seed)
    totals = numbers.sum(axis=1)
    largest = np.sort(_largest(sums, weights.astype(np.float32))).astype(np.float64)
    n_above = math.floor(SHARE_OF_ERROR * (1 - level) * (N_RESAMPLES + 1) + 1e-9)
    critical = largest[N_RESAMPLES - n_above] if n_above else 0
    if not critical:
        return np.zeros((n_systems, n_systems)), np.empty(0)
    return weights * (totals[:, None] - totals) / (critical * (1 + SLACK)), largest / critical


def _signed_sums(numbers: FloatArray, n_resamples: int, seed: int) -> NDArray[np.float32]:
    """Sums over items with random signs, the same for all systems; shape ``(n_systems, n_resamples)``."""
    n_systems, n_items = numbers.shape
    sums = np.empty((n_systems, n_resamples), dtype=np.float32)
    start = 0
    for words in random_words(seed, _STREAM, n_resamples, (n_items + 63) // 64, block_size(n_items, n_systems)):
        as_bytes = words.astype("<u8", copy=False).view(np.uint8)
        positive = np.unpackbits(as_bytes, axis=1, count=n_items, bitorder="little").astype(np.float64)
        sums[:, start : start + len(words)] = numbers @ (2 * positive - 1).T
        start += len(words)
    return sums


def _drawn_errors(errors: FloatArray, n_resamples: int, seed: int) -> NDArray[np.float32]:
    """Sums of errors times normal numbers, shape ``(n_systems, n_resamples)``. A normal number is the number of ones
    among 64 random bits, standardised: equal on every machine."""
    n_systems, n_errors = errors.shape
    sums = np.empty((n_systems, n_resamples), dtype=np.float32)
    start = 0
    for words in random_words(seed, _ERROR_STREAM, n_resamples, n_errors, block_size(8 * n_errors, n_systems)):
        ones = _ONES[words.view(np.uint8)].reshape(len(words), n_errors, 8).sum(axis=2, dtype=np.uint8)
        normal = (ones - 32.0) / 4
        sums[:, start : start + len(words)] = (normal @ errors.T).T
        start += len(words)
    return sums


def _largest(sums: NDArray[np.float32], weights: NDArray[np.float32]) -> NDArray[np.float32]:
    """The largest absolute statistic of all pairs in each resample, shape ``(n_resamples,)``."""
    largest = np.zeros(sums.shape[1], dtype=np.float32)
    for system in range(len(sums) - 1):
        statistics = sums[system + 1 :] - sums[system]
        statistics *= weights[system + 1 :, system, None]
        np.maximum(largest, np.abs(statistics, out=statistics).max(axis=0), out=largest)
    return largest


def _median_deviation(numbers: FloatArray, squares: FloatArray, unit: float) -> float | None:
    """The median over pairs of the standard deviation of differences (n - 1 in the denominator)."""
    n_systems, n_items = numbers.shape
    if n_systems < 2 or n_items < 2:
        return None
    totals = numbers.sum(axis=1)
    pairs = np.tri(n_systems, k=-1, dtype=bool)
    variances = (squares[pairs] - (totals[:, None] - totals)[pairs] ** 2 / n_items) / (n_items - 1)
    median = float(np.median(variances))
    return unit * math.sqrt(max(0.0, median))
