"""Revealing the names of anonymous rows: on the day that was set, or before it at the owner's request.

The rows move from the pseudonym to the system of the true name. This cannot be undone.
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
    n_revealed = 0
    for due in pseudonyms.due():
        with transaction.atomic():
            submission = lock_with_party(due)
            pseudonym = pseudonyms.current_pseudonym(submission)
            if pseudonym is not None and pseudonym.is_due:  # no other process was faster, nobody chose another day
                _reveal(submission)
                Event.objects.create(submission=submission, actor=None, text=REVEALED_ON_ITS_DAY)
                n_revealed += 1
    return n_revealed


def _reveal(submission: Submission) -> System:
    system = system_of(submission, keep_newer=True)
    pseudonyms.reveal(submission, system)
    mark_submission(submission)
    return system
