"""Events of a submission: its own log and the audit log."""

from leaderboard.models import (
    Event,
    Submission,
    User,
)
from leaderboard.operations import audit


def record_event(submission: Submission, actor: User, done: str, text: str) -> None:
    """Record an event in the submission's log and, unless its owner acted, in the audit log."""
    Event.objects.create(submission=submission, actor=actor, text=text[:400])
    if actor.pk != submission.owner_id:
        audit.record(actor, f"submission.{done}", f"submission {submission.pk}", text)
