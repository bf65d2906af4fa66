"""Actions of an owner on a stored submission: withdrawing it, or retrying its failed metrics.

The runs of the submission are cancelled or queued again, and its log gets an event.
"""

from django.db import transaction
from django.utils import timezone

from leaderboard.board.staleness import mark_submission
from leaderboard.models import Submission, User
from leaderboard.publishing.changing import lock, record_event
from leaderboard.publishing.errors import SubmissionError
from leaderboard.publishing.requests import cancel_request
from leaderboard.publishing.services import unpublish_entries
from leaderboard.submissions import quotas
from scoring.models import AnswerSet, Run
from scoring.models.run_states import RunState
from scoring.runs import answer_sets

WITHDRAWN = "The submission was withdrawn."


@transaction.atomic
def withdraw_submission(submission: Submission, *, actor: User) -> None:
    """Withdraw a submission: its rows leave the board, unfinished runs stop, and its publication request is cancelled.
    Its data stays stored."""
    # Publishing and replacing a file lock it too: neither acts on a submission that is withdrawn meanwhile.
    submission = Submission.objects.select_for_update().get(pk=submission.pk)
    if submission.withdrawn_at:
        return
    submission.withdrawn_at = timezone.now()
    submission.save(update_fields=["withdrawn_at"])
    cancel_request(submission)
    if not unpublish_entries(submission):
        mark_submission(submission)  # its earlier rows count no longer in the ranks of that time
    sent = AnswerSet.objects.filter(submission_file__submission=submission)  # older versions too
    answer_sets.cancel_runs(sent, reason=WITHDRAWN)
    record_event(submission, actor, "withdrawn", "Withdrawn.")


@transaction.atomic
def retry_failed_runs(submission: Submission, *, actor: User) -> int:
    """Queue the failed runs of a submission's current files again; returns how many there were.

    A file none of whose metrics succeeded did not count against its sender's quota; now it does.

    Raises:
        SubmissionError: none of them has failed.
        QuotaExceededError: the quota is used up.
    """
    waiting = list(quotas.uncounted(submission).select_related("sent_by"))
    sender = (waiting[0].sent_by if waiting else None) or submission.owner
    quotas.lock(sender, submission.team)
    lock(submission)
    if waiting and quotas.uncounted(submission).exists():
        quotas.consume(sender, submission.split, submission.team, n_files=len(waiting))
    files = submission.files.filter(replaced_at=None)
    failed = Run.objects.filter(answer_set__submission_file__in=files, state=RunState.FAILED)
    retried = sum(answer_sets.retry_run(run) for run in failed)
    if not retried:
        raise SubmissionError("No metric of this submission has failed, so there is nothing to retry.")
    record_event(submission, actor, "retried", f"{retried} failed metrics queued again.")
    return retried
