"""Saving the answer page's whole form before anything else happens, and the page if that is impossible."""

from collections.abc import Callable
from functools import wraps

from django.http import HttpRequest, HttpResponse

from humaneval.answering import answers, passages, visit_log
from humaneval.answering.answers import AnswerError, Saved
from humaneval.answering.critiques import save_critique
from humaneval.answering.decorators import problem, wants_json
from humaneval.answering.page_form import here_of, is_page_form
from humaneval.answering.question_context import QuestionContext
from humaneval.answering.question_views import desk
from humaneval.answering.readings import reading_at
from humaneval.answering.request_fields import active_seconds, answer_fields, typed_text
from humaneval.answering.visit_log import VisitError
from humaneval.models import Assignment, SavedPassage, Visit

QuestionView = Callable[..., HttpResponse]


def saves_page(*, own: str = "") -> Callable[[QuestionView], QuestionView]:
    """Save the whole form, if the request has it, before the view does what its button says.

    Args:
        own: a field of the form that the view itself saves.
    """

    def decorate(view: QuestionView) -> QuestionView:
        @wraps(view)
        def wrapped(request: HttpRequest, context: QuestionContext, **kwargs: object) -> HttpResponse:
            instead = save_page(request, context, own=own) if is_page_form(request) else None
            return instead or view(request, context, **kwargs)

        return wrapped

    return decorate


def save_page(request: HttpRequest, context: QuestionContext, *, own: str = "") -> HttpResponse | None:
    """Save everything in the form; return the page instead if a text cannot be saved as it is."""
    assignment = context.assignment
    if assignment is None:
        return None
    try:
        fields = answer_fields(request, context.participant_session.study)
        saved = answers.save_answer(assignment, active_seconds=active_seconds(request), **fields)
        save_notes(request, assignment)
        if own != "article_note" and request.POST.get("article_note", "").strip():
            passages.save_passage(
                assignment, path=request.POST.get("path", ""), note=request.POST.get("article_note", "")
            )
        if own != "url" and request.POST.get("url", "").strip():
            visit_log.report(assignment, url=request.POST["url"])
    except (AnswerError, VisitError) as error:
        return refused(request, context, str(error))
    return None if saved.is_saved else ask(request, context, saved)


def save_notes(request: HttpRequest, assignment: Assignment) -> None:
    """Save what was changed among the selections, notes, scores and marks in the form.

    Raises:
        AnswerError: a text is too long, or a score is none.
    """
    fields = request.POST
    save_critique(assignment, fields)
    if "question_note" in fields and fields["question_note"] != assignment.note:
        answers.write_note(assignment, fields["question_note"])
    for visit in Visit.objects.filter(assignment=assignment, pk__in=_keys(request, "shown")):
        used = f"used-{visit.pk}" in fields
        if used != visit.used:
            visit_log.mark_used(visit, used=used)
        note = fields.get(f"note-{visit.pk}", visit.note)
        if note != visit.note:
            visit_log.write_note(visit, note)
    for passage in SavedPassage.objects.filter(assignment=assignment, pk__in=_keys(request, "passage_shown")):
        note = fields.get(f"passage-note-{passage.pk}", passage.note)
        if note != passage.note:
            passages.write_note(passage, note)


def _typed(request: HttpRequest, context: QuestionContext) -> str:
    return typed_text(request, context.participant_session.study)


def _keys(request: HttpRequest, name: str) -> list[int]:
    texts = request.POST.getlist(name)[:1000]
    return [int(text) for text in texts if text.isascii() and text.isdecimal() and len(text) < 19]


def ask(request: HttpRequest, context: QuestionContext, saved: Saved) -> HttpResponse:
    """The answer page with both texts, for the participant to choose one."""
    if context.assignment is not None:
        context.assignment.refresh_from_db()
    reading = reading_at(context, here_of(request, context))
    return desk(request, context, reading, status=409, conflict=saved, text=_typed(request, context))


def refused(request: HttpRequest, context: QuestionContext, reason: str, *, name: str = "problem") -> HttpResponse:
    """The reason why something cannot be saved, on the page or for a script. The page has everything that was typed.

    Args:
        name: where the page shows it: ``problem``, or ``report_problem`` beside the form for articles read elsewhere.
    """
    if wants_json(request) or request.headers.get("X-Reader") == "part":
        return problem("refused", reason, 422)
    if context.assignment is not None:
        context.assignment.refresh_from_db()
    more = {"text": _typed(request, context)} if "text" in request.POST else {}
    typed = {"article_note": "", "url": ""} | request.POST.dict()
    reading = reading_at(context, here_of(request, context))
    return desk(request, context, reading, status=422, typed=typed, **{name: reason}, **more)
