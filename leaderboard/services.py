"""Changing the site: submissions, their publication, tokens, reported rows."""

import datetime
import hashlib
import secrets
from collections.abc import Mapping

from django.db import transaction
from django.utils import timezone

from leaderboard.board import standings
from leaderboard.models import (
    SYSTEM_FIELDS,
    ApiToken,
    Entry,
    EntryKind,
    ReportedValue,
    Submission,
    System,
    User,
)
from leaderboard.publishing import (
    SubmissionError,
    free_slug,
    lock,
    publish_submission,
    show_answers,
    take_off_the_board,
    told,
    unpublish_submission,
)
from leaderboard.sending import CheckedFile, SameFileError, create_submission, replace_files
from scoring.benchmarks.base import PublishedResults
from scoring.models import AnswerSet, Benchmark, Run, Setting, Split
from scoring.models.run_states import RunState
from scoring.runs import answer_sets

__all__ = [
    "CheckedFile",
    "SameFileError",
    "SubmissionError",
    "create_submission",
    "free_slug",
    "publish_submission",
    "replace_files",
    "show_answers",
    "unpublish_submission",
]
"""What others look for here and `leaderboard.publishing` and `leaderboard.sending` have."""

TOKEN_PREFIX = "mh_"  # noqa: S105 - what tokens begin with, not one
MAX_TOKENS = 50
"""How many tokens of an account work at a time."""
TOKEN_USE_SECONDS = 60
"""How exactly the last use of a token is noted: often enough to be told, seldom enough not to write at each request."""


# --- Submissions ---------------------------------------------------------------------------------------------------


def answer_sets_of(submission: Submission) -> list[AnswerSet]:
    """The answer sets of a submission's files, those of older versions included."""
    return list(AnswerSet.objects.filter(submission_file__submission=submission))


@transaction.atomic
def withdraw_submission(submission: Submission, *, actor: User) -> None:
    """Take a submission back: its rows leave the board and unfinished runs stop. What was sent is kept."""
    submission = Submission.objects.select_for_update().get(pk=submission.pk)
    if submission.withdrawn_at:
        return
    submission.withdrawn_at = timezone.now()
    submission.save(update_fields=["withdrawn_at"])
    take_off_the_board(submission)
    answer_sets.cancel_runs(answer_sets_of(submission), reason="The submission was withdrawn.")
    told(submission, actor, "withdrawn", "Withdrawn.")
    standings.refresh_soon()


@transaction.atomic
def retry_failed_runs(submission: Submission, *, actor: User) -> int:
    """Put the failed runs of a submission's current files back in line; returns how many there were.

    Raises:
        SubmissionError: none of them has failed.
    """
    lock(submission)
    files = submission.files.filter(replaced_at=None)
    failed = Run.objects.filter(answer_set__submission_file__in=files, state=RunState.FAILED)
    retried = sum(answer_sets.retry_run(run) for run in failed)
    if not retried:
        raise SubmissionError("Nothing of it has failed.")
    told(submission, actor, "retried", f"{retried} failed metrics put back in line.")
    return retried


# --- Reported rows -------------------------------------------------------------------------------------------------


@transaction.atomic
def import_published(benchmark: Benchmark, results: PublishedResults) -> tuple[int, int]:
    """Load published numbers as *reported* rows; returns how many rows were made and how many were there already."""
    split = benchmark.splits.get(slug=results.split)
    settings_by_slug = {setting.slug: setting for setting in benchmark.settings.all()}
    systems = {}
    for slug, fields in results.systems.items():
        values = {name: fields[name] for name in SYSTEM_FIELDS if name in fields}
        systems[slug], _ = System.objects.update_or_create(
            owner=None,
            name=values["name"],
            defaults={**values, "is_human": fields.get("is_human", False)},
            create_defaults={**values, "is_human": fields.get("is_human", False), "slug": free_slug(slug)},
        )
    published_at = datetime.datetime.combine(results.published, datetime.time(), tzinfo=datetime.UTC)
    made = 0
    for row in results.rows:
        made += report_row(
            system=systems[row.system],
            split=split,
            setting=settings_by_slug[row.setting],
            source=row.source,
            note=row.note,
            context_size=row.context_size,
            values=row.values,
            published_at=published_at,
        )
    return made, len(results.rows) - made


@transaction.atomic
def report_row(
    *,
    system: System,
    split: Split,
    setting: Setting,
    source: str,
    note: str,
    context_size: int | None,
    values: Mapping[str, float],
    published_at: datetime.datetime,
) -> bool:
    """Put published numbers on the board as a *reported* row; false if the source's latest row says just this.

    The row that the system had there until now is kept, off the board.
    """
    System.objects.select_for_update(no_key=True).get(pk=system.pk)
    rows = Entry.objects.filter(system=system, split=split, setting=setting, kind=EntryKind.REPORTED)
    latest = rows.filter(source=source).order_by("-pk").first()
    if latest is not None:
        said = dict(latest.reported_values.values_list("name", "value"))
        if (latest.note, latest.context_size, said) == (note, context_size, dict(values)):
            return False
    rows.filter(replaced_at=None).update(replaced_at=timezone.now())
    entry = Entry.objects.create(
        system=system,
        split=split,
        setting=setting,
        kind=EntryKind.REPORTED,
        source=source,
        note=note,
        context_size=context_size,
        published_at=published_at,
    )
    ReportedValue.objects.bulk_create(
        [ReportedValue(entry=entry, name=name, value=value) for name, value in values.items()]
    )
    return True


# --- Tokens --------------------------------------------------------------------------------------------------------


class TooManyTokensError(ValueError):
    """An account has as many tokens as it may; the message is for its owner."""


@transaction.atomic
def create_token(*, user: User, name: str) -> tuple[ApiToken, str]:
    """Make an API token; returns its record and the token itself, which is never shown again.

    Raises:
        TooManyTokensError: the account has `MAX_TOKENS` that are not revoked.
    """
    User.objects.select_for_update(no_key=True).get(pk=user.pk)
    if ApiToken.objects.filter(user=user, revoked_at=None).count() >= MAX_TOKENS:
        raise TooManyTokensError(f"An account has up to {MAX_TOKENS} tokens. Revoke one that you no longer use.")
    secret = TOKEN_PREFIX + secrets.token_urlsafe(32)
    token = ApiToken.objects.create(user=user, name=name, prefix=secret[:8], digest=digest_of(secret))
    return token, secret


def revoke_token(token: ApiToken) -> None:
    """Make a token useless from now on; its record stays."""
    ApiToken.objects.filter(pk=token.pk, revoked_at=None).update(revoked_at=timezone.now())


def digest_of(secret: str) -> str:
    """What is kept of a token: the SHA-256 of a random 256-bit secret needs no salt."""
    return hashlib.sha256(secret.encode()).hexdigest()


def user_of_token(secret: str) -> User | None:
    """Whose token this is, if it is anybody's and not revoked; notes its use."""
    token = ApiToken.objects.select_related("user").filter(digest=digest_of(secret), revoked_at=None).first()
    if token is None or not token.user.is_active:
        return None
    now = timezone.now()
    if token.last_used_at is None or now - token.last_used_at > datetime.timedelta(seconds=TOKEN_USE_SECONDS):
        ApiToken.objects.filter(pk=token.pk).update(last_used_at=now)
    return token.user
