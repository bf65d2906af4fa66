"""Withdraw a participant's answers: texts are deleted, scores computed from all answers together remain.

A score's vector covers the answers of its set at the time of scoring, and is never changed. A withdrawn answer
therefore keeps its place in the set, without its text, and the set is *closed*: it is never scored again, because a
metric would count the missing text as a wrong answer. To score the other answers, create another set.
"""

from typing import Final

from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import timezone

from scoring.benchmarks.columns import JUDGES
from scoring.generations.keys import IN_KEYS
from scoring.models import Answer, AnswerSet, Run, Verdict
from scoring.models.run_states import RunState
from scoring.runs import answer_sets as runs_answer_sets
from scoring.runs.judging.items import items_of, settings_of

DELETED: Final = "(deleted)"
"""Replaces the text of a deleted answer. It is not blank: blank answers have no place among a score's values."""


@transaction.atomic
def withdraw(answer_sets: QuerySet[AnswerSet], participant: str, *, delete: bool) -> int:
    """Record that a participant's answers in some sets were withdrawn; returns the number of affected sets.

    Args:
        participant: the participant's code in the sets.
        delete: whether to delete the texts, with the judge's replies to them, and close the sets. Otherwise the texts
            remain stored, and may be scored.
    """
    # `of`: only the sets are locked, not their split, which every upload refers to. In one order, against deadlocks.
    sets = list(answer_sets.select_for_update(no_key=True, of=("self",)).select_related("split").order_by("pk"))
    theirs = Answer.objects.filter(answer_set__in=sets, participant=participant, withdrawn_at=None)
    concerned = set(theirs.values_list("answer_set", flat=True))
    now = timezone.now()
    if not delete:
        return theirs.update(withdrawn_at=now)
    for answer_set in sets:
        if answer_set.pk in concerned:
            _delete_replies(answer_set, participant)
    n_deleted = theirs.update(text=DELETED, withdrawn_at=now)
    AnswerSet.objects.filter(pk__in=concerned, closed_at=None).update(closed_at=now)
    runs_answer_sets.cancel_runs(AnswerSet.objects.filter(pk__in=concerned), reason=runs_answer_sets.CLOSED)
    return n_deleted


@transaction.atomic
def delete_texts(answer_sets: QuerySet[AnswerSet]) -> None:
    """Delete the texts of all answers in some sets, with the judge's replies to them, and close the sets. Scores, also
    those of single answers, remain. Repeating is harmless."""
    for answer_set in answer_sets.select_for_update(no_key=True, of=("self",)).select_related("split").order_by("pk"):
        _delete_replies(answer_set)
        answer_set.answers.exclude(text__in=("", DELETED)).update(text=DELETED)
    answer_sets.filter(closed_at=None).update(closed_at=timezone.now())
    runs_answer_sets.cancel_runs(answer_sets, reason=runs_answer_sets.CLOSED)


def deleted_in(answer_set: AnswerSet) -> QuerySet[Answer]:
    """The answers of a set whose texts were deleted; the individual scores of these answers are never shown."""
    return Answer.objects.filter(answer_set=answer_set, withdrawn_at__isnull=False, text=DELETED)


@transaction.atomic
def delete_sets(answer_sets: QuerySet[AnswerSet]) -> None:
    """Delete answer sets with their answers, runs and scores, and the judge's replies to them."""
    for answer_set in answer_sets.select_for_update(no_key=True, of=("self",)).select_related("split").order_by("pk"):
        _delete_replies(answer_set)
        answer_set.delete()


def _delete_replies(answer_set: AnswerSet, participant: str | None = None) -> None:
    """Delete the judge's replies to one participant's answers, or to all answers, because they may quote them. The
    verdicts' letters remain."""
    runs = Run.objects.filter(Q(answer_set=answer_set) | Q(opponent=answer_set), metric__in=JUDGES)
    runs = runs.filter(revision__has_references=True)
    for run in runs.exclude(state=RunState.NOT_CONFIGURED).select_related("answer_set", "revision__split__benchmark"):
        settings = settings_of(run)
        _, items = items_of(run)
        addresses = [
            item.address(settings) for item in items if participant in (None, item.answer_key.partition(IN_KEYS)[2])
        ]
        replies = Q(address__in=addresses)
        if participant is None:  # also those of repeated judgings from before version 0.8.0, which have other addresses
            replies |= Q(run=run)
        Verdict.objects.filter(replies).exclude(reply="").update(reply="")
