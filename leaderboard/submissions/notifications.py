"""One email when scoring has finished, to the submitter or to the sender of the newest version of a file.

Due emails are found in the database, so none is lost if a worker dies or the mail server is unavailable: the next
sweep finds them again. An email may be sent twice if the worker died between sending it and recording that.
"""

import logging
import smtplib
from dataclasses import dataclass

from django.conf import settings
from django.core.cache import cache
from django.core.mail import EmailMessage, get_connection
from django.core.mail.backends.base import BaseEmailBackend
from django.db.models import Exists, OuterRef, QuerySet
from django.template.loader import render_to_string
from django.utils import timezone

from leaderboard.access import can_edit
from leaderboard.disclosure import HELD
from leaderboard.models import Anomaly, FlagDecision, Submission, User
from leaderboard.publishing.flags import WITHHOLDING
from leaderboard.submissions.page import submission_view
from leaderboard.submissions.types import RunView
from scoring.models import Run
from scoring.models.run_states import ACTIVE, RunState
from scoring.workers.locks import only_one

logger = logging.getLogger(__name__)

AT_ONCE = 50
"""The maximum number of emails per sweep."""
UNAVAILABLE_SECONDS = 300
"""How long to wait after a mail server could not be reached."""
UNAVAILABLE = "notices:mail-server-away"
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


def send_due() -> int:
    """Send every due email; returns how many were sent.

    After a connection failure the server is not tried again for a while. One refused email does not stop the others.
    """
    if cache.get(UNAVAILABLE) or not due().exists():
        return 0
    n_sent = 0
    with only_one("notices") as mine:
        if not mine:
            return 0
        connection = get_connection()
        for submission in due()[:AT_ONCE]:
            try:
                to = recipient_of(submission)
                n_sent += scored_mail(submission, to, connection).send() if to.email else 0
            except (smtplib.SMTPRecipientsRefused, smtplib.SMTPDataError) as error:
                logger.warning(
                    "The mail server refused the email about submission %s: %s", submission.pk, type(error).__name__
                )
            except (OSError, smtplib.SMTPException) as error:
                logger.warning("The mail server cannot be reached: %s", type(error).__name__)
                cache.set(UNAVAILABLE, True, timeout=UNAVAILABLE_SECONDS)
                break
            Submission.objects.filter(pk=submission.pk).update(notified_at=timezone.now())
    return n_sent


def scored_mail(submission: Submission, to: User, connection: BaseEmailBackend | None = None) -> EmailMessage:
    """The email about finished scoring: which metrics have scores, and why others have none.

    It contains no score, and nothing of the submission except its name.
    """
    view = submission_view(submission, viewer_id=to.pk)
    end = "is scored" if view.state == "done" else INCOMPLETE
    summaries = {
        file.setting_slug: [MetricSummary(run.metric_label, _said(run)) for run in file.runs] for file in view.files
    }
    body = render_to_string(
        "emails/scored.txt",
        {
            "submission": view,
            "files": [(file, summaries[file.setting_slug]) for file in view.files],
            "address": settings.SITE_URL + view.url,
            "account": to.get_username(),
        },
    )
    subject = " ".join(f"{settings.SITE_NAME}: {submission.name} {end}".split())
    return EmailMessage(subject, body, to=[to.email], connection=connection)


def _said(run: RunView) -> str:
    if run.state == RunState.DONE:
        return "scored" if any(score.reason != HELD for score in run.scores) else f"scored. {HELD}"
    return f"{run.state_label.lower()}: {run.reason}" if run.reason else run.state_label.lower()
