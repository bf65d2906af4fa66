"""Tabs and saved passages of the practice question: as those of the study's questions, but in the session."""

from django.http import HttpRequest, HttpResponse, JsonResponse

from humaneval.answering.answers import AnswerError
from humaneval.answering.decorators import problem, wants_json
from humaneval.answering.page_form import here_of, path_of
from humaneval.answering.page_saving import refused
from humaneval.answering.practice_desk import PracticeDesk
from humaneval.answering.question_context import QuestionContext
from humaneval.answering.question_views import desk
from humaneval.answering.readings import reading_at
from humaneval.answering.visit_log import VisitError
from humaneval.encyclopedia.base import ArticleNotFoundError, EncyclopediaUnavailableError
from humaneval.encyclopedia.reader import Reading, find_article, source_of
from humaneval.models import Origin


def tabs(request: HttpRequest, context: QuestionContext, practised: PracticeDesk) -> HttpResponse:
    """Open an article in a tab in the background (field ``open``), or close a tab (field ``close``)."""
    here = here_of(request, context)
    if "close" in request.POST:
        closed = request.POST["close"]
        following = practised.close_tab(closed)
        if path_of(here) == closed:
            tab = {"from": Origin.TAB.value}
            here = context.url("study-article", path=following.path, **tab) if following else context.base
        return _shown(request, context, here)
    try:
        source = source_of(context.participant_session.study)
        practised.open_tab(find_article(source, request.POST.get("open", ""), context.addresses))
    except (EncyclopediaUnavailableError, ArticleNotFoundError):
        return refused(request, context, "The article could not be opened. Try again in a moment.")
    return _shown(request, context, here)


def save_passage(request: HttpRequest, context: QuestionContext, practised: PracticeDesk) -> HttpResponse:
    """Save a passage of the open article, or a note with it."""
    fields = request.POST
    try:
        practised.write_notes(fields)
        practised.save_passage(
            path=fields.get("path", ""), text=fields.get("passage", ""), note=fields.get("article_note", "")
        )
    except (VisitError, AnswerError) as error:
        return refused(request, context, str(error))
    return _shown(request, context, here_of(request, context))


def saved_passage(request: HttpRequest, context: QuestionContext, practised: PracticeDesk, pk: int) -> HttpResponse:
    """Save the note on a saved passage (field ``note``), or remove the passage (field ``remove``)."""
    try:
        practised.write_notes(request.POST)
        if "note" in request.POST:
            practised.write_note(pk, request.POST["note"])
    except AnswerError as error:
        return problem("refused", str(error), 422)
    if "remove" in request.POST:
        practised.remove(pk)
    return JsonResponse({"saved": True}) if wants_json(request) else _shown(request, context, here_of(request, context))


def _shown(request: HttpRequest, context: QuestionContext, here: str) -> HttpResponse:
    """For the page's script, the lists that change; for a form, the page with its text: practice answers are not
    stored."""
    if request.headers.get("X-Reader") == "part":
        return desk(request, context, Reading("start"))
    return desk(request, context, reading_at(context, here), text=request.POST.get("text", ""), here=here)
