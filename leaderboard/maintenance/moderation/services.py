"""Maintainers' decisions about submissions: approving, returning with a message, retracting, putting back.

The submission's page shows every decision to the submitter, and an email announces it. Each is also recorded in the
audit log. The form of a decision checks the maintainer's text.
"""

from typing import Final

from django.db import transaction
from django.utils import timezone

from leaderboard.disclosure import WITHHOLDING
from leaderboard.models import Entry, Event, Publication, PublicationState, Submission, System, User
from leaderboard.operations import audit
from leaderboard.publishing import flags, pseudonyms
from leaderboard.publishing.changing import lock_with_party
from leaderboard.publishing.errors import SubmissionError
from leaderboard.publishing.requests import UNDONE, newest_publication, require_publishable, require_unchanged
from leaderboard.publishing.services import put_on_board, unpublish_entries
from leaderboard.submissions.notifications import queue_decision
from leaderboard.web.dates import day_in_words

MAX_MESSAGE = 4_000
"""The maximum number of characters of a message to the submitter, and of a public note."""
MESSAGE_NEEDED: Final = "Enter a message to the submitter to return the request."
REASON_NEEDED: Final = "Enter the reason for your decision about the flags."
NOTE_NEEDED: Final = "Enter a public note that gives the reason for the retraction."
APPROVED: Final = "A maintainer approved the publication request."
RETURNED: Final = "A maintainer returned the publication request with a message."
RETRACTED: Final = "A maintainer retracted the submission"
PUT_BACK: Final = "A maintainer reversed the retraction."


@transaction.atomic
def approve(submission: Submission, *, actor: User, seen: str | None = None) -> System | None:
    """Grant the pending request: the submission's current files become rows of the board.

    Args:
        seen: what the maintainer reviewed, as in `leaderboard.publishing.requests.require_unchanged`; likewise below.

    Raises:
        SubmissionError: no request is pending, it is not the reviewed one, or it cannot be published now.
    """
    submission = lock_with_party(submission)
    publication = _waiting(submission)
    require_unchanged(submission, seen, flags.ALL)
    require_publishable(submission, by_site=True)
    _decide(publication, PublicationState.APPROVED, actor)
    flags.dismiss(submission)
    Event.objects.create(submission=submission, actor=actor, text=APPROVED)
    system = put_on_board(submission, publication, actor=publication.requested_by or actor)
    queue_decision(publication, actor=actor, text=APPROVED)
    until = publication.anonymous_until if system is None or system.is_pseudonym else None
    how = f"a pseudonym until {day_in_words(until)}" if until else "its own name"
    audit.record(actor, "submission.approved", _target(submission), f"{submission.name}: approved under {how}.")
    return system


@transaction.atomic
def give_back(submission: Submission, *, actor: User, message: str, seen: str | None = None) -> Publication:
    """Return a submission with a pending request, with a message that its page shows to its owner. This confirms its
    open flags: nothing is left to be decided until it is sent again.

    Its existing rows on the board remain.

    Raises:
        SubmissionError: no request is pending, or it has changed.
    """
    submission = lock_with_party(submission)
    publication = _waiting(submission)
    require_unchanged(submission, seen, flags.ALL)
    publication.message = message
    _decide(publication, PublicationState.RETURNED, actor)
    n_flags = flags.confirm(submission, message)
    decided = f" {n_flags} flag{'s' * (n_flags != 1)} confirmed." if n_flags else ""
    audit.record(actor, "submission.returned", _target(submission), f"{message}{decided}")
    Event.objects.create(submission=submission, actor=actor, text=RETURNED)
    queue_decision(publication, actor=actor, text=RETURNED, message=message)
    return publication


@transaction.atomic
def decide_flags(submission: Submission, *, actor: User, dismissed: bool, reason: str, seen: str | None = None) -> int:
    """Dismiss or confirm all open flags of a submission; returns how many there were.

    Dismissed flags are deleted, and make nothing wait: scores of a hidden split are shown, and the submission can be
    published. If they are confirmed, its scores stay private, and publication needs approval.

    Args:
        reason: shown to the submitter if scores waited, and recorded in the audit log.
        seen: as in `approve`.

    Raises:
        SubmissionError: there is no open flag, or they are not the reviewed ones.
    """
    submission = lock_with_party(submission)
    require_unchanged(submission, seen, flags.ALL)
    found = flags.flags_of(submission, flags.ALL).filter(reason="")
    titles = ", ".join(flags.TITLES[code] for code in found.order_by("code").values_list("code", flat=True).distinct())
    waited = flags.flags_of(submission, WITHHOLDING).filter(reason="").exists()
    n_flags = flags.dismiss(submission) if dismissed else flags.confirm(submission, reason)
    if not n_flags:
        raise SubmissionError("This submission has no flag without a decision.")
    done = "dismissed" if dismissed else "confirmed"
    audit.record(actor, f"submission.flags_{done}", _target(submission), f"{titles}: {reason}")
    if waited:
        text = "A maintainer approved showing the scores." if dismissed else "A maintainer refused to show the scores."
        Event.objects.create(submission=submission, actor=actor, text=text)
    return n_flags


@transaction.atomic
def retract(submission: Submission, *, actor: User, note: str, seen: str | None = None) -> Publication:
    """Take a submission's rows off the board, or keep them from joining it, for a public reason, which the page of its
    system shows.

    Snapshots of the board do not change. Only a maintainer can put it back (`put_back`).

    Raises:
        SubmissionError: it neither is on the board nor joins it, or it has changed.
    """
    submission = lock_with_party(submission)
    require_unchanged(submission, seen, flags.ALL)
    pseudonym = pseudonyms.current_pseudonym(submission)
    joins = submission.publications.filter(state=PublicationState.JOINING).exists()
    if not unpublish_entries(submission, retracted_at=timezone.now(), retraction_note=note) and not joins:
        raise SubmissionError("This submission is not on the board, so it cannot be retracted.")
    of_rows = (PublicationState.APPROVED, PublicationState.JOINING)
    granted = submission.publications.filter(state__in=of_rows).order_by("requested_at", "pk").last()
    submission.publications.filter(state__in=UNDONE).update(
        state=PublicationState.RETURNED, message=note, decided_by=actor, decided_at=timezone.now()
    )
    day = granted.anonymous_until if granted else None
    publication = Publication.objects.create(
        submission=submission,
        requested_by=granted.requested_by if granted else submission.owner,
        shows_answers=granted.shows_answers if granted else False,
        anonymous_until=pseudonym.anonymous_until if pseudonym else day,
        shows_traits=granted.shows_traits if granted else False,
        revealed_at=granted.revealed_at if granted else None,
        public_note=note,
    )
    _decide(publication, PublicationState.RETRACTED, actor)
    audit.record(actor, "submission.retracted", _target(submission), note)
    Event.objects.create(submission=submission, actor=actor, text=f"{RETRACTED}: {note}"[:400])
    queue_decision(publication, actor=actor, text=f"{RETRACTED}.", message=note)
    return publication


@transaction.atomic
def put_back(submission: Submission, *, actor: User, seen: str | None = None) -> System | None:
    """End a retraction: the submission's current files are rows of the board again, as they were published.

    This does not make its answers public again.

    Raises:
        SubmissionError: it is not retracted, it has changed, or it cannot be published now.
    """
    submission = lock_with_party(submission)
    retracted = newest_publication(submission)
    if retracted is None or retracted.state != PublicationState.RETRACTED:
        raise SubmissionError("This submission is not retracted.")
    require_unchanged(submission, seen, flags.ALL)
    require_publishable(submission, by_site=True)
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
    Event.objects.create(submission=submission, actor=actor, text=PUT_BACK)
    system = put_on_board(submission, publication, actor=actor)
    queue_decision(publication, actor=actor, text=PUT_BACK)
    return system


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


def _target(submission: Submission) -> str:
    return f"submission {submission.pk}"
