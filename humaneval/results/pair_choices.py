"""Choices of people in a study in which they compare answers side by side, and the judge's comparisons."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from humaneval.models import Preference, Study, StudyItem
from humaneval.studies.exclusions import defends_pair
from humaneval.studies.queries import counted_answers
from leaderboard.models import Entry
from scoring.runs.judging.comparisons import ComparedPair, compared_pairs

TIED: Final = 0.5
FOR_LEFT: Final = {Preference.LEFT: 1.0, Preference.RIGHT: 0.0, Preference.TIE: TIED, Preference.BAD: TIED}
"""The outcome for the answer on the left."""


@dataclass(frozen=True)
class Choice:
    """One person's choice between two answers."""

    person: str
    qid: str
    category: str
    first: UUID
    second: UUID
    lengths: tuple[int, int]
    """Characters of the first and of the second answer."""
    swapped: bool
    """Whether the second answer was on the left."""
    vote: Preference
    injected: bool
    first_is_good: bool = False
    """Whether the first answer of an injected pair is known to be good; otherwise it may be bad too."""
    named: bool = False
    """Whether an answer named its system then: the choice is in no figure."""

    @property
    def place(self) -> tuple[str, UUID, UUID]:
        """The question, and the two answer sets in the order of the pair."""
        return self.qid, self.first, self.second

    @property
    def is_defensible(self) -> bool:
        """Whether the choice on an injected pair can be defended: the own answer, or both are bad if it may be."""
        return defends_pair(self.vote, swapped=self.swapped, first_is_good=self.first_is_good)

    @property
    def for_left(self) -> float:
        """The outcome for the answer on the left: 1, 0, or 1/2 if both are equally good or bad."""
        return FOR_LEFT[self.vote]

    @property
    def for_first(self) -> float:
        """The outcome for the first answer of the pair."""
        return 1 - self.for_left if self.swapped else self.for_left

    @property
    def left_and_right(self) -> tuple[UUID, UUID]:
        """The answer sets as they were shown."""
        return (self.second, self.first) if self.swapped else (self.first, self.second)


def choices_of(study: Study) -> list[Choice]:
    """The current choices that count, by participant and position. One query."""
    rows = counted_answers(study).filter(item__first_set__isnull=False, item__second_set__isnull=False)
    return [
        Choice(
            person=row.participant.code,
            qid=item.qid,
            category=category_of(item),
            first=item.first_set_id,
            second=item.second_set_id,
            lengths=(len(item.candidate), len(item.other)),
            swapped=row.swapped,
            vote=Preference(row.text),
            injected=item.is_injected,
            first_is_good=item.supported is True,
            named=item.named,
        )
        for row in rows.select_related("participant", "item__question")
        if (item := row.item) is not None and item.first_set_id is not None and item.second_set_id is not None
    ]


def category_of(item: StudyItem) -> str:
    """The first category of a pair's question; empty if it has none."""
    categories = (item.question.categories if item.question is not None else []) or [""]
    return str(categories[0])


def systems_of(study: Study) -> dict[UUID, str]:
    """The names of the compared systems, by their answer sets; in the order of the names. Two queries."""
    sets = set(study.items.exclude(first_set=None).values_list("first_set", flat=True))
    sets |= set(study.items.exclude(second_set=None).values_list("second_set", flat=True))
    rows = Entry.objects.filter(answer_set__in=sets).values_list("answer_set", "system__name")
    names: Mapping[UUID, str] = dict(rows)
    return dict(sorted(((key, names.get(key, str(key))) for key in sets), key=lambda pair: (pair[1], pair[0])))


def judged_of(study: Study) -> list[ComparedPair]:
    """The judge's comparisons of the study's systems, on all questions of the split's current revision."""
    revision = study.split.current_revision
    if revision is None:
        return []
    revision.split = study.split
    return compared_pairs(revision, set(systems_of(study)))
