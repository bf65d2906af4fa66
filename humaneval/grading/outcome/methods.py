"""The methods paragraph of a paper about a grading round, written from what is stored."""

from collections.abc import Mapping
from typing import Any

from django.utils import timezone

from humaneval.grading.current_grades import count_named, current_grades, newest, ticked_of
from humaneval.models import GradeKind, GradingRound
from humaneval.results.methods import paragraph, spread


def methods_of(round_: GradingRound, agreement: Mapping[str, Any]) -> list[str]:
    """The paragraph about a round.

    Args:
        agreement: what the page of the outcome shows (`humaneval.grading.outcome.agreement.agreement_of`).
    """
    answers = round_.answers.filter(is_calibration=False)
    grades, known = current_grades(round_), newest(round_, GradeKind.KNOWN)
    on_known = [grade for grade in grades if grade.graded_answer_id in known]
    context = {
        "round": round_,
        "split": round_.revision.split,
        "n_answers": answers.count(),
        "n_questions": answers.values("question").distinct().count(),
        "n_graders": len({grade.slot.grader_id for grade in grades if grade.slot is not None}),
        "begun": timezone.localdate(round_.created_at).isoformat(),
        "closed": timezone.localdate(round_.closed_at).isoformat() if round_.closed_at else "",
        "shared": f"{round_.shared_share:.0%}",
        "n_on_known": len(on_known),
        "n_known": len({grade.graded_answer_id for grade in on_known}),
        "n_same": sum(ticked_of(grade).letter == ticked_of(known[grade.graded_answer_id]).letter for grade in on_known),
        "time": spread([grade.seconds for grade in grades if grade.seconds is not None]),
        "n_named": count_named(round_),
        "found": agreement,
        "n_decided": len(newest(round_, GradeKind.DECISION)),
    }
    return [paragraph("round", context)]
