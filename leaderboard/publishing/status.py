"""A submission's publication state: published, waiting for a maintainer, anonymous, returned, retracted."""

import datetime
from collections.abc import Sequence
from dataclasses import dataclass

from leaderboard.models import Entry, PublicationState, Submission
from leaderboard.publishing import pseudonyms, requests

NONE = ""
OFF_BOARD = "off_board"
"""Granted once, and not on the board any more."""


@dataclass(frozen=True)
class PublicationView:
    """The publication state for the submitter, and the available choices."""

    first_day: datetime.date = datetime.date.min
    """The first day until which it could be anonymous, and the last."""
    last_day: datetime.date = datetime.date.max
    state: str = NONE
    """Of the wish that counts, a `PublicationState`; empty if it was never to be published, `OFF_BOARD` if it was
    granted but no row stands on the board now: taken off, withdrawn, or a newer submission has its place."""
    requested_at: datetime.datetime | None = None
    message: str = ""
    """A maintainer's, if it was returned."""
    public_note: str = ""
    """Why it was retracted."""
    anonymous_until: datetime.date | None = None
    """Of the wish that counts; also if the day is past."""
    shows_answers: bool = False
    shows_traits: bool = False
    pseudonym: str = ""
    """The made-up name under which it is on the board now."""
    may_be_anonymous: bool = True
    """Whether it was never on the board by its name."""
    needs_approval: bool = False
    split_hidden: bool = True

    @property
    def is_waiting(self) -> bool:
        """Whether a maintainer's decision is pending."""
        return self.state == PublicationState.PENDING

    @property
    def is_returned(self) -> bool:
        """Whether a maintainer returned it, and no new request was made since."""
        return self.state == PublicationState.RETURNED

    @property
    def is_retracted(self) -> bool:
        """Whether a maintainer took it off the board permanently."""
        return self.state == PublicationState.RETRACTED


def publication_view(submission: Submission, entries: Sequence[Entry]) -> PublicationView:
    """A submission's publication state. Two queries.

    Args:
        entries: its current rows on the board, with their systems.
    """
    newest = requests.newest_publication(submission)
    today = pseudonyms.today()
    made_up = next((entry.system.name for entry in entries if entry.system.is_pseudonym), "")
    return PublicationView(
        first_day=today + datetime.timedelta(days=1),
        last_day=today + datetime.timedelta(days=requests.MAX_ANONYMOUS_DAYS),
        state=_state(newest.state, is_public=bool(entries)) if newest else NONE,
        requested_at=newest.requested_at if newest else None,
        message=newest.message if newest else "",
        public_note=newest.public_note if newest else "",
        anonymous_until=newest.anonymous_until if newest else None,
        shows_answers=newest.shows_answers if newest else False,
        shows_traits=newest.shows_traits if newest else False,
        pseudonym=made_up,
        may_be_anonymous=not pseudonyms.was_public_by_name(submission),
        needs_approval=requests.needs_approval(submission.split.benchmark),
        split_hidden=submission.split.hidden,
    )


def _state(request_state: str, *, is_public: bool) -> str:
    return OFF_BOARD if request_state == PublicationState.APPROVED and not is_public else request_state
