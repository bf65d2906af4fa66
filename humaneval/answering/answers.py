"""Saving answers so that none is lost, and measuring the active time on each.

Every saved text is a separate revision. The browser sends each text with a key, so that sending it again after the
reply was lost changes nothing. It also sends the version that the text is based on, so that a text saved by another tab
or device in between is not overwritten before the participant has chosen.

A key is 128 bits, written as a UUID: the first 80 are random and the same for all texts of one page, the last 48 count
them. So texts of the same page are recognised even if none of the replies arrived, and a text that arrives after a
later one does not replace it.
"""

import datetime
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext, gettext_noop

from humaneval.models import AnswerRevision, Assignment
from humaneval.studies.kinds import KINDS

LONGEST_ANSWER: Final = 20_000
"""Characters of an answer; the longest answer of a system so far has 13,618."""
LONGEST_NOTE: Final = 20_000
OTHER_NOTE: Final = gettext_noop(
    "Another tab or device saved a different note on this question. Choose which one to keep."
)


class AnswerError(ValueError):
    """The answer cannot be saved as it is; the message says why."""


class NoteConflictError(AnswerError):
    """Another note was saved since the one that this note is based on; nothing was changed. `saved` is that note."""

    def __init__(self, saved: str) -> None:
        super().__init__(gettext(OTHER_NOTE))
        self.saved = saved


@dataclass(frozen=True)
class Saved:
    """The result of saving a text."""

    is_saved: bool
    """Whether the text is saved. If not, another text was saved in between, and nothing was changed."""
    version: int
    """The current version."""
    text: str
    """The current text."""
    saved_at: datetime.datetime | None


@transaction.atomic
def save_answer(
    assignment: Assignment,
    *,
    text: str,
    client_revision_id: uuid.UUID,
    base_version: int,
    typed_at: datetime.datetime | None = None,
    active_seconds: float | None = None,
) -> Saved:
    """Save a text as the answer.

    The same text under the same key is saved once, however often it is sent. A text equal to the current one makes no
    revision. Saving a new text clears the marks done and skipped.

    Args:
        base_version: the version that the participant saw when typing this text.
        typed_at: when it was typed, by the browser's clock, if that is not now.
        active_seconds: active time on the page since the last report; see `count_active`.

    Raises:
        AnswerError: the text is longer than `LONGEST_ANSWER`, or is no answer in this type of study.
    """
    text = clean(text, LONGEST_ANSWER)
    row = _changing(assignment)
    _require_possible(row, text, complete=False)
    now = timezone.now()
    _count(row, active_seconds, now)
    known = row.revisions.filter(client_revision_id=client_revision_id).first()
    if (known is not None and known.text == text) or text == row.text:
        row.save(update_fields=["active_seconds", "active_at"])
        return _current(row, is_saved=True)
    if base_version != row.version:
        # Texts saved since the version that this one is based on: if this page sent them all, there is no conflict.
        between = list(row.revisions.filter(version__gt=base_version).values_list("client_revision_id", flat=True))
        own = [key.int for key in between if _page_id(key) == _page_id(client_revision_id)]
        # A later text of this page is saved already: this one arrived late, which is no conflict.
        overtaken = bool(own) and max(own) > client_revision_id.int
        if overtaken or len(own) < len(between) or base_version > row.version:
            row.save(update_fields=["active_seconds", "active_at"])
            return _current(row, is_saved=overtaken)
    # A form sent again with another text, after going back in a browser without scripts, has its old key.
    _save_revision(row, text, client_revision_id if known is None else uuid.uuid4(), now, typed_at)
    row.done_at = row.skipped_at = None
    row.save(update_fields=["text", "version", "saved_at", "done_at", "skipped_at", "active_seconds", "active_at"])
    return _current(row, is_saved=True)


@transaction.atomic
def save_discarded_draft(
    assignment: Assignment, *, text: str, client_revision_id: uuid.UUID, typed_at: datetime.datetime | None = None
) -> Saved:
    """Store a rejected text as a revision, followed by the current answer as the newest revision.

    Raises:
        AnswerError: as `save_answer`.
    """
    text = clean(text, LONGEST_ANSWER)
    row = _changing(assignment)
    if text != row.text and not row.revisions.filter(client_revision_id=client_revision_id).exists():
        now, current = timezone.now(), row.text
        _save_revision(row, text, client_revision_id, now, typed_at)
        _save_revision(row, current, uuid.uuid4(), now, None)
        row.save(update_fields=["text", "version", "saved_at"])
    return _current(row, is_saved=True)


def _page_id(client_revision_id: uuid.UUID) -> int:
    return client_revision_id.int >> 48


def _save_revision(
    row: Assignment,
    text: str,
    client_revision_id: uuid.UUID,
    now: datetime.datetime,
    typed_at: datetime.datetime | None,
) -> None:
    row.version += 1
    row.text, row.saved_at = text, now
    AnswerRevision.objects.create(
        assignment=row,
        version=row.version,
        client_revision_id=client_revision_id,
        text=text,
        typed_at=typed_at,
        saved_at=now,
    )


def _current(row: Assignment, *, is_saved: bool) -> Saved:
    return Saved(is_saved=is_saved, version=row.version, text=row.text, saved_at=row.saved_at)


def clean(text: str, limit: int) -> str:
    """A text as it is stored: uniform line breaks, no NUL (no database accepts it), no lone surrogates.

    Raises:
        AnswerError: the text is longer than *limit*.
    """
    text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "")
    text = text.encode("utf-8", "replace").decode()
    if len(text) > limit:
        said = gettext("This text has %(n)s characters. Shorten it to at most %(limit)s.")
        raise AnswerError(said % {"n": f"{len(text):,}", "limit": f"{limit:,}"})
    return text


# --- Time and state ------------------------------------------------------------------------------------------------


def opened(assignment: Assignment) -> None:
    """Record when a question was first opened, by the server's clock."""
    if assignment.opened_at is None:
        now = timezone.now()
        # Two tabs may open it at once: the first time stays, and both read that one.
        Assignment.objects.filter(pk=assignment.pk, opened_at=None).update(opened_at=now, active_at=now)
        assignment.refresh_from_db(fields=["opened_at", "active_at"])


@transaction.atomic
def count_active(assignment: Assignment, seconds: float | None) -> None:
    """Add active seconds, at most the time that has passed since the last were added.

    So a wrong clock, a message that arrives twice, or two tabs cannot add more time than has passed. None, if no script
    measures the time, adds nothing: a time that was unknown stays so.
    """
    row = _changing(assignment)
    _count(row, seconds, timezone.now())
    row.save(update_fields=["active_seconds", "active_at"])


def _count(row: Assignment, seconds: float | None, now: datetime.datetime) -> None:
    if seconds is None:  # a request without a time (a form's button) leaves the unreported time
        return
    row.active_seconds = row.active_seconds or 0.0
    if seconds <= 0:
        return
    since = row.active_at or row.opened_at or now
    row.active_seconds += max(0.0, min(seconds, (now - since).total_seconds()))
    row.active_at = now


@transaction.atomic
def mark_done(assignment: Assignment) -> None:
    """Mark a question done.

    Raises:
        AnswerError: the question has no answer yet, or not a complete one.
    """
    row = _changing(assignment)
    _require_possible(row, row.text, complete=True)
    row.done_at, row.skipped_at = row.done_at or timezone.now(), None
    row.save(update_fields=["done_at", "skipped_at"])


@transaction.atomic
def skip(assignment: Assignment) -> None:
    """Skip a question for now. The typed text is preserved."""
    row = _changing(assignment)
    row.skipped_at, row.done_at = timezone.now(), None
    row.save(update_fields=["done_at", "skipped_at"])


@transaction.atomic
def mark_named(assignment: Assignment, *, named: bool) -> None:
    """Mark that an answer told the participant who wrote it, or take that back; written answers have no such mark."""
    row = _changing(assignment)
    if row.item_id is not None:
        row.named_at = (row.named_at or timezone.now()) if named else None
        row.save(update_fields=["named_at"])


@transaction.atomic
def write_note(assignment: Assignment, text: str, before: Sequence[str]) -> None:
    """Save the participant's note on a question, unless another tab or device saved another one meanwhile.

    Args:
        before: the note when typing began, then what was sent since; none if unknown, and *text* replaces the note.

    Raises:
        NoteConflictError: the saved note is none of these, and *text* is another one.
        AnswerError: *text* is longer than `LONGEST_NOTE`.
    """
    row = _changing(assignment)
    text, before = clean(text, LONGEST_NOTE), [clean(earlier, LONGEST_NOTE) for earlier in before]
    if before and row.note not in before:
        if text in (before[0], row.note):  # not changed here, or equal
            return
        raise NoteConflictError(row.note)
    row.note = text
    row.save(update_fields=["note"])


def _changing(assignment: Assignment) -> Assignment:
    # Texts of several tabs are compared and numbered one after the other.
    rows = Assignment.objects.select_for_update(of=("self",)).select_related("participant__study")
    return rows.get(pk=assignment.pk)


def _require_possible(row: Assignment, text: str, *, complete: bool) -> None:
    study = row.participant.study
    if problem := KINDS[study.kind].problem(study, text, complete):
        raise AnswerError(gettext(problem))
