"""Shared rules of all participant pages: who has access, what others see, and that no copy is cached."""

from collections.abc import Callable
from functools import wraps
from typing import Any, Final

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.urls import reverse

from humaneval.answering import session
from humaneval.answering.cookies import ParticipantSession, session_of
from humaneval.studies.outcomes import completion_of
from humaneval.studies.queries import NOT_QUALIFIED

View = Callable[..., HttpResponse]
LINK_REQUIRED: Final = "Open your study link again. You can then continue with all your saved answers."


def for_participants(view: View, *, allows_closed: bool = False, by_script: bool = False) -> View:
    """Pass the requesting participant's session to a view; no cache and no browser stores the response.

    A visitor without a session is asked to use their link again, whether or not the study exists.

    Args:
        allows_closed: whether participants who were given up on or excluded have access too: they may still withdraw.
        by_script: whether a page's script asks: it gets JSON instead of a page.
    """

    @wraps(view)
    def wrapped(request: HttpRequest, slug: str, *args: Any, **kwargs: Any) -> HttpResponse:
        participant_session = session_of(request, slug)
        if participant_session is None:
            response: HttpResponse = (
                problem("link", LINK_REQUIRED, 403)
                if by_script
                else message(request, "Study link required", LINK_REQUIRED, status=403)
            )
        elif not allows_closed and (reason := session.closed_reason(participant_session.participant)):
            response = problem("over", reason, 403) if by_script else ended(request, participant_session, reason)
        else:
            session.touch_last_seen(participant_session.participant)
            response = view(request, participant_session, *args, **kwargs)
        response["Cache-Control"] = "no-store"
        return response

    return wrapped


def problem(kind: str, text: str, status: int, **more: Any) -> JsonResponse:
    """The reply to a script when the request cannot be done: *kind* for the script, *text* for the participant."""
    return JsonResponse({"problem": kind, "text": text, **more}, status=status)


def ended(request: HttpRequest, participant_session: ParticipantSession, reason: str) -> HttpResponse:
    """The page for a participant who cannot continue."""
    withdraw_url = reverse("study-withdraw", args=[participant_session.study.slug])
    participant = participant_session.participant
    # People who are screened out gave time too, and may have to show that to be paid.
    completion = completion_of(participant)
    is_paid = participant.exclusion_reason == NOT_QUALIFIED and completion is None
    receipt = participant.receipt_code if is_paid else ""
    page = {"withdraw_url": withdraw_url, "receipt": receipt, "completion": completion}
    return message(request, "Participation ended", reason, status=403, **page)


def message(request: HttpRequest, title: str, text: str, *, status: int = 200, **more: Any) -> HttpResponse:
    """A page that says one thing; *more* is what else the template shows."""
    return render(request, "humaneval/answering/message.html", {"title": title, "text": text, **more}, status=status)
