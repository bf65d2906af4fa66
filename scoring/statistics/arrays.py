"""Shared by the other modules: reading arrays, whole-number arithmetic, and random numbers that are equal everywhere.

A mean of floats depends on the order in which they are added, and the fast matrix product uses its own order, which
differs between machines, numbers of threads, and even rows of one matrix. Two systems with the same outcomes would then
differ in the last bit, and get different ranks. Values are therefore first rounded to whole multiples of a small power
of two: small enough to affect no digit that anybody reads (a 2⁻⁴³ for 724 values between 0 and 1), and large enough
that every sum of them is a whole number below 2⁵³, which a float64 represents exactly. Sums are then the same in every
order.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]
Clusters = Sequence[int] | Sequence[str] | NDArray[np.generic]
"""For each item the number or name of its cluster, shape ``(n_items,)``."""

N_RESAMPLES = 10_000
"""The default number of times that the questions, or the signs, are resampled."""
BOARD_SEED = 31415
"""The seed of every interval, rank range and test that the site shows: all systems use the same draws."""
TIE = 1e-10
"""Means that differ by at most this are equal: far above rounding errors, far below 1 / (number of questions)²."""
BLOCK_VALUES = 2**19
"""Maximum number of values (4 MiB of float64) in one block of resamples, except if one resample alone has more."""

_BITS = 52


class TooFewUnitsError(ValueError):
    """There is only one item, or one cluster: the variation between units is unknown."""


def as_rows(values: ArrayLike, name: str = "per_item") -> FloatArray:
    """Values of one or several systems as a matrix.

    :param values: shape ``(n_items,)`` or ``(n_systems, n_items)``; numbers or bools, all finite.
    :param name: their name in error messages.
    :returns: shape ``(n_systems, n_items)``, float64; one row for a vector. Do not write to it: it may be the input.
    :raises ValueError: if there is no item or no system, a dimension too many, a value that is not a number, or a value
        that is NaN or infinite (the caller must leave out "not scored", which is not a value).

    >>> as_rows([True, False, True])
    array([[1., 0., 1.]])
    """
    array = np.asarray(values)
    if array.ndim not in (1, 2):
        raise ValueError(f"{name}: expected the shape (n_items,) or (n_systems, n_items), found {array.shape}")
    if array.size == 0:
        raise ValueError(f"{name}: nothing to take a mean of (shape {array.shape})")
    if array.dtype.kind not in "biuf":
        raise ValueError(f"{name}: expected numbers, found values of type {array.dtype}")
    rows = np.atleast_2d(array).astype(np.float64, copy=False)
    if not np.isfinite(rows).all():
        row, column = (int(index) for index in np.argwhere(~np.isfinite(rows))[0])
        raise ValueError(f"{name}: the value of system {row}, item {column} is {rows[row, column]}")
    return rows


def as_vector(values: ArrayLike, name: str) -> FloatArray:
    """The same for an argument that must have one dimension.

    :returns: shape ``(n,)``, float64.
    :raises ValueError: as :func:`as_rows`, and for two dimensions.
    """
    if np.ndim(values) != 1:
        raise ValueError(f"{name}: expected one dimension, found the shape {np.shape(values)}")
    vector: FloatArray = as_rows(values, name)[0]
    return vector


def check_confidence(confidence: float) -> None:
    """Reject an invalid confidence level.

    :raises ValueError: unless it is above 0 and below 1.
    """
    if not 0 < confidence < 1:
        raise ValueError(f"confidence: expected a number between 0 and 1, found {confidence}")


def check_resamples(n_resamples: int) -> None:
    """Reject an invalid number of resamples.

    :raises ValueError: if it is less than 1.
    """
    if n_resamples < 1:
        raise ValueError(f"n_resamples: expected at least 1, found {n_resamples}")


@dataclass(frozen=True)
class Ends:
    """A confidence interval."""

    low: float
    high: float

    @property
    def width(self) -> float:
        """The upper end minus the lower."""
        return self.high - self.low


@dataclass(frozen=True)
class Units:
    """The units of resampling: single items, or all items of a cluster (a participant) together."""

    sizes: FloatArray
    """The number of items of each unit, shape ``(n_units,)``; whole numbers."""
    order: IntArray | None
    """The items sorted by cluster, shape ``(n_items,)``; ``None`` if each is a unit of its own."""

    @classmethod
    def of(cls, n_items: int, clusters: Clusters | None) -> Units:
        """The units of the given number of items.

        :param clusters: for each item the name or number of its cluster, shape ``(n_items,)``; ``None`` for none.
        :raises ValueError: if there is not one for each item, or one is neither a whole number nor text.
        """
        if clusters is None:
            return cls(np.ones(n_items), None)
        labels = np.asarray(clusters)
        if labels.shape != (n_items,):
            raise ValueError(f"clusters: expected one for each of {n_items} items, found the shape {labels.shape}")
        if labels.dtype.kind not in "iuU":
            raise ValueError(f"clusters: expected whole numbers or text, found values of type {labels.dtype}")
        _, cluster_of, sizes = np.unique(labels, return_inverse=True, return_counts=True)
        return cls(sizes.astype(np.float64), np.argsort(cluster_of, kind="stable"))

    @property
    def n_units(self) -> int:
        """Number of items, or of clusters."""
        return len(self.sizes)

    @property
    def largest_weight(self) -> int:
        """The maximum number of items of a resample: the largest unit drawn every time."""
        return int(self.sizes.max()) * self.n_units

    def totals(self, values: FloatArray) -> FloatArray:
        """Sums over each unit: shape ``(n_rows, n_items)`` to ``(n_rows, n_units)``."""
        if self.order is None:
            return values
        starts = np.concatenate(([0], np.cumsum(self.sizes)[:-1])).astype(np.int64)
        sums: FloatArray = np.add.reduceat(values[:, self.order], starts, axis=1)
        return sums


@dataclass(frozen=True)
class WholeNumbers:
    """Rows as whole numbers: ``value = offset + number * 2**-exponent``, each row with its own offset and exponent."""

    numbers: FloatArray
    """Shape of the rows; whole numbers, in float64."""
    exponents: NDArray[np.int32]
    """Shape ``(n_rows, 1)``."""
    offsets: FloatArray
    """Shape ``(n_rows, 1)``."""

    @classmethod
    def of(cls, rows: FloatArray, largest_weight: int, *, from_lowest: bool) -> WholeNumbers:
        """Round rows to whole numbers.

        A row's result depends on that row alone, so systems with equal values stay equal whatever the other rows are.

        :param rows: shape ``(n_rows, n_items)``.
        :param largest_weight: sums of this many of a row's values must be exact.
        :param from_lowest: count from each row's lowest value; otherwise from 0.
        :raises ValueError: if a row's values are further apart than a float64 can represent.
        """
        offsets = rows.min(axis=1, keepdims=True) if from_lowest else np.zeros((len(rows), 1))
        with np.errstate(over="ignore"):
            above = rows - offsets
        _, magnitude = np.frexp(np.abs(above).max(axis=1, keepdims=True))
        if not np.isfinite(above).all():
            raise ValueError("values lie too far apart")
        exponents = _BITS - largest_weight.bit_length() - magnitude.astype(np.int32)
        return cls(np.rint(np.ldexp(above, exponents)), exponents, offsets)


def random_words(seed: int, stream: int, n_rows: int, n_words: int, block: int) -> Iterator[NDArray[np.uint64]]:
    """Rows of random 64-bit words, in blocks.

    They come from the bit generator itself (PCG64, O'Neill 2014, seeded through ``SeedSequence``): NumPy guarantees
    that its stream never changes, but not for the distributions of ``Generator``. Each row takes its own words, so that
    the size of blocks changes nothing.

    :param seed: not negative.
    :param stream: a number for each use, so that two uses of one seed are independent.
    :returns: arrays of shape ``(≤ block, n_words)``, ``n_rows`` rows in all.
    :raises ValueError: if the seed is negative.
    """
    if seed < 0:
        raise ValueError(f"seed: expected a whole number that is not negative, found {seed}")
    bits = np.random.PCG64(np.random.SeedSequence((seed, stream)))
    for start in range(0, n_rows, block):
        size = min(block, n_rows - start)
        yield bits.random_raw(size * n_words).reshape(size, n_words)


def block_size(n_units: int, n_rows: int) -> int:
    """The number of resamples to hold in memory at once.

    >>> block_size(724, 600), block_size(10, 2**21)
    (724, 1)
    """
    return max(1, BLOCK_VALUES // max(n_units, n_rows))
