"""The properties and methods that each type of study defines."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, ClassVar, Final, TypeAlias

from django import forms
from django.db.models import TextChoices

from humaneval.models import Assignment, Kind, Participant, Study
from leaderboard.models import User
from scoring.analysis.reference_items import ReadingRight

NO_VOTE: Final = "Choose one of the possibilities, or skip the question."
NOT_READY: Final = "This study is not ready yet. Open your link again later."
Right: TypeAlias = Callable[[], ReadingRight]
"""Gives the right to read a split's reference answers, or raises PermissionDenied."""


def privacy(what: str) -> str:
    """The last paragraph of a consent text.

    >>> privacy("ratings").splitlines()[-1][-60:]
    'y be published without anything that identifies you by name.'
    """
    return (
        "We do not track anything else. You do not need an account or a name. An email address is stored only if you "
        f"give one, and separately from your {what}. {what.capitalize()} may be published without anything that "
        "identifies you by name.\n"
    )


class StudyKind(ABC):
    """One type of study."""

    kind: ClassVar[Kind]
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
    unit: ClassVar[str] = "item"
    """Name of the thing that people answer, in one word."""
    writes_answers: ClassVar[bool] = False
    """Whether people write answers: with an encyclopedia, after a practice question, scored like a system's."""
    form: ClassVar[type[forms.Form] | None] = None
    """The form with the files that it loads, ``items`` and ``declaration``; None if it loads none."""
    declares_questions: ClassVar[bool] = False
    """Whether the questions about each item are declared in a file, and items belong to groups."""
    injects_wrong_answers: ClassVar[bool] = False
    """Whether some loaded items are repeated with a wrong answer, and others are a qualification test."""

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

    def load(self, study: Study, items: Path | None, declaration: bytes | None, *, right: Right, by: User) -> int:
        """Load what the `form` has; return the number of all items.

        Raises:
            ItemsError: with every mistake in the files.
        """
        raise NotImplementedError


class ChoiceKind(StudyKind):
    """A type of study in which people choose one of a few possibilities."""

    choices: ClassVar[type[TextChoices]]

    def problem(self, study: Study, text: str, complete: bool) -> str:
        return "" if text in self.choices.values or not (text or complete) else NO_VOTE

    def in_words(self, study: Study, text: str) -> str:
        return str(dict(self.choices.choices).get(text, text))
