"""Putting submissions on the board and taking them off: with or without their answers, by name or anonymously.

Each time somebody wants a submission on the board, a `Publication` says how. Where the benchmark asks for it, the
wish waits for a maintainer (`leaderboard.maintenance.moderation.services`); elsewhere it is granted at once. Until its
day, an anonymous row stands under a system of its own that knows nothing of the true one
(`leaderboard.publishing.pseudonyms`).
"""

import contextlib
import datetime
import hashlib
from collections.abc import Mapping
from typing import Any

from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.text import slugify

from leaderboard.board import standings
from leaderboard.models import (
    SYSTEM_FIELDS,
    Entry,
    EntryKind,
    Event,
    Publication,
    PublicationState,
    Submission,
    System,
    User,
)
from leaderboard.publishing import pseudonyms
from leaderboard.publishing.errors import SubmissionError
from leaderboard.publishing.events import told
from leaderboard.publishing.locks import lock, lock_with_party
from leaderboard.web.dates import day_in_words
from scoring.benchmarks import definition_of
from scoring.models import Benchmark, Run
from scoring.models.run_states import ACTIVE, RunState

SLUG_LENGTH = 100
MAX_SLUG_TRIES = 20
"""How often a free address is looked for while others take the one found."""
MAX_ANONYMOUS_DAYS = 730
"""How far ahead the day may lie on which an anonymous row gets its name."""


# --- Onto the board ------------------------------------------------------------------------------------------------


@transaction.atomic
def publish_submission(
    submission: Submission,
    *,
    actor: User,
    shows_answers: bool = False,
    anonymous_until: datetime.date | None = None,
    shows_traits: bool = False,
    approved: bool = False,
) -> Publication:
    """Put a submission's rows on the board, or ask a maintainer to, where its benchmark needs that.

    The rows stand under the system of the owner, or of the team, with this name; anonymous ones under a made-up name.
    A row that the system already has in the same split and setting leaves the board, and is kept. A submission that
    is anonymous on the board stays so until its day, unless `reveal_submission` says otherwise.

    Args:
        shows_answers: the owner lets everybody read the answers too; see `show_answers`.
        anonymous_until: the day (UTC) on which name, authors and all else become public; later than today and at most
            `MAX_ANONYMOUS_DAYS` ahead. Nothing: under its name at once.
        shows_traits: type, context size and training for function calling are told of an anonymous row all the same.
        approved: whoever runs the site publishes it, so no maintainer is asked.

    Raises:
        SubmissionError: it is withdrawn, retracted, still being scored, has no score at all, its answers cannot be
            shown, it was public under its name before, or the day is out of range.
    """
    submission = lock_with_party(submission)
    require_publishable(submission)
    if shows_answers and submission.split.hidden:
        raise SubmissionError("The answers to a hidden split are shown to nobody but you.")
    newest = newest_publication(submission)
    if newest is not None and newest.state == PublicationState.RETRACTED:
        raise SubmissionError("A maintainer retracted it, so only a maintainer can put it back on the board.")
    standing = pseudonyms.standing_of(submission)
    if anonymous_until is not None:
        require_day(anonymous_until)
        if pseudonyms.was_public_by_name(submission):
            raise SubmissionError(
                "It was on the board under its name, which dated states of the board keep, so it cannot become "
                "anonymous any more."
            )
    elif standing is not None:
        anonymous_until, shows_traits = standing.anonymous_until, standing.shows_traits
    wish = {"shows_answers": shows_answers, "anonymous_until": anonymous_until, "shows_traits": shows_traits}
    everything_on_board = is_complete(submission)
    if everything_on_board and newest is not None and _is_granted_already(newest, wish):
        return newest
    if needs_approval(submission.split.benchmark) and not approved and not everything_on_board:
        return _ask(submission, newest, actor, wish)
    publication = Publication.objects.create(
        submission=submission, requested_by=actor, state=PublicationState.APPROVED, decided_at=timezone.now(), **wish
    )
    put_on_board(submission, publication, actor=actor)
    return publication


def needs_approval(benchmark: Benchmark) -> bool:
    """Whether a maintainer has to approve before a submission to *benchmark* goes to the board."""
    if benchmark.needs_approval is not None:
        return benchmark.needs_approval
    return definition_of(benchmark.slug).needs_approval


def newest_publication(submission: Submission) -> Publication | None:
    """The wish that counts."""
    return submission.publications.order_by("-requested_at", "-pk").first()


def day_wished_before(submission: Submission) -> datetime.date | None:
    """The day until which a submission was last wished to be anonymous, while that has not come, it is not on the board
    and never was under its name: whoever publishes it then has to say anew whether it is to be named. Three queries."""
    newest = newest_publication(submission)
    until = newest.anonymous_until if newest is not None and newest.revealed_at is None else None
    if until is None or until <= pseudonyms.today() or pseudonyms.standing_of(submission) is not None:
        return None
    return None if pseudonyms.was_public_by_name(submission) else until


def is_complete(submission: Submission) -> bool:
    """Whether every current file of a submission is a row of the board. Two queries."""
    current = submission.files.filter(replaced_at=None).values_list("answer_set", flat=True)
    on_board = Entry.objects.filter(submission=submission, replaced_at=None).values_list("answer_set", flat=True)
    return set(current) <= set(on_board)


def fingerprint(submission: Submission) -> str:
    """What a maintainer decides about, in a few digits: another wish or another file makes another. Two queries."""
    newest = newest_publication(submission)
    files = list(submission.files.filter(replaced_at=None).order_by("pk").values_list("pk", flat=True))
    names = ("pk", "state", "anonymous_until", "shows_answers", "shows_traits")
    wish = [getattr(newest, name) for name in names] if newest else []
    return hashlib.sha256(repr((wish, files)).encode()).hexdigest()[:16]


def require_publishable(submission: Submission) -> None:
    """See that a submission's current files can be rows of a board.

    Raises:
        SubmissionError: it is withdrawn, still being scored, or has no score at all.
    """
    if submission.withdrawn_at:
        raise SubmissionError("A withdrawn submission cannot be published.")
    runs = Run.objects.filter(answer_set__submission_file__in=submission.files.filter(replaced_at=None))
    if runs.filter(state__in=ACTIVE).exists():
        raise SubmissionError("It is still being scored. Publish it when that is finished.")
    if not runs.filter(state=RunState.DONE).exists():
        raise SubmissionError("It has no score yet, so there is nothing to publish.")


def require_day(day: datetime.date) -> None:
    """See that a row can be anonymous until *day*.

    Raises:
        SubmissionError: it is not after today (UTC), or more than `MAX_ANONYMOUS_DAYS` ahead.
    """
    today = timezone.now().astimezone(datetime.UTC).date()
    if not today < day <= today + datetime.timedelta(days=MAX_ANONYMOUS_DAYS):
        last = today + datetime.timedelta(days=MAX_ANONYMOUS_DAYS)
        raise SubmissionError(
            f"A row can be anonymous until a day after today, {day_in_words(today)}, and no later than "
            f"{day_in_words(last)}."
        )


def _is_granted_already(newest: Publication, wish: Mapping[str, Any]) -> bool:
    return newest.state == PublicationState.APPROVED and all(
        getattr(newest, name) == value for name, value in wish.items()
    )


def _ask(submission: Submission, newest: Publication | None, actor: User, wish: Mapping[str, Any]) -> Publication:
    """Keep a wish for a maintainer to decide; one that waits already is changed."""
    if newest is None or newest.state != PublicationState.PENDING:
        publication = Publication.objects.create(submission=submission, requested_by=actor, **wish)
        told(submission, actor, "publication_requested", "Asked to publish it; a maintainer looks at it first.")
        return publication
    for name, value in wish.items():
        setattr(newest, name, value)
    newest.requested_by = actor
    newest.save(update_fields=[*wish, "requested_by"])
    told(submission, actor, "publication_requested", "Changed how it is to be published; it waits for a maintainer.")
    return newest


def put_on_board(submission: Submission, publication: Publication, *, actor: User) -> System:
    """Make a submission's current files rows of the board, as a granted wish says. For `lock_with_party`'s holder."""
    today = timezone.now().astimezone(datetime.UTC).date()
    until = publication.anonymous_until
    if until is not None and until > today and not pseudonyms.was_public_by_name(submission):
        system = pseudonyms.pseudonym_of(submission, until=until, shows_traits=publication.shows_traits)
        text = f"Published anonymously, until {day_in_words(until)}, as {system.name}."
    else:
        system = system_of(submission)
        pseudonyms.reveal(submission, system)
        text = "Published to the board."
    now = timezone.now()
    for file in submission.files.filter(replaced_at=None).select_related("setting"):
        current = Entry.objects.filter(
            system=system, split=submission.split, setting=file.setting, kind=EntryKind.SCORED, replaced_at=None
        )
        current.exclude(answer_set=file.answer_set).update(replaced_at=now, updated_at=now)
        entry, created = Entry.objects.get_or_create(
            answer_set=file.answer_set,
            defaults={
                "system": system,
                "split": submission.split,
                "setting": file.setting,
                "kind": EntryKind.SCORED,
                "submission": submission,
                "n_answered": file.n_answered,
                "published_at": now,
            },
        )
        if not created and (entry.replaced_at is not None or entry.system_id != system.pk):
            entry.system = system
            entry.published_at = now
            entry.replaced_at = entry.retracted_at = None
            entry.retraction_note = ""
            entry.save()
    told(submission, actor, "published", text)
    standings.refresh_soon()
    if publication.shows_answers:
        show_answers(submission, actor=actor)
    return system


@transaction.atomic
def show_answers(submission: Submission, *, actor: User, shown: bool = True) -> None:
    """Let everybody read a published submission's answers beside their scores, or end it.

    Taking it off the board ends it as well, and so does withdrawing: published again, it has to be said again.

    Raises:
        SubmissionError: the split is hidden (its answers are shown to nobody else), or it is not on the board.
    """
    submission = Submission.objects.select_for_update(of=("self",)).select_related("split").get(pk=submission.pk)
    if shown and submission.split.hidden:
        raise SubmissionError("The answers to a hidden split are shown to nobody but you.")
    entries = Entry.objects.filter(submission=submission, replaced_at=None)
    if shown and not entries.exists():
        raise SubmissionError("It is not on the board, so there is nowhere to show its answers.")
    if entries.exclude(shows_answers=shown).update(shows_answers=shown, updated_at=timezone.now()):
        text = "Answers shown to everybody." if shown else "Answers no longer shown to others."
        Event.objects.create(submission=submission, actor=actor, text=text)


# --- Names ---------------------------------------------------------------------------------------------------------


@transaction.atomic
def reveal_submission(submission: Submission, *, actor: User) -> System:
    """Give an anonymous submission's rows their true name before their day. It cannot be undone.

    Raises:
        SubmissionError: it is not on the board anonymously.
    """
    submission = lock_with_party(submission)
    if pseudonyms.standing_of(submission) is None:
        raise SubmissionError("It is not on the board under a made-up name.")
    system = _reveal(submission)
    told(submission, actor, "revealed", "On the board under its name from now on.")
    return system


def reveal_due() -> int:
    """Give every anonymous row its name whose day has come (UTC); returns how many submissions there were."""
    return sum(_reveal_if_due(submission) for submission in pseudonyms.due())


@transaction.atomic
def _reveal_if_due(submission: Submission) -> bool:
    """Whether it was due: nobody else was faster, and its owner chose no other day."""
    submission = lock_with_party(submission)
    standing = pseudonyms.standing_of(submission)
    if standing is None or not standing.is_due:
        return False
    _reveal(submission)
    text = "The day has come: on the board under its name from now on."
    Event.objects.create(submission=submission, actor=None, text=text)
    return True


def _reveal(submission: Submission) -> System:
    system = system_of(submission, keep_newer=True)
    pseudonyms.reveal(submission, system)
    standings.refresh_soon()
    return system


def system_of(submission: Submission, *, keep_newer: bool = False) -> System:
    """The system under its true name that a submission is of, made if there is none, with what is stated of it now.

    Args:
        keep_newer: what is stated of a system that has a row on a board stays, since it may have been said later.
    """
    fields = {name: getattr(submission, name) for name in SYSTEM_FIELDS}
    party = {"team": submission.team} if submission.team_id else {"team": None, "owner": submission.owner}
    system = System.objects.filter(name=submission.name, is_pseudonym=False, **party).first()
    if system is None:
        return _new_system(submission, fields)
    if keep_newer and system.entries.filter(replaced_at=None).exists():
        return system
    for name, value in fields.items():
        setattr(system, name, value)
    system.save(update_fields=[*fields, "updated_at"])
    return system


def _new_system(submission: Submission, fields: Mapping[str, Any]) -> System:
    party = {"owner": submission.owner, "team": submission.team}
    for _ in range(MAX_SLUG_TRIES):
        with contextlib.suppress(IntegrityError), transaction.atomic():
            return System.objects.create(slug=free_slug(fields["name"]), **party, **fields)
    raise SubmissionError("Other systems of this name are being published right now. Try again.")


def free_slug(name: str) -> str:
    """An address for a system that no other has: its name in ASCII, numbered if taken."""
    base = slugify(name)[:SLUG_LENGTH].strip("-") or "system"
    taken = set(System.objects.filter(slug__startswith=base).values_list("slug", flat=True))
    slug = base
    number = 2
    while slug in taken:
        slug = f"{base}-{number}"
        number += 1
    return slug


# --- Off the board -------------------------------------------------------------------------------------------------


@transaction.atomic
def unpublish_submission(submission: Submission, *, actor: User) -> None:
    """Take a submission's rows off the board, and back the wish to publish it; rows are kept and can be published
    again."""
    lock(submission)
    asked = take_back_wish(submission)
    if take_off_the_board(submission):
        told(submission, actor, "unpublished", "Taken off the board.")
        standings.refresh_soon()
    elif asked:
        told(submission, actor, "publication_taken_back", "Took back the wish to publish it.")


def take_back_wish(submission: Submission) -> int:
    """End a wish that waits for a maintainer; returns how many there were."""
    waiting = Publication.objects.filter(submission=submission, state=PublicationState.PENDING)
    return waiting.update(state=PublicationState.TAKEN_BACK, decided_at=timezone.now())


def take_off_the_board(submission: Submission, **told_of_rows: Any) -> int:
    """Have a submission's rows leave the board; returns how many there were.

    Args:
        told_of_rows: more fields of `Entry` to set on them.
    """
    now = timezone.now()
    entries = Entry.objects.filter(submission=submission, replaced_at=None)
    return entries.update(replaced_at=now, shows_answers=False, updated_at=now, **told_of_rows)


# --- Locks and logs ------------------------------------------------------------------------------------------------
