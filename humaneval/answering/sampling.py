"""Which questions a participant is given.

Each way is a pure function of the questions, a seed and the participant's number, so the same study gives the same
questions again; the balanced way also of how many answers each question has or is about to have.
"""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.db.models import Count, Q

from humaneval.models import Assignment, Participant, SamplingMethod, Study
from humaneval.studies.queries import seated
from scoring.models import Question

UNCATEGORISED = ""


@dataclass(frozen=True)
class Drawable:
    """A question that may be drawn."""

    pk: int
    qid: str
    category: str = UNCATEGORISED
    """The first of its categories: the stratum that it belongs to."""


def randomly(pool: Sequence[Drawable], n: int, dice: random.Random) -> list[Drawable]:
    """*n* questions, each equally likely, none twice; all in random order where there are no more than *n*."""
    return dice.sample(pool, min(n, len(pool)))


def evenly(pool: Sequence[Drawable], n: int, dice: random.Random, answers: Mapping[str, int]) -> list[Drawable]:
    """The *n* questions with the fewest answers, ties in random order.

    So no question has two answers more than another, and each reaches the wanted number before any gets more.

    Args:
        answers: by the question's ``qid``, how many answers it has or is about to have; 0 where it is missing.
    """
    shuffled = dice.sample(pool, len(pool))
    chosen = sorted(shuffled, key=lambda question: answers.get(question.qid, 0))[:n]
    return dice.sample(chosen, len(chosen))


def by_category(pool: Sequence[Drawable], n: int, dice: random.Random) -> list[Drawable]:
    """*n* questions, of each category its share of the pool, rounded up or down.

    Systematic sampling: the questions lie in a row, category by category, both in random order, and every
    ``len(pool) / n``-th is taken from a random start. So each question is equally likely, whatever its category.

    >>> pool = [Drawable(i, str(i), "a" if i < 60 else "b") for i in range(100)]
    >>> sum(question.category == "a" for question in by_category(pool, 10, random.Random(1)))
    6
    """
    if n >= len(pool):
        return dice.sample(pool, len(pool))
    names = sorted({question.category for question in pool})
    place = {name: number for number, name in enumerate(dice.sample(names, len(names)))}
    row = sorted(dice.sample(pool, len(pool)), key=lambda question: place[question.category])
    start = dice.random()
    taken = [row[min(int((number + start) * len(row) / n), len(row) - 1)] for number in range(n)]
    return dice.sample(taken, n)


def dice_of(study: Study, number: int) -> random.Random:
    """The source of chance for one participant of a study: the same each time, and different for each participant."""
    return random.Random(f"{study.seed}:{number}")  # noqa: S311 - to be repeated, not to be secret


def practice_question_of(study: Study) -> Question | None:
    """What a study's volunteers practise on: the question that it names, or else the first one of its benchmark that
    has a public answer; none if there is none."""
    if study.practice_question is not None:
        return study.practice_question
    return (
        Question.objects.filter(
            revision__current_of__benchmark=study.split.benchmark_id,
            revision__split__hidden=False,
            revision__has_references=True,
        )
        .order_by("revision__split__position", "position")
        .first()
    )


def draw(study: Study, participant: Participant) -> list[Assignment]:
    """Give a participant their questions, and the attention checks among them. Whoever has some keeps them.

    The caller holds the study's row, so that two who consent at once are not both given what has the fewest answers.
    Five queries at most, whatever the number of questions.
    """
    kept = list(participant.assignments.order_by("position"))
    revision = study.split.current_revision
    if kept or revision is None:
        return kept
    dice = dice_of(study, participant.number)
    practice = practice_question_of(study)
    rows = Question.objects.filter(revision=revision).order_by("position").values_list("pk", "qid", "categories")
    everything = [Drawable(pk, qid, str(names[0]) if names else UNCATEGORISED) for pk, qid, names in rows]
    n = study.questions_per_participant
    if study.drawing == SamplingMethod.FIXED:
        by_qid = {question.qid: question for question in everything}
        drawn = [by_qid[qid] for qid in study.question_ids if qid in by_qid]
    else:
        others = [question for question in everything if practice is None or question.pk != practice.pk]
        pool = others if len(others) >= n else everything
        if study.drawing == SamplingMethod.BALANCED:
            drawn = evenly(pool, n, dice, answers_of(study))
        elif study.drawing == SamplingMethod.STRATIFIED:
            drawn = by_category(pool, n, dice)
        else:
            drawn = randomly(pool, n, dice)
    planned = [Assignment(participant=participant, question_id=question.pk) for question in drawn]
    for check in study.attention_checks:
        # Never first: whoever reads nothing should have begun to read nothing before.
        place = dice.randint(1, len(planned)) if planned else 0
        planned.insert(place, Assignment(participant=participant, attention_check=check))
    for position, assignment in enumerate(planned, start=1):
        assignment.position = position
    return Assignment.objects.bulk_create(planned)


def answers_of(study: Study) -> dict[str, int]:
    """By the question's id: how many answers it has, and how many more are to be expected of those who have not
    finished; in whatever revision of the split it was asked.

    Whoever withdrew, declined, was given up on or excluded is not counted but for what was answered before being given
    up on; a question left without an answer by somebody who finished is not counted either. One query.
    """
    active = Q(participant__in=seated(study), participant__finished_at=None)
    answered = Q(participant__withdrawn_at=None, participant__excluded_at=None) & ~Q(text="")
    counted = (
        Assignment.objects.filter(participant__study=study, participant__is_preview=False, question__isnull=False)
        .filter(active | answered)
        .order_by()
        .values("question__qid")
        .annotate(n=Count("pk", distinct=True))
        .values_list("question__qid", "n")
    )
    return {str(qid): n for qid, n in counted}
