"""Maintainers' decisions about submissions: approving, returning with a message, retracting, putting back.

The submission's page shows every decision to the submitter; no email is sent. Each is also recorded in the audit
log.
"""

from typing import Final

from django.db import transaction
from django.utils import timezone

from leaderboard.models import Entry, Event, Publication, PublicationState, Submission, System, User
from leaderboard.operations import audit
from leaderboard.publishing.errors import SubmissionError
from leaderboard.publishing.locks import lock_with_party
from leaderboard.publishing.removal import unpublish_entries
from leaderboard.publishing.requests import fingerprint, newest_publication, require_publishable
from leaderboard.publishing.services import put_on_board

MAX_MESSAGE = 4_000
"""The maximum number of characters of a message to the submitter, and of a public note."""
CHANGED_SINCE: Final = "The submitter has changed something since you opened this page. Reload the page, then decide."
MESSAGE_NEEDED: Final = "Enter a message to the submitter to return the request."
NOTE_NEEDED: Final = "Enter a public note that gives the reason for the retraction."


@transaction.atomic
def approve(submission: Submission, *, actor: User, reviewed_fingerprint: str = "") -> System:
    """Grant the pending request: the submission's current files become rows of the board.

    Args:
        reviewed_fingerprint: the `leaderboard.publishing.requests.fingerprint` of what the maintainer reviewed.

    Raises:
        SubmissionError: no request is pending, it is not the reviewed one, or it cannot be published now.
    """
    submission = lock_with_party(submission)
    publication = _waiting(submission)
    if reviewed_fingerprint and reviewed_fingerprint != fingerprint(submission):
        raise SubmissionError(CHANGED_SINCE)
    require_publishable(submission)
    _decide(publication, PublicationState.APPROVED, actor)
    audit.record(actor, "submission.approved", _target(submission), f"Revealed the name {submission.name}.")
    Event.objects.create(submission=submission, actor=actor, text="A maintainer approved the publication request.")
    return put_on_board(submission, publication, actor=submission.owner)


@transaction.atomic
def give_back(submission: Submission, *, actor: User, message: str) -> Publication:
    """Return a submission with a pending request, with a message that its page shows to its owner.

    Its existing rows on the board remain.

    Raises:
        SubmissionError: no request is pending, or the message is missing or too long.
    """
    message = _text(message, MESSAGE_NEEDED)
    submission = lock_with_party(submission)
    publication = _waiting(submission)
    publication.message = message
    _decide(publication, PublicationState.RETURNED, actor)
    audit.record(actor, "submission.returned", _target(submission), message)
    Event.objects.create(
        submission=submission, actor=actor, text="A maintainer returned the publication request with a message."
    )
    return publication


@transaction.atomic
def retract(submission: Submission, *, actor: User, note: str) -> Publication:
    """Take a submission's rows off the board for a public reason, shown on the page of its system.

    Snapshots of the board do not change. Only a maintainer can put it back (`put_back`).

    Raises:
        SubmissionError: it is not on the board, or the note is missing or too long.
    """
    note = _text(note, NOTE_NEEDED)
    submission = lock_with_party(submission)
    if not unpublish_entries(submission, retracted_at=timezone.now(), retraction_note=note):
        raise SubmissionError("This submission is not on the board, so it cannot be retracted.")
    waiting = Publication.objects.filter(submission=submission, state=PublicationState.PENDING)
    waiting.update(state=PublicationState.RETURNED, message=note, decided_by=actor, decided_at=timezone.now())
    granted = submission.publications.filter(state=PublicationState.APPROVED).order_by("requested_at", "pk").last()
    publication = Publication.objects.create(
        submission=submission,
        requested_by=granted.requested_by if granted else submission.owner,
        shows_answers=granted.shows_answers if granted else False,
        anonymous_until=granted.anonymous_until if granted else None,
        shows_traits=granted.shows_traits if granted else False,
        revealed_at=granted.revealed_at if granted else None,
        public_note=note,
    )
    _decide(publication, PublicationState.RETRACTED, actor)
    audit.record(actor, "submission.retracted", _target(submission), note)
    Event.objects.create(
        submission=submission, actor=actor, text=f"A maintainer retracted the submission: {note}"[:400]
    )
    return publication


@transaction.atomic
def put_back(submission: Submission, *, actor: User) -> System:
    """End a retraction: the submission's current files are rows of the board again, as they were published.

    This does not make its answers public again.

    Raises:
        SubmissionError: it is not retracted, or it cannot be published now.
    """
    submission = lock_with_party(submission)
    retracted = newest_publication(submission)
    if retracted is None or retracted.state != PublicationState.RETRACTED:
        raise SubmissionError("This submission is not retracted.")
    require_publishable(submission)
    publication = Publication.objects.create(
        submission=submission,
        requested_by=retracted.requested_by,
        anonymous_until=retracted.anonymous_until,
        shows_traits=retracted.shows_traits,
        revealed_at=retracted.revealed_at,
    )
    _decide(publication, PublicationState.APPROVED, actor)
    Entry.objects.filter(submission=submission).update(retracted_at=None, retraction_note="", updated_at=timezone.now())
    audit.record(actor, "submission.put_back", _target(submission), f"Retracted before: {retracted.public_note}")
    Event.objects.create(submission=submission, actor=actor, text="A maintainer reversed the retraction.")
    return put_on_board(submission, publication, actor=submission.owner)


def _waiting(submission: Submission) -> Publication:
    publication = submission.publications.filter(state=PublicationState.PENDING).first()
    if publication is None:
        raise SubmissionError(
            "There is no pending request for this submission: the submitter withdrew it, or "
            "another maintainer decided it."
        )
    return publication


def _decide(publication: Publication, state: PublicationState, actor: User) -> None:
    publication.state = state
    publication.decided_by = actor
    publication.decided_at = timezone.now()
    publication.save()


def _text(given: str, lacking: str) -> str:
    text = given.strip()
    if not text:
        raise SubmissionError(lacking)
    if len(text) > MAX_MESSAGE:
        raise SubmissionError(f"The text has {len(text):,} characters; the maximum is {MAX_MESSAGE:,}.")
    return text


def _target(submission: Submission) -> str:
    return f"submission {submission.pk}"
