"""The context of an answer page: one question of one participant, or the practice question, and its URLs."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import Any, Final

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.http import urlencode

from humaneval.answering import answers, session
from humaneval.answering.cookies import ParticipantSession
from humaneval.answering.decorators import for_participants, problem, wants_json
from humaneval.answering.practice_desk import PracticeDesk
from humaneval.answering.steps import practice_for, step_of
from humaneval.encyclopedia.reader import Addresses
from humaneval.models import Assignment, Origin
from scoring.models import Question

PRACTICE: Final = 0
"""The number of the practice question in URLs."""


@dataclass(frozen=True)
class QuestionContext:
    """A participant and one of their questions. The practice question has no assignment, and nothing done in it is
    stored."""

    participant_session: ParticipantSession
    number: int
    text: str
    assignment: Assignment | None
    practice: Question | None = None
    practice_desk: PracticeDesk | None = None
    """The tabs and passages of the practice question, which the session keeps."""

    @property
    def base(self) -> str:
        """The URL prefix of this question."""
        return self.url("study-question")

    @property
    def home(self) -> str:
        """The URL of the answer page."""
        return reverse("study-practice", args=[self.participant_session.study.slug]) if self.practice else self.base

    def url(self, name: str, **query: Any) -> str:
        """A URL of this question, with a query string."""
        path = reverse(name, args=[self.participant_session.study.slug, self.number])
        return f"{path}?{urlencode(query)}" if query else path

    @property
    def addresses(self) -> Addresses:
        """The reader's URLs for this question."""
        return Addresses(
            article=lambda path: self.url("study-article", path=path),
            link=lambda path: self.url("study-article", path=path, **{"from": Origin.LINK.value}),
            image=lambda path: self.url("study-image", path=path),
            outside=lambda to: self.url("study-outside", to=to),
        )


QuestionView = Callable[..., HttpResponse]


def on_question_page(*, needs_assignment: bool = False, grace: bool = False) -> Callable[[QuestionView], QuestionView]:
    """Pass a view the question context of the requesting participant, for a question that is open to them now.

    Args:
        needs_assignment: the practice question is not accepted.
        grace: also accept requests shortly after the study's end.
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
            context = question_context(request, participant_session, number)
            if context is None or (needs_assignment and context.assignment is None):
                raise Http404("This question is not one of yours.")
            if context.assignment is not None and step_of(participant_session) != "study-questions":
                return redirect(_home(participant_session))
            if context.assignment is not None:
                answers.opened(context.assignment)  # before anything that happens in it
            return view(request, context, **kwargs)

        return wrapped

    return decorate


def _home(participant_session: ParticipantSession) -> str:
    return reverse("study-home", args=[participant_session.study.slug])


def question_context(
    request: HttpRequest, participant_session: ParticipantSession, number: int
) -> QuestionContext | None:
    """The context of one of a participant's questions, or of the practice question; None if there is none."""
    if number == PRACTICE:
        question = practice_for(participant_session.participant)
        if question is None:
            return None
        practised = PracticeDesk(request.session, participant_session.participant.pk)
        return QuestionContext(participant_session, PRACTICE, question.text, None, question, practised)
    rows = participant_session.participant.assignments.select_related("question", "item__question")
    assignment = rows.filter(position=number).first()
    if assignment is None:
        return None
    return QuestionContext(participant_session, number, assignment.asked_text, assignment)
