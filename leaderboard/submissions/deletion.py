"""Permanent deletion of a submission by a maintainer, which leaves only an audit record."""

import contextlib

from django.core.files.storage import Storage
from django.db import transaction

from leaderboard.models import AuditRecord, Submission, System, User
from leaderboard.operations import audit
from leaderboard.publishing.errors import SubmissionError
from leaderboard.submissions import services
from scoring.models import AnswerSet, Baseline

IS_BASELINE = (
    "Other answers are compared with these: they are the baseline of the split. Choose another baseline first."
)


@transaction.atomic
def delete_submission(submission: Submission, *, actor: User, reason: str = "") -> AuditRecord:
    """Delete a submission with its files, answers, runs, scores, receipts and rows; returns the audit record.

    Withdrawal, by the owner, preserves all data. The judge's replies stay stored: they were paid for, and the same
    answer in another submission is not judged again. Snapshots of boards do not change. Comparisons with
    its answers are deleted.

    Raises:
        SubmissionError: it has the baseline of its split.
    """
    submission = Submission.objects.select_for_update(of=("self",)).select_related("split").get(pk=submission.pk)
    files = list(submission.files.select_related("setting", "answer_set__passage_file"))
    answer_sets = [file.answer_set_id for file in files]
    if Baseline.objects.filter(answer_set__in=answer_sets).exists():
        raise SubmissionError(IS_BASELINE)
    stored = [one.original for file in files for one in (file, file.passages) if one is not None]
    originals: list[tuple[Storage, str]] = [(original.storage, original.name or "") for original in stored]
    names = ", ".join(f"{file.setting.slug} {file.sha256[:16]}" for file in files)
    n_rows = submission.entries.count()
    services.withdraw_submission(submission, actor=actor)  # stops its runs and updates its boards
    record = audit.record(
        actor,
        "submission.deleted",
        f"submission {submission.pk}",
        f"Sent {submission.created_at:%Y-%m-%d} to {submission.split}; files: {names}; {n_rows} rows of boards. "
        f"Reason: {reason or 'none given'}",
    )
    made_up = list(System.objects.filter(is_pseudonym=True, entries__submission=submission).distinct())
    submission.entries.all().delete()
    for system in made_up:
        system.delete()
    submission.delete()
    AnswerSet.objects.filter(pk__in=answer_sets).delete()

    def delete_files() -> None:
        for storage, name in originals:
            with contextlib.suppress(OSError):
                storage.delete(name)

    transaction.on_commit(delete_files)
    return record
