"""The reader side of the answer page: search, suggestions, articles, passages, visited articles. The server logs
visits.

Each address of something to read works alone, as the whole answer page; a script requests the reader's part only. Tabs
and articles read elsewhere are changed here by scripts, and by the page's form (`page_views`) without them. The
participant's queries and opened articles are stored in the visit log and nowhere else.
"""

from collections.abc import Callable
from functools import partial, wraps
from typing import Final
from urllib.parse import quote_plus

from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404
from django.utils.translation import gettext, gettext_noop
from django.views.decorators.http import require_POST, require_safe

from humaneval.answering import visit_log
from humaneval.answering.decorators import problem
from humaneval.answering.page_views import page
from humaneval.answering.question_context import QuestionContext, on_question_page
from humaneval.answering.question_views import question_page, reader_part
from humaneval.answering.readings import (
    OUTSIDE,
    open_in_background,
    query_of,
    ranked_reading,
    search_reading,
    visited_reading,
)
from humaneval.encyclopedia.base import (
    ArticleNotFoundError,
    EncyclopediaUnavailableError,
    QueryTooLongError,
)
from humaneval.encyclopedia.reader import Reading, outside_reading, picture, source_of, too_long
from humaneval.encyclopedia.sources.caching import Encyclopedia
from humaneval.models import Origin, Visit

Read = Callable[[HttpRequest, QuestionContext, Encyclopedia], Reading]
MISSING: Final = gettext_noop("This encyclopedia does not contain the article. Search for a related one.")
UNAVAILABLE: Final = gettext_noop(
    "The encyclopedia did not respond. Your answer is not affected. Try again in a moment."
)


def reading_page(read: Read, *, do: str = "") -> Callable[..., HttpResponse]:
    """A page with the result of *read* on its reader side, or with the reason why the encyclopedia is unavailable.

    With *do*, the whole form of the answer page may also be sent there, without scripts: it is saved, and leads there.
    """

    @require_safe
    @on_question_page()
    @wraps(read)
    def view(request: HttpRequest, context: QuestionContext) -> HttpResponse:
        try:
            reading = read(request, context, source_of(context.participant_session.study))
        except EncyclopediaUnavailableError:
            said = gettext(UNAVAILABLE)
            reading = Reading("away", message=said, query=request.GET.get("q", ""), again=request.get_full_path())
        except ArticleNotFoundError:
            reading = Reading("missing", message=gettext(MISSING), query=request.GET.get("q", ""))
        except QueryTooLongError as error:
            reading = too_long(error)
        if request.headers.get("X-Reader") == "part":
            return reader_part(request, context, reading)
        return question_page(request, context, reading)

    @wraps(read)
    def view_or_form(request: HttpRequest, slug: str, number: int) -> HttpResponse:
        if do and request.method == "POST":
            return page(request, slug=slug, number=number, do=do)
        return view(request, slug=slug, number=number)

    return view_or_form


@partial(reading_page, do="search")
def search(request: HttpRequest, context: QuestionContext, source: Encyclopedia) -> Reading:
    # The script says so when it restores a page after back or forward navigation: that is no search.
    return search_reading(context, source, query_of(request.GET), again="X-Again" in request.headers)


@partial(reading_page, do="passages")
def passages(request: HttpRequest, context: QuestionContext, source: Encyclopedia) -> Reading:
    """The passages of an article that fit a query best, cut as models get them."""
    return ranked_reading(context, source, request.GET, again="X-Again" in request.headers)


@require_safe
@on_question_page(by_script=True)
def suggest(request: HttpRequest, context: QuestionContext) -> JsonResponse:
    """Title suggestions while typing; not stored."""
    try:
        suggestions = source_of(context.participant_session.study).suggest(query_of(request.GET))
    except EncyclopediaUnavailableError:
        return problem("away", gettext("The encyclopedia is unavailable at the moment."), 200, suggestions=[])
    except QueryTooLongError:
        suggestions = []
    article, origin = context.url("study-article"), Origin.SUGGESTION.value
    titles = [
        {"title": suggestion.title, "url": f"{article}?path={quote_plus(suggestion.path)}&from={origin}"}
        for suggestion in suggestions
    ]
    return JsonResponse({"suggestions": titles})


@reading_page
def article(request: HttpRequest, context: QuestionContext, source: Encyclopedia) -> Reading:
    """An article; the visit is stored with the current question."""
    return visited_reading(context, source, request.GET)


@reading_page
def outside(request: HttpRequest, context: QuestionContext, source: Encyclopedia) -> Reading:
    """The target of a link that leaves the encyclopedia, shown before it is followed."""
    del context, source
    return outside_reading(request.GET.get("to", ""), gettext(OUTSIDE))


@require_safe
@on_question_page()
def image(request: HttpRequest, context: QuestionContext) -> HttpResponse:
    """A picture of an article, if the encyclopedia shows pictures."""
    try:
        source = source_of(context.participant_session.study)
    except EncyclopediaUnavailableError as error:
        raise Http404("There is no such image.") from error
    return picture(source, request.GET.get("path", ""))


# --- Changes by the page's script ----------------------------------------------------------------------------------


@require_POST
@on_question_page(by_script=True)
def tabs(request: HttpRequest, context: QuestionContext) -> HttpResponse:
    """Open an article in a tab in the background (field ``open``), or close a tab (field ``close``)."""
    if "close" in request.POST:
        context.desk.close_tab(request.POST["close"])
    else:
        open_in_background(context, request.POST.get("open", ""))
    return reader_part(request, context)


@require_POST
@on_question_page(by_script=True)
def report(request: HttpRequest, context: QuestionContext) -> HttpResponse:
    """Add an article that was read elsewhere, by its URL."""
    visit_log.report(context.asked, url=request.POST.get("url", ""), title=request.POST.get("title", ""))
    return reader_part(request, context)


@require_POST
@on_question_page(by_script=True, grace=True)
def visit(request: HttpRequest, context: QuestionContext, pk: int) -> JsonResponse:
    """Mark an article as used or not."""
    article = get_object_or_404(Visit, assignment=context.asked, pk=pk)
    visit_log.mark_used(article, used=request.POST.get("used") == "on")
    return JsonResponse({"saved": True})
