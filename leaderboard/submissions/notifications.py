"""Emails about finished scoring, to the submitter or to the sender of the newest version of a file.

Enters: a submission. Leaves: emails in the queue (`leaderboard.accounts.mails`). Submissions whose scoring
has finished are found in the database, so none is forgotten if a worker dies.
"""

from dataclasses import dataclass

from django.conf import settings
from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet
from django.utils import timezone

from leaderboard.access import can_edit
from leaderboard.accounts import mails
from leaderboard.disclosure import HELD
from leaderboard.models import Anomaly, FlagDecision, Mail, MailKind, Submission, User
from leaderboard.publishing.flags import WITHHOLDING
from leaderboard.submissions.page import submission_view
from leaderboard.submissions.types import RunView
from scoring.models import Run
from scoring.models.run_states import ACTIVE, RunState

AT_ONCE = 50
"""The maximum number of submissions per sweep."""
INCOMPLETE = "could not be scored completely"


@dataclass(frozen=True)
class MetricSummary:
    """A metric of a file in an email."""

    label: str
    text: str


def due() -> QuerySet[Submission]:
    """Submissions whose scoring has finished and whose email has not been sent, unless their scores wait for a
    maintainer. One query."""
    runs = Run.objects.counting().filter(
        answer_set__submission_file__submission=OuterRef("pk"), answer_set__submission_file__replaced_at=None
    )
    held = Anomaly.objects.filter(file__submission=OuterRef("pk"), file__replaced_at=None, code__in=WITHHOLDING)
    return (
        Submission.objects.filter(notified_at=None, withdrawn_at=None)
        .filter(Exists(runs.exclude(state=RunState.CANCELLED)), ~Exists(runs.filter(state__in=ACTIVE)))
        .exclude(Exists(held.filter(decision=FlagDecision.OPEN)))
        .select_related("owner", "team", "split__benchmark")
        .order_by("created_at")
    )


def recipient_of(submission: Submission) -> User:
    """The email's recipient: the sender of the newest current file, or, if they left the team since, the owner."""
    newest = submission.files.filter(replaced_at=None).select_related("sent_by").order_by("-sent_at").first()
    sender = newest.sent_by if newest else None
    return sender if sender is not None and can_edit(sender, submission) else submission.owner


def queue_due() -> int:
    """Queue every due email; returns how many submissions they are about."""
    return sum(_queue_scored(submission) for submission in due()[:AT_ONCE])


@transaction.atomic
def _queue_scored(submission: Submission) -> bool:
    """Whether it was due: no other worker was faster."""
    is_due = bool(Submission.objects.filter(pk=submission.pk, notified_at=None).update(notified_at=timezone.now()))
    if is_due:
        scored_mail(submission, recipient_of(submission))
    return is_due


def scored_mail(submission: Submission, to: User) -> Mail:
    """Queue the email about finished scoring: which metrics have scores, and why others have none.

    It contains no score, and nothing of the submission except its name.
    """
    view = submission_view(submission, viewer_id=to.pk)
    end = "is scored" if view.state == "done" else INCOMPLETE
    summaries = {
        file.setting_slug: [MetricSummary(run.metric_label, _said(run)) for run in file.runs] for file in view.files
    }
    context = {
        "submission": view,
        "files": [(file, summaries[file.setting_slug]) for file in view.files],
        "address": settings.SITE_URL + view.url,
        "account": to.get_username(),
    }
    subject = f"{submission.name} {end}"
    return mails.queue(MailKind.SCORED, to, subject, "scored.txt", context, submission=submission)


def _said(run: RunView) -> str:
    if run.state == RunState.DONE:
        return "scored" if any(score.reason != HELD for score in run.scores) else f"scored. {HELD}"
    return f"{run.state_label.lower()}: {run.reason}" if run.reason else run.state_label.lower()
