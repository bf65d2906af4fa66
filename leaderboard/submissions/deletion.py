"""Permanent deletion of submissions, which leaves only audit records: by a maintainer, or with the owner's account."""

import contextlib
from typing import Final

from django.core.files.storage import Storage
from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet

from leaderboard.accounts import services as account_services
from leaderboard.models import AuditRecord, Entry, Submission, System, User
from leaderboard.operations import audit
from leaderboard.publishing.errors import SubmissionError
from leaderboard.submissions import services
from scoring.models import AnswerSet, Baseline

IS_BASELINE = (
    "Other answers are compared with these: they are the baseline of the split. Choose another baseline first."
)


@transaction.atomic
def delete_submission(submission: Submission, *, actor: User, reason: str = "") -> AuditRecord:
    """Delete a submission with its files, answers, runs, scores and rows; returns the audit record.

    Withdrawal, by the owner, preserves all data. The judge's replies stay stored: they were paid for, and the same
    answer in another submission is not judged again. Snapshots of boards do not change. Comparisons with
    its answers are deleted.

    Raises:
        SubmissionError: it has the baseline of its split.
    """
    # `of`: only the submission is locked, not its split, which every upload refers to.
    submission = Submission.objects.select_for_update(of=("self",)).select_related("split").get(pk=submission.pk)
    files = list(submission.files.select_related("setting", "answer_set__passage_file"))
    answer_sets = [file.answer_set_id for file in files]
    if Baseline.objects.filter(answer_set__in=answer_sets).exists():
        raise SubmissionError(IS_BASELINE)
    stored = [sent.original for file in files for sent in (file, file.passages) if sent is not None]
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
    # Read before the rows are deleted, by which they are found.
    made_up = list(System.objects.filter(is_pseudonym=True, entries__submission=submission).distinct())
    submission.entries.all().delete()
    for system in made_up:
        system.delete()
    submission.delete()
    AnswerSet.objects.filter(pk__in=answer_sets).delete()

    def delete_files() -> None:
        for storage, name in originals:
            with contextlib.suppress(OSError):  # a file that nothing refers to only takes space
                storage.delete(name)

    transaction.on_commit(delete_files)
    return record


_IS_KEPT: Final = Exists(Entry.objects.filter(submission=OuterRef("pk"))) | Exists(
    Baseline.objects.filter(answer_set__submission_file__submission=OuterRef("pk"))
)
"""A submission that is or was on a board, or that others are compared with, outlives its owner's account, because
boards, snapshots and papers cite it; others are deleted with the account."""


def count_own(user: User) -> tuple[int, int]:
    """How many of a user's own submissions are private, and how many are kept. Two queries."""
    own = _own(user).order_by()
    return own.exclude(_IS_KEPT).count(), own.filter(_IS_KEPT).count()


def _own(user: User) -> QuerySet[Submission]:
    return Submission.objects.filter(owner=user, team=None)


@transaction.atomic
def delete_account(*, user: User, erased: bool = False, withdrawn: bool = False) -> None:
    """Delete an account and its private submissions. The others stay, and so do those of its teams, with the record of
    who sent them.

    Args:
        erased: see `leaderboard.accounts.services.delete_account`.
        withdrawn: withdraw the others that are the user's own.

    Raises:
        AccountError: as there; then nothing is deleted.
    """
    User.objects.select_for_update(no_key=True).get(pk=user.pk)  # before the submissions, as when one is published
    for submission in _own(user).exclude(_IS_KEPT):
        delete_submission(submission, actor=user, reason="Its owner deleted the account.")
    for submission in _own(user).filter(_IS_KEPT) if withdrawn else ():
        services.withdraw_submission(submission, actor=user)
    account_services.delete_account(user=user, erased=erased)
