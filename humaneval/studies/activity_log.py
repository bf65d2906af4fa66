"""The activity log of a study, for its maintainers: append-only records."""

from typing import Final

from humaneval.models import Participant, Study, StudyEvent
from leaderboard.models import User
from leaderboard.operations import audit

LENGTH: Final = 400


def record(study: Study, text: str, *, actor: User | None = None, participant: Participant | None = None) -> StudyEvent:
    """Record an event in a study, in the caller's transaction.

    Args:
        text: the event; cut after 400 characters. No answer, no query, no address, no token.
        actor: the maintainer who did it; None for a participant or the site.
        participant: the participant concerned; only the code (P-01) is stored, which stays when the participant is
            deleted.
    """
    code = participant.code if participant is not None else ""
    return StudyEvent.objects.create(study=study, actor=actor, participant_code=code, text=text[:LENGTH])


def record_action(
    study: Study, action: str, text: str, *, by: User | str | None, participant: Participant | None = None
) -> StudyEvent:
    """Record an action of a maintainer, or of a command by its name: in the study's events and in the site's audit log.

    Args:
        action: the name in the audit log, for example ``study.link-revoked``.
    """
    actor = by if isinstance(by, User) else None
    target = f"study {study.slug}" + (f", {participant.code}" if participant is not None else "")
    audit.record(by if by is not None else "the site", action, target, text)
    return record(study, text, actor=actor, participant=participant)
