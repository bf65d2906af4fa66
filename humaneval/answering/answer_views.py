"""Saving on the answer page: the answer, conflicts between two versions, notes, done and skipped."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.middleware.csrf import get_token
from django.shortcuts import redirect
from django.views.decorators.http import require_POST, require_safe

from humaneval.answering import answers, qualification, visit_log
from humaneval.answering.answers import AnswerError, Saved
from humaneval.answering.critiques import save_critique
from humaneval.answering.decorators import problem, wants_json
from humaneval.answering.page_form import entered_address, here_of, is_page_form
from humaneval.answering.page_saving import refused, save_notes, save_page, saves_page
from humaneval.answering.progress import progress_of
from humaneval.answering.question_context import QuestionContext, on_question_page
from humaneval.answering.request_fields import (
    active_seconds,
    answer_fields,
    client_revision_id,
    typed_at,
    typed_text,
    visit_fields,
)
from humaneval.models import Assignment


@require_POST
@on_question_page(needs_assignment=True, grace=True)
def answer(request: HttpRequest, context: QuestionContext) -> HttpResponse:
    """Save the answer, if one is sent, and the active time of the page and of the open article.

    The page's script gets JSON: 200 with the current version, or 409 with the text that another tab or device saved in
    between. A form gets the page again, or what Enter in a search field leads to.
    """
    if is_page_form(request):
        instead = save_page(request, context)
        if instead is None and not (address := entered_address(request, context)):
            messages.success(request, "Saved.")
            address = here_of(request, context)
        return instead or redirect(address)
    return _answer_of_script(request, context)


def _answer_of_script(request: HttpRequest, context: QuestionContext) -> HttpResponse:
    assignment = _assignment(context)
    seconds = active_seconds(request)
    visit, read = visit_fields(request)
    if visit:
        visit_log.update_reading_time(assignment, visit, **read)
    try:
        save_critique(assignment, request.POST)
        if "text" not in request.POST:
            answers.count_active(assignment, seconds)
            return JsonResponse({"beat": True})
        fields = answer_fields(request, context.participant_session.study)
        saved = answers.save_answer(assignment, active_seconds=seconds, **fields)
    except AnswerError as error:
        return problem("refused", str(error), 422)
    return JsonResponse(_as_json(saved), status=200 if saved.is_saved else 409)


@require_POST
@on_question_page(needs_assignment=True, grace=True)
def discarded_draft(request: HttpRequest, context: QuestionContext) -> HttpResponse:
    """Store the text that the participant rejected as a revision; the other text stays the answer."""
    assignment = _assignment(context)
    try:
        save_notes(request, assignment)
        saved = answers.save_discarded_draft(
            assignment,
            text=typed_text(request, context.participant_session.study),
            client_revision_id=client_revision_id(request),
            typed_at=typed_at(request),
        )
    except AnswerError as error:
        return refused(request, context, str(error))
    return JsonResponse(_as_json(saved)) if wants_json(request) else redirect(here_of(request, context))


@require_safe
@on_question_page(needs_assignment=True, grace=True)
def current_answer(request: HttpRequest, context: QuestionContext) -> HttpResponse:
    """Return the current answer and a new CSRF token for forms: for a script that resumes after a while."""
    row = _assignment(context)
    saved = Saved(is_saved=True, version=row.version, text=row.text, saved_at=row.saved_at)
    return JsonResponse({**_as_json(saved), "token": get_token(request)})


@require_POST
@on_question_page(needs_assignment=True, grace=True)
@saves_page()
def done(request: HttpRequest, context: QuestionContext) -> HttpResponse:
    """Save the text in the form, mark the question done, and go to the next."""
    return _leave(request, context, mark_done=True)


@require_POST
@on_question_page(needs_assignment=True, grace=True)
@saves_page()
def skip(request: HttpRequest, context: QuestionContext) -> HttpResponse:
    """Save the text in the form, and skip the question."""
    return _leave(request, context, mark_done=False)


def _leave(request: HttpRequest, context: QuestionContext, *, mark_done: bool) -> HttpResponse:
    assignment = _assignment(context)
    try:
        if mark_done:
            answers.mark_done(assignment)
            qualification.judge(assignment)
        else:
            answers.skip(assignment)
    except AnswerError as error:
        return refused(request, context, str(error))
    overview = progress_of(context.participant_session.participant)
    later = [line.number for line in overview.rows if line.number > context.number and line.state in ("begun", "open")]
    following = later[0] if later else overview.next_number
    slug = context.participant_session.study.slug
    if following is None or following == context.number:
        return redirect("study-questions", slug)
    return redirect("study-question", slug, following)


@require_POST
@on_question_page(needs_assignment=True)
@saves_page()
def note(request: HttpRequest, context: QuestionContext) -> HttpResponse:
    """Save the note on what was read for a question."""
    if is_page_form(request):  # it is saved
        return redirect(here_of(request, context))
    try:
        answers.write_note(_assignment(context), request.POST.get("note", ""))
    except AnswerError as error:
        return refused(request, context, str(error))
    return JsonResponse({"saved": True}) if wants_json(request) else redirect(here_of(request, context))


# --- Between a request and the services ----------------------------------------------------------------------------


def _assignment(context: QuestionContext) -> Assignment:
    assert context.assignment is not None  # noqa: S101 - `needs_assignment` ensures it
    return context.assignment


def _as_json(saved: Saved) -> dict[str, Any]:
    moment = saved.saved_at.isoformat() if saved.saved_at is not None else None
    return {"taken": saved.is_saved, "version": saved.version, "text": saved.text, "saved_at": moment}
