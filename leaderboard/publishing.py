"""Putting submissions on the board and taking them off: with or without their answers."""

import contextlib
from collections.abc import Mapping
from typing import Any

from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.text import slugify

from leaderboard import audit, standings
from leaderboard.models import (
    SYSTEM_FIELDS,
    Entry,
    EntryKind,
    Event,
    Submission,
    System,
    User,
)
from scoring.models import Run
from scoring.states import ACTIVE, RunState

SLUG_LENGTH = 100
MAX_SLUG_TRIES = 20
"""How often a free address is looked for while others take the one found."""


class SubmissionError(ValueError):
    """Something that cannot be done with a submission as it is; the message is for its owner."""


@transaction.atomic
def publish_submission(submission: Submission, *, actor: User, shows_answers: bool = False) -> System:
    """Put a submission's rows on the board, under the system of its owner with this name.

    A row that this system already has in the same split and setting leaves the board, and is kept.

    Args:
        shows_answers: the owner lets everybody read the answers too; see `show_answers`.

    Raises:
        SubmissionError: it is withdrawn, still being scored, has no score at all, or its answers cannot be shown.
    """
    # Whoever publishes twice at once does so one after the other: both may be about the same system and row.
    User.objects.select_for_update(no_key=True).get(pk=submission.owner_id)
    submission = Submission.objects.select_for_update(of=("self",)).select_related("owner").get(pk=submission.pk)
    if submission.withdrawn_at:
        raise SubmissionError("A withdrawn submission cannot be published.")
    current_files = submission.files.filter(replaced_at=None)
    runs = Run.objects.filter(answer_set__submission_file__in=current_files)
    if runs.filter(state__in=ACTIVE).exists():
        raise SubmissionError("It is still being scored. Publish it when that is finished.")
    if not runs.filter(state=RunState.DONE).exists():
        raise SubmissionError("It has no score yet, so there is nothing to publish.")
    system = _system_of(submission)
    now = timezone.now()
    for file in current_files.select_related("setting"):
        current = Entry.objects.filter(
            system=system, split=submission.split, setting=file.setting, kind=EntryKind.SCORED, replaced_at=None
        )
        current.exclude(answer_set=file.answer_set).update(replaced_at=now)
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
        if not created and entry.replaced_at is not None:
            entry.replaced_at = None
            entry.published_at = now
            entry.save(update_fields=["replaced_at", "published_at"])
    told(submission, actor, "published", "Published to the board.")
    standings.refresh_soon()
    if shows_answers:
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
    if entries.exclude(shows_answers=shown).update(shows_answers=shown):
        text = "Answers shown to everybody." if shown else "Answers no longer shown to others."
        Event.objects.create(submission=submission, actor=actor, text=text)


@transaction.atomic
def unpublish_submission(submission: Submission, *, actor: User) -> None:
    """Take a submission's rows off the board; they are kept and can be published again."""
    lock(submission)
    if take_off_the_board(submission):
        told(submission, actor, "unpublished", "Taken off the board.")
        standings.refresh_soon()


def told(submission: Submission, actor: User, done: str, text: str) -> None:
    """Tell it in the submission's log and, if another than its owner did it, in that of who did what to the site."""
    Event.objects.create(submission=submission, actor=actor, text=text)
    if actor.pk != submission.owner_id:
        audit.record(actor, f"submission.{done}", f"submission {submission.pk}", text)


def lock(submission: Submission) -> None:
    """Have this transaction be the only one to change a submission.

    Taken before any lock on its rows or runs: their events refer to it, and who holds them first and comes to it last
    waits for who does it the other way round, and so without end.
    """
    Submission.objects.select_for_update().only("pk").get(pk=submission.pk)


def take_off_the_board(submission: Submission) -> int:
    entries = Entry.objects.filter(submission=submission, replaced_at=None)
    return entries.update(replaced_at=timezone.now(), shows_answers=False)


def _system_of(submission: Submission) -> System:
    fields = {name: getattr(submission, name) for name in SYSTEM_FIELDS}
    system = System.objects.filter(owner=submission.owner, name=submission.name).first()
    if system is None:
        return _new_system(submission.owner, fields)
    for name, value in fields.items():
        setattr(system, name, value)
    system.save(update_fields=[*fields, "updated_at"])
    return system


def _new_system(owner: User, fields: Mapping[str, Any]) -> System:
    for _ in range(MAX_SLUG_TRIES):
        with contextlib.suppress(IntegrityError), transaction.atomic():
            return System.objects.create(owner=owner, slug=free_slug(fields["name"]), **fields)
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
