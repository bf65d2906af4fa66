"""The reader side of the answer page: search, suggestions, articles, passages, visited articles. The server logs
visits.

Each URL works alone, as the whole answer page; a script requests the reader's part only. The participant's queries and
opened articles are stored in the visit log and nowhere else.
"""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, redirect
from django.views.decorators.http import require_POST, require_safe

from humaneval.answering import visit_log
from humaneval.answering.answers import AnswerError
from humaneval.answering.decorators import problem, wants_json
from humaneval.answering.question_context import QuestionContext, on_question_page
from humaneval.answering.question_views import desk
from humaneval.encyclopedia import reader as reading
from humaneval.encyclopedia.article_pages import article_reading, outside_reading, passages_reading, picture
from humaneval.encyclopedia.base import (
    Article,
    ArticleNotFoundError,
    Encyclopedia,
    EncyclopediaUnavailableError,
    usable_query,
)
from humaneval.encyclopedia.reader import Hit, Reading, find_article, source_of
from humaneval.models import Origin, SearchKind, Visit

Read = Callable[[HttpRequest, QuestionContext, Encyclopedia], Reading]


def reading_page(read: Read) -> Callable[..., HttpResponse]:
    """A page with the result of *read* on its reader side, or with the reason why the encyclopedia is unavailable."""

    @require_safe
    @on_question_page()
    @wraps(read)
    def page(request: HttpRequest, context: QuestionContext) -> HttpResponse:
        try:
            reading = read(request, context, source_of(context.participant_session.study))
        except EncyclopediaUnavailableError:
            reading = Reading("away", query=_query(request), again=request.get_full_path())
        except ArticleNotFoundError:
            reading = Reading("missing", query=_query(request))
        return desk(request, context, reading)

    return page


@reading_page
def search(request: HttpRequest, context: QuestionContext, source: Encyclopedia) -> Reading:
    """Search results; the query is stored with the current question."""
    query = _query(request)
    if not query:
        return Reading("start")
    results = source.search(query, limit=reading.RESULTS_SHOWN)
    known: dict[str, Any] = {}
    if context.assignment is not None:
        known["search"] = visit_log.log_search(
            context.assignment, query, n_results=len(results), again=_came_back(request)
        ).pk
    hits = tuple(
        Hit(
            result.title,
            result.pieces,
            context.url("study-article", path=result.path, **{"from": Origin.RESULT.value}, **known, rank=rank),
        )
        for rank, result in enumerate(results, start=1)
    )
    return Reading("results", query=query, hits=hits)


@require_safe
@on_question_page()
def suggest(request: HttpRequest, context: QuestionContext) -> HttpResponse:
    """Title suggestions while typing, as JSON; not stored."""
    try:
        found = source_of(context.participant_session.study).suggest(_query(request))
    except EncyclopediaUnavailableError:
        return problem("away", "The encyclopedia is unavailable at the moment.", 200, suggestions=[])
    suggestion = {"from": Origin.SUGGESTION.value}
    return JsonResponse(
        {
            "suggestions": [
                {"title": one.title, "url": context.url("study-article", path=one.path, **suggestion)} for one in found
            ]
        }
    )


@reading_page
def article(request: HttpRequest, context: QuestionContext, source: Encyclopedia) -> Reading:
    """An article; the visit is stored with the current question."""
    found = _article(request, context, source)
    visit = None
    if context.assignment is not None:
        visit = visit_log.log_visit(
            context.assignment,
            found,
            origin=request.GET.get("from", ""),
            search_id=_whole(request, "search"),
            rank=_whole(request, "rank"),
        )
    return article_reading(found, context.addresses, query=_query(request), visit=visit)


@reading_page
def passages(request: HttpRequest, context: QuestionContext, source: Encyclopedia) -> Reading:
    """The passages of an article that fit a query best, cut as models get them; the query is stored."""
    found = _article(request, context, source)
    query = _query(request)
    reading = passages_reading(found, query, context.addresses)
    if context.assignment is not None and query:
        n_results = len(reading.passages)
        visit_log.log_search(
            context.assignment,
            query,
            n_results=n_results,
            kind=SearchKind.PASSAGES,
            article=found.title,
            again=_came_back(request),
        )
    return reading


def _article(request: HttpRequest, context: QuestionContext, source: Encyclopedia) -> Article:
    return find_article(source, request.GET.get("path", ""), context.addresses)


@reading_page
def outside(request: HttpRequest, context: QuestionContext, source: Encyclopedia) -> Reading:
    """The target of a link that leaves the encyclopedia, shown before it is followed."""
    del context, source
    return outside_reading(request.GET.get("to", ""))


@require_safe
@on_question_page()
def image(request: HttpRequest, context: QuestionContext) -> HttpResponse:
    """A picture of an article, if the encyclopedia shows pictures."""
    try:
        source = source_of(context.participant_session.study)
    except EncyclopediaUnavailableError as error:
        raise Http404("There is no such image.") from error
    return picture(source, request.GET.get("path", ""))


# --- What was read -------------------------------------------------------------------------------------------------


@require_POST
@on_question_page(needs_assignment=True)
def report(request: HttpRequest, context: QuestionContext) -> HttpResponse:
    """Add an article that was read elsewhere, by its URL."""
    assert context.assignment is not None  # noqa: S101 - `needs_assignment` ensures it
    try:
        visit_log.report(context.assignment, url=request.POST.get("url", ""), title=request.POST.get("title", ""))
    except (visit_log.VisitError, AnswerError) as error:
        if wants_json(request) or request.headers.get("X-Reader") == "part":
            return problem("refused", str(error), 422)
        return desk(request, context, Reading("start"), status=422, report_problem=str(error))
    if request.headers.get("X-Reader") == "part":
        return desk(request, context, Reading("start"))
    messages.success(request, "Added to the articles you read.")
    return redirect(context.base)


@require_POST
@on_question_page(needs_assignment=True)
def visit(request: HttpRequest, context: QuestionContext, pk: int) -> HttpResponse:
    """Mark an article as used or not, and save a note on it."""
    found = get_object_or_404(Visit, assignment=context.assignment, pk=pk)
    try:
        if "note" in request.POST:
            visit_log.write_note(found, request.POST["note"])
    except AnswerError as error:
        return problem("refused", str(error), 422)
    if "used" in request.POST or "tick" in request.POST:
        visit_log.mark_used(found, used=request.POST.get("used") == "on")
    return JsonResponse({"saved": True}) if wants_json(request) else redirect(context.base)


def _came_back(request: HttpRequest) -> bool:
    """Whether the page's script restores a page after back or forward navigation."""
    return "X-Again" in request.headers


def _query(request: HttpRequest) -> str:
    return usable_query(request.GET.get("q", ""))


def _whole(request: HttpRequest, name: str) -> int | None:
    text = request.GET.get(name, "")
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 10 else None
