"""Results by category: which groups of questions may be shown, so that none tells of a single question.

A question may have several categories, so groups overlap, and sums over overlapping groups can be subtracted from one
another and from the total. `cells_of` therefore shows, on a hidden split, only groups of which it can be proved that no
such arithmetic leads to fewer than `FEWEST` questions. The same groups serve every page, so that two pages together
tell no more than one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scoring.models import Question, Revision

FEWEST = 10
"""Questions that a group needs to be shown by itself."""
FEWEST_UNLIKE = 3
"""Outcomes of a hidden split's group that must differ from all missed, and from all found, for its mean to be shown."""
OTHER = "Other"


@dataclass(frozen=True)
class Cell:
    """A group of questions that is shown by itself."""

    name: str
    questions: tuple[int, ...]
    """Their places in the revision, from 0, ascending."""
    rest: bool = False
    """Whether it holds what is in none of the other groups."""

    @property
    def size(self) -> int:
        """How many questions."""
        return len(self.questions)


def cells_of(categories: Sequence[Sequence[str]], *, hidden: bool) -> tuple[Cell, ...]:
    """The groups of a revision's questions by category, the largest first; what is in none of them comes last.

    A category with fewer than `FEWEST` questions is folded into the rest. On a *hidden* split so are others, the
    smallest first, until

    1. each group, the rest included, has at least `FEWEST` questions that are in no other group; and
    2. the questions that are in several groups are none, or at least `FEWEST`.

    Then whoever adds and subtracts the groups' sums, multiplied by whatever numbers, and the sum of all questions, is
    left with at least `FEWEST` questions or with nothing. For let *t* be the number that the total is multiplied by,
    and *c* those of the groups. A question in the groups G then counts *t* plus the *c* of all G. If *t* + *c* is not 0
    for some group, the questions in that group alone are left (1). Otherwise each *c* is -*t*, so a question in *m*
    groups counts *t* (1 - *m*): if *t* is not 0, those in several groups are left (2), and if there are none, nothing.

    Sums are all that is hidden thereby: bounds can be had from them, and `concealed` keeps the plainest of these back.

    Args:
        categories: of each question, in the order of the revision; a question may have none, or one twice.
        hidden: whether nothing may be told of single questions. Otherwise only condition ``size >= FEWEST`` holds, and
            the rest may be smaller.

    Returns:
        No group at all if none can be shown.

    >>> many = [["Sports"]] * 12 + [["Music"]] * 3 + [["Sports", "History"]] * 10
    >>> [(cell.name, cell.size) for cell in cells_of(many, hidden=False)]
    [('Sports', 22), ('History', 10), ('Other', 3)]
    >>> [(cell.name, cell.size) for cell in cells_of(many, hidden=True)]
    []
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
        Cell(name, tuple(place for place, names in enumerate(sets) if name in names))
        for name in sorted(shown, key=lambda name: (-sizes[name], name))
    ]
    rest = tuple(place for place, names in enumerate(sets) if not names & shown)
    return (*cells, Cell(OTHER, rest, rest=True)) if rest else tuple(cells)


def concealed(values: NDArray[np.float64], fewest: int = FEWEST_UNLIKE) -> bool:
    """Whether the mean of a hidden split's group would tell what became of nearly every question in it.

    So it is if fewer than *fewest* of the outcomes are above 0, or fewer than that below 1. That a mean is kept back
    for this reason says only that it is close to 0 or to 1.

    Args:
        values: a score of each question of the group, shape ``(n_questions,)``.

    >>> concealed(np.array([0.0] * 10 + [1.0] * 2)), concealed(np.array([0.0] * 9 + [1.0] * 3))
    (True, False)
    """
    return int((values > 0).sum()) < fewest or int((values < 1).sum()) < fewest


def cells_of_revision(revision: Revision) -> tuple[Cell, ...]:
    """The groups of a revision's questions; one query, and one more if its split was not selected with it."""
    categories = Question.objects.filter(revision=revision).order_by("position").values_list("categories", flat=True)
    return cells_of(list(categories), hidden=revision.split.hidden)
