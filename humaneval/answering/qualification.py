"""The qualification test of a study: the first items of each participant, whose outcomes are known."""

from typing import Final

from django.db import transaction

from humaneval.models import Assignment
from humaneval.participants.services import exclude
from humaneval.results.item_votes import passes_qualification
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
    participant = assignment.participant
    rows = participant.assignments.filter(item__is_qualification=True).select_related("item")
    if any(row.done_at is None for row in rows) or participant.excluded_at is not None:
        return
    if not passes_qualification(participant.study, rows):
        exclude(participant, NOT_QUALIFIED, by=TEST)
