"""Shared by the other modules: reading arrays, units of items, and random numbers that are equal everywhere."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]
OneWay = Sequence[int] | Sequence[str] | NDArray[np.generic]
Clusters = OneWay | Sequence[OneWay]
"""For each item the number or name of its cluster, shape ``(n_items,)``; for some functions also two of these, where
items are clustered in two ways, such as by person and by question."""

N_RESAMPLES = 10_000
"""The default number of times that signs are drawn."""
BOARD_SEED = 31415
"""The seed of every rank range and test that the site shows: all systems use the same draws."""
TIE = 1e-10
"""Means that differ by at most this are equal: far above rounding errors, far below 1 / (number of questions)²."""
BLOCK_VALUES = 2**19
"""Maximum number of values (4 MiB of float64) in one block of resamples, except if one resample alone has more."""

Ends = TypeVar("Ends", float, FloatArray)
"""Numbers, or arrays with one for each row of values (shape ``()`` for a vector)."""


class TooFewUnitsError(ValueError):
    """There is only one item, or one cluster: the variation between units is unknown."""


def as_rows(values: ArrayLike, name: str = "per_item") -> FloatArray:
    """Values of one or several systems as a matrix.

    Args:
        values: Shape ``(n_items,)`` or ``(n_systems, n_items)``; numbers or bools, all finite.

    Returns:
        Shape ``(n_systems, n_items)``, float64; one row for a vector. Do not write to it: it may be the input.

    Raises:
        ValueError: If there is no item or no system, a dimension too many, a value that is not a number, or a value
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
    """An argument that must have one dimension, shape ``(n,)``, float64; raises ValueError as `as_rows`."""
    if np.ndim(values) != 1:
        raise ValueError(f"{name}: expected one dimension, found the shape {np.shape(values)}")
    vector: FloatArray = as_rows(values, name)[0]
    return vector


def check_level(level: float) -> None:
    """Raise ValueError unless a level is above 0 and below 1."""
    if not 0 < level < 1:
        raise ValueError(f"level: expected a number between 0 and 1, found {level}")


def check_units(n_units: int) -> None:
    """Raise TooFewUnitsError for fewer than two units."""
    if n_units < 2:
        raise TooFewUnitsError("one item (or one cluster of items): the variation of the result cannot be estimated")


@dataclass(frozen=True)
class Interval(Generic[Ends]):
    """A confidence interval, or several as arrays of one shape, in the unit of the scores; ``low <= high``."""

    low: Ends
    high: Ends

    @property
    def width(self) -> Ends:
        """The upper end minus the lower."""
        return self.high - self.low


@dataclass(frozen=True)
class Estimate:
    """A number with its interval over items, or over clusters of them."""

    value: float | None
    """``None`` if there is nothing to estimate it from."""
    interval: Interval[float] | None
    """``None`` if ``value`` is, and with a single item or cluster."""
    n_items: int

    @property
    def low(self) -> float | None:
        """The lower end of the interval, if there is one."""
        return self.interval.low if self.interval else None

    @property
    def high(self) -> float | None:
        """The upper end."""
        return self.interval.high if self.interval else None

    @property
    def n_ones(self) -> int:
        """How many of the items are 1, if each is 0 or 1."""
        return round((self.value or 0.0) * self.n_items)


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

        Args:
            clusters: For each item the name or number of its cluster, shape ``(n_items,)``; ``None`` for none.

        Raises:
            ValueError: If there is not one for each item, or one is neither a whole number nor text.
        """
        if clusters is None:
            return cls(np.ones(n_items), None)
        cluster_of = cls.labels_of(n_items, clusters)
        return cls(np.bincount(cluster_of).astype(np.float64), np.argsort(cluster_of, kind="stable"))

    @staticmethod
    def labels_of(n_items: int, clusters: Clusters) -> IntArray:
        """The clusters as numbers from 0, in the order of their names, shape ``(n_items,)``; raises as `of`."""
        labels = np.asarray(clusters)
        if labels.shape != (n_items,):
            raise ValueError(f"clusters: expected one for each of {n_items} items, found the shape {labels.shape}")
        if labels.dtype.kind not in "iuU":
            raise ValueError(f"clusters: expected whole numbers or text, found values of type {labels.dtype}")
        return np.unique(labels, return_inverse=True)[1].astype(np.int64)

    @property
    def n_units(self) -> int:
        """Number of items, or of clusters."""
        return len(self.sizes)

    def totals(self, values: FloatArray) -> FloatArray:
        """Sums over each unit: shape ``(n_rows, n_items)`` to ``(n_rows, n_units)``."""
        if self.order is None:
            return values
        starts = np.concatenate(([0], np.cumsum(self.sizes)[:-1])).astype(np.int64)
        sums: FloatArray = np.add.reduceat(values[:, self.order], starts, axis=1)
        return sums


def clusterings(n_items: int, clusters: Clusters | None) -> tuple[Units, ...]:
    """The units of items that are clustered in one way or in two.

    Args:
        clusters: As in `Units.of`, or two of them, shape ``(2, n_items)``.

    Returns:
        The units; for two ways those of the first, those of the second, and those with both in common.

    Raises:
        ValueError: As `Units.of`.
    """
    if clusters is None or len(clusters) != 2 or np.ndim(clusters[0]) == 0:
        return (Units.of(n_items, clusters),)
    first, second = (Units.labels_of(n_items, labels) for labels in cast("Sequence[OneWay]", clusters))
    both = first * n_items + second
    return tuple(Units.of(n_items, labels) for labels in (first, second, both))


def random_words(seed: int, stream: int, n_rows: int, n_words: int, block: int) -> Iterator[NDArray[np.uint64]]:
    """Rows of random 64-bit words, in blocks.

    They come from the bit generator itself (PCG64, O'Neill 2014, seeded through ``SeedSequence``): NumPy guarantees
    that its stream never changes, but not for the distributions of ``Generator``. Each row takes its own words, so that
    the size of blocks changes nothing.

    Args:
        seed: Not negative.
        stream: A number for each use, so that two uses of one seed are independent.

    Returns:
        Arrays of shape ``(≤ block, n_words)``, ``n_rows`` rows in all.

    Raises:
        ValueError: If the seed is negative.
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
