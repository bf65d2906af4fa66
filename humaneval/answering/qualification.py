"""The tests of a study: that before the questions, and the first items of each participant, whose outcomes are
known."""

from collections.abc import Sequence
from typing import Final

from django.db import transaction
from django.utils import timezone

from humaneval.answering import session
from humaneval.models import Assignment, Participant
from humaneval.participants.services import exclude
from humaneval.results.item_votes import passes_qualification
from humaneval.studies.learning import Shown, n_attempts_of
from humaneval.studies.queries import NOT_QUALIFIED

TEST: Final = "the qualification test"
"""The actor in the study's log."""


@transaction.atomic
def judge(assignment: Assignment) -> None:
    """Exclude the participant, which frees the seat, if all their qualification items are done and too few are right.

    Nothing happens for any other assignment. A changed vote is judged again.
    """
    item = assignment.item
    if item is None or not item.is_qualification:
        return
    participant = session.locked(assignment.participant)  # two last votes at once are judged one after the other
    rows = participant.assignments.filter(item__is_qualification=True).select_related("item")
    if any(row.done_at is None for row in rows) or participant.excluded_at is not None:
        return
    if not passes_qualification(participant.study, rows):
        exclude(participant, NOT_QUALIFIED, by=TEST)


@transaction.atomic
def finish(participant: Participant) -> None:
    """Finish the session. Qualification items that were left out count as wrong from then on.

    Raises:
        StudyClosedError: see `session.finish`.
    """
    session.finish(participant)
    row = session.locked(participant)
    rows = list(row.assignments.filter(item__is_qualification=True).select_related("item"))
    if rows and row.excluded_at is None and not passes_qualification(row.study, rows):
        exclude(row, NOT_QUALIFIED, by=TEST)


def awaits_test(participant: Participant) -> bool:
    """Whether a participant has an attempt left at the test before the questions, and has not passed it."""
    attempts = participant.attempts
    return len(attempts) < n_attempts_of(participant.study) and not any(attempt["passed"] for attempt in attempts)


@transaction.atomic
def decide(participant: Participant, number: int, answered: Sequence[Shown]) -> None:
    """Decide one attempt at the test. Who fails the last one is excluded, which frees the seat.

    Nothing happens if the attempt is decided already: sending it twice, or from two tabs, is harmless.

    Args:
        number: the attempt that the form was of, from 1.

    Raises:
        StudyClosedError: the participant can change nothing any more.
    """
    row = session.locked(participant)
    session.require_changeable(row)
    if not awaits_test(row) or number != len(row.attempts) + 1:
        return
    n_right, now = sum(item.is_right for item in answered), timezone.now()
    passed = n_right >= row.study.qualification_share * len(answered) - 1e-9  # as 0.1 has no exact binary form
    row.attempts = [*row.attempts, {"right": n_right, "of": len(answered), "passed": passed, "at": now.isoformat()}]
    row.last_seen_at = now
    row.save(update_fields=["attempts", "last_seen_at"])
    if not passed and not awaits_test(row):
        exclude(row, NOT_QUALIFIED, by=TEST)
