"""Saving what the answer page sends of an answer. Missing or impossible numbers are ignored, never refused."""

import datetime
import math
import uuid
from collections.abc import Mapping
from typing import Final

from django.http import QueryDict
from django.utils import timezone

from humaneval.answering import answers, visit_log
from humaneval.answering.answers import AnswerError, Saved
from humaneval.answering.critiques import save_critique
from humaneval.models import Assignment
from humaneval.studies.kinds import KINDS

OLDEST_TYPED: Final = datetime.timedelta(days=120)
DAY: Final = 86400.0
"""One day in seconds."""


def save(assignment: Assignment, fields: QueryDict) -> Saved | None:
    """Save the reading time, the note, the text with its active time, the scores and marks, as far as they are sent.

    Returns:
        None if no text was sent.

    Raises:
        NoteConflictError: another note was saved meanwhile; the rest is saved.
        AnswerError: the text, the note, a score or a mark cannot be saved as it is.
    """
    if visit_id := int(number(fields, "visit", 0.0, 2.0**62)):
        visit_log.update_reading_time(
            assignment,
            visit_id,
            visible_seconds=number(fields, "visible", 0.0, 30 * DAY),
            scrolled_share=number(fields, "scrolled", 0.0, 1.0),
            place=number(fields, "place", 0.0, 1.0) if "place" in fields else None,
        )
    problem = _save_note(assignment, fields)
    # None if no script measures the time: it is unknown then, and not 0.
    active_seconds = number(fields, "active", 0.0, DAY) if "active" in fields else None
    saved = None
    if "text" in fields:
        saved = answers.save_answer(
            assignment,
            text=typed_text(assignment, fields),
            client_revision_id=client_revision_id(fields),
            base_version=int(number(fields, "based_on", 0.0, 2.0**31)),
            typed_at=typed_at(fields),
            active_seconds=active_seconds,
        )
    else:
        answers.count_active(assignment, active_seconds)
    save_critique(assignment, fields)  # last: a score that is none does not hold up the text
    if problem is not None:
        raise problem
    return saved


def save_discarded_draft(assignment: Assignment, fields: QueryDict) -> Saved:
    """Store the text that the participant rejected as a revision; the other text stays the answer. Save the rest.

    Raises:
        AnswerError: as `save`.
    """
    problem = _save_note(assignment, fields)
    save_critique(assignment, fields)
    text, key = typed_text(assignment, fields), client_revision_id(fields)
    saved = answers.save_discarded_draft(assignment, text=text, client_revision_id=key, typed_at=typed_at(fields))
    if problem is not None:
        raise problem
    return saved


def _save_note(assignment: Assignment, fields: QueryDict) -> AnswerError | None:
    """Save the note, or return why it cannot be saved: it does not hold up the answer."""
    if "note" in fields:
        try:
            answers.write_note(assignment, str(fields["note"]), fields.getlist("note_was"))
        except AnswerError as error:
            return error
    return None


def typed_text(assignment: Assignment, fields: QueryDict) -> str:
    """A submitted answer as it is stored."""
    study = assignment.participant.study
    return KINDS[study.kind].typed(study, {name: str(value) for name, value in fields.items()})


def client_revision_id(fields: Mapping[str, str]) -> uuid.UUID:
    """The key that identifies a text if it is sent again."""
    try:
        return uuid.UUID(fields.get("key", ""))
    except ValueError:
        return uuid.uuid4()


def typed_at(fields: Mapping[str, str]) -> datetime.datetime | None:
    """Time at which a text was typed, by the browser's clock; None if that is missing or impossible."""
    milliseconds = number(fields, "typed_at", 0.0, 1e14)
    if not milliseconds:
        return None
    typed, now = datetime.datetime.fromtimestamp(milliseconds / 1000, tz=datetime.UTC), timezone.now()
    return typed if now - OLDEST_TYPED < typed <= now else None


def number(fields: Mapping[str, str], name: str, low: float, high: float) -> float:
    """A submitted number, clamped to bounds; the lower bound if it is missing."""
    try:
        value = float(fields.get(name, ""))
    except ValueError:
        return low
    return min(max(value, low), high) if math.isfinite(value) else low
