"""The grades that count: for each graded slot, and for each known grade and decision, the newest version."""

from collections import defaultdict
from collections.abc import Iterable

from humaneval.grading.grade_scores import MARKS, Ticked
from humaneval.models import Grade, GradeKind, GradingRound, OnNamed


def current_grades(round_: GradingRound) -> list[Grade]:
    """The graders' grades that count, by answer and then grader, with the slot and its grader. One query.

    A grade whose grader said that the answer told who wrote it counts only if the round keeps those.
    """
    grades = newest_grades(round_)
    return grades if round_.on_named == OnNamed.KEEP else [grade for grade in grades if not grade.named]


def count_named(round_: GradingRound) -> int:
    """The number of graders' current grades of answers that told who wrote them. One query."""
    return sum(grade.named for grade in newest_grades(round_))


def newest_grades(round_: GradingRound) -> list[Grade]:
    """The newest version of every grade of a grader, also of answers that told who wrote them. One query."""
    rows = (
        Grade.objects.filter(
            graded_answer__round=round_, kind=GradeKind.GRADE, slot__graded_at__isnull=False, slot__grader__isnull=False
        )
        .select_related("slot__grader", "graded_answer")
        .order_by("graded_answer__position", "slot__grader__number", "version")
    )
    return list({grade.slot_id: grade for grade in rows}.values())


def by_answer(grades: Iterable[Grade]) -> dict[int, list[Grade]]:
    """Grades by the key of their answer."""
    grouped: dict[int, list[Grade]] = defaultdict(list)
    for grade in grades:
        grouped[grade.graded_answer_id].append(grade)
    return grouped


def newest(round_: GradingRound, kind: GradeKind) -> dict[int, Grade]:
    """The known grades, or the decisions, that count, by the key of their answer. One query."""
    rows = Grade.objects.filter(graded_answer__round=round_, kind=kind).select_related("author").order_by("version")
    return {grade.graded_answer_id: grade for grade in rows}


def grades_that_count(round_: GradingRound) -> list[Grade]:
    """Every grade that counts, of any kind. Three queries."""
    known, decisions = newest(round_, GradeKind.KNOWN), newest(round_, GradeKind.DECISION)
    return [*current_grades(round_), *known.values(), *decisions.values()]


def ticked_of(grade: Grade) -> Ticked:
    """A stored grade as `humaneval.grading.grade_scores` takes it."""
    return Ticked(tuple(grade.ticks), **{mark: getattr(grade, mark) for mark in MARKS})
