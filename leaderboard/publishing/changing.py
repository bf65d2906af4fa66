"""What every change to a submission does: it locks the submission's rows, and records an event."""

from leaderboard.models import Event, Submission, Team, User
from leaderboard.operations import audit


def record_event(submission: Submission, actor: User, done: str, text: str) -> None:
    """Record an event in the submission's log and, unless its owner acted, in the audit log."""
    Event.objects.create(submission=submission, actor=actor, text=text[:400])
    if actor.pk != submission.owner_id:
        audit.record(actor, f"submission.{done}", f"submission {submission.pk}", text)


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
