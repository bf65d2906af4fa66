"""The answer page: a question and its answer on one side, the encyclopedia on the other."""

import uuid
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods, require_safe

from humaneval.answering import session, visit_log
from humaneval.answering.answers import LONGEST_ANSWER, LONGEST_NOTE, AnswerError, clean
from humaneval.answering.cookies import ParticipantSession
from humaneval.answering.critiques import HIGHEST_SCORE, LOWEST_SCORE, pair_of
from humaneval.answering.decorators import for_participants
from humaneval.answering.desks import PracticeDesk
from humaneval.answering.progress import progress_of
from humaneval.answering.question_context import (
    PRACTICE,
    QuestionContext,
    here_of,
    on_question_page,
    question_context,
)
from humaneval.answering.readings import reading_at
from humaneval.answering.steps import step_of
from humaneval.encyclopedia.base import EncyclopediaUnavailableError
from humaneval.encyclopedia.reader import Reading, source_of
from humaneval.studies.kinds import KINDS
from scoring.analysis.explanations import explain_text
from scoring.registry import task_type_of


@require_safe
@on_question_page()
def question(request: HttpRequest, context: QuestionContext) -> HttpResponse:
    """The answer page of one question."""
    if context.assignment is None:
        return redirect(context.home)
    return question_page(request, context, Reading("start"))


@require_http_methods(["GET", "HEAD", "POST"])
@for_participants
def practice(request: HttpRequest, participant_session: ParticipantSession) -> HttpResponse:
    """The practice question. The answer is checked against its public answer, and not stored."""
    context = question_context(request, participant_session, PRACTICE)
    if (
        step_of(participant_session) in ("study-consent", "study-instructions", "study-thanks")
        or context is None
        or context.practice is None
        or not isinstance(context.desk, PracticeDesk)
    ):
        return redirect("study-home", participant_session.study.slug)
    if request.method != "POST":
        return question_page(request, context, Reading("start"))
    if "pass" in request.POST:
        session.leave(participant_session.participant, "practised_at")
        context.desk.clear()
        return redirect("study-home", participant_session.study.slug)
    text, here = request.POST.get("text", "").strip(), here_of(request, context)
    more: dict[str, Any] = {"problem": gettext("Write an answer first. A guess is fine."), "status": 422}
    try:
        text = clean(text, LONGEST_ANSWER)
    except AnswerError as error:
        more["problem"] = str(error)
        return question_page(request, context, reading_at(context, here), here=here, text=text, **more)
    if text:
        session.leave(participant_session.participant, "practised_at")
        more = {"explanation": explain_text(context.practice, text)}
    return question_page(request, context, reading_at(context, here), here=here, text=text, **more)


def question_page(
    request: HttpRequest, context: QuestionContext, reading: Reading, *, status: int = 200, **more: Any
) -> HttpResponse:
    """The answer page with content on its reader side."""
    assignment, study = context.assignment, context.participant_session.study
    try:
        source_name = source_of(study).name
    except EncyclopediaUnavailableError:
        source_name = gettext("Encyclopedia")
    page: dict[str, Any] = _lists(context, reading) | {
        "source_name": source_name,
        "here": here_of(request, context),
        "key": uuid.uuid4(),
        "longest_answer": LONGEST_ANSWER,
        "longest_note": LONGEST_NOTE,
        "one_a_line": task_type_of(study.split.benchmark.slug).splits_texts,  # lists are typed with one answer a line
    }
    if assignment is not None:
        overview = progress_of(context.participant_session.participant)
        numbers = [row.position for row in overview.rows]  # with gaps, if a compared answer was deleted
        neighbours = {
            "last": numbers[-1],
            "before": max((number for number in numbers if number < context.number), default=None),
            "after": min((number for number in numbers if number > context.number), default=None),
        }
        page |= {"progress": overview, "numbers": neighbours, "text": assignment.text}
    page |= more
    other = more["conflict"].text if "conflict" in more else ""
    page["conflict_text"] = other
    if assignment is not None:
        page["note"] = more.get("typed", {}).get("note", assignment.note)
    if assignment is not None and assignment.item is not None:  # people choose between given answers
        votes = [(value, gettext(label)) for value, label in assignment.item.choices.choices]
        page |= {
            **KINDS[study.kind].context(study, page["text"]),
            "votes": votes,
            "pair": pair_of(assignment, more.get("typed", {})),
            "lowest_score": LOWEST_SCORE,
            "highest_score": HIGHEST_SCORE,
            "conflict_text": dict(votes).get(other, other),  # in words
        }
    template = KINDS[study.kind].question_template if assignment is not None else "humaneval/answering/practice.html"
    return render(request, template, page, status=status)


def reader_part(request: HttpRequest, context: QuestionContext, reading: Reading | None = None) -> HttpResponse:
    """Reply to the page's script with only the parts that change when something is read, opened or saved."""
    page = _lists(context, reading or Reading("start"))
    return render(request, "humaneval/encyclopedia/_reader_part.html", page)


def _lists(context: QuestionContext, reading: Reading) -> dict[str, Any]:
    """Template context that the page and its parts share."""
    page: dict[str, Any] = {
        "participant_session": context.participant_session,
        "context": context,
        "assignment": context.assignment,
        "reading": reading,
        "tabs": context.desk.tabs,
    }
    return page if context.assignment is None else page | {"articles": visit_log.articles_read(context.assignment)}
