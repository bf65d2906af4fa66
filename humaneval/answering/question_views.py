"""The answer page: a question and its answer on one side, the encyclopedia on the other."""

import uuid
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_safe

from humaneval.answering import session, visit_log
from humaneval.answering.answers import LONGEST_ANSWER, LONGEST_NOTE
from humaneval.answering.cookies import ParticipantSession
from humaneval.answering.critiques import HIGHEST_SCORE, LOWEST_SCORE, pair_of
from humaneval.answering.decorators import for_participants
from humaneval.answering.page_form import entered_address, here_of
from humaneval.answering.passages import passages_of
from humaneval.answering.progress import progress_of
from humaneval.answering.question_context import PRACTICE, QuestionContext, on_question_page, question_context
from humaneval.answering.readings import reading_at
from humaneval.answering.tabs import tabs_of
from humaneval.encyclopedia.base import Encyclopedia, EncyclopediaUnavailableError
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
    return desk(request, context, Reading("start"))


@require_http_methods(["GET", "HEAD", "POST"])
@for_participants
def practice(request: HttpRequest, participant_session: ParticipantSession) -> HttpResponse:
    """The practice question. The answer is checked against its public answer, and not stored."""
    context = question_context(request, participant_session, PRACTICE)
    if (
        participant_session.participant.instructed_at is None
        or participant_session.participant.finished_at is not None
        or context is None
        or context.practice_desk is None
    ):
        return redirect("study-home", participant_session.study.slug)
    if request.method == "POST" and "pass" in request.POST:
        session.practised(participant_session.participant)
        context.practice_desk.clear()
        return redirect("study-home", participant_session.study.slug)
    if request.method != "POST":
        return desk(request, context, Reading("start"))
    context.practice_desk.write_notes(request.POST)
    address = entered_address(request, context)
    more = {"text": request.POST.get("text", "")} if address else _checked(context, request.POST.get("text", ""))
    here = address or here_of(request, context)
    status = 422 if "problem" in more else 200
    return desk(request, context, reading_at(context, here), status=status, here=here, **more)


def _checked(context: QuestionContext, text: str) -> dict[str, Any]:
    """A practice answer with the reference answer beside it, or the problem with it."""
    text = text.strip()[:LONGEST_ANSWER]
    if not text or context.practice is None:
        return {"text": text, "problem": "Write an answer first. A guess is fine."}
    session.practised(context.participant_session.participant)
    return {"text": text, "explanation": explain_text(context.practice, text)}


def desk(
    request: HttpRequest, context: QuestionContext, reading: Reading, *, status: int = 200, **more: Any
) -> HttpResponse:
    """The answer page with content on its reader side; for the page's script, only the parts that change when something
    is read."""
    assignment = context.assignment
    page: dict[str, Any] = {
        "participant_session": context.participant_session,
        "context": context,
        "assignment": assignment,
        "reading": reading,
        "source_name": _source_name(context),
        "here": here_of(request, context),
        "longest_note": LONGEST_NOTE,
        **_lists(context),
    }
    if request.headers.get("X-Reader") == "part":
        return render(request, "humaneval/encyclopedia/_reader_part.html", page, status=status)
    if assignment is not None:
        overview = progress_of(context.participant_session.participant)
        page |= {"progress": overview, "numbers": _numbers(context, overview), "text": assignment.text}
    page |= {"key": uuid.uuid4(), "longest_answer": LONGEST_ANSWER, "one_a_line": _one_a_line(context), **more}
    page |= _choice(context, page.get("text", ""), more)
    return render(request, _template(context), page, status=status)


def _choice(context: QuestionContext, text: str, more: dict[str, Any]) -> dict[str, Any]:
    """What pages need on which people choose between given answers, and the other version in a conflict, in words."""
    assignment, study = context.assignment, context.participant_session.study
    other = more["conflict"].text if "conflict" in more else ""
    if assignment is None or assignment.item is None:
        return {"conflict_text": other}
    votes = assignment.item.choices.choices
    return {
        **KINDS[study.kind].context(study, text),
        "votes": votes,
        "pair": pair_of(assignment, more.get("typed", {})),
        "lowest_score": LOWEST_SCORE,
        "highest_score": HIGHEST_SCORE,
        "conflict_text": dict(votes).get(other, other),
    }


def _template(context: QuestionContext) -> str:
    if context.assignment is None:
        return "humaneval/answering/practice.html"
    return KINDS[context.participant_session.study.kind].question_template


def _lists(context: QuestionContext) -> dict[str, Any]:
    assignment, practised = context.assignment, context.practice_desk
    if assignment is None:
        return {"tabs": practised.tabs, "passages": practised.passages} if practised is not None else {}
    return {
        "articles": visit_log.articles_read(assignment),
        "tabs": tabs_of(assignment),
        "passages": passages_of(assignment),
    }


def _one_a_line(context: QuestionContext) -> bool:
    """Whether answers are lists, which are typed with one answer a line."""
    return task_type_of(context.participant_session.study.split.benchmark.slug).splits_texts


def _source_name(context: QuestionContext) -> str:
    try:
        source: Encyclopedia = source_of(context.participant_session.study)
    except EncyclopediaUnavailableError:
        return "Encyclopedia"
    return source.name


def _numbers(context: QuestionContext, overview: Any) -> dict[str, int | None]:
    numbers = [row.number for row in overview.rows]  # with gaps, if a compared answer was deleted
    return {
        "last": numbers[-1],
        "before": max((number for number in numbers if number < context.number), default=None),
        "after": min((number for number in numbers if number > context.number), default=None),
    }
