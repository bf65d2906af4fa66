"""The desk: a question with its answer on one side, the encyclopedia on the other."""

import uuid
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_safe

from humaneval.answering import answers, session, visit_log
from humaneval.answering.answers import LONGEST_ANSWER, LONGEST_NOTE
from humaneval.answering.cookies import Seat
from humaneval.answering.decorators import for_volunteers
from humaneval.answering.desk_context import PRACTICE, Place, at_the_desk, place_of
from humaneval.answering.progress import overview_of
from humaneval.encyclopedia.base import Encyclopedia, EncyclopediaAway
from humaneval.encyclopedia.reader import Reading, source_of
from scoring.analysis.explanations import explain_text


@require_safe
@at_the_desk()
def question(request: HttpRequest, place: Place) -> HttpResponse:
    """One question at the desk."""
    if place.assignment is None:
        return redirect(place.home)
    return desk(request, place, Reading("start"))


@require_http_methods(["GET", "HEAD", "POST"])
@for_volunteers
def practice(request: HttpRequest, seat: Seat) -> HttpResponse:
    """A question to practise on. What is answered is checked against its public answer, and not kept."""
    place = place_of(seat, PRACTICE)
    if seat.participant.instructed_at is None or seat.participant.finished_at is not None or place is None:
        return redirect("study-home", seat.study.slug)
    if request.method == "POST" and "pass" in request.POST:
        session.practised(seat.participant)
        return redirect("study-home", seat.study.slug)
    more: dict[str, Any] = {}
    if request.method == "POST" and place.practice is not None:
        text = request.POST.get("text", "").strip()[:LONGEST_ANSWER]
        more["text"] = text
        if text:
            session.practised(seat.participant)
            more["explanation"] = explain_text(place.practice, text)
        else:
            more["problem"] = "Write an answer first. A guess is fine."
    return desk(request, place, Reading("start"), status=422 if "problem" in more else 200, **more)


def desk(request: HttpRequest, place: Place, reading: Reading, *, status: int = 200, **more: Any) -> HttpResponse:
    """The desk with something on its reader's side; or, for the desk's script, what changes when something is read."""
    assignment = place.assignment
    page: dict[str, Any] = {
        "seat": place.seat,
        "place": place,
        "assignment": assignment,
        "reading": reading,
        "source_name": _source_name(place),
        "articles": visit_log.articles_read(assignment) if assignment is not None else [],
        "here": request.get_full_path(),
    }
    if request.headers.get("X-Reader") == "part":
        return render(request, "humaneval/encyclopedia/_reader_part.html", page, status=status)
    if assignment is not None:
        answers.opened(assignment)
        overview = overview_of(place.seat.participant)
        page |= {"overview": overview, "numbers": _numbers(place, overview), "text": assignment.text}
    page |= {"key": uuid.uuid4(), "longest_answer": LONGEST_ANSWER, "longest_note": LONGEST_NOTE, **more}
    template = "humaneval/answering/desk.html" if assignment is not None else "humaneval/answering/practice.html"
    return render(request, template, page, status=status)


def _source_name(place: Place) -> str:
    try:
        source: Encyclopedia = source_of(place.seat.study)
    except EncyclopediaAway:
        return "Encyclopedia"
    return source.name


def _numbers(place: Place, overview: Any) -> dict[str, int | None]:
    last = len(overview.lines)
    return {
        "last": last,
        "before": place.number - 1 if place.number > 1 else None,
        "after": place.number + 1 if place.number < last else None,
    }
