"""Publication requests: the latest one of a submission, whether it can be granted, and pending ones.

Enters: a submission, and its owner's publication options. Leaves: the `Publication` that records them, or the reason
for refusing it. The benchmark defines whether a request needs approval (`needs_approval`); a pending one is decided in
`leaderboard.maintenance.moderation.services`.
"""

import datetime
import hashlib
from collections.abc import Mapping
from typing import Any, Final

from django.utils import timezone

from leaderboard.models import Entry, Publication, PublicationState, Submission, User
from leaderboard.publishing import pseudonyms
from leaderboard.publishing.errors import SubmissionError
from leaderboard.publishing.events import record_event
from leaderboard.web.dates import day_in_words
from scoring.benchmarks import definition_of
from scoring.models import Benchmark, Run
from scoring.models.run_states import ACTIVE, RunState
from scoring.runs.judging import baselines

MAX_ANONYMOUS_DAYS = 730
"""The maximum number of days until an anonymous row's name is revealed."""
WITHDRAWN: Final = "A withdrawn submission cannot be published."
STILL_SCORING: Final = "This submission is still being scored. Publish it when scoring is finished."
OF_FILE: Final = ("answer_set__split__benchmark", "answer_set__setting")
NO_SCORE: Final = "This submission cannot be published yet because it has no score."


def needs_approval(benchmark: Benchmark) -> bool:
    """Whether a maintainer must approve before a submission to *benchmark* is published."""
    if benchmark.needs_approval is not None:
        return benchmark.needs_approval
    return definition_of(benchmark.slug).needs_approval


def newest_publication(submission: Submission) -> Publication | None:
    """The current publication request."""
    return submission.publications.order_by("-requested_at", "-pk").first()


def requested_day(submission: Submission) -> datetime.date | None:
    """The day until which a submission was last requested to be anonymous, if that day is in the future, and the
    submission is not on the board and never was under its name: publishing it again then requires an explicit choice
    about its name. Three queries."""
    newest = newest_publication(submission)
    until = newest.anonymous_until if newest is not None and newest.revealed_at is None else None
    if until is None or until <= pseudonyms.today() or pseudonyms.current_pseudonym(submission) is not None:
        return None
    return None if pseudonyms.was_public_by_name(submission) else until


def is_complete(submission: Submission) -> bool:
    """Whether every current file of a submission has a row on the board. Two queries."""
    current = submission.files.filter(replaced_at=None).values_list("answer_set", flat=True)
    on_board = Entry.objects.filter(submission=submission, replaced_at=None).values_list("answer_set", flat=True)
    return set(current) <= set(on_board)


def fingerprint(submission: Submission) -> str:
    """A short digest of what a maintainer decides about: another request or another file changes it. Two queries."""
    newest = newest_publication(submission)
    files = list(submission.files.filter(replaced_at=None).order_by("pk").values_list("pk", flat=True))
    names = ("pk", "state", "anonymous_until", "shows_answers", "shows_traits")
    options = [getattr(newest, name) for name in names] if newest else []
    return hashlib.sha256(repr((options, files)).encode()).hexdigest()[:16]


def require_publishable(submission: Submission) -> None:
    """Check that a submission's current files can become rows of a board.

    Raises:
        SubmissionError: it is withdrawn, still being scored, or has no score at all and will not be the baseline.
    """
    if submission.withdrawn_at:
        raise SubmissionError(WITHDRAWN)
    runs = Run.objects.filter(answer_set__submission_file__in=submission.files.filter(replaced_at=None))
    if runs.filter(state__in=ACTIVE).exists():
        raise SubmissionError(STILL_SCORING)
    if not runs.filter(state=RunState.DONE).exists() and not becomes_baseline(submission):
        raise SubmissionError(NO_SCORE)


def becomes_baseline(submission: Submission) -> bool:
    """Whether publishing a submission makes it the baseline of its split, which therefore has no scores yet. No query
    unless its benchmark declares a default baseline; then four at most."""
    setting = definition_of(submission.split.benchmark.slug).default_baseline
    if not setting:
        return False
    file = submission.files.filter(replaced_at=None, setting__slug=setting).select_related(*OF_FILE).first()
    return file is not None and baselines.may_be_default(file.answer_set)


def require_day(day: datetime.date) -> None:
    """Check that a row can be anonymous until *day*.

    Raises:
        SubmissionError: it is not after today (UTC), or more than `MAX_ANONYMOUS_DAYS` ahead.
    """
    today = timezone.now().astimezone(datetime.UTC).date()
    if not today < day <= today + datetime.timedelta(days=MAX_ANONYMOUS_DAYS):
        last = today + datetime.timedelta(days=MAX_ANONYMOUS_DAYS)
        raise SubmissionError(
            f"Choose a date after today, {day_in_words(today)}, and no later than {day_in_words(last)}."
        )


def is_in_force(newest: Publication, options: Mapping[str, Any]) -> bool:
    """Whether the latest request asked for the same, was granted, and the rows on the board show answers as it says:
    the owner can change that without a request. One query at most."""
    if newest.state != PublicationState.APPROVED or any(
        getattr(newest, name) != value for name, value in options.items()
    ):
        return False
    rows = Entry.objects.filter(submission=newest.submission_id, replaced_at=None)
    return not rows.exclude(shows_answers=options["shows_answers"]).exists()


def request_publication(
    submission: Submission, newest: Publication | None, actor: User, options: Mapping[str, Any]
) -> Publication:
    """Store a request for a maintainer to decide; a pending one is changed."""
    if newest is None or newest.state != PublicationState.PENDING:
        publication = Publication.objects.create(submission=submission, requested_by=actor, **options)
        record_event(
            submission, actor, "publication_requested", "Requested publication; a maintainer reviews the request."
        )
        return publication
    for name, value in options.items():
        setattr(newest, name, value)
    newest.requested_by = actor
    newest.save(update_fields=[*options, "requested_by"])
    record_event(
        submission,
        actor,
        "publication_requested",
        "Changed the publication request; it awaits approval by a maintainer.",
    )
    return newest


def cancel_request(submission: Submission) -> int:
    """Cancel a pending publication request; returns how many there were."""
    waiting = Publication.objects.filter(submission=submission, state=PublicationState.PENDING)
    return waiting.update(state=PublicationState.TAKEN_BACK, decided_at=timezone.now())
