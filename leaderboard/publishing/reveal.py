"""Revealing the names of anonymous rows: on the day that was set, or before it at the owner's request.

Enters: a submission that is on a board under a pseudonym. Leaves: its rows under the system of its true name. This
cannot be undone.
"""

from typing import Final

from django.db import transaction

from leaderboard.board.staleness import mark_submission
from leaderboard.models import Event, Submission, System, User
from leaderboard.publishing import pseudonyms
from leaderboard.publishing.errors import SubmissionError
from leaderboard.publishing.events import record_event
from leaderboard.publishing.locks import lock_with_party
from leaderboard.publishing.systems import system_of

NOT_ANONYMOUS: Final = "This submission is not on the board under a pseudonym."
REVEALED: Final = "Name revealed on the board."
REVEALED_ON_ITS_DAY: Final = "Name revealed on the board, on the chosen day."


@transaction.atomic
def reveal_submission(submission: Submission, *, actor: User) -> System:
    """Reveal the true name of an anonymous submission's rows before their day. This cannot be undone.

    Raises:
        SubmissionError: it is not on the board anonymously.
    """
    submission = lock_with_party(submission)
    if pseudonyms.current_pseudonym(submission) is None:
        raise SubmissionError(NOT_ANONYMOUS)
    system = _reveal(submission)
    record_event(submission, actor, "revealed", REVEALED)
    return system


def reveal_due() -> int:
    """Reveal the name of every anonymous row whose day has come (UTC); returns the number of submissions."""
    return sum(_reveal_if_due(submission) for submission in pseudonyms.due())


@transaction.atomic
def _reveal_if_due(submission: Submission) -> bool:
    """Whether it was due: no other process was faster, and its owner chose no other day."""
    submission = lock_with_party(submission)
    pseudonym = pseudonyms.current_pseudonym(submission)
    if pseudonym is None or not pseudonym.is_due:
        return False
    _reveal(submission)
    Event.objects.create(submission=submission, actor=None, text=REVEALED_ON_ITS_DAY)
    return True


def _reveal(submission: Submission) -> System:
    system = system_of(submission, keep_newer=True)
    pseudonyms.reveal(submission, system)
    mark_submission(submission)
    return system
