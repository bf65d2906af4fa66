"""The practice with feedback, and the test before the questions."""

from collections.abc import Sequence
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods

from humaneval.answering import session
from humaneval.answering.cookies import ParticipantSession
from humaneval.answering.decorators import for_participants
from humaneval.answering.steps import step_of
from humaneval.studies.learning import Shown, n_attempts_of, practice_of, test_of


@require_http_methods(["GET", "HEAD", "POST"])
@for_participants
def rehearsal(request: HttpRequest, participant_session: ParticipantSession) -> HttpResponse:
    """The practice: all of its items in one form, then what is right beside each. It stores no answer, and can be
    repeated."""
    study, participant = participant_session.study, participant_session.participant
    items = practice_of(study, request.POST.dict())
    if not items or step_of(participant_session) in ("study-consent", "study-instructions", "study-thanks"):
        return redirect("study-home", study.slug)
    if "leave" in request.POST:
        session.leave(participant, "rehearsed_at")
        return redirect("study-home", study.slug)
    return _page(request, participant_session, "rehearsal", items)


@require_http_methods(["GET", "HEAD", "POST"])
@for_participants
def test(request: HttpRequest, participant_session: ParticipantSession) -> HttpResponse:
    """One attempt at the test. It is decided when it is sent with an answer to everything."""
    study, participant = participant_session.study, participant_session.participant
    attempt = len(participant.attempts) + 1
    if step_of(participant_session) != "study-test" or request.POST.get("attempt", str(attempt)) != str(attempt):
        return redirect("study-home", study.slug)
    items = test_of(participant, request.POST.dict())
    more = {
        "attempt": attempt,
        "is_last": attempt == n_attempts_of(study),
        "failed": participant.attempts[-1] if participant.attempts else None,
        "percent": round(study.qualification_share * 100),
    }
    if request.method == "POST" and all(item.is_answered for item in items):
        try:
            session.decide(participant, attempt, items)
        except session.StudyClosedError as error:
            return _page(request, participant_session, "test", items, problem=str(error), **more)
        return redirect("study-home", study.slug)
    return _page(request, participant_session, "test", items, **more)


def _page(
    request: HttpRequest, participant_session: ParticipantSession, name: str, items: Sequence[Shown], **more: Any
) -> HttpResponse:
    sent = request.method == "POST"
    complete = all(item.is_answered for item in items)
    if sent and not complete:
        more["problem"] = gettext("Answer everything first. A guess is fine.")
    page = {
        "participant_session": participant_session,
        "items": items,
        "solved": sent and complete,
        "n_right": sum(item.is_right for item in items),
        **more,
    }
    return render(request, f"humaneval/answering/{name}.html", page, status=422 if "problem" in more else 200)
