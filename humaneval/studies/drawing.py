"""Drawing the questions of a participant.

Each method is a pure function of the questions, a seed and the participant's number, so the same study draws the same
questions again. The balanced method also depends on how many answers each question has or is expected to get.
"""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.db.models import Count, Q, QuerySet

from humaneval.models import Assignment, Study
from humaneval.studies.queries import COMPLETE, counted, seated
from scoring.analysis.explanations import explaining_metric
from scoring.models import Question, Split

UNCATEGORISED = ""


class StudyClosedError(Exception):
    """The session cannot be started or changed; the message says why."""


@dataclass(frozen=True)
class Drawable:
    """A question that may be drawn."""

    pk: int
    qid: str
    category: str = UNCATEGORISED
    """The first of its categories, which is its stratum."""


def evenly(pool: Sequence[Drawable], n: int, dice: random.Random, answers: Mapping[str, int]) -> list[Drawable]:
    """The *n* questions with the fewest answers, ties in random order.

    So answer counts differ by one at most, and each question reaches the wanted number before any gets more.

    Args:
        answers: by the question's ``qid``, how many answers it has or is expected to get; 0 if missing.
    """
    shuffled = dice.sample(pool, len(pool))
    chosen = sorted(shuffled, key=lambda question: answers.get(question.qid, 0))[:n]
    return dice.sample(chosen, len(chosen))


def by_category(pool: Sequence[Drawable], n: int, dice: random.Random) -> list[Drawable]:
    """*n* questions, each category in proportion to its share of the pool, rounded up or down.

    Systematic sampling: the questions are ordered by category, both in random order, and every ``len(pool) / n``-th is
    taken from a random start. So each question is equally likely, whatever its category.

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


def planned_questions(split: Split, n: int, seed: int) -> list[str]:
    """The ids of *n* questions of a split for a plan, or of all, from each category in proportion."""
    dice = random.Random(f"{seed}:plan")  # noqa: S311 - must be reproducible, not secret
    return [question.qid for question in by_category(questions_of(split), n, dice)]


def questions_of(split: Split) -> list[Drawable]:
    """The current questions of a split, in their order."""
    rows = Question.objects.filter(revision=split.current_revision).order_by("position")
    columns = rows.values_list("pk", "qid", "categories")
    return [Drawable(pk, qid, str(names[0]) if names else UNCATEGORISED) for pk, qid, names in columns]


def dice_of(study: Study, number: int) -> random.Random:
    """The random generator for one participant of a study: reproducible, and different for each participant."""
    return random.Random(f"{study.seed}:{number}")  # noqa: S311 - must be reproducible, not secret


def public_questions(split: Split) -> QuerySet[Question]:
    """The questions of the benchmark of a split whose answers are public."""
    return Question.objects.filter(
        revision__current_of__benchmark=split.benchmark_id,
        revision__split__subset_of=None,
        revision__split__hidden=False,
    )


def practice_question_of(study: Study) -> Question | None:
    """A study's practice question: the question that the study names, or else the first one of its benchmark that has a
    public answer; None if there is none, or no metric can compare an answer with it."""
    if explaining_metric(study.split.benchmark.slug) is None:
        return None
    if study.practice_question is not None:
        return study.practice_question
    known = public_questions(study.split).filter(revision__has_references=True)
    return known.order_by("revision__split__position", "position").first()


def answers_of(study: Study, by: str = "question__qid") -> dict[str, int]:
    """By the question's id (or another field of what an assignment asks): how many answers there are, and how many more
    are expected from participants who have not finished; in any revision of the split.

    Participants who withdrew, declined, were given up on or excluded are not counted, except for complete answers given
    before being given up on. A question left blank by a participant who finished is not counted either.
    """
    # Expected answers count too, or participants who begin at the same time would all get the same questions.
    active = Q(participant__in=seated(study), participant__finished_at=None)
    answered = Q(participant__in=counted(study)) & COMPLETE
    rows = (
        Assignment.objects.filter(participant__study=study, participant__is_preview=False)
        .exclude(**{by: None})
        .filter(active | answered)
        .order_by()
        .values(by)
        .annotate(n=Count("pk", distinct=True))
        .values_list(by, "n")
    )
    return {str(key): n for key, n in rows}
