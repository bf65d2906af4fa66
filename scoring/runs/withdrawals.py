"""Taking back what a participant answered: texts go, scores that were made of all answers together stand.

A score's vector runs over the answers of its set as they were when it was made, and is never changed. So a withdrawn
answer keeps its place in the set, without its text, and the set is *closed*: nothing scores it again, since a metric
would take what is missing for a wrong answer. Whoever wants scores without the answer makes another set.
"""

from collections.abc import Iterable
from typing import Final

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from scoring.models import Answer, AnswerSet, Run, Verdict
from scoring.models.run_states import RunState
from scoring.queries import IN_KEYS
from scoring.runs import answer_sets as runs_answer_sets
from scoring.runs.judging.execution import METRICS
from scoring.runs.judging.missing import items_of, settings_of

DELETED: Final = "(deleted)"
"""What stands for the text of a deleted answer. It is not blank: blank answers have no place among a score's values."""


@transaction.atomic
def withdraw(answer_sets: QuerySet[AnswerSet], participant: str, *, delete: bool) -> int:
    """Note that a participant's answers in some sets were withdrawn; returns how many that concerns.

    Args:
        participant: the code under which they stand in the sets.
        delete: whether the texts are deleted, with what a judge replied to them, and the sets closed. Otherwise they
            are kept, and may be scored on.
    """
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
    runs_answer_sets.cancel_runs([one for one in sets if one.pk in concerned], reason=runs_answer_sets.CLOSED)
    return n_deleted


def deleted_in(answer_set: AnswerSet) -> QuerySet[Answer]:
    """The answers of a set whose texts were deleted; what scores say of each of them is shown to nobody."""
    return Answer.objects.filter(answer_set=answer_set, withdrawn_at__isnull=False, text=DELETED)


@transaction.atomic
def delete_sets(answer_sets: QuerySet[AnswerSet]) -> None:
    """Delete answer sets with their answers, runs and scores, and what a judge replied to them."""
    for answer_set in answer_sets.select_for_update(no_key=True, of=("self",)).select_related("split").order_by("pk"):
        _delete_replies(answer_set)
        answer_set.delete()


def _delete_replies(answer_set: AnswerSet, participant: str | None = None) -> None:
    """Delete what a judge replied to a participant's answers, or to everybody's, for it may quote them. The verdicts'
    letters stand."""
    runs = Run.objects.filter(answer_set=answer_set, metric__in=METRICS, revision__has_references=True)
    for run in runs.exclude(state=RunState.NOT_CONFIGURED).select_related("answer_set", "revision"):
        settings = settings_of(run)
        _, items = items_of(run)
        addresses = [
            item.address(settings, run.repeat)
            for item in items
            if participant in (None, item.key.partition(IN_KEYS)[2])
        ]
        _blank(addresses)


def _blank(addresses: Iterable[str]) -> None:
    Verdict.objects.filter(address__in=list(addresses)).exclude(reply="").update(reply="")
