"""Drawing the items of a participant who checks answers against passages."""

from typing import Final

from humaneval.answering.sampling import Drawable, answers_of, dice_of, evenly
from humaneval.answering.session import StudyClosedError
from humaneval.models import Assignment, Participant, Study, StudyItem

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
    then = evenly(others, max(study.n_asked - len(first), 1), dice, answers_of(study, "item__key"))
    return [Assignment(participant=participant, item_id=one.pk) for one in (*first, *then)]
