"""Identifying the participant of a request: a signed cookie on the study's path, valid as long as the link is."""

from dataclasses import dataclass
from typing import Final
from uuid import UUID

from django.conf import settings
from django.core import signing
from django.http import HttpRequest, HttpResponse
from django.urls import reverse

from humaneval.models import Invitation, Participant, Study

COOKIE: Final = "study"
SALT: Final = "humaneval.answering.cookies"
COOKIE_SECONDS: Final = 120 * 86400


@dataclass(frozen=True)
class ParticipantSession:
    """A participant whose link is still valid."""

    study: Study
    participant: Participant
    invitation: Invitation


def session_of(request: HttpRequest, slug: str) -> ParticipantSession | None:
    """The participant of a request: none without the cookie, with a forged cookie or one of another study, or once the
    link is revoked or renewed."""
    try:
        pk, generation = signing.loads(request.COOKIES.get(COOKIE, ""), salt=SALT, max_age=COOKIE_SECONDS)
        wanted = UUID(hex=pk)
    except (signing.BadSignature, ValueError, TypeError):
        return None
    # The generation makes a renewed link end the sessions of the one before.
    invitation = (
        Invitation.objects.select_related("participant__consent", "study__split__benchmark", "study__practice_question")
        .filter(pk=wanted, generation=generation, study__slug=slug, revoked_at=None, participant__isnull=False)
        .first()
    )
    if invitation is None or invitation.participant is None:
        return None
    invitation.participant.study = invitation.study
    return ParticipantSession(invitation.study, invitation.participant, invitation)


def sign_in(response: HttpResponse, invitation: Invitation) -> HttpResponse:
    """Set the cookie of an invitation's participant; on shared computers, closing the browser deletes it."""
    response.set_cookie(
        COOKIE,
        signing.dumps([invitation.pk.hex, invitation.generation], salt=SALT),
        max_age=None if invitation.study.on_shared_computer else COOKIE_SECONDS,
        path=reverse("study-home", args=[invitation.study.slug]),
        httponly=True,
        secure=settings.SESSION_COOKIE_SECURE,
        samesite="Lax",
    )
    return response


def sign_out(response: HttpResponse, study: Study) -> HttpResponse:
    response.delete_cookie(COOKIE, path=reverse("study-home", args=[study.slug]), samesite="Lax")
    return response
