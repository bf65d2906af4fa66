"""The tables of the site, one module per subject: people, systems, submissions, entries, boards, quotas,
mails.

Services write the rows, and constraints keep them valid; no model changes any other record.
"""

from leaderboard.models.boards import (
    BoardChange,
    BoardDocument,
    BoardSnapshot,
    BoardStatistics,
    CorrectedScore,
    IdempotentRequest,
    Standing,
)
from leaderboard.models.entries import Entry, EntryKind, ReportedValue
from leaderboard.models.limits import RateCount
from leaderboard.models.mails import Mail, MailKind
from leaderboard.models.people import (
    ApiToken,
    Membership,
    Team,
    TeamInvitation,
    TeamRole,
    TokenScope,
    User,
)
from leaderboard.models.quotas import DraftReader, QuotaException
from leaderboard.models.submissions import (
    Anomaly,
    AuditRecord,
    Event,
    KnownNeed,
    Publication,
    PublicationState,
    Submission,
    SubmissionFile,
    upload_path,
)
from leaderboard.models.systems import (
    SYSTEM_FIELDS,
    WITHHELD,
    WITHHELD_LABEL,
    FactsChange,
    System,
    SystemFields,
    SystemType,
)

__all__ = [
    "SYSTEM_FIELDS",
    "WITHHELD",
    "WITHHELD_LABEL",
    "Anomaly",
    "ApiToken",
    "AuditRecord",
    "BoardChange",
    "BoardDocument",
    "BoardSnapshot",
    "BoardStatistics",
    "CorrectedScore",
    "DraftReader",
    "Entry",
    "EntryKind",
    "Event",
    "FactsChange",
    "IdempotentRequest",
    "KnownNeed",
    "Mail",
    "MailKind",
    "Membership",
    "Publication",
    "PublicationState",
    "QuotaException",
    "RateCount",
    "ReportedValue",
    "Standing",
    "Submission",
    "SubmissionFile",
    "System",
    "SystemFields",
    "SystemType",
    "Team",
    "TeamInvitation",
    "TeamRole",
    "TokenScope",
    "User",
    "upload_path",
]
