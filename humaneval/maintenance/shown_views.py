"""What participants of a study see, for the maintainer who is setting it up."""

from typing import Final

from csp.decorators import csp_replace
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse
from django.utils import timezone
from django.views.decorators.cache import cache_control
from django.views.decorators.clickjacking import xframe_options_sameorigin
from django.views.decorators.http import require_safe

from humaneval.answering.consent import consent_digest, give_consent
from humaneval.answering.cookies import ParticipantSession
from humaneval.answering.decorators import message
from humaneval.answering.question_context import question_context
from humaneval.answering.question_views import question_page
from humaneval.answering.views import consent_page, instructions_page
from humaneval.encyclopedia.reader import Reading
from humaneval.participants import invitations
from humaneval.studies import access
from humaneval.studies.drawing import StudyClosedError
from leaderboard.access import signed_in_user

PAGES: Final = ("consent", "instructions", "question")


# Only the site's own pages show it in a frame. It runs no script and sends no form there; the origin is for its icons.
@require_safe
@csp_replace({"frame-ancestors": ["'self'"], "sandbox": ["allow-same-origin"]})  # type: ignore[arg-type] # its types forget the arguments of views
@xframe_options_sameorigin
@cache_control(no_store=True)
def shown(request: HttpRequest, slug: str, page: str) -> HttpResponse:
    """A page of the study as a participant would see it now. Nothing is stored: the participant is made for this page
    alone, and rolled back with their questions."""
    study = access.study_for(request.user, slug)
    if page not in PAGES:
        raise Http404("Participants have no such page.")
    with transaction.atomic():
        link = invitations.preview_link(study, by=signed_in_user(request))
        assert link.participant is not None  # noqa: S101 - a preview is somebody's
        link.participant.study = study
        response = _page_of(request, ParticipantSession(study, link.participant, link), page)
        transaction.set_rollback(True)
    return response


def _page_of(request: HttpRequest, participant_session: ParticipantSession, page: str) -> HttpResponse:
    study, participant = participant_session.study, participant_session.participant
    if page == "consent":
        return consent_page(request, participant_session)
    if page == "instructions":
        participant.consented_at = timezone.now()  # after that they are read
        return instructions_page(request, participant_session)
    try:
        give_consent(participant, digest=consent_digest(study))
    except StudyClosedError as error:
        return message(request, "No question to show yet", str(error))
    participant.refresh_from_db()
    participant.study = study
    context = question_context(request, participant_session, 1)
    if context is None:
        return message(request, "No question to show yet", "The study has no questions.")
    return question_page(request, context, Reading("start"))
