"""Removal from the board: by unpublishing, and as part of withdrawal, retraction and deletion.

The rows of the submission are marked as replaced, which preserves them, its pending request is withdrawn, and its
boards are written without the rows.
"""

from typing import Any

from django.db import transaction
from django.utils import timezone

from leaderboard.board.staleness import mark_submission
from leaderboard.board.write import write_on_commit
from leaderboard.models import Entry, Submission, User
from leaderboard.publishing.events import record_event
from leaderboard.publishing.locks import lock
from leaderboard.publishing.requests import cancel_request


@transaction.atomic
def unpublish_submission(submission: Submission, *, actor: User) -> None:
    """Take a submission's rows off the board, and cancel its publication request; the rows stay stored and can be
    published again."""
    lock(submission)
    cancelled = cancel_request(submission)
    if unpublish_entries(submission):
        record_event(submission, actor, "unpublished", "Unpublished.")
    elif cancelled:
        record_event(submission, actor, "publication_taken_back", "Withdrew the publication request.")


def unpublish_entries(submission: Submission, **changes: Any) -> int:
    """Remove a submission's rows from their boards, which are written without them as soon as this is committed;
    returns how many rows there were.

    Args:
        changes: more fields of `Entry` to set on them.
    """
    now = timezone.now()
    entries = Entry.objects.filter(submission=submission, replaced_at=None)
    boards = set(entries.order_by().values_list("split", "setting"))
    n_rows = entries.update(replaced_at=now, shows_answers=False, updated_at=now, **changes)
    if n_rows:
        mark_submission(submission)
        write_on_commit(boards)
    return n_rows
