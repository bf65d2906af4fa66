"""A submission's publication state: published, waiting for a maintainer or the board, anonymous, returned, …"""

import datetime
from collections.abc import Sequence
from dataclasses import dataclass

from leaderboard.models import Entry, PublicationState, Submission
from leaderboard.publishing import flags, pseudonyms, requests

NONE = ""
OFF_BOARD = "off_board"
"""Published once, and no longer on the board."""


@dataclass(frozen=True)
class PublicationView:
    """The publication state for the submitter, and the available choices."""

    first_day: datetime.date = datetime.date.min
    """The first and the last day until which it could be anonymous."""
    last_day: datetime.date = datetime.date.max
    state: str = NONE
    """The `PublicationState` of the current request; empty if there never was one, or if it was
    returned and the submission withdrawn, `OFF_BOARD` if it was granted but no
    row is on the board now: taken off, withdrawn, or replaced by a newer submission."""
    requested_at: datetime.datetime | None = None
    message: str = ""
    """The maintainer's message, if it was returned."""
    public_note: str = ""
    """Why it was retracted."""
    anonymous_until: datetime.date | None = None
    """The day on which the name of its pseudonym is revealed; without one, the day of the current request, even if it
    is past."""
    requested_until: datetime.date | None = None
    """The day of the current request."""
    shows_answers: bool = False
    shows_traits: bool = False
    pseudonym: str = ""
    """The pseudonym under which it is on the board now."""
    may_be_anonymous: bool = True
    """Whether it was never on the board under its name."""
    needs_approval: bool = False
    fingerprint: str = ""
    """The request's fingerprint (`requests.fingerprint`), which is sent back with each decision."""
    split_hidden: bool = True

    @property
    def is_waiting(self) -> bool:
        """Whether a maintainer's decision is pending."""
        return self.state == PublicationState.PENDING

    @property
    def is_joining(self) -> bool:
        """Whether it joins the board once this shows the revision that it is scored on."""
        return self.state == PublicationState.JOINING

    @property
    def is_returned(self) -> bool:
        """Whether a maintainer returned it, and no new request was made since."""
        return self.state == PublicationState.RETURNED

    @property
    def is_retracted(self) -> bool:
        """Whether a maintainer took it off the board permanently."""
        return self.state == PublicationState.RETRACTED


def publication_view(submission: Submission, entries: Sequence[Entry]) -> PublicationView:
    """A submission's publication state. Six queries at most, and three more of one with a pseudonym.

    Args:
        entries: its current rows on the board, with their systems.
    """
    newest = requests.newest_publication(submission)
    today = pseudonyms.today()
    made_up = next((entry.system.name for entry in entries if entry.system.is_pseudonym), "")
    requested_until = newest.anonymous_until if newest else None
    pseudonym = pseudonyms.current_pseudonym(submission) if made_up else None
    state = newest.state if newest else NONE
    if state == PublicationState.RETURNED and submission.withdrawn_at is not None:
        state = NONE
    return PublicationView(
        first_day=today + datetime.timedelta(days=1),
        last_day=today + datetime.timedelta(days=requests.MAX_ANONYMOUS_DAYS),
        state=OFF_BOARD if state == PublicationState.APPROVED and not entries else state,
        requested_at=newest.requested_at if newest else None,
        message=newest.message if newest else "",
        public_note=newest.public_note if newest else "",
        anonymous_until=pseudonym.anonymous_until if pseudonym else requested_until,
        requested_until=requested_until,
        shows_answers=newest.shows_answers if newest else False,
        shows_traits=newest.shows_traits if newest else False,
        pseudonym=made_up,
        may_be_anonymous=not pseudonyms.was_public_by_name(submission),
        needs_approval=requests.needs_approval(submission.split.benchmark)
        or flags.flags_of(submission, flags.RANKING).exists(),
        fingerprint=requests.fingerprint(submission),
        split_hidden=submission.split.hidden,
    )
