"""The context of an answer page: one question of one participant, or the practice question, its desk and its URLs."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial, wraps
from typing import Any, Final

from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.http import urlencode

from humaneval.answering import answers, session
from humaneval.answering.answers import AnswerError, NoteConflictError
from humaneval.answering.cookies import ParticipantSession
from humaneval.answering.decorators import View, for_participants, problem
from humaneval.answering.desks import Desk, PracticeDesk, StudyDesk
from humaneval.answering.steps import practice_for, step_of
from humaneval.encyclopedia.base import Addresses
from humaneval.models import Assignment, Origin
from humaneval.studies.learning import awaits_test
from scoring.models import Question

PRACTICE: Final = 0
"""The number of the practice question in URLs."""
NOT_YOURS: Final = "This question is not one of yours."


@dataclass(frozen=True)
class QuestionContext:
    """A participant and one of their questions. The practice question has no assignment, and nothing done in it is
    stored."""

    participant_session: ParticipantSession
    number: int
    text: str
    desk: Desk
    assignment: Assignment | None = None
    practice: Question | None = None

    @property
    def asked(self) -> Assignment:
        """The assignment, where there must be one.

        Raises:
            Http404: this is the practice question.
        """
        if self.assignment is None:
            raise Http404(NOT_YOURS)
        return self.assignment

    @property
    def question(self) -> Question | None:
        """The question; None for an attention check, or a text to rate."""
        if self.assignment is None:
            return self.practice
        return self.assignment.item.question if self.assignment.item is not None else self.assignment.question

    @property
    def base(self) -> str:
        return self.url("study-question")

    @property
    def home(self) -> str:
        return reverse("study-practice", args=[self.participant_session.study.slug]) if self.practice else self.base

    def url(self, name: str, **query: Any) -> str:
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


def on_question_page(*, by_script: bool = False, grace: bool = False) -> Callable[[View], View]:
    """Pass a view the question context of the requesting participant, for a question that is open to them now.

    Args:
        by_script: the page's script asks: the reply is JSON, also where something cannot be done.
        grace: also accept requests shortly after the study's end.
    """

    def decorate(view: View) -> View:
        @partial(for_participants, by_script=by_script)
        @wraps(view)
        def wrapped(
            request: HttpRequest, participant_session: ParticipantSession, number: int, **kwargs: Any
        ) -> HttpResponse:
            slug = participant_session.study.slug
            try:
                session.require_changeable(participant_session.participant, grace=grace)
            except session.StudyClosedError as error:
                return problem("over", str(error), 403) if by_script else redirect("study-home", slug)
            context = question_context(request, participant_session, number)
            if context is None:
                raise Http404(NOT_YOURS)
            if context.assignment is not None:
                # What was typed while the consent text changed is saved; the next page shows the text. Otherwise the
                # second entry is False, which is no step.
                is_saving = by_script or request.method == "POST"
                may_be_at = "study-questions", is_saving and "study-consent"
                if step_of(participant_session) not in may_be_at or awaits_test(participant_session.participant):
                    return redirect("study-home", slug)
                answers.opened(context.assignment)  # before anything that happens in it
            try:
                return view(request, context, **kwargs)
            except AnswerError as error:
                if not by_script:
                    raise
                if isinstance(error, NoteConflictError):
                    return JsonResponse({"problem": "note", "text": str(error), "note": error.saved}, status=409)
                return problem("refused", str(error), 422)

        return wrapped

    return decorate


def question_context(
    request: HttpRequest, participant_session: ParticipantSession, number: int
) -> QuestionContext | None:
    """The context of one of a participant's questions, or of the practice question; None if there is none."""
    participant = participant_session.participant
    if number == PRACTICE:
        question = practice_for(participant)
        if question is None:
            return None
        desk = PracticeDesk(request.session, participant.pk)
        return QuestionContext(participant_session, PRACTICE, question.text, desk, practice=question)
    assignments = Assignment.objects.select_related("question", "item__question")
    assignment = assignments.filter(participant=participant, position=number).first()
    if assignment is None:
        return None
    assignment.participant = participant  # loaded already, with study and consent
    return QuestionContext(participant_session, number, assignment.asked_text, StudyDesk(assignment), assignment)


def here_of(request: HttpRequest, context: QuestionContext) -> str:
    """The address of the page that a form was on, if it is a page of this question; else the question's."""
    if request.method != "POST":
        return request.get_full_path()
    here = request.POST.get("here", "")
    # Browsers read a backslash as a slash: the address could lead to another page than it seems to.
    return here if here.startswith(context.base) and "\\" not in here and here.isprintable() else context.base
