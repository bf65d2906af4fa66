"""Emails about submissions: scoring has finished, a maintainer has decided, or the split has a new revision.

Emails are put into the queue (`leaderboard.accounts.mails`). Submissions whose scoring has finished are found in the
database, so none is forgotten if a worker dies.
"""

from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet
from django.urls import reverse
from django.utils import timezone

from leaderboard.access import can_edit, can_view, splits_visible_to
from leaderboard.accounts import mails
from leaderboard.disclosure import HELD, WITHHOLDING, last_tick
from leaderboard.models import Anomaly, Mail, MailKind, Publication, Submission, User
from leaderboard.submissions.page import submission_view
from leaderboard.submissions.types import RunView
from leaderboard.web.site_address import at_site
from scoring.models import Run, Split
from scoring.models.run_states import ACTIVE, RunState

AT_ONCE = 50
"""The maximum number of submissions per sweep."""
INCOMPLETE = "could not be scored completely"


def due() -> QuerySet[Submission]:
    """Submissions whose scoring has finished and whose email has not been sent, unless their scores wait for a
    maintainer, or for the moment at which results of a hidden split are shown. One query."""
    runs = Run.objects.counting().filter(
        answer_set__submission_file__submission=OuterRef("pk"), answer_set__submission_file__replaced_at=None
    )
    held = Anomaly.objects.filter(file__submission=OuterRef("pk"), file__replaced_at=None, code__in=WITHHOLDING)
    return (
        Submission.objects.filter(notified_at=None, withdrawn_at=None)
        .filter(Exists(runs.exclude(state=RunState.CANCELLED)), ~Exists(runs.filter(state__in=ACTIVE)))
        .exclude(Exists(held.filter(reason="")))  # a flag with a reason is decided: nothing waits any more
        .exclude(Exists(runs.filter(finished_at__gt=last_tick())), split__hidden=True)
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
    n_queued = 0
    for submission in due()[:AT_ONCE]:
        with transaction.atomic():
            still_due = Submission.objects.filter(pk=submission.pk, notified_at=None)
            if still_due.update(notified_at=timezone.now()):  # no other worker was faster
                scored_mail(submission, recipient_of(submission))
                n_queued += 1
    return n_queued


def scored_mail(submission: Submission, to: User) -> Mail:
    """Queue the email about finished scoring: which metrics have scores, and why others have none.

    It contains no score, and nothing of the submission except its name.
    """
    view = submission_view(submission, viewer_id=to.pk)
    end = "is scored" if view.state == "done" else INCOMPLETE
    context = {
        "submission": view,
        "files": [(file, [(run.metric_label, _outcome(run)) for run in file.runs]) for file in view.files],
        "address": at_site(view.url),
        "account": to.get_username(),
    }
    subject = f"{submission.name} {end}"
    return mails.queue(MailKind.SCORED, to, subject, "scored.txt", context, submission=submission)


def _outcome(run: RunView) -> str:
    if run.state == RunState.DONE:
        return "scored" if any(score.reason != HELD for score in run.scores) else f"scored. {HELD}"
    return f"{run.state_label.lower()}: {run.reason}" if run.reason else run.state_label.lower()


def queue_decision(publication: Publication, *, actor: User, text: str, message: str = "") -> None:
    """Queue an email about a maintainer's decision to `recipient_of` the submission and whoever requested publication,
    as far as they may see it and did not decide themselves.

    Args:
        text: what was decided, as a sentence.
        message: what the maintainer wrote.
    """
    submission = publication.submission
    for user in {recipient_of(submission), publication.requested_by or submission.owner} - {actor}:
        if can_view(user, submission):
            context = {
                "submission": submission,
                "text": text,
                "message": message,
                "address": at_site(submission.get_absolute_url()),
            }
            subject = f"{submission.name}: {publication.get_state_display().lower()}"
            mails.queue(MailKind.DECISION, user, subject, "decision.txt", context, submission=submission)


def revision_changed(split: Split) -> None:
    """Queue emails about a split's new revision to `recipient_of` each submission to it, one to each person; of a draft
    only to those who see it still."""
    numbers: dict[User, int] = {}
    submissions = Submission.objects.filter(split=split, withdrawn_at=None).select_related("owner", "team")
    for submission in submissions.order_by("created_at"):
        user = recipient_of(submission)
        if can_view(user, submission) and splits_visible_to(user).filter(pk=split.pk).exists():
            numbers[user] = numbers.get(user, 0) + 1
    for user, n_submissions in numbers.items():
        context = {
            "split": split,
            "revision": split.current_revision,
            "n_submissions": n_submissions,
            "address": at_site(reverse("data-card", args=[split.benchmark.slug])),
            "submissions": at_site(reverse("my-submissions")),
        }
        subject = f"{split.benchmark.name}, {split.name}: new revision"
        mails.queue(MailKind.REVISION, user, subject, "revision.txt", context)
