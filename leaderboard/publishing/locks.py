"""Locks on the rows of a submission and of its team."""

from leaderboard.models import (
    Submission,
    Team,
    User,
)


def lock(submission: Submission) -> None:
    """Make this transaction the only one that changes a submission.

    Taken before any lock on its rows or runs: their events refer to the submission, so locking in the reverse order
    could cause a deadlock.
    """
    # `only`: the row is locked, not read.
    Submission.objects.select_for_update().only("pk").get(pk=submission.pk)


def lock_with_party(submission: Submission) -> Submission:
    """Make this transaction the only one that publishes for a submission's owner or team; returns it freshly loaded.

    Concurrent publications are processed one after the other: both may concern the same system and row.
    """
    if submission.team_id:
        Team.objects.select_for_update(no_key=True).get(pk=submission.team_id)
    else:
        User.objects.select_for_update(no_key=True).get(pk=submission.owner_id)
    # `of`: PostgreSQL cannot lock the team, which is joined although there may be none.
    locked = Submission.objects.select_for_update(of=("self",)).select_related("owner", "team", "split__benchmark")
    return locked.get(pk=submission.pk)
