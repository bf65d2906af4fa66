"""The properties and methods that each type of study defines."""

import random
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, Final, NamedTuple, TypeAlias

from django import forms
from django.db.models import TextChoices
from django.utils.translation import gettext, gettext_noop

from humaneval.models import Assignment, ItemOrigin, Kind, Participant, SamplingMethod, Study
from humaneval.studies.drawing import Drawable, StudyClosedError, answers_of, dice_of, evenly
from humaneval.studies.planning import n_seats, next_seat
from humaneval.studies.queries import seated
from leaderboard.models import User
from scoring.analysis.reference_items import ReadingRight

NO_VOTE: Final = gettext_noop("Choose one of the possibilities, or skip the question.")
NOT_READY: Final = gettext_noop("This study is not ready yet. Open your link again later.")
ALL_GIVEN: Final = gettext_noop("Every question has its answers, or somebody is giving them now.")
RECORDED_OF_TEST: Final = gettext_noop(
    "when you left the practice, and how many of your answers to the test were right, not the answers themselves"
)
Right: TypeAlias = Callable[[], ReadingRight]
"""Gives the right to read a split's reference answers, or raises PermissionDenied."""


PUBLICATION: Final = " may be published without anything that identifies you by name."


def privacy(what: str) -> str:
    """The last paragraph of a consent text.

    >>> privacy("ratings").splitlines()[-1][-60:]
    'y be published without anything that identifies you by name.'
    """
    return (
        "We do not track anything that this page does not say. You do not need an account or a name. An email address "
        f"is stored only if you were invited by email, and separately from your {what}. {what.capitalize()}"
        f"{PUBLICATION}\n"
    )


def without_publication(consent: str) -> str:
    """A type's consent text without its last sentence, for a study that asks about publication by itself.

    >>> without_publication(privacy("ratings")).splitlines()[-1][-51:]
    'invited by email, and separately from your ratings.'
    """
    return consent.rpartition(". ")[0] + ".\n"


class LearningQuestion(NamedTuple):
    """What is asked about each example, and about each item of the practice and the test."""

    name: str
    """Its name in a declaration; empty if nothing else is asked."""
    text: str
    options: Sequence[tuple[str, str]] = ()
    """The values and labels to choose from; none if people write."""


class StudyKind(ABC):
    """One type of study."""

    kind: ClassVar[Kind]
    summary: ClassVar[str]
    """What people do, in a sentence, for who chooses the type."""
    consent: ClassVar[str]
    """The consent text of a new study."""
    instructions: ClassVar[str]
    """The instructions of a new study, with a place for ``n_questions``."""
    tabs: ClassVar[tuple[tuple[str, str], ...]]
    """The maintainers' pages between *Invitations* and *Export*: names of URLs, with labels."""
    question_template: ClassVar[str]
    """The page of one question for participants."""
    scores_template: ClassVar[str]
    """The maintainers' page of its scores."""
    scores_are_open: ClassVar[bool] = False
    """Whether all managers of a study on a hidden split see its scores, which tell nothing of the split's answers."""
    fields: ClassVar[Mapping[str, tuple[str, ...]]] = {}
    """The settings that not every type has, by the step of the form that asks for them."""
    drawings: ClassVar[tuple[SamplingMethod, ...]] = (SamplingMethod.BALANCED, SamplingMethod.PLANNED)
    """The ways of sampling that differ for this type; the first is that of a new study."""
    unit: ClassVar[str] = "item"
    """Name of the thing that people answer, in one word."""
    writes_answers: ClassVar[bool] = False
    """Whether people write answers: with an encyclopedia, after a practice question, scored like a system's."""
    form: ClassVar[type[forms.Form] | None] = None
    """The form with the files that it loads, ``items`` and ``declaration``; None if it loads none."""
    declares_questions: ClassVar[bool] = False
    """Whether the questions about each item are declared in a file, and items belong to groups."""
    injects_wrong_answers: ClassVar[bool] = False
    """Whether some loaded items are repeated with a wrong answer, and others, of known outcome, are drawn for the
    test."""

    learning_texts: ClassVar[Mapping[str, str]]
    """The texts of an example, and of an item of the practice and the test: their names, with labels."""
    masks_names: ClassVar[bool] = False
    """Whether the names of systems are masked in what people read."""

    asked_by: ClassVar[str] = "item__key"
    """The field of an assignment with the id of a question or an item that it asks."""

    def unstated_records(self, study: Study) -> list[str]:
        """What is recorded of participants, as the type's own consent text lists it, as far as the text of a study does
        not say so."""
        lines = [line[2:] for line in self.consent.splitlines() if line.startswith("- ")]
        if study.learning or self.tests_known_items(study):
            lines.append(gettext(RECORDED_OF_TEST))
        return [line.rstrip(";.") for line in lines if line.rstrip(";.") not in study.consent_text]

    def tests_known_items(self, study: Study) -> bool:
        """Whether the test before the questions has loaded items of known outcome."""
        return self.injects_wrong_answers and study.n_qualification > 0

    @abstractmethod
    def pool(self, study: Study) -> list[Drawable]:
        """The questions or items that participants are given in turn, without checks, injected items and tests."""

    @abstractmethod
    def n_drawn(self, study: Study) -> int:
        """How many of the pool a participant gets."""

    def drawn(self, study: Study, dice: random.Random) -> list[Drawable]:
        """What a participant gets of the pool: those that the plan needs, or those with the fewest answers.

        Raises:
            StudyClosedError: a planned study needs no more answers.
        """
        if study.drawing != SamplingMethod.PLANNED:
            return self.fewest(study, dice)
        needs = self._needs(study)
        if not needs:
            raise StudyClosedError(gettext(ALL_GIVEN))
        return next_seat(needs, self.n_drawn(study), {item: item.category for item in needs}, dice)

    def fewest(self, study: Study, dice: random.Random) -> list[Drawable]:
        """Those of the pool with the fewest answers, for one participant."""
        return evenly(self.pool(study), self.n_drawn(study), dice, answers_of(study, self.asked_by))

    def has_free_seat(self, study: Study) -> bool:
        """Whether one more person may take part. In a planned study it depends on the answers that are missing, and
        that nobody who has a seat will give."""
        if study.drawing != SamplingMethod.PLANNED:
            return seated(study).count() < study.seats
        return self.n_needed(study) > seated(study).filter(consented_at=None).count()

    def n_needed(self, study: Study) -> int:
        """How many more people a planned study needs, beside those who were given questions and have their seat."""
        return n_seats(self._needs(study).values(), self.n_drawn(study))

    def _needs(self, study: Study) -> dict[Drawable, int]:
        """How many answers are missing to each of the pool that has not all of them yet."""
        given = answers_of(study, self.asked_by)
        missing = {item: study.answers_per_question - given.get(item.qid, 0) for item in self.pool(study)}
        return {item: n for item, n in missing.items() if n > 0}

    @abstractmethod
    def plan(self, study: Study, participant: Participant) -> list[Assignment]:
        """The participant's assignments in order, unsaved.

        Raises:
            StudyClosedError: the study is not ready.
        """

    @abstractmethod
    def problem(self, study: Study, text: str, complete: bool) -> str:
        """Reason why an answer, as it is stored, cannot be saved or, if it shall be complete, not be marked done; empty
        if it can."""

    def typed(self, study: Study, fields: Mapping[str, str]) -> str:
        """The answer in the fields of a form, as it is stored."""
        return fields.get("text", "")

    def in_words(self, study: Study, text: str) -> str:
        """A stored answer as people read it."""
        return text

    def context(self, study: Study, text: str) -> Mapping[str, Any]:
        """Additional template context for the page of a question, given the stored answer."""
        return {}

    @abstractmethod
    def learning_questions(self, study: Study) -> list[LearningQuestion]:
        """What is asked in examples, the practice and the test; nothing before a declaration is loaded."""

    def load(self, study: Study, items: Path | None, declaration: bytes | None, *, right: Right, by: User) -> int:
        """Load what the `form` has; return the number of all items.

        Raises:
            ItemsError: with every mistake in the files.
        """
        raise NotImplementedError


class ChoiceKind(StudyKind):
    """A type of study in which people choose one of a few possibilities about items, some of them injected."""

    choices: ClassVar[type[TextChoices]]
    asks: ClassVar[str]
    """The question about each item."""

    def learning_questions(self, study: Study) -> list[LearningQuestion]:
        options = [(value, gettext(str(label))) for value, label in self.choices.choices]
        return [LearningQuestion("", gettext(self.asks), options)]

    def pool(self, study: Study) -> list[Drawable]:
        rows = study.items.filter(is_qualification=False).exclude(origin=ItemOrigin.INJECTED).order_by("key")
        return [Drawable(pk, key) for pk, key in rows.values_list("pk", "key")]

    def n_drawn(self, study: Study) -> int:
        return max(study.n_asked - self.n_injected(study), 1)

    def n_injected(self, study: Study) -> int:
        """How many injected items a participant gets: the study's share, at least one if there are any."""
        n_stored = study.items.filter(origin=ItemOrigin.INJECTED).count()
        return max(min(max(round(study.injected_share * study.n_asked), 1), n_stored, study.n_asked - 1), 0)

    def with_injected(self, study: Study, items: Sequence[Drawable], dice: random.Random) -> list[Drawable]:
        """A participant's items with injected ones among them, never first."""
        rows = study.items.filter(origin=ItemOrigin.INJECTED).order_by("key").values_list("pk", "key")
        injected = [Drawable(pk, key) for pk, key in rows]
        together = list(items)
        for item in evenly(injected, self.n_injected(study), dice, answers_of(study, self.asked_by)):
            together.insert(dice.randint(1, len(together)), item)
        return together

    def plan(self, study: Study, participant: Participant) -> list[Assignment]:
        """Items with few answers, or those of the plan, with injected ones among them; each pair in random order."""
        if not study.items.exists():
            raise StudyClosedError(gettext(NOT_READY))
        dice = dice_of(study, participant.number)
        planned = self.with_injected(study, self.drawn(study, dice), dice)
        is_pair = self.kind == Kind.PAIRS
        return [
            Assignment(participant=participant, item_id=item.pk, swapped=is_pair and dice.random() < 0.5)
            for item in planned
        ]

    def problem(self, study: Study, text: str, complete: bool) -> str:
        return "" if text in self.choices.values or not (text or complete) else NO_VOTE

    def in_words(self, study: Study, text: str) -> str:
        label = dict(self.choices.choices).get(text)
        return gettext(str(label)) if label else text
