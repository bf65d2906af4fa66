"""Saving an answer, by the page's form and by its script. Without JavaScript every control belongs to the form."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, JsonResponse, QueryDict
from django.middleware.csrf import get_token
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.http import require_POST, require_safe

from humaneval.answering import answers, saving, visit_log
from humaneval.answering.answers import AnswerError, NoteConflictError, Saved
from humaneval.answering.progress import progress_of
from humaneval.answering.question_context import QuestionContext, here_of, on_question_page
from humaneval.answering.question_views import question_page
from humaneval.answering.readings import article_at, open_in_background, reading_at
from humaneval.encyclopedia.base import QueryTooLongError, typed_query
from humaneval.encyclopedia.reader import Reading, too_long
from humaneval.models import Assignment, Origin, Visit


@require_POST
@on_question_page(grace=True)
def page(request: HttpRequest, context: QuestionContext, do: str = "") -> HttpResponse:
    """Save the whole form, then do what its button says: field ``do``, with what it is about after a colon."""
    do, _, about = (do or request.POST.get("do", "")).partition(":")
    address = here_of(request, context)
    more: dict[str, Any] = {"text": request.POST["text"]} if "text" in request.POST else {}
    if context.assignment is not None and more:
        more["text"] = saving.typed_text(context.assignment, request.POST)
    fields: QueryDict = request.POST
    if do == "note" and context.assignment is not None:
        fields = _with_chosen_note(context.asked, fields, about)
    reading: Reading | None = None
    try:
        saved = _save_form(context, fields, do)
        if saved is None or saved.is_saved:
            address = _act_on_button(request, context, do, about)
            if context.assignment is not None:
                return HttpResponseRedirect(address, status=303)
            # The practice question stores no answer: its page itself has what was typed.
        else:
            more |= {"status": 409, "conflict": saved}
    except AnswerError as error:
        typed = {"url": ""} | fields.dict()
        if isinstance(error, NoteConflictError):
            more["note_conflict"] = error.saved
        more |= {"status": 422, "typed": typed, "report_problem" if do == "report" else "problem": str(error)}
    except QueryTooLongError as error:
        reading = too_long(error)
        more["status"] = 422
    if context.assignment is not None:
        context.assignment.refresh_from_db()
    return question_page(request, context, reading or reading_at(context, address), here=address, **more)


def _with_chosen_note(assignment: Assignment, fields: QueryDict, choice: str) -> QueryDict:
    """The form with the note that was chosen of two: the saved one, both, or else the one in the form."""
    fields = fields.copy()
    if choice == "other":
        fields["note"] = assignment.note
    elif choice == "both":
        fields["note"] = f"{assignment.note}\n\n{fields.get('note', '')}"
    return fields


def _save_form(context: QuestionContext, fields: QueryDict, do: str) -> Saved | None:
    """Save everything in the form; None if there is no answer in it.

    Raises:
        AnswerError: something cannot be saved as it is; the note and what comes before it in the form are saved.
    """
    assignment, saved = context.assignment, None
    if assignment is not None:
        shown = fields.getlist("shown")
        for visit in Visit.objects.filter(assignment=assignment):
            used = f"used-{visit.pk}" in fields
            if used != visit.used and str(visit.pk) in shown:  # a box that was not shown was not unticked
                visit_log.mark_used(visit, used=used)
        saved = (saving.save_discarded_draft if do == "discard" else saving.save)(assignment, fields)
    # The button for this field insists on it; other buttons save the field if there is something in it.
    if do == "report" or fields.get("url", "").strip():
        visit_log.report(context.asked, url=fields.get("url", ""))
    return saved


def _act_on_button(request: HttpRequest, context: QuestionContext, do: str, about: str) -> str:
    """Do what a button says, after the form is saved; return the address to go on at.

    Raises:
        AnswerError: it cannot be done.
        QueryTooLongError: the query of a search is too long.
    """
    here, fields = here_of(request, context), request.POST
    if do == "enter":  # in a search field that was changed, Enter searches
        query, passages_query, *_ = [*fields.getlist("q"), "", ""]  # the second is there if an article is open
        if query.strip() and query != fields.get("q_shown", ""):
            do = "search"
        elif passages_query.strip() and passages_query != fields.get("passages_shown", ""):
            do = "passages"
    match do:
        case "done":
            answers.mark_done(context.asked)
            return _following(context)
        case "skip":
            answers.skip(context.asked)
            return _following(context)
        case "named" | "not-named":
            answers.mark_named(context.asked, named=do == "named")
        case "search":
            return context.url("study-search", q=typed_query((fields.getlist("q") or [""])[0]))
        case "passages":
            return context.url("study-passages", path=fields.get("path", ""), q=typed_query(fields.get("q", "")))
        case "open":
            open_in_background(context, about)
        case "close":
            following = context.desk.close_tab(about)
            if article_at(here) == about:  # the article that is shown was closed, so go to another one
                origin = {"from": Origin.TAB.value}
                return context.url("study-article", path=following.path, **origin) if following else context.base
        case "report":
            messages.success(request, gettext("Added to the articles you read."))
        case "" | "save" | "note" | "enter" if context.assignment is not None:
            messages.success(request, gettext("Saved."))
    return here


def _following(context: QuestionContext) -> str:
    """The address of the next question without an answer that counts, or of the list of questions."""
    slug, overview = context.participant_session.study.slug, progress_of(context.participant_session.participant)
    later = (
        row.position for row in overview.rows if row.position > context.number and row.progress in ("begun", "open")
    )
    following = next(later, overview.next_number)
    if following in (None, context.number):
        return reverse("study-questions", args=[slug])
    return reverse("study-question", args=[slug, following])


# --- By the page's script ------------------------------------------------------------------------------------------


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
