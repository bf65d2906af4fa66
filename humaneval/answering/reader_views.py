"""The reader side of the answer page: search, suggestions, articles, passages, visited articles. The server logs
visits.

Each URL works alone, as the whole answer page; a script requests the reader's part only. The participant's queries and
opened articles are stored in the visit log and nowhere else.
"""

from collections.abc import Callable
from functools import wraps

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, redirect
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from humaneval.answering import passages as saved_passages
from humaneval.answering import practice_views, visit_log
from humaneval.answering import tabs as reader_tabs
from humaneval.answering.answers import AnswerError
from humaneval.answering.decorators import problem, wants_json
from humaneval.answering.page_form import asked_address, here_of, is_page_form, path_of
from humaneval.answering.page_saving import refused, save_page, saves_page
from humaneval.answering.question_context import QuestionContext, on_question_page
from humaneval.answering.question_views import desk
from humaneval.answering.readings import query_of, ranked_reading, reading_at, search_reading, visited_reading
from humaneval.answering.visit_log import VisitError
from humaneval.encyclopedia.article_pages import outside_reading, picture
from humaneval.encyclopedia.base import ArticleNotFoundError, Encyclopedia, EncyclopediaUnavailableError
from humaneval.encyclopedia.reader import Reading, find_article, source_of
from humaneval.models import Assignment, Origin, SavedPassage, Visit

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
            reading = Reading("away", query=query_of(request.GET), again=request.get_full_path())
        except ArticleNotFoundError:
            reading = Reading("missing", query=query_of(request.GET))
        return desk(request, context, reading)

    return page


def from_form(page: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """A search to which the form of the answer page can also be sent: it is saved first."""

    @require_http_methods(["GET", "HEAD", "POST"])
    @wraps(page)
    def either(request: HttpRequest, *args: object, **kwargs: object) -> HttpResponse:
        return (_asked_by_form if request.method == "POST" else page)(request, *args, **kwargs)

    return either


@on_question_page()
def _asked_by_form(request: HttpRequest, context: QuestionContext) -> HttpResponse:
    match = request.resolver_match
    address = asked_address(request, context, str(match.url_name) if match is not None else "")
    if context.practice_desk is not None:  # practice stores no answer, so the page itself has the text
        context.practice_desk.write_notes(request.POST)
        text = request.POST.get("text", "")
        return desk(request, context, reading_at(context, address), text=text, here=address)
    return save_page(request, context) or redirect(address)


@from_form
@reading_page
def search(request: HttpRequest, context: QuestionContext, source: Encyclopedia) -> Reading:
    """Search results; the query is stored with the current question."""
    return search_reading(context, source, query_of(request.GET), again=_came_back(request))


@require_safe
@on_question_page()
def suggest(request: HttpRequest, context: QuestionContext) -> HttpResponse:
    """Title suggestions while typing, as JSON; not stored."""
    try:
        found = source_of(context.participant_session.study).suggest(query_of(request.GET))
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
    return visited_reading(context, source, request.GET)


@from_form
@reading_page
def passages(request: HttpRequest, context: QuestionContext, source: Encyclopedia) -> Reading:
    """The passages of an article that fit a query best, cut as models get them; the query is stored."""
    return ranked_reading(context, source, request.GET, again=_came_back(request))


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


@require_POST
@on_question_page()
@saves_page()
def tabs(request: HttpRequest, context: QuestionContext) -> HttpResponse:
    """Open an article in a tab in the background (field ``open``), or close a tab (field ``close``)."""
    if context.practice_desk is not None:
        return practice_views.tabs(request, context, context.practice_desk)
    here, address = here_of(request, context), ""
    assignment = _assignment(context)
    if "close" in request.POST:
        closed = request.POST["close"]
        following = reader_tabs.neighbour(assignment, closed)
        reader_tabs.close_tabs(assignment, [closed])
        if path_of(here) == closed:
            tab = {"from": Origin.TAB.value}
            address = context.url("study-article", path=following.path, **tab) if following else context.base
    else:
        try:
            source = source_of(context.participant_session.study)
            found = find_article(source, request.POST.get("open", ""), context.addresses)
        except (EncyclopediaUnavailableError, ArticleNotFoundError):
            return refused(request, context, "The article could not be opened. Try again in a moment.")
        reader_tabs.open_tab(assignment, found, in_background=True)
    return _part(request, context) or redirect(address or here)


# --- What was read -------------------------------------------------------------------------------------------------


@require_POST
@on_question_page(needs_assignment=True)
@saves_page(own="url")
def report(request: HttpRequest, context: QuestionContext) -> HttpResponse:
    """Add an article that was read elsewhere, by its URL."""
    try:
        visit_log.report(_assignment(context), url=request.POST.get("url", ""), title=request.POST.get("title", ""))
    except (VisitError, AnswerError) as error:
        return refused(request, context, str(error), name="report_problem")
    if (part := _part(request, context)) is not None:
        return part
    messages.success(request, "Added to the articles you read.")
    return redirect(here_of(request, context))


@require_POST
@on_question_page(needs_assignment=True)
@saves_page()
def visit(request: HttpRequest, context: QuestionContext, pk: int) -> HttpResponse:
    """Mark an article as used or not, and save a note on it."""
    found = get_object_or_404(Visit, assignment=context.assignment, pk=pk)
    if is_page_form(request):  # it is saved
        return redirect(here_of(request, context))
    try:
        if "note" in request.POST:
            visit_log.write_note(found, request.POST["note"])
    except AnswerError as error:
        return problem("refused", str(error), 422)
    if "used" in request.POST or "tick" in request.POST:
        visit_log.mark_used(found, used=request.POST.get("used") == "on")
    return JsonResponse({"saved": True}) if wants_json(request) else redirect(context.base)


@require_POST
@on_question_page()
@saves_page(own="article_note")
def save_passage(request: HttpRequest, context: QuestionContext) -> HttpResponse:
    """Save a passage of the open article, or a note with it."""
    if context.practice_desk is not None:
        return practice_views.save_passage(request, context, context.practice_desk)
    fields = request.POST
    try:
        saved_passages.save_passage(
            _assignment(context),
            path=fields.get("path", ""),
            text=fields.get("passage", ""),
            note=fields.get("article_note", ""),
        )
    except (VisitError, AnswerError) as error:
        return refused(request, context, str(error))
    return _part(request, context) or redirect(here_of(request, context))


@require_POST
@on_question_page()
@saves_page()
def saved_passage(request: HttpRequest, context: QuestionContext, pk: int) -> HttpResponse:
    """Save the note on a saved passage (field ``note``), or remove the passage from the list (field ``remove``)."""
    if context.practice_desk is not None:
        return practice_views.saved_passage(request, context, context.practice_desk, pk)
    found = get_object_or_404(SavedPassage, assignment=context.assignment, pk=pk)
    try:
        if "note" in request.POST:
            saved_passages.write_note(found, request.POST["note"])
    except AnswerError as error:
        return problem("refused", str(error), 422)
    if "remove" in request.POST:
        saved_passages.remove(found)
    if wants_json(request):
        return JsonResponse({"saved": True})
    return _part(request, context) or redirect(here_of(request, context))


def _assignment(context: QuestionContext) -> Assignment:
    assert context.assignment is not None  # noqa: S101 - `needs_assignment` ensures it
    return context.assignment


def _part(request: HttpRequest, context: QuestionContext) -> HttpResponse | None:
    """For the page's script, the lists that change; None for a form."""
    return desk(request, context, Reading("start")) if request.headers.get("X-Reader") == "part" else None


def _came_back(request: HttpRequest) -> bool:
    """Whether the page's script restores a page after back or forward navigation."""
    return "X-Again" in request.headers
