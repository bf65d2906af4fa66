"""Drawing the items of a participant who checks answers against passages."""

from typing import Final

from django.db.models import Count, Q

from humaneval.answering.sampling import Drawable, dice_of, evenly
from humaneval.answering.session import StudyClosedError
from humaneval.models import Assignment, Participant, Study, StudyItem
from humaneval.studies.queries import seated

NOT_READY: Final = "This study is not ready yet. Open your link again later."


def plan_items(study: Study, participant: Participant) -> list[Assignment]:
    """A participant's items: first those of the qualification test, then the items with the fewest votes.

    Injected items are drawn like the others. Three queries.

    Raises:
        StudyClosedError: no items are loaded.
    """
    dice = dice_of(study, participant.number)
    rows = list(StudyItem.objects.filter(study=study).order_by("key").values_list("pk", "key", "is_qualification"))
    if not rows:
        raise StudyClosedError(NOT_READY)
    tests = [Drawable(pk, key) for pk, key, tested in rows if tested]
    others = [Drawable(pk, key) for pk, key, tested in rows if not tested]
    first = dice.sample(tests, min(study.n_qualification, len(tests)))
    then = evenly(others, max(study.n_asked - len(first), 1), dice, _votes_of(study))
    return [Assignment(participant=participant, item_id=one.pk) for one in (*first, *then)]


def _votes_of(study: Study) -> dict[str, int]:
    """By the item's key: how many votes it has, and how many more are expected, as in `sampling.answers_of`."""
    active = Q(participant__in=seated(study), participant__finished_at=None)
    voted = Q(participant__withdrawn_at=None, participant__excluded_at=None) & ~Q(text="")
    counted = (
        Assignment.objects.filter(participant__study=study, participant__is_preview=False, item__isnull=False)
        .filter(active | voted)
        .order_by()
        .values("item__key")
        .annotate(n=Count("pk", distinct=True))
        .values_list("item__key", "n")
    )
    return {str(key): n for key, n in counted}
