"""Locks on the rows of a submission and of its team."""

from leaderboard.models import (
    Submission,
    Team,
    User,
)


def lock(submission: Submission) -> None:
    """Have this transaction be the only one to change a submission.

    Taken before any lock on its rows or runs: their events refer to it, and who holds them first and comes to it last
    waits for who does it the other way round, and so without end.
    """
    Submission.objects.select_for_update().only("pk").get(pk=submission.pk)


def lock_with_party(submission: Submission) -> Submission:
    """Have this transaction be the only one to publish anything of a submission's owner or team; returns it afresh.

    Whoever publishes twice at once does so one after the other: both may be about the same system and row.
    """
    if submission.team_id:
        Team.objects.select_for_update(no_key=True).get(pk=submission.team_id)
    else:
        User.objects.select_for_update(no_key=True).get(pk=submission.owner_id)
    found = Submission.objects.select_for_update(of=("self",)).select_related("owner", "team", "split__benchmark")
    return found.get(pk=submission.pk)
