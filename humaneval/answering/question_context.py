"""A place at the desk: one question of one participant, or the practice question, with the addresses around it."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import Any, Final

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.http import urlencode

from humaneval.answering import session
from humaneval.answering.cookies import ParticipantSession
from humaneval.answering.decorators import for_participants, problem, wants_json
from humaneval.answering.progress import question_text
from humaneval.answering.steps import practice_for, step_of
from humaneval.encyclopedia.reader import Addresses
from humaneval.models import Assignment, Origin
from scoring.models import Question

PRACTICE: Final = 0
"""The number by which the practice question is addressed."""


@dataclass(frozen=True)
class QuestionContext:
    """Where somebody sits. Nothing is kept of what is done at the practice question, which has no assignment."""

    participant_session: ParticipantSession
    number: int
    text: str
    assignment: Assignment | None
    practice: Question | None = None

    @property
    def base(self) -> str:
        """The address below which everything of this question is."""
        return self.url("study-question")

    @property
    def home(self) -> str:
        """The address of the page itself."""
        return reverse("study-practice", args=[self.participant_session.study.slug]) if self.practice else self.base

    def url(self, name: str, **query: Any) -> str:
        """An address of this question's, with a query."""
        path = reverse(name, args=[self.participant_session.study.slug, self.number])
        return f"{path}?{urlencode(query)}" if query else path

    @property
    def addresses(self) -> Addresses:
        """Where what the encyclopedia has is read for this question."""
        return Addresses(
            article=lambda path: self.url("study-article", path=path),
            link=lambda path: self.url("study-article", path=path, **{"from": Origin.LINK.value}),
            image=lambda path: self.url("study-image", path=path),
            outside=lambda to: self.url("study-outside", to=to),
        )


QuestionView = Callable[..., HttpResponse]


def on_question_page(*, needs_assignment: bool = False, grace: bool = False) -> Callable[[QuestionView], QuestionView]:
    """Hands a view the place of whoever asks, at a question of theirs that may be worked at now.

    Args:
        needs_assignment: the practice question will not do.
        grace: shortly after the study's end it is still taken.
    """

    def decorate(view: QuestionView) -> QuestionView:
        @for_participants
        @wraps(view)
        def wrapped(
            request: HttpRequest, participant_session: ParticipantSession, number: int, **kwargs: Any
        ) -> HttpResponse:
            try:
                session.require_changeable(participant_session.participant, grace=grace)
            except session.StudyClosedError as error:
                return problem("over", str(error), 403) if wants_json(request) else redirect(_home(participant_session))
            context = question_context(participant_session, number)
            if context is None or (needs_assignment and context.assignment is None):
                raise Http404("This question is not one of yours.")
            if context.assignment is not None and step_of(participant_session) != "study-questions":
                return redirect(_home(participant_session))
            return view(request, context, **kwargs)

        return wrapped

    return decorate


def _home(participant_session: ParticipantSession) -> str:
    return reverse("study-home", args=[participant_session.study.slug])


def question_context(participant_session: ParticipantSession, number: int) -> QuestionContext | None:
    """Somebody's place at one of their questions, or at the practice question; nothing if there is none."""
    if number == PRACTICE:
        question = practice_for(participant_session.participant)
        return (
            QuestionContext(participant_session, PRACTICE, question.text, None, question)
            if question is not None
            else None
        )
    assignment = participant_session.participant.assignments.select_related("question").filter(position=number).first()
    if assignment is None:
        return None
    return QuestionContext(participant_session, number, question_text(assignment), assignment)
