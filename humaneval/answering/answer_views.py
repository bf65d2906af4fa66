"""Saving an answer from the page's script: the answer, conflicts between two versions, the note on the question."""

from typing import Any

from django.http import HttpRequest, JsonResponse
from django.middleware.csrf import get_token
from django.views.decorators.http import require_POST, require_safe

from humaneval.answering import answers, saving
from humaneval.answering.answers import Saved
from humaneval.answering.question_context import QuestionContext, on_question_page


@require_POST
@on_question_page(by_script=True, grace=True)
def answer(request: HttpRequest, context: QuestionContext) -> JsonResponse:
    """Save what is sent: the answer, scores and marks, the active time of the page and of the open article.

    The reply has the current version; with status 409, it is a text that another tab or device saved in between.
    """
    saved = saving.save(context.asked, request.POST)
    return JsonResponse({"beat": True}) if saved is None else _reply(saved)


@require_POST
@on_question_page(by_script=True, grace=True)
def discarded_draft(request: HttpRequest, context: QuestionContext) -> JsonResponse:
    """Store the text that the participant rejected as a revision; the other text stays the answer."""
    return _reply(saving.save_discarded_draft(context.asked, request.POST))


@require_safe
@on_question_page(by_script=True, grace=True)
def current_answer(request: HttpRequest, context: QuestionContext) -> JsonResponse:
    """Return the current answer and a new CSRF token for forms: for a script that resumes after a while."""
    row = context.asked
    saved = Saved(is_saved=True, version=row.version, text=row.text, saved_at=row.saved_at)
    return _reply(saved, token=get_token(request))


@require_POST
@on_question_page(by_script=True, grace=True)
def note(request: HttpRequest, context: QuestionContext) -> JsonResponse:
    """Save the note on a question (field ``note``, and ``was``: what it was before, then what was sent since).

    The reply has the note as it is now.
    """
    note = context.asked.note
    if "note" in request.POST:
        note = answers.write_note(context.asked, request.POST["note"], request.POST.getlist("was"))
    return JsonResponse({"saved": True, "note": note})


def _reply(saved: Saved, **more: Any) -> JsonResponse:
    moment = saved.saved_at.isoformat() if saved.saved_at is not None else None
    said = {"taken": saved.is_saved, "version": saved.version, "text": saved.text, "saved_at": moment}
    return JsonResponse(said | more, status=200 if saved.is_saved else 409)
