"""Significance of differences: paired permutation tests, and corrections for multiple tests."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from scoring.statistics.arrays import (
    N_RESAMPLES,
    Clusters,
    FloatArray,
    Units,
    as_rows,
    as_vector,
    block_size,
    check_resamples,
    random_words,
    whole_numbers,
)

_STREAM = 2


def sign_flip_test(
    differences: ArrayLike, *, seed: int, n_resamples: int = N_RESAMPLES, clusters: Clusters | None = None
) -> FloatArray:
    """Two-sided p-values of paired differences, by flipping their signs at random.

    The permutation test for paired samples (Fisher 1935; for scores of test sets Riezler and Maxwell 2005,
    https://aclanthology.org/W05-0908/): if two systems were alike, the two outcomes on each question could be swapped.
    The p-value is the share of all ways to swap them that give a mean difference at least as far from 0 as the observed
    one, which is included. It is computed by the first method that applies:

    1. No difference at all: 1.
    2. All differences that are not 0 have the same size (a score of 0 or 1 per question): exactly, from the binomial
       distribution. This is McNemar's test (1947, https://doi.org/10.1007/BF02295996) in its exact form.
    3. At most as many ways to swap as ``n_resamples``: exactly, by trying all.
    4. A difference so far from 0 that random swaps would not show it, where Hoeffding's bound (1963,
       https://doi.org/10.1080/01621459.1963.10500830) on the p-value, 2 exp(-(Σd)² / 2Σd²), is below 1 / (n_resamples +
       1): the bound. Otherwise no p-value could fall below 1 / (n_resamples + 1), and among many systems none would
       ever differ after a correction for their number.
    5. Otherwise by ``n_resamples`` random swaps, (1 + as extreme) / (1 + ``n_resamples``), which is never 0 and
       preserves the level of the test (Phipson and Smyth 2010, https://doi.org/10.2202/1544-6115.1585).

    With ``clusters`` all items of a cluster are swapped together.

    Args:
        differences: One system's score minus another's for each item, shape ``(n_items,)`` or ``(n_pairs, n_items)``.
            All pairs use the same random signs; a pair's p-value does not depend on the others.
        seed: Chooses the signs; not negative.
        n_resamples: Number of random swaps.
        clusters: Which items belong together, shape ``(n_items,)``; each alone if not given.

    Returns:
        P-values above 0 and at most 1, shape ``()`` or ``(n_pairs,)``. The sign of the differences, and their unit,
        make no difference.

    Raises:
        ValueError: If there is nothing to test, a value is not finite, or the shapes do not match.

    >>> sign_flip_test([1, 1, 1, 1, 0], seed=0).item()  # of 2⁴ ways to swap, all or none: 2 / 16
    0.125
    >>> sign_flip_test([[0.5, 0.25, -0.25], [0, 0, 0]], seed=0)
    array([0.75, 1.  ])
    """
    rows = as_rows(differences, "differences")
    check_resamples(n_resamples)
    units = Units.of(rows.shape[1], clusters)
    numbers = units.totals(whole_numbers(rows, units.largest_weight))
    slack = float(rows.shape[1])  # the maximum change of a sum, and of another, by rounding
    p_values = np.empty(len(numbers))
    at_random = []
    for index, row in enumerate(numbers):
        exact = _without_chance(row[row != 0], n_resamples, slack)
        if exact is None:
            at_random.append(index)
        else:
            p_values[index] = exact
    if at_random:
        p_values[at_random] = _with_chance(numbers[at_random], seed, n_resamples, slack)
    return p_values.reshape(()) if np.ndim(differences) == 1 else p_values


def _without_chance(values: FloatArray, n_resamples: int, slack: float) -> float | None:
    """The p-value of differences that are not 0, or a bound on it; ``None`` if neither can be computed."""
    n = len(values)
    if n == 0:
        return 1.0
    sizes = np.abs(values)
    total = abs(float(values.sum()))
    if (sizes == sizes[0]).all():
        return _exact_binomial(n, round(total / float(sizes[0])))
    if 2**n <= n_resamples:
        # By symmetry the first sign is fixed: half of the ways have the same sums, with the other sign.
        ways = (np.arange(2 ** (n - 1))[:, None] >> np.arange(n - 1)) & 1
        sums = values[0] + (1.0 - 2.0 * ways) @ values[1:]
        return float(np.mean(np.abs(sums) >= total - slack))
    scale = float(sizes.max())
    bound = 2 * math.exp(-((total / scale) ** 2) / (2 * float(((values / scale) ** 2).sum())))
    return max(bound, math.ulp(0.0)) if bound < 1 / (n_resamples + 1) else None


def _exact_binomial(n: int, surplus: int) -> float:
    """The probability that of n fair coins heads and tails differ by at least a number that n can differ by."""
    if surplus == 0:
        return 1.0
    ways = chosen = 1  # none of the n, and so on until (n - surplus) / 2 of them
    for number in range(1, (n - surplus) // 2 + 1):
        chosen = chosen * (n - number + 1) // number
        ways += chosen
    return max(2 * ways / (1 << n), math.ulp(0.0))


def _with_chance(numbers: FloatArray, seed: int, n_resamples: int, slack: float) -> FloatArray:
    """p-values by random signs, shape ``(n_rows,)``."""
    n_units = numbers.shape[1]
    totals = numbers.sum(axis=1)
    bar = np.abs(totals) - slack
    extreme = np.zeros(len(numbers))
    for words in random_words(seed, _STREAM, n_resamples, (n_units + 63) // 64, block_size(n_units, len(numbers))):
        as_bytes = words.astype("<u8", copy=False).view(np.uint8)
        unflipped = np.unpackbits(as_bytes, axis=1, count=n_units, bitorder="little").astype(np.float64)
        sums = unflipped @ numbers.T
        sums *= 2
        sums -= totals
        extreme += (np.abs(sums, out=sums) >= bar).sum(axis=0)
    p_values: FloatArray = (1 + extreme) / (1 + n_resamples)
    return p_values


def holm(p_values: ArrayLike) -> FloatArray:
    """p-values corrected for multiple tests, by Holm's step-down method (1979, https://www.jstor.org/stable/4615733).

    If those up to α are called significant, the probability of even one wrong call is at most α, for any dependence.

    Args:
        p_values: Shape ``(n,)``, each between 0 and 1; none at all is allowed.

    Returns:
        Shape ``(n,)``, in the order given; none smaller than before, none above 1, equal ones equal, the order of sizes
        preserved.

    Raises:
        ValueError: If one is not between 0 and 1.

    >>> holm([0.01, 0.04, 0.03])
    array([0.03, 0.06, 0.06])
    """
    if np.size(p_values) == 0:
        return np.empty(0)
    given = as_vector(p_values, "p_values")
    if (given < 0).any() or (given > 1).any():
        raise ValueError("p_values: expected numbers between 0 and 1")
    order = np.argsort(given, kind="stable")
    stepped = np.maximum.accumulate(given[order] * np.arange(len(given), 0, -1))
    corrected = np.empty(len(given))
    corrected[order] = np.minimum(stepped, 1.0)
    return corrected
