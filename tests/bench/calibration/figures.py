"""What a simulation reports: figures with the number of their trials and the bounds that they must keep."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

COVERAGE = (0.93, 0.97)
"""The bounds for the share of trials in which a 95 % interval contains the true value."""
CHANCE = 4.0
"""The number of standard errors by which a short form may miss a bound."""


@dataclass(frozen=True)
class Figure:
    """One figure of a simulation."""

    what: str
    """The situation in words: sizes, rates."""
    value: float
    n_trials: int
    """0 if the figure is exact."""
    at_least: float | None = None
    at_most: float | None = None
    unit: str = "covered"
    standard_error: float | None = None
    """Of ``value``; ``None`` for a share of trials, whose standard error follows from the bound."""
    beside: str = ""
    """Other figures of the same trials in words, such as the mean width."""

    @property
    def plausible(self) -> bool:
        """Whether the value keeps its bounds, or misses them by no more than chance explains."""
        low = self.at_least is None or self.value >= self.at_least - CHANCE * self._error(self.at_least)
        return low and (self.at_most is None or self.value <= self.at_most + CHANCE * self._error(self.at_most))

    def _error(self, bound: float) -> float:
        if self.standard_error is not None:
            return self.standard_error
        return math.sqrt(bound * (1 - bound) / self.n_trials) if self.n_trials else 0.0


def coverage(what: str, covered: float, n_trials: int, beside: str = "") -> Figure:
    """The share of trials in which a 95 % interval contains the true value, with the bounds for it."""
    return Figure(what, covered, n_trials, *COVERAGE, beside=beside)


@dataclass(frozen=True)
class Subject:
    """A simulation."""

    simulate: Callable[[int], Iterator[Figure]]
    """From the number of trials for each situation to the figures; the same on every call."""
    n_trials: int
    """The number of trials of the bench."""
    n_short: int
    """The number of trials of the short form: it must take well under a second."""
    about: str
    """What is simulated, in one sentence."""
