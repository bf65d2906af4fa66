"""Who a request of a study comes from: a signed cookie of the study's own path, good for as long as the link is."""

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
    """A participant who came by a link that still works."""

    study: Study
    participant: Participant
    invitation: Invitation


def session_of(request: HttpRequest, slug: str) -> ParticipantSession | None:
    """Whose request this is: nobody's without the cookie, with one that is forged or of another study, or once the link
    is revoked or renewed. One query at most."""
    try:
        pk, generation = signing.loads(request.COOKIES.get(COOKIE, ""), salt=SALT, max_age=COOKIE_SECONDS)
        wanted = UUID(hex=pk)
    except (signing.BadSignature, ValueError, TypeError):
        return None
    invitation = (
        Invitation.objects.select_related("participant", "study__split__benchmark", "study__practice_question")
        .filter(pk=wanted, generation=generation, study__slug=slug, revoked_at=None, participant__isnull=False)
        .first()
    )
    if invitation is None or invitation.participant is None:
        return None
    invitation.participant.study = invitation.study
    return ParticipantSession(invitation.study, invitation.participant, invitation)


def sign_in(response: HttpResponse, invitation: Invitation) -> HttpResponse:
    """Give a browser the cookie of an invitation's participant."""
    response.set_cookie(
        COOKIE,
        signing.dumps([invitation.pk.hex, invitation.generation], salt=SALT),
        max_age=COOKIE_SECONDS,
        path=reverse("study-home", args=[invitation.study.slug]),
        httponly=True,
        secure=settings.SESSION_COOKIE_SECURE,
        samesite="Lax",
    )
    return response


def sign_out(response: HttpResponse, study: Study) -> HttpResponse:
    """Take the cookie back."""
    response.delete_cookie(COOKIE, path=reverse("study-home", args=[study.slug]), samesite="Lax")
    return response
