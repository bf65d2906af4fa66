"""Scores against the size of the context."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from scoring.statistics.arrays import TIE, as_vector
from scoring.statistics.comparison import correlation


@dataclass(frozen=True)
class LogFit:
    """A straight line of scores over the binary logarithm of context sizes."""

    slope: float
    """How much the score rises with each doubling of the context."""
    intercept: float
    """The line's value at a context of one token."""
    r_squared: float | None
    """The share of the scores' variance that the line explains, 0 to 1; ``None`` if all scores are equal."""
    n_points: int

    def at(self, context_size: float) -> float:
        """The line's value at a context of so many tokens, not limited to the range of scores; raises ValueError unless
        the size is above 0."""
        if not context_size > 0:
            raise ValueError(f"context_size: expected a number above 0, found {context_size}")
        return self.intercept + self.slope * math.log2(context_size)


def log_fit(context_sizes: ArrayLike, scores: ArrayLike) -> LogFit | None:
    """The least-squares line of scores over log₂ of context sizes, with r².

    Args:
        context_sizes: In tokens, shape ``(n_systems,)``, all above 0; leave out systems without one.
        scores: Shape ``(n_systems,)``.

    Returns:
        ``None`` if fewer than two different context sizes are given: no line is defined.

    Raises:
        ValueError: If the shapes differ, there are no systems, a value is not finite or a size is not above 0.

    >>> line = log_fit([1024, 2048, 4096], [0.1, 0.2, 0.3])
    >>> round(line.slope, 6), round(line.at(8192), 6), round(line.r_squared, 6)
    (0.1, 0.4, 1.0)
    """
    sizes, values = as_vector(context_sizes, "context_sizes"), as_vector(scores, "scores")
    if sizes.shape != values.shape:
        raise ValueError(f"{len(sizes)} context sizes but {len(values)} scores")
    if (sizes <= 0).any():
        raise ValueError("context_sizes: expected numbers above 0")
    logarithms = np.log2(sizes)
    if np.ptp(logarithms) <= TIE:
        return None
    x, y = logarithms - logarithms.mean(), values - values.mean()
    r = correlation(logarithms, values)
    slope = 0.0 if r is None else float(x @ y / (x @ x))
    intercept = float(values.mean()) - slope * float(logarithms.mean())
    return LogFit(slope, intercept, None if r is None else r * r, len(sizes))
