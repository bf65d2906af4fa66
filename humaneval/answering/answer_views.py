"""Saving an answer from the page's script: the answer with its note, and conflicts between two versions."""

from typing import Any

from django.http import HttpRequest, JsonResponse
from django.middleware.csrf import get_token
from django.views.decorators.http import require_POST, require_safe

from humaneval.answering import saving
from humaneval.answering.answers import Saved
from humaneval.answering.question_context import QuestionContext, on_question_page


@require_POST
@on_question_page(by_script=True, grace=True)
def answer(request: HttpRequest, context: QuestionContext) -> JsonResponse:
    """Save what is sent: the answer, its note, scores and marks, the active time of the page and of the open article.

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


def _reply(saved: Saved, **more: Any) -> JsonResponse:
    moment = saved.saved_at.isoformat() if saved.saved_at is not None else None
    said = {"taken": saved.is_saved, "version": saved.version, "text": saved.text, "saved_at": moment}
    return JsonResponse(said | more, status=200 if saved.is_saved else 409)
