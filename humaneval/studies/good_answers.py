"""Answers of systems that were judged good before: by hand, in grading rounds."""

from collections import defaultdict
from collections.abc import Collection
from uuid import UUID

from humaneval.models import Grade, GradeKind, OnNamed
from scoring.models import Revision


def judged_good(sets: Collection[UUID], revision: Revision) -> set[tuple[UUID, str]]:
    """The answers, by answer set and question id, that grading rounds on a revision found right. One query.

    An answer is right if it has every item of the reference, contradicts nothing, claims nothing wrong and is no
    refusal: by the decision if there is one, else by the known grade, else by every grader.
    """
    rows = (
        Grade.objects.filter(graded_answer__origin__answer_set__in=sets, graded_answer__round__revision=revision)
        .select_related("graded_answer__origin", "graded_answer__question", "graded_answer__round", "slot")
        .order_by("version")
    )
    newest: dict[int, dict[tuple[str, int | None], Grade]] = defaultdict(dict)
    for grade in rows:
        newest[grade.graded_answer_id][grade.kind, grade.slot_id] = grade
    good = set()
    for grades in newest.values():
        by_kind: dict[str, list[Grade]] = defaultdict(list)
        for grade in grades.values():
            if grade.slot is None or (grade.slot.graded_at is not None and _counts(grade)):
                by_kind[grade.kind].append(grade)
        given = by_kind[GradeKind.DECISION] or by_kind[GradeKind.KNOWN] or by_kind[GradeKind.GRADE]
        if given and all(map(_is_right, given)):
            answer = given[0].graded_answer
            if answer.origin.answer_set_id is not None:
                good.add((answer.origin.answer_set_id, answer.question.qid))
    return good


def _counts(grade: Grade) -> bool:
    return not grade.named or grade.graded_answer.round.on_named == OnNamed.KEEP


def _is_right(grade: Grade) -> bool:
    return all(grade.ticks) and not (grade.contradicts or grade.extra_wrong or grade.refuses)
