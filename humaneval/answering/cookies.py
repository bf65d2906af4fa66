"""Identifying the participant of a request: a signed cookie on the study's path, valid as long as the link is."""

from dataclasses import dataclass
from typing import Final
from uuid import UUID

from django.conf import settings
from django.core import signing
from django.http import HttpRequest, HttpResponse
from django.urls import reverse

from humaneval.models import Assignment, Invitation, Participant, Study

COOKIE: Final = "study"
SALT: Final = "humaneval.answering.cookies"
COOKIE_SECONDS: Final = 120 * 86400


@dataclass(frozen=True)
class ParticipantSession:
    """A participant whose link is still valid."""

    study: Study
    participant: Participant
    invitation: Invitation
    assignment: Assignment | None = None
    """That of the question which a page's script asks for, if it was read with the session."""


def session_of(
    request: HttpRequest, slug: str, *, by_script: bool = False, number: int = 0
) -> ParticipantSession | None:
    """The participant of a request: none without the cookie, with a forged cookie or one of another study, or once the
    link is revoked or renewed. One query; for a script, without the benchmark and the practice question.

    Args:
        number: of the question that a script asks for: its assignment is read in the same query. If the participant has
            no such question, there is a second one.
    """
    try:
        pk, generation = signing.loads(request.COOKIES.get(COOKIE, ""), salt=SALT, max_age=COOKIE_SECONDS)
        wanted = UUID(hex=pk)
    except (signing.BadSignature, ValueError, TypeError):
        return None
    valid = {"pk": wanted, "generation": generation, "study__slug": slug, "revoked_at": None}
    if by_script and number:
        assigned = {f"participant__invitation__{name}": value for name, value in valid.items()}
        related = ("participant__consent", "participant__invitation__study")
        for assignment in Assignment.objects.select_related(*related).filter(**assigned, position=number):
            participant, own = assignment.participant, assignment.participant.invitation
            participant.study = own.study
            return ParticipantSession(own.study, participant, own, assignment)
    more = () if by_script else ("study__split__benchmark", "study__practice_question")
    invitations = Invitation.objects.select_related("participant__consent", "study", *more)
    invitation = invitations.filter(**valid, participant__isnull=False).first()
    if invitation is None or invitation.participant is None:
        return None
    invitation.participant.study = invitation.study
    return ParticipantSession(invitation.study, invitation.participant, invitation)


def sign_in(response: HttpResponse, invitation: Invitation) -> HttpResponse:
    """Set the cookie of an invitation's participant."""
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
    """Delete the cookie."""
    response.delete_cookie(COOKIE, path=reverse("study-home", args=[study.slug]), samesite="Lax")
    return response
