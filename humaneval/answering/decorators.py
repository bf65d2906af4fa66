"""Shared rules of all participant pages: who has access, what others see, and that no copy is cached."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.urls import reverse

from humaneval.answering import session
from humaneval.answering.cookies import ParticipantSession, session_of

View = Callable[..., HttpResponse]


def for_participants(view: View) -> View:
    """Pass the requesting participant's session to a view; no cache and no browser stores the response.

    A visitor without a session is asked to use their link again, whether or not the study exists.
    """
    return _guarded(view, allows_closed=False)


def for_everyone_who_joined(view: View) -> View:
    """As `for_participants`, also for participants who were given up on or excluded: they may still withdraw."""
    return _guarded(view, allows_closed=True)


def _guarded(view: View, *, allows_closed: bool) -> View:
    @wraps(view)
    def wrapped(request: HttpRequest, slug: str, *args: Any, **kwargs: Any) -> HttpResponse:
        participant_session = session_of(request, slug)
        if participant_session is None:
            response = _no_session(request)
        elif not allows_closed and (reason := session.closed_reason(participant_session.participant)):
            response = ended(request, participant_session, reason)
        else:
            session.touch_last_seen(participant_session.participant)
            response = view(request, participant_session, *args, **kwargs)
        response["Cache-Control"] = "no-store"
        return response

    return wrapped


def wants_json(request: HttpRequest) -> bool:
    """Whether the request is from a script, not from a person viewing a page."""
    return request.headers.get("Accept") == "application/json"


def problem(kind: str, text: str, status: int, **more: Any) -> JsonResponse:
    """The reply to a script when the request cannot be done: *kind* for the script, *text* for the participant."""
    return JsonResponse({"problem": kind, "text": text, **more}, status=status)


def ended(request: HttpRequest, participant_session: ParticipantSession, reason: str) -> HttpResponse:
    """The page (or, for a script, the JSON) for a participant who cannot continue."""
    if wants_json(request):
        return problem("over", reason, 403)
    page = {
        "title": "Participation ended",
        "text": reason,
        "withdraw_url": reverse("study-withdraw", args=[participant_session.study.slug]),
    }
    return render(request, "humaneval/answering/message.html", page, status=403)


def _no_session(request: HttpRequest) -> HttpResponse:
    text = "Open your study link again. You can then continue with all your saved answers."
    if wants_json(request):
        return problem("link", text, 403)
    return render(
        request, "humaneval/answering/message.html", {"title": "Study link required", "text": text}, status=403
    )
