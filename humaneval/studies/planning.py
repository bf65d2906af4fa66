"""Planning who answers what: seats, each with the questions of one person."""

import random
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from math import ceil, sqrt
from typing import Final, TypeVar

from scoring.statistics.distributions import student_quantile
from scoring.statistics.means import PRIOR_CORRELATION

Question = TypeVar("Question", bound=Hashable)

QUESTION_CORRELATION: Final = 0.3
"""The assumed correlation of two people's answers to one question, right or wrong."""


def seats(
    questions: Sequence[Question],
    overlap: int,
    per_person: int,
    strata: Sequence[Hashable] | None = None,
    seed: int = 0,
) -> list[list[Question]]:
    """The questions of each person, so that every question is asked equally often.

    Every question is on exactly *overlap* seats and at most once on a seat. All seats but the last have *per_person*
    questions, or all questions if there are fewer. Of each stratum, any two full seats have equally many questions or
    differ by one. Which people share a question, and the order on a seat, are random; the same seed gives the same
    seats.

    Args:
        overlap: The wanted answers to each question, at least 1.
        per_person: The most questions that one person gets, at least 1.
        strata: The stratum of each question; all are in one if not given.

    Raises:
        ValueError: For numbers below 1, a repeated question, or another number of strata than of questions.

    >>> planned = seats(["a", "b", "c", "d", "e"], overlap=2, per_person=3)
    >>> [len(seat) for seat in planned], sorted(sum(planned, []))
    ([3, 3, 3, 1], ['a', 'a', 'b', 'b', 'c', 'c', 'd', 'd', 'e', 'e'])
    """
    if overlap < 1 or per_person < 1:
        raise ValueError(f"overlap, per_person: expected at least 1, found {overlap} and {per_person}")
    if len(set(questions)) < len(questions):
        raise ValueError("questions: expected each question once")
    labels = [None] * len(questions) if strata is None else strata
    if len(labels) != len(questions):
        raise ValueError(f"strata: expected one for each of {len(questions)} questions, found {len(labels)}")
    stratum_of = dict(zip(questions, labels, strict=True))
    dice = random.Random(seed)  # noqa: S311 - must be reproducible, not secret
    needs = Counter(dict.fromkeys(questions, overlap))
    planned = []
    while needs:
        planned.append(next_seat(needs, per_person, stratum_of, dice))
        needs -= Counter(planned[-1])
    return planned


def n_seats(needs: Iterable[int], per_person: int) -> int:
    """The number of people needed if each question is still to be answered so often: each gives at most *per_person*
    answers, and one to a question.

    >>> n_seats([2] * 50, per_person=10), n_seats([1, 1, 5], per_person=10), n_seats([], per_person=10)
    (10, 5, 0)
    """
    counts = list(needs)
    return max(ceil(sum(counts) / per_person), max(counts, default=0))


def complete_plan(
    n_questions: int, overlap: int | None, per_person: int | None, people: int | None
) -> tuple[int, int, int]:
    """Answers to each question, questions a person and people, of which one follows from the other two and may be None.

    The number of people is always what is needed.

    Raises:
        ValueError: The numbers do not fit together; the message says what does.

    >>> complete_plan(50, 2, 10, None), complete_plan(50, 2, None, 10), complete_plan(50, None, 10, 13)
    ((2, 10, 10), (2, 10, 10), (2, 10, 10))
    """
    if n_questions < 1:
        raise ValueError("The plan has no questions. List some, or choose a split that has questions.")
    if per_person is None and overlap and people:
        per_person = ceil(n_questions * overlap / people)
    if overlap is None and per_person and people:
        overlap = min(per_person * people // n_questions, people)
        if not overlap:
            raise ValueError(
                f"{people:,} people with {per_person:,} questions each cannot answer all {n_questions:,} questions. "
                "Plan fewer questions or more people."
            )
    if not overlap or per_person is None or per_person < 1:
        raise ValueError("A participant needs at least one question besides the attention checks.")
    if per_person > n_questions:
        raise ValueError(
            f"A participant would get {per_person:,} questions, and the plan has {n_questions:,}. Plan more questions, "
            "or fewer for a participant."
        )
    needed = n_seats([overlap] * n_questions, per_person)
    if people is not None and people < needed:
        raise ValueError(
            f"{n_questions:,} questions with {overlap:,} answers each need {needed:,} people with {per_person:,} "
            f"questions each; found {people:,}. Leave one of the three numbers empty."
        )
    return overlap, per_person, needed


def expected_margin(n_questions: int, overlap: int, per_person: int) -> float | None:
    """Half the expected width of the 95 % interval of the share of right answers, 0 to 1; None with one person or one
    question, whose uncertainty cannot be estimated.

    It is that of half of the answers right, the widest, where two answers of one person correlate by 0.1, and two
    answers to one question by 0.3. In simulations of 4 to 73 people whose answers correlate so, the mean width of the
    intervals that studies show was 0.8 to 1.0 of it.

    >>> round(expected_margin(50, overlap=2, per_person=10), 2)
    0.17
    """
    n_answers = n_questions * overlap
    n_people = n_seats([overlap] * n_questions, per_person)
    if min(n_people, n_questions) < 2:
        return None
    beside = (overlap - 1) * QUESTION_CORRELATION + (n_answers / n_people - 1) * PRIOR_CORRELATION
    return student_quantile(0.025, min(n_people, n_questions) - 1) * sqrt(0.25 / n_answers * (1 + beside))


def next_seat(
    needs: Mapping[Question, int],
    per_person: int,
    stratum_of: Mapping[Question, Hashable],
    dice: random.Random,
) -> list[Question]:
    """The questions of the next person, in random order, so that the people after them can complete the plan.

    Each stratum gives its share of what is still needed, rounded down or up; inside a stratum the questions that need
    most answers come first. Where each next person takes those, the wanted numbers can be reached whenever they can be
    reached at all (Gale 1957, Ryser 1957: a bipartite graph with given degrees, filled row by row).

    Args:
        needs: How many more answers each question needs; none without a need is on the seat.
    """
    by_stratum: dict[Hashable, list[Question]] = defaultdict(list)
    for question, need in needs.items():
        if need > 0:
            by_stratum[stratum_of[question]].append(question)
    wanted = {name: sum(needs[question] for question in own) for name, own in by_stratum.items()}
    total = sum(wanted.values())
    size = min(per_person, sum(map(len, by_stratum.values())))
    left = n_seats((needs[question] for own in by_stratum.values() for question in own), per_person)
    seat: list[Question] = []
    spare: list[tuple[tuple[bool, int, float, float], Question]] = []
    for name in by_stratum:
        own = dice.sample(by_stratum[name], len(by_stratum[name]))
        own.sort(key=lambda question: -needs[question])
        share = min(per_person * wanted[name] / total, len(own))
        n_sure = int(share)
        seat += own[:n_sure]
        # Of the rest one more is likely to be taken, where the share is rounded up; the others only fill gaps.
        for place, question in enumerate(own[n_sure:]):
            can_wait = needs[question] < left
            spare.append(((can_wait, place, n_sure - share, dice.random()), question))
    spare.sort(key=lambda row: row[0])
    seat += [question for _, question in spare[: size - len(seat)]]
    return dice.sample(seat, len(seat))
