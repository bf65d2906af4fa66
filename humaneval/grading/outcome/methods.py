"""The methods paragraph of a paper about a grading round, written from what is stored."""

from collections.abc import Mapping
from typing import Any

from django.utils import timezone

from humaneval.grading.criteria import is_by_criteria
from humaneval.grading.current_grades import count_named, current_grades, newest, ticked_of
from humaneval.models import GradeKind, GradingRound
from humaneval.results.methods import paragraph, spread


def methods_of(round_: GradingRound, agreement: Mapping[str, Any]) -> list[str]:
    """The paragraph about a round, with the agreement of its graders (`agreement_of`)."""
    answers = round_.answers.filter(is_calibration=False)
    grades, known, by_criteria = current_grades(round_), newest(round_, GradeKind.KNOWN), is_by_criteria(round_)
    on_known = [grade for grade in grades if grade.graded_answer_id in known]
    pairs = [(ticked_of(grade), ticked_of(known[grade.graded_answer_id])) for grade in on_known]
    # Of criteria, whether each decision is the known one; else whether each letter is.
    same = [one.letter == other.letter for one, other in pairs]
    if by_criteria:
        same = [own == right for one, other in pairs for own, right in zip(one.ticks, other.ticks, strict=True)]
    context = {
        "round": round_,
        "by_criteria": by_criteria,
        "split": round_.revision.split,
        "n_answers": answers.count(),
        "n_questions": answers.values("question").distinct().count(),
        "n_graders": len({grade.slot.grader_id for grade in grades if grade.slot is not None}),
        "begun": timezone.localdate(round_.created_at).isoformat(),
        "closed": timezone.localdate(round_.closed_at).isoformat() if round_.closed_at else "",
        "shared": f"{round_.shared_share:.0%}",
        "n_on_known": len(on_known),
        "n_known": len({grade.graded_answer_id for grade in on_known}),
        "n_same": sum(same),
        "n_decisions": len(same),
        "time": spread([grade.seconds for grade in grades if grade.seconds is not None]),
        "n_named": count_named(round_),
        "found": agreement,
        "n_unsure": sum(tick is None for grade in grades for tick in grade.ticks) if by_criteria else 0,
        "n_decided": len(newest(round_, GradeKind.DECISION)),
    }
    return [paragraph("round", context)]
