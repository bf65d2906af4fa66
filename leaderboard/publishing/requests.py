"""Publication requests: the latest one of a submission, whether it can be granted, and pending ones.

A request is recorded as a `Publication` with its owner's options, or refused with the reason. The benchmark defines
whether a request needs approval (`needs_approval`); a pending one is decided in
`leaderboard.maintenance.moderation.services`.
"""

import datetime
import hashlib
from collections.abc import Mapping, Sequence
from typing import Any, Final

from django.urls import reverse
from django.utils import timezone

from leaderboard import access
from leaderboard.accounts import mails
from leaderboard.disclosure import WITHHOLDING, are_results_shown
from leaderboard.models import Entry, MailKind, Publication, PublicationState, Submission, User
from leaderboard.publishing import flags, pseudonyms
from leaderboard.publishing.changing import record_event
from leaderboard.publishing.errors import SubmissionError
from leaderboard.web.dates import day_in_words
from leaderboard.web.site_address import at_site
from scoring.benchmarks import definition_of
from scoring.models import Benchmark, CurrentSignature, Run, Score, SplitPhase
from scoring.models.run_states import ACTIVE, RunState
from scoring.queries import on_one_revision, shows_earlier_revision
from scoring.runs.judging import baselines

MAX_ANONYMOUS_DAYS = 730
"""The maximum number of days until an anonymous row's name is revealed."""
UNDONE: Final = (PublicationState.PENDING, PublicationState.JOINING)
"""The states of requests that are not carried out yet."""
WITHDRAWN: Final = "A withdrawn submission cannot be published."
STILL_SCORING: Final = "This submission is still being scored. Publish it when scoring is finished."
OF_FILE: Final = ("answer_set__split__benchmark", "answer_set__setting")
CHANGED_SINCE: Final = "The submission has changed since you opened it. Reload it, then decide."
SCORES_WAIT: Final = "A maintainer must approve the scores of this submission before it can be published."
NO_SCORE: Final = "This submission cannot be published yet because it has no score."


def needs_approval(benchmark: Benchmark) -> bool:
    """Whether a maintainer must approve before a submission to *benchmark* is published."""
    if benchmark.needs_approval is not None:
        return benchmark.needs_approval
    return definition_of(benchmark.slug).form.needs_approval


def newest_publication(submission: Submission) -> Publication | None:
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


def fingerprint(submission: Submission, codes: Sequence[str] = flags.SHOWN) -> str:
    """A short digest of what is decided about: another request, file or flag changes it. Three queries.

    Args:
        codes: the flags that count; by default those that a submitter learns of, for maintainers `flags.ALL`.
    """
    newest = newest_publication(submission)
    files = list(submission.files.filter(replaced_at=None).order_by("pk").values_list("pk", flat=True))
    flagged = list(flags.flags_of(submission, codes).order_by("code").values_list("file", "code", "reason"))
    names = ("pk", "state", "anonymous_until", "shows_answers", "shows_traits")
    options = [getattr(newest, name) for name in names] if newest else []
    return hashlib.sha256(repr((options, files, flagged)).encode()).hexdigest()[:16]


def require_unchanged(submission: Submission, seen: str | None, codes: Sequence[str] = flags.SHOWN) -> None:
    """Check that a decision is about what the person who makes it has seen. Two queries.

    Args:
        seen: the `fingerprint` of what was seen, with the same *codes*; None for a decision of the site itself, which
            reads what is there.

    Raises:
        SubmissionError: something has changed since.
    """
    if seen is not None and seen != fingerprint(submission, codes):
        raise SubmissionError(CHANGED_SINCE)


def require_publishable(submission: Submission, *, by_site: bool = False) -> None:
    """Check that a submission's current files can become rows of a board.

    Args:
        by_site: a maintainer or a command publishes it, who knows its results before they are shown to its sender.

    Raises:
        SubmissionError: it is withdrawn, still being scored, or has no score at all and will not be the baseline; or
            its scores wait for a maintainer.
    """
    if submission.withdrawn_at:
        raise SubmissionError(WITHDRAWN)
    runs = Run.objects.counting().filter(answer_set__submission_file__in=submission.files.filter(replaced_at=None))
    if on_one_revision(runs.filter(state__in=ACTIVE)).exists():
        raise SubmissionError(STILL_SCORING)
    if submission.split.is_hidden and not by_site and not are_results_shown(runs):
        raise SubmissionError(STILL_SCORING)
    # Last, because that scores wait may be a result, which is shown with the others.
    if flags.flags_of(submission, WITHHOLDING).exists():
        raise SubmissionError(SCORES_WAIT)
    if not runs.filter(state=RunState.DONE).exists() and not becomes_baseline(submission):
        raise SubmissionError(NO_SCORE)


def awaits_switch(submission: Submission) -> bool:
    """Whether a submission's rows join the boards later: its split is a draft, or boards show an earlier revision than
    the one on which its current files are scored. Two queries, or three."""
    if submission.split.phase == SplitPhase.DRAFT:
        return True
    scores = Score.objects.counting().filter(
        run__answer_set__submission_file__in=submission.files.filter(replaced_at=None), run__state=RunState.DONE
    )
    shown = CurrentSignature.objects.filter(split=submission.split_id).values("signature")
    return (
        shows_earlier_revision(submission.split) and scores.exists() and not scores.filter(signature__in=shown).exists()
    )


def becomes_baseline(submission: Submission) -> bool:
    """Whether publishing a submission makes it the baseline of its split, which therefore has no scores yet. No query
    unless its benchmark declares a default baseline; then four at most."""
    setting = definition_of(submission.split.benchmark.slug).form.default_baseline
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
    """Whether the latest request asked for the same, was granted, and every current file has a row on the board that
    shows answers as it says (the owner can change that without a request), or waits for the board. Three queries at
    most."""
    if any(getattr(newest, name) != value for name, value in options.items()):
        return False
    if newest.state != PublicationState.APPROVED:
        return newest.state == PublicationState.JOINING
    rows = Entry.objects.filter(submission=newest.submission_id, replaced_at=None)
    return is_complete(newest.submission) and not rows.exclude(shows_answers=options["shows_answers"]).exists()


def request_publication(
    submission: Submission, newest: Publication | None, actor: User, options: Mapping[str, Any]
) -> Publication:
    """Store a request for a maintainer to decide; a pending one is changed."""
    if newest is None or newest.state != PublicationState.PENDING:
        publication = Publication.objects.create(submission=submission, requested_by=actor, **options)
        record_event(
            submission, actor, "publication_requested", "Requested publication; a maintainer reviews the request."
        )
        for maintainer in access.maintainers().exclude(pk=actor.pk):
            context = {
                "publication": publication,
                "address": at_site(reverse("maintenance-moderate", args=[submission.pk])),
            }
            subject = f"Publication request for {submission.split.benchmark.name}, {submission.split.name}"
            mails.queue(MailKind.REQUEST, maintainer, subject, "request.txt", context, submission=submission)
        pseudonyms.show_day(submission)
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
    pseudonyms.show_day(submission)
    return newest


def cancel_request(submission: Submission) -> int:
    """Cancel a publication request that is pending, or granted and not on the board yet; returns how many there
    were."""
    waiting = Publication.objects.filter(submission=submission, state__in=UNDONE)
    n_cancelled = waiting.update(state=PublicationState.TAKEN_BACK, decided_at=timezone.now())
    if n_cancelled:
        pseudonyms.show_day(submission)
    return n_cancelled
