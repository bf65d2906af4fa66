"""Compute numbers from a grader's ticks and marks: graded loose, graded strict, and the letter. Pure functions.

After Zhu et al. (2024), https://aclanthology.org/2024.acl-short.2: its human answers were graded by hand with partial
credit, because no automatic metric gives partial credit and recognises another spelling (section 4.5); the letters are
those of its judge (appendix H.3). Nothing is rounded.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from django.utils.translation import gettext_noop

CORRECT: Final = frozenset("BCE")
"""The letters that count as correct, as for the judge. E ("the differences don't matter") is never given here: a grader
who finds that differences do not matter ticks the items, which gives C."""
MARKS: Final = {
    "contradicts": gettext_noop("Contradicts the reference"),
    "extra_wrong": gettext_noop("Wrong extra claims"),
    "extra_right": gettext_noop("Correct extra facts"),
    "refuses": gettext_noop("Refuses, or does not answer"),
    "unclear_question": gettext_noop("Unclear question"),
    "reference_wrong": gettext_noop("Reference wrong"),
}
"""The labels of the marks other than items, by the names of `Grade`'s columns."""
Tick = bool | float | None
"""Whether an answer has an item; or whether it meets a criterion: ½ if in part, None if the grader cannot say."""
VERDICTS: Final[dict[str, tuple[Tick, str]]] = {
    "met": (True, gettext_noop("Met")),
    "partly": (0.5, gettext_noop("Partly met")),
    "not-met": (False, gettext_noop("Not met")),
    "cannot-say": (None, gettext_noop("Can’t say")),
}
"""What a grader may say of a criterion, with labels, by the names in forms and files."""


class NothingGradedError(ValueError):
    """A reference without items has no share."""


@dataclass(frozen=True)
class Ticked:
    """One person's grade of one answer."""

    ticks: tuple[Tick, ...]
    """Ticks of the items of the reference, in order, or what is said of each criterion; shape (n_items,), at least
    one. What is computed here from items means nothing of criteria: see `humaneval.grading.criteria`."""
    contradicts: bool = False
    extra_wrong: bool = False
    extra_right: bool = False
    refuses: bool = False
    unclear_question: bool = False
    reference_wrong: bool = False

    def __post_init__(self) -> None:
        if not self.ticks:
            raise NothingGradedError("A reference without items cannot be graded.")

    @property
    def marks(self) -> list[str]:
        """The names of its marks."""
        return [name for name in MARKS if getattr(self, name)]

    @property
    def labels(self) -> list[str]:
        return [MARKS[name] for name in self.marks]

    @property
    def loose(self) -> float:
        """The share of the items that the answer has, 0 to 1.

        Unlike the official string accuracy, which divides by the number of items at the outermost level, this share
        counts each text and number of a nested reference once, so that no answer falls below 0.

        >>> Ticked((True, True, False, True)).loose
        0.75
        """
        return sum(map(bool, self.ticks)) / len(self.ticks)

    @property
    def strict(self) -> float:
        """1 if the answer has every item, and otherwise 0.

        As in the paper's metric, additional claims in the answer do not count; the letter reflects them.

        >>> Ticked((True, True)).strict, Ticked((True, False)).strict
        (1.0, 0.0)
        """
        return 1.0 if all(self.ticks) else 0.0

    @property
    def letter(self) -> str:
        """The letter that the judge would have to give for these ticks and marks; the first that applies.

        - F, if it refuses or does not answer, or has no item and contradicts nothing;
        - D, if it contradicts the reference or makes wrong claims beyond it;
        - A, if items are missing: the answer is a part of the reference;
        - B, if it has every item, and right facts beyond the reference;
        - C, if it has every item.

        >>> Ticked((True, False)).letter, Ticked((True, True)).letter, Ticked((False,), contradicts=True).letter
        ('A', 'C', 'D')
        """
        if self.refuses:
            return "F"
        if self.contradicts or self.extra_wrong:
            return "D"
        if not any(self.ticks):
            return "F"
        if not all(self.ticks):
            return "A"
        return "B" if self.extra_right else "C"

    @property
    def correct(self) -> float:
        """1 if the letter counts as correct in the judge's score, and otherwise 0."""
        return 1.0 if self.letter in CORRECT else 0.0

    @property
    def says_anything(self) -> bool:
        """Whether there is any tick or mark about the answer."""
        return any((*self.ticks, self.contradicts, self.extra_wrong, self.refuses))


def mean(values: Sequence[float]) -> float | None:
    """The mean; None for no values."""
    return sum(values) / len(values) if values else None


def verdict_of(tick: Tick) -> str:
    """The name of what a grade says of a criterion.

    >>> [verdict_of(tick) for tick in (True, 0.5, False, None)]
    ['met', 'partly', 'not-met', 'cannot-say']
    """
    return next(name for name, (value, _) in VERDICTS.items() if value == tick)


def equal_share(first: Sequence[Tick], other: Sequence[Tick]) -> float:
    """The share of items on which two gradings of the same answer agree, 0 to 1.

    >>> equal_share((True, False, True, True), (True, True, True, True))
    0.75
    """
    return sum(a == b for a, b in zip(first, other, strict=True)) / len(first)
