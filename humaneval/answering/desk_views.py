"""The desk: a question with its answer on one side, the encyclopedia on the other; and what is saved there."""

import datetime
import math
import uuid
from typing import Any, Final

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.middleware.csrf import get_token
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from humaneval.answering import answers, session, visit_log
from humaneval.answering.answers import LONGEST_ANSWER, LONGEST_NOTE, AnswerError, Saved
from humaneval.answering.cookies import Seat
from humaneval.answering.decorators import for_volunteers, problem, wants_json
from humaneval.answering.desk_context import PRACTICE, Place, at_the_desk, place_of
from humaneval.answering.progress import overview_of
from humaneval.encyclopedia.base import Encyclopedia, EncyclopediaAway
from humaneval.encyclopedia.reader import Reading, source_of
from scoring.analysis.explanations import explain_text

OLDEST_TYPED: Final = datetime.timedelta(days=120)


# --- Pages ---------------------------------------------------------------------------------------------------------


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
            more["problem"] = "Write an answer first; a guess will do."
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
        return render(request, "humaneval/_reader_part.html", page, status=status)
    if assignment is not None:
        answers.opened(assignment)
        overview = overview_of(place.seat.participant)
        page |= {"overview": overview, "numbers": _numbers(place, overview), "text": assignment.text}
    page |= {"key": uuid.uuid4(), "longest_answer": LONGEST_ANSWER, "longest_note": LONGEST_NOTE, **more}
    template = "humaneval/desk.html" if assignment is not None else "humaneval/practice.html"
    return render(request, template, page, status=status)


def _source_name(place: Place) -> str:
    try:
        source: Encyclopedia = source_of(place.seat.study)
    except EncyclopediaAway:
        return "The encyclopedia"
    return source.name


def _numbers(place: Place, overview: Any) -> dict[str, int | None]:
    last = len(overview.lines)
    return {
        "last": last,
        "before": place.number - 1 if place.number > 1 else None,
        "after": place.number + 1 if place.number < last else None,
    }


# --- What is saved -------------------------------------------------------------------------------------------------


@require_POST
@at_the_desk(needs_assignment=True, grace=True)
def answer(request: HttpRequest, place: Place) -> HttpResponse:
    """Save the answer, if there is one among what is sent, and for how long page and article were in use.

    The desk's script gets JSON: 200 with the version that stands now, or 409 with the text that another tab or device
    saved in between. A form gets the page again.
    """
    assignment = _assignment(place)
    seconds = _number(request, "active", 0.0, 86400.0)
    visit = _number(request, "visit", 0.0, 2.0**62)
    if visit:
        visit_log.seen_so_far(
            assignment,
            int(visit),
            visible_seconds=_number(request, "visible", 0.0, 86400.0 * 30),
            scrolled_share=_number(request, "scrolled", 0.0, 1.0),
        )
    if "text" not in request.POST:
        answers.count_active(assignment, seconds)
        return JsonResponse({"beat": True})
    try:
        saved = _save(request, assignment, seconds)
    except AnswerError as error:
        return _refused(request, place, str(error))
    if wants_json(request):
        return JsonResponse(_as_json(saved), status=200 if saved.taken else 409)
    if not saved.taken:
        return _ask(request, place, saved)
    messages.success(request, "Saved.")
    return redirect(_back(request, place))


@require_POST
@at_the_desk(needs_assignment=True, grace=True)
def set_aside(request: HttpRequest, place: Place) -> HttpResponse:
    """Keep the text that somebody decided against among the revisions; the other one stands."""
    assignment = _assignment(place)
    try:
        saved = answers.set_aside(
            assignment, text=request.POST.get("text", ""), key=_key(request), typed_at=_typed_at(request)
        )
    except AnswerError as error:
        return _refused(request, place, str(error))
    return JsonResponse(_as_json(saved)) if wants_json(request) else redirect(_back(request, place))


@require_safe
@at_the_desk(needs_assignment=True, grace=True)
def standing(request: HttpRequest, place: Place) -> HttpResponse:
    """The answer as it stands, and a fresh token for forms: for a script that comes back after a while."""
    row = _assignment(place)
    saved = Saved(taken=True, version=row.version, text=row.text, saved_at=row.saved_at)
    return JsonResponse({**_as_json(saved), "token": get_token(request)})


@require_POST
@at_the_desk(needs_assignment=True, grace=True)
def done(request: HttpRequest, place: Place) -> HttpResponse:
    """Save what stands in the form, mark the question done, and go to the next."""
    return _leave(request, place, mark_done=True)


@require_POST
@at_the_desk(needs_assignment=True, grace=True)
def skip(request: HttpRequest, place: Place) -> HttpResponse:
    """Save what stands in the form, and leave the question for later."""
    return _leave(request, place, mark_done=False)


def _leave(request: HttpRequest, place: Place, *, mark_done: bool) -> HttpResponse:
    assignment = _assignment(place)
    try:
        if "text" in request.POST:
            saved = _save(request, assignment, 0.0)
            if not saved.taken:
                return _ask(request, place, saved)
        if mark_done:
            answers.mark_done(assignment)
        else:
            answers.skip(assignment)
    except AnswerError as error:
        return _refused(request, place, str(error))
    overview = overview_of(place.seat.participant)
    later = [line.number for line in overview.lines if line.number > place.number and line.state in ("begun", "open")]
    following = later[0] if later else overview.next_number
    slug = place.seat.study.slug
    if following is None or following == place.number:
        return redirect("study-questions", slug)
    return redirect("study-question", slug, following)


@require_POST
@at_the_desk(needs_assignment=True)
def note(request: HttpRequest, place: Place) -> HttpResponse:
    """Keep the note on what was read for a question."""
    try:
        answers.write_note(_assignment(place), request.POST.get("note", ""))
    except AnswerError as error:
        return _refused(request, place, str(error))
    return JsonResponse({"saved": True}) if wants_json(request) else redirect(_back(request, place))


# --- Between a request and the services ----------------------------------------------------------------------------


def _assignment(place: Place) -> Any:
    return place.assignment


def _save(request: HttpRequest, assignment: Any, seconds: float) -> Saved:
    return answers.save_answer(
        assignment,
        text=request.POST.get("text", ""),
        key=_key(request),
        based_on=int(_number(request, "based_on", 0.0, 2.0**31)),
        typed_at=_typed_at(request),
        active_seconds=seconds,
    )


def _as_json(saved: Saved) -> dict[str, Any]:
    moment = saved.saved_at.isoformat() if saved.saved_at is not None else None
    return {"taken": saved.taken, "version": saved.version, "text": saved.text, "saved_at": moment}


def _ask(request: HttpRequest, place: Place, saved: Saved) -> HttpResponse:
    """The desk with both texts: which one is meant?"""
    text = request.POST.get("text", "")
    if place.assignment is not None:
        place.assignment.refresh_from_db()
    return desk(request, place, Reading("start"), status=409, conflict=saved, text=text)


def _refused(request: HttpRequest, place: Place, reason: str) -> HttpResponse:
    if wants_json(request):
        return problem("refused", reason, 422)
    more = {"text": request.POST["text"]} if "text" in request.POST else {}
    return desk(request, place, Reading("start"), status=422, problem=reason, **more)


def _back(request: HttpRequest, place: Place) -> str:
    """Where the form was, if that is a page of this question's."""
    here = request.POST.get("here", "")
    return here if here.startswith(place.base) and "\\" not in here and here.isprintable() else place.base


def _key(request: HttpRequest) -> uuid.UUID:
    try:
        return uuid.UUID(request.POST.get("key", ""))
    except ValueError:
        return uuid.uuid4()


def _typed_at(request: HttpRequest) -> datetime.datetime | None:
    """When a text was typed, by the browser's clock; nothing if it does not say, or says what cannot be."""
    milliseconds = _number(request, "typed_at", 0.0, 1e14)
    if not milliseconds:
        return None
    typed, now = datetime.datetime.fromtimestamp(milliseconds / 1000, tz=datetime.UTC), timezone.now()
    return typed if now - OLDEST_TYPED < typed <= now else None


def _number(request: HttpRequest, name: str, low: float, high: float) -> float:
    """A number that was sent, within bounds; the lower one where there is none."""
    try:
        value = float(request.POST.get(name, ""))
    except ValueError:
        return low
    return min(max(value, low), high) if math.isfinite(value) else low
