"""Drawing the pairs of answers that a participant compares, and the order of each pair."""

from humaneval.answering.item_sampling import NOT_READY
from humaneval.answering.sampling import Drawable, answers_of, dice_of, evenly
from humaneval.answering.session import StudyClosedError
from humaneval.models import Assignment, ItemOrigin, Participant, Study, StudyItem


def plan_pairs(study: Study, participant: Participant) -> list[Assignment]:
    """A participant's pairs: those with the fewest choices, and among them, never first, injected ones.

    A participant gets the study's share of injected pairs, at least one if there are any. Each pair is shown in random
    order. Two queries.

    Raises:
        StudyClosedError: there are no pairs yet.
    """
    dice = dice_of(study, participant.number)
    rows = list(StudyItem.objects.filter(study=study).order_by("key").values_list("pk", "key", "origin"))
    if not rows:
        raise StudyClosedError(NOT_READY)
    injected = [Drawable(pk, key) for pk, key, origin in rows if origin == ItemOrigin.INJECTED]
    others = [Drawable(pk, key) for pk, key, origin in rows if origin != ItemOrigin.INJECTED]
    n_injected = min(max(round(study.injected_share * study.n_asked), 1), len(injected), study.n_asked - 1)
    planned = evenly(others, study.n_asked - n_injected, dice, answers_of(study, "item__key"))
    for one in dice.sample(injected, n_injected):
        planned.insert(dice.randint(1, len(planned)), one)
    return [Assignment(participant=participant, item_id=one.pk, swapped=dice.random() < 0.5) for one in planned]
