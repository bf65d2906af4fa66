"""Drawing the items of a participant: answers to check against passages, or texts to rate."""

from itertools import groupby
from typing import Final

from humaneval.answering.sampling import Drawable, answers_of, by_category, dice_of, evenly
from humaneval.answering.session import StudyClosedError
from humaneval.models import Assignment, Participant, Study, StudyItem
from humaneval.studies.ratings import questions_of

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


def plan_ratings(study: Study, participant: Participant) -> list[Assignment]:
    """A participant's texts to rate: those with the fewest ratings, from each group in proportion. Two queries.

    Of the texts with equally few ratings, each group gives its share, rounded up or down. So every text is rated once
    before any is rated twice, and each participant rates about as many texts of each group.

    Raises:
        StudyClosedError: no texts or no questions are loaded.
    """
    dice = dice_of(study, participant.number)
    rows = StudyItem.objects.filter(study=study).order_by("key").values_list("pk", "key", "group")
    n_ratings = answers_of(study, "item__key")
    pool = sorted((Drawable(*row) for row in rows), key=lambda one: n_ratings.get(one.qid, 0))
    if not pool or not questions_of(study):
        raise StudyClosedError(NOT_READY)
    drawn: list[Drawable] = []
    for _, equal in groupby(pool, key=lambda one: n_ratings.get(one.qid, 0)):
        if len(drawn) < study.n_asked:
            drawn += by_category(list(equal), study.n_asked - len(drawn), dice)
    return [Assignment(participant=participant, item_id=one.pk) for one in dice.sample(drawn, len(drawn))]
