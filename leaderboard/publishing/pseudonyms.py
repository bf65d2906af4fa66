"""Made-up names: systems that stand on boards while their submissions are under blind review.

A pseudonym is a `System` of its own that carries nothing of the true one: not the owner, not the address, not the text.
Whatever shows systems therefore shows nothing else, without having to think of it; the truth stands in the submission
alone. Each submission has its own, so that two anonymous rows of one group do not tell that they belong together.

On its day (or before, if its owner says so) the rows move to the true system, and the made-up name leads there: dated
states of boards go on showing it, since that is what they showed then.
"""

import contextlib
import datetime
import secrets
from dataclasses import dataclass
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import Exists, OuterRef, QuerySet
from django.utils import timezone

from leaderboard.models import Entry, Publication, PublicationState, Submission, System, SystemType
from leaderboard.web.dates import day_in_words

WITHHELD = "Withheld until {day}"
NAME_DIGITS, SLUG_DIGITS = 4, 10
MAX_TRIES = 50
TRAITS = ("type", "context_size", "trained_for_function_calling")
"""What an owner may let be told of an anonymous system."""


@dataclass(frozen=True)
class CurrentPseudonym:
    """How a submission stands on the board under a made-up name."""

    system: System
    anonymous_until: datetime.date
    shows_traits: bool

    @property
    def is_due(self) -> bool:
        """Whether its day has come."""
        return self.anonymous_until <= today()


def today() -> datetime.date:
    """The day that it is, in UTC."""
    return timezone.now().astimezone(datetime.UTC).date()


def current_pseudonym(submission: Submission) -> CurrentPseudonym | None:
    """Under which made-up name a submission stands on the board now; nothing if it stands there by its name or not at
    all. Two queries."""
    entry = (
        Entry.objects.filter(submission=submission, replaced_at=None, system__is_pseudonym=True)
        .select_related("system")
        .first()
    )
    granted = _granted(submission).first() if entry is not None else None
    if entry is None or granted is None or granted.anonymous_until is None:
        return None
    return CurrentPseudonym(entry.system, granted.anonymous_until, granted.shows_traits)


def _granted(submission: Submission) -> "QuerySet[Publication]":
    return submission.publications.filter(state=PublicationState.APPROVED).order_by("-requested_at", "-pk")


def was_public_by_name(submission: Submission) -> bool:
    """Whether a submission has ever had a row under its true name. One query."""
    return Entry.objects.filter(submission=submission, system__is_pseudonym=False).exists()


def due() -> list[Submission]:
    """Submissions that stand on the board anonymously although a day has come that was named for them; whether it is
    the one that counts, `current_pseudonym` says. One query."""
    anonymous = Entry.objects.filter(submission=OuterRef("pk"), replaced_at=None, system__is_pseudonym=True)
    days = Publication.objects.filter(
        submission=OuterRef("pk"), state=PublicationState.APPROVED, revealed_at=None, anonymous_until__lte=today()
    )
    return list(Submission.objects.filter(Exists(anonymous), Exists(days)).order_by("pk"))


def pseudonym_of(submission: Submission, *, until: datetime.date, shows_traits: bool) -> System:
    """The made-up system of a submission, made if there is none, telling *until* when and what its owner lets it."""
    fields = disclosed_fields(submission, until=until, shows_traits=shows_traits)
    system = System.objects.filter(is_pseudonym=True, revealed_as=None, entries__submission=submission).first()
    if system is None:
        return _new(fields)
    for name, value in fields.items():
        setattr(system, name, value)
    system.save(update_fields=[*fields, "updated_at"])
    return system


def disclosed_fields(submission: Submission, *, until: datetime.date, shows_traits: bool) -> dict[str, Any]:
    """All that an anonymous system says of itself beside its name."""
    traits: dict[str, Any] = {"type": SystemType.OTHER, "context_size": None, "trained_for_function_calling": None}
    if shows_traits:
        traits = {name: getattr(submission, name) for name in TRAITS}
    return {"authors": WITHHELD.format(day=day_in_words(until)), "url": "", "citation": "", "details": "", **traits}


def _new(fields: dict[str, Any]) -> System:
    for _ in range(MAX_TRIES):
        digits = secrets.token_hex(SLUG_DIGITS // 2)
        name = f"Anonymous {digits[:NAME_DIGITS]}"
        if System.objects.filter(name=name).exists():
            continue
        with contextlib.suppress(IntegrityError), transaction.atomic():
            return System.objects.create(slug=f"anonymous-{digits}", name=name, is_pseudonym=True, **fields)
    raise RuntimeError("Every pseudonym that was tried is already in use.")


def reveal(submission: Submission, system: System) -> None:
    """Move a submission's rows from its made-up system to its true one, to which the made-up name leads from then on.

    Where the true system has a row on the same board, the one that was published later stays there.
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
            Entry.objects.filter(pk=entry.pk).update(replaced_at=now)
        else:
            others.update(replaced_at=now, updated_at=now)
    rows.update(system=system, updated_at=now)
    for other in made_up:
        other.revealed_as = system
        other.save(update_fields=["revealed_as", "updated_at"])
    if made_up:
        open_requests = submission.publications.filter(revealed_at=None, anonymous_until__isnull=False)
        open_requests.exclude(state=PublicationState.PENDING).update(revealed_at=now)
