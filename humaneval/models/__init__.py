"""The tables of studies and grading, one module per subject."""

from humaneval.models.answering import AnswerRevision, Assignment, StudyResult
from humaneval.models.grading import (
    CorrectionState,
    Grade,
    GradedAnswer,
    GradedAnswerOrigin,
    GradeDraft,
    GradeKind,
    Grader,
    GradingRound,
    GradingSlot,
    ReferenceCorrection,
    Selection,
)
from humaneval.models.items import ItemCheck, ItemOrigin, Mark, Preference, StudyItem, Vote
from humaneval.models.people import (
    ConsentVersion,
    Contact,
    Invitation,
    InvitationKind,
    Participant,
    StudyEvent,
)
from humaneval.models.platforms import Outcome, Platform
from humaneval.models.studies import Kind, OnNamed, SamplingMethod, Study, StudyState, Withdrawal
from humaneval.models.visits import Origin, ReaderTab, Search, SearchKind, Visit

__all__ = [
    "AnswerRevision",
    "Assignment",
    "ConsentVersion",
    "Contact",
    "CorrectionState",
    "Grade",
    "GradeDraft",
    "GradeKind",
    "GradedAnswer",
    "GradedAnswerOrigin",
    "Grader",
    "GradingRound",
    "GradingSlot",
    "Invitation",
    "InvitationKind",
    "ItemCheck",
    "ItemOrigin",
    "Kind",
    "Mark",
    "OnNamed",
    "Origin",
    "Outcome",
    "Participant",
    "Platform",
    "Preference",
    "ReaderTab",
    "ReferenceCorrection",
    "SamplingMethod",
    "Search",
    "SearchKind",
    "Selection",
    "Study",
    "StudyEvent",
    "StudyItem",
    "StudyResult",
    "StudyState",
    "Visit",
    "Vote",
    "Withdrawal",
]
