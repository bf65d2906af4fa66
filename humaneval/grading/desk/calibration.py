"""Calibration answers, whose grade is known, and each grader's results on them."""

from humaneval.grading.current_grades import current_grades, newest, ticked_of
from humaneval.grading.grade_scores import Ticked, equal_share, mean
from humaneval.models import GradedAnswer, GradeKind, GradingRound


def calibrations(round_: GradingRound) -> dict[int, dict[str, float | None]]:
    """Each grader's results on the answers with a known grade, by the grader's key. Three queries.

    The number of graded ones; and, None without any, the share with the known letter, the mean share of items that are
    ticked as in the known grade, and the bias: the mean of graded loose minus the known value, above 0 if the grader is
    more generous.
    """
    known = {pk: ticked_of(grade) for pk, grade in newest(round_, GradeKind.KNOWN).items()}
    pairs: dict[int, list[tuple[Ticked, Ticked]]] = {}
    for grade in current_grades(round_):
        if grade.graded_answer_id in known and grade.slot is not None and grade.slot.grader_id is not None:
            pair = (ticked_of(grade), known[grade.graded_answer_id])
            pairs.setdefault(grade.slot.grader_id, []).append(pair)
    results = {}
    for grader in round_.graders.values_list("pk", flat=True):
        mine = pairs.get(grader, [])
        results[grader] = {
            "n_graded": len(mine),
            "letters": mean([float(given.letter == right.letter) for given, right in mine]),
            "items": mean([equal_share(given.ticks, right.ticks) for given, right in mine]),
            "bias": mean([given.loose - right.loose for given, right in mine]),
        }
    return results


def calibration_answers(round_: GradingRound) -> list[tuple[GradedAnswer, bool]]:
    """The calibration answers by position, each with whether it has its known grade. Two queries."""
    known = newest(round_, GradeKind.KNOWN)
    answers = round_.answers.filter(is_calibration=True).select_related("question")
    return [(answer, answer.pk in known) for answer in answers]
