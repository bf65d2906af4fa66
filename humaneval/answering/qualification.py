"""Deciding an attempt at the test before the questions."""

from collections.abc import Sequence
from typing import Final

from django.db import transaction
from django.utils import timezone

from humaneval.answering import session
from humaneval.models import Participant
from humaneval.participants.services import exclude
from humaneval.studies.learning import Shown, awaits_test
from humaneval.studies.queries import NOT_QUALIFIED

TEST: Final = "the qualification test"
"""The actor in the study's log."""


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
