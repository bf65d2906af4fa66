"""Results by category: the groups of questions that may be shown without revealing a single question.

A question may have several categories, so groups overlap, and sums over overlapping groups can be subtracted from one
another and from the total. On a hidden split `cells_of` therefore shows only groups for which no such arithmetic can
lead to fewer than `FEWEST` questions. All pages use the same groups, so that two pages together reveal no more than
one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from scoring.models import Question, Revision
from scoring.statistics.means import weights_of_known

FEWEST = 10
"""The minimum number of questions of a group that is shown on its own."""
FEWEST_UNLIKE = 3
"""On a hidden split, nothing exact is said of questions unless at least this many outcomes are above 0 and this many
below 1."""
OTHER, REST = "Other", "All others"
"""What the rest is called; the second where a category that is shown has the first name."""


@dataclass(frozen=True)
class Cell:
    """A group of questions that is shown on its own."""

    name: str
    questions: tuple[int, ...]
    """Positions of the questions in the revision, from 0, ascending."""
    rest: bool = False
    """Whether the group holds the questions that are in no other group."""
    clusters: tuple[str, ...] | None = None
    """The cluster of each of its questions; None if the benchmark has no clusters."""

    @property
    def size(self) -> int:
        """The number of questions."""
        return len(self.questions)

    def part_of(self, vector: NDArray[np.float64], weights: NDArray[np.float64] | None = None) -> Part | None:
        """A score of its questions; None if none of them counts."""
        places = list(self.questions)
        values = vector[places]
        if np.isnan(values).all():
            return None
        return Part(values, weights_of_known(values, None if weights is None else weights[places]))


@dataclass(frozen=True)
class Part:
    """A score of the questions of a group."""

    values: NDArray[np.float64]
    """NaN where a question does not count."""
    weights: NDArray[np.float64]
    """What each question counts: 0 where it does not."""

    @property
    def mean(self) -> float:
        """The weighted mean."""
        known = self.weights > 0
        return float(np.average(self.values[known], weights=self.weights[known]))

    @property
    def size(self) -> int:
        """The number of questions; if they count differently, of questions like the heaviest one, which the mean tells
        as much of as the mean of so many."""
        known = self.weights[self.weights > 0]
        alike = known.min() == known.max()
        return len(self.values) if alike else max(1, int(self.weights.sum() / known.max()))


def cells_of(categories: Sequence[Sequence[str]], *, hidden: bool) -> tuple[Cell, ...]:
    """The groups of a revision's questions by category, largest first; the rest, in no other group, is last.

    A category with fewer than `FEWEST` questions is merged into the rest. On a *hidden* split further categories are
    merged, the smallest first, until

    1. each group, the rest included, has at least `FEWEST` questions that are in no other group; and
    2. no question is in several groups, or at least `FEWEST` are.

    Any linear combination of the groups' sums and the sum of all questions then leaves at least `FEWEST` questions, or
    none. Proof: let *t* be the factor of the total, and *c* the factors of the groups. A question in the groups G
    counts *t* plus the *c* of all G. If *t* + *c* is not 0 for some group, the questions in that group alone are left
    (1). Otherwise each *c* is -*t*, so a question in *m* groups counts *t* (1 - *m*): if *t* is not 0, the questions in
    several groups are left (2), and if there are none, nothing is.

    This hides sums only, not the bounds that follow from them. So a sum is shown with a random error, whatever it is: a
    rule that looked at the outcomes would bias what is shown.

    Args:
        categories: of each question, in the order of the revision; a question may have none, or one twice.
        hidden: whether nothing may be revealed about single questions. Otherwise only the condition ``size >= FEWEST``
            holds, and the rest may be smaller.

    Returns:
        An empty result if no group can be shown.

    >>> many = [["Sports"]] * 12 + [["Music"]] * 3 + [["Sports", "History"]] * 10
    >>> [(cell.name, cell.size) for cell in cells_of(many, hidden=False)]
    [('Sports', 22), ('History', 10), ('Other', 3)]
    >>> [(cell.name, cell.size) for cell in cells_of(many, hidden=True)]
    []
    >>> [(cell.name, cell.rest) for cell in cells_of([["Other"]] * 10 + [["Music"]] * 3, hidden=False)]
    [('Other', False), ('All others', True)]
    """
    sets = [frozenset(names) for names in categories]
    sizes = Counter(name for names in sets for name in names)
    shown = {name for name, size in sizes.items() if size >= FEWEST}
    while hidden and shown:
        alone = Counter(next(iter(names & shown)) for names in sets if len(names & shown) == 1)
        n_rest = sum(not names & shown for names in sets)
        n_several = sum(len(names & shown) > 1 for names in sets)
        too_few = [name for name in shown if alone[name] < FEWEST]
        if not too_few and (n_rest == 0 or n_rest >= FEWEST) and (n_several == 0 or n_several >= FEWEST):
            break
        shown.discard(min(too_few or shown, key=lambda name: (alone[name], sizes[name], name)))
    if not shown:
        return ()
    cells = [
        Cell(name, tuple(index for index, names in enumerate(sets) if name in names))
        for name in sorted(shown, key=lambda name: (-sizes[name], name))
    ]
    rest = tuple(index for index, names in enumerate(sets) if not names & shown)
    name = REST if OTHER.casefold() in {name.strip().casefold() for name in shown} else OTHER
    return (*cells, Cell(name, rest, rest=True)) if rest else tuple(cells)


def concealed(values: NDArray[np.float64], fewest: int = FEWEST_UNLIKE) -> bool:
    """Whether the mean of a hidden split's group would reveal the outcome of nearly every question in it.

    This is the case if fewer than *fewest* of the outcomes are above 0, or fewer than *fewest* are below 1. Means by
    category, which have a random error, do not ask it.

    >>> concealed(np.array([0.0] * 10 + [1.0] * 2)), concealed(np.array([0.0] * 9 + [1.0] * 3))
    (True, False)
    """
    return int((values > 0).sum()) < fewest or int((values < 1).sum()) < fewest


def cells_of_revision(revision: Revision) -> tuple[Cell, ...]:
    """The groups of a revision's questions; one query, one more if its split was not selected with it, and one more if
    it has clusters."""
    categories = Question.objects.filter(revision=revision).order_by("position").values_list("categories", flat=True)
    cells = cells_of(list(categories), hidden=revision.split.is_hidden)
    names = revision.clusters
    if names is None:
        return cells
    return tuple(replace(cell, clusters=tuple(names[place] for place in cell.questions)) for cell in cells)
