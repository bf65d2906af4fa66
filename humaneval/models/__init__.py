"""The study's tables, by subject."""

from humaneval.models.answering import AnswerRevision, Assignment, StudyResult
from humaneval.models.people import (
    ConsentVersion,
    Contact,
    Invitation,
    InvitationKind,
    Participant,
    StudyEvent,
)
from humaneval.models.studies import Drawing, Study, StudyState, Withdrawal
from humaneval.models.visits import Origin, Search, SearchKind, Visit

__all__ = [
    "AnswerRevision",
    "Assignment",
    "ConsentVersion",
    "Contact",
    "Drawing",
    "Invitation",
    "InvitationKind",
    "Origin",
    "Participant",
    "Search",
    "SearchKind",
    "Study",
    "StudyEvent",
    "StudyResult",
    "StudyState",
    "Visit",
    "Withdrawal",
]
