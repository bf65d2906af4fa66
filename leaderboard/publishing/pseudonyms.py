"""Pseudonyms: systems that are on boards while their submissions are under double-blind review.

A pseudonym is a `System` of its own without any data of the true one: no owner, no URL, no text. So all code that shows
systems shows only the pseudonym, without special handling; only the submission refers to the true system. Each
submission has its own pseudonym, so that two anonymous rows of one group cannot be linked.

On its day (or before, if its owner reveals it) the rows move to the true system, and the pseudonym redirects there.
Snapshots of boards continue to show the pseudonym, since that is what they showed then.
"""

import contextlib
import datetime
import secrets
from dataclasses import dataclass
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import Exists, OuterRef
from django.utils import timezone

from leaderboard.board.staleness import mark_submission
from leaderboard.models import Entry, Publication, PublicationState, Submission, System, SystemType
from leaderboard.web.dates import day_in_words
from scoring.benchmarks.facts import anonymous

WITHHELD = "Withheld until {day}"
NAME_DIGITS, SLUG_DIGITS = 4, 10
MAX_TRIES = 50
TRAITS = ("type", "attributes")
"""The fields of an anonymous system that its owner may disclose."""


@dataclass(frozen=True)
class CurrentPseudonym:
    """A submission's current pseudonym on the board."""

    system: System
    anonymous_until: datetime.date
    """The day on which its name is revealed: the latest of the granted day and those that were requested since, so
    that no name is revealed before the day that the owner last read or chose."""
    shows_traits: bool

    @property
    def is_due(self) -> bool:
        return self.anonymous_until <= today()


def today() -> datetime.date:
    return timezone.now().astimezone(datetime.UTC).date()


def current_pseudonym(submission: Submission) -> CurrentPseudonym | None:
    """The pseudonym under which a submission is on the board now; None if it is there by name or not at all. Three
    queries."""
    entry = (
        Entry.objects.filter(submission=submission, replaced_at=None, system__is_pseudonym=True)
        .select_related("system")
        .first()
    )
    if entry is None:
        return None
    approved = submission.publications.filter(state=PublicationState.APPROVED)
    granted = approved.order_by("-requested_at", "-pk").first()
    if granted is None or granted.anonymous_until is None:
        return None
    # Whatever became of a request: its page showed that day, also if a colleague's newer file cancelled it.
    later = submission.publications.filter(
        requested_at__gte=granted.requested_at, anonymous_until__gt=granted.anonymous_until
    )
    days = later.order_by("-anonymous_until").values_list("anonymous_until", flat=True)
    return CurrentPseudonym(entry.system, days.first() or granted.anonymous_until, granted.shows_traits)


def show_day(submission: Submission) -> None:
    """Have the pseudonym of a submission name the day on which it is revealed, after a request changed that day."""
    pseudonym = current_pseudonym(submission)
    if pseudonym is not None:
        authors = WITHHELD.format(day=day_in_words(pseudonym.anonymous_until))
        if System.objects.filter(pk=pseudonym.system.pk).exclude(authors=authors).update(authors=authors):
            mark_submission(submission)


def was_public_by_name(submission: Submission) -> bool:
    """Whether a submission has ever had a row under its true name. One query."""
    return Entry.objects.filter(submission=submission, system__is_pseudonym=False).exists()


def due() -> list[Submission]:
    """Submissions that are on the board anonymously although a day that was set for them has come; `current_pseudonym`
    determines whether it is the valid one. One query."""
    anonymous = Entry.objects.filter(submission=OuterRef("pk"), replaced_at=None, system__is_pseudonym=True)
    days = Publication.objects.filter(
        submission=OuterRef("pk"), state=PublicationState.APPROVED, revealed_at=None, anonymous_until__lte=today()
    )
    return list(Submission.objects.filter(Exists(anonymous), Exists(days)).order_by("pk"))


def pseudonym_of(submission: Submission, *, until: datetime.date, shows_traits: bool) -> System:
    """The pseudonym of a submission, created if there is none, with *until* and the fields that its owner discloses."""
    fields = disclosed_fields(submission, until=until, shows_traits=shows_traits)
    system = System.objects.filter(is_pseudonym=True, revealed_as=None, entries__submission=submission).first()
    if system is not None:
        for name, value in fields.items():
            setattr(system, name, value)
        system.save(update_fields=[*fields, "updated_at"])
        return system
    for _ in range(MAX_TRIES):
        digits = secrets.token_hex(SLUG_DIGITS // 2)
        name = f"Anonymous {digits[:NAME_DIGITS]}"
        if System.objects.filter(name=name).exists():
            continue
        # The savepoint is the inner one: it is rolled back before the error is dropped, so the transaction stays
        # usable.
        with contextlib.suppress(IntegrityError), transaction.atomic():
            return System.objects.create(slug=f"anonymous-{digits}", name=name, is_pseudonym=True, **fields)
    raise RuntimeError("Every pseudonym that was tried is already in use.")


def disclosed_fields(submission: Submission, *, until: datetime.date, shows_traits: bool) -> dict[str, Any]:
    """All fields of an anonymous system except its name."""
    traits: dict[str, Any] = {"type": SystemType.OTHER, "attributes": {}, "run_facts": {}}
    if shows_traits:
        traits = {name: getattr(submission, name) for name in TRAITS} | {"run_facts": anonymous(submission.run_facts)}
    texts = {"authors": WITHHELD.format(day=day_in_words(until)), "url": "", "citation": "", "details": ""}
    return texts | traits | {"traits_withheld": not shows_traits}


def reveal(submission: Submission, system: System) -> None:
    """Move a submission's rows from its pseudonym to its true system, to which the pseudonym redirects from then on.

    If the true system has a row on the same board, the row that was published later remains there.
    """
    now = timezone.now()
    made_up = list(
        System.objects.filter(is_pseudonym=True, revealed_as=None, entries__submission=submission).distinct()
    )
    rows = Entry.objects.filter(submission=submission, system__in=made_up)
    for entry in rows.filter(replaced_at=None):
        others = Entry.objects.filter(
            system=system, split=entry.split_id, setting=entry.setting_id, kind=entry.kind, replaced_at=None
        )
        if others.filter(published_at__gt=entry.published_at).exists():
            Entry.objects.filter(pk=entry.pk).update(replaced_at=now, shows_answers=False)
        else:
            others.update(replaced_at=now, shows_answers=False, updated_at=now)
    rows.update(system=system, updated_at=now)
    for other in made_up:
        other.revealed_as = system
        other.save(update_fields=["revealed_as", "updated_at"])
    if made_up:
        open_requests = submission.publications.filter(revealed_at=None, anonymous_until__isnull=False)
        open_requests.exclude(state=PublicationState.PENDING).update(revealed_at=now)
