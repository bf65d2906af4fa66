"""Reference answers that graders marked as wrong: a list, decisions, and an export.

Accepting a correction changes no reference answer. Accepted corrections go into a draft of the split's next revision.
The draft takes effect once a maintainer has seen its changes and confirms it; after that everything is scored again.
The export names each question with its corrected answer, for the maintainers of the benchmark's own data.
"""

import json
from dataclasses import dataclass
from typing import Any, Final

from django.db import transaction

from humaneval.grading.current_grades import current_grades, newest
from humaneval.models import CorrectionState, Grade, GradeKind, GradingRound, ReferenceCorrection
from leaderboard.models import User
from leaderboard.operations import audit
from scoring.analysis.explanations import readable
from scoring.analysis.reference_items import ReadingRight, reference_items, reference_json
from scoring.importing import drafts
from scoring.models import Question
from scoring.models.imports import ImportDraft

SCHEMA: Final = "manyhop.corrections.v1"


@dataclass(frozen=True)
class Mark:
    """One person's report about a reference answer."""

    who: str
    note: str
    proposal: str


@dataclass(frozen=True)
class Correction:
    """A question whose reference answer a grader marked as wrong."""

    question: Question
    marks: tuple[Mark, ...]
    decision: ReferenceCorrection | None


def corrections_of(round_: GradingRound) -> list[Correction]:
    """The questions with such a mark in grades that count, with the newest decision. Five queries."""
    said: dict[int, list[Mark]] = {}
    extra = [*newest(round_, GradeKind.KNOWN).values(), *newest(round_, GradeKind.DECISION).values()]
    question_of = dict(round_.answers.values_list("pk", "question"))
    for grade in [*current_grades(round_), *extra]:
        if grade.reference_wrong:
            said.setdefault(question_of[grade.graded_answer_id], []).append(
                Mark(_who(grade), grade.note, grade.proposal)
            )
    decided = {one.question_id: one for one in round_.corrections.select_related("decided_by")}
    questions = Question.objects.filter(pk__in=said).order_by("position")
    return [Correction(one, tuple(said[one.pk]), decided.get(one.pk)) for one in questions]


def open_corrections(round_: GradingRound) -> list[Correction]:
    """The questions without a decision."""
    return [one for one in corrections_of(round_) if one.decision is None]


def _who(grade: Grade) -> str:
    if grade.slot is not None and grade.slot.grader is not None:
        return grade.slot.grader.code
    return grade.get_kind_display()


@transaction.atomic
def decide_correction(
    *, round_: GradingRound, question: Question, state: CorrectionState, answer_json: str, note: str, by: User
) -> ReferenceCorrection:
    """Store a decision about a reference answer; earlier decisions remain stored."""
    made = ReferenceCorrection.objects.create(
        round=round_, question=question, state=state, answer_json=answer_json, note=note, decided_by=by
    )
    audit.record(by, f"grading.correction-{state.value}", f"grading round {round_.slug}", f"Question {question.qid}.")
    return made


@dataclass(frozen=True)
class CorrectionView:
    """A correction with the current reference answer."""

    correction: Correction
    lines: tuple[tuple[str, ...], ...]
    reference_json: str


def prepare_revision(round_: GradingRound, *, by: User) -> ImportDraft:
    """Save the split's questions with the accepted corrections as a draft. It takes effect once a maintainer has seen
    its changes and confirms it. Then everything is scored again.

    Raises:
        SourceError: no correction with an answer was accepted, or another revision has become current.
    """
    accepted = {
        one.question.qid: one.decision.answer_json
        for one in corrections_of(round_)
        if one.decision is not None and one.decision.state == CorrectionState.ACCEPTED and one.decision.answer_json
    }
    draft = drafts.save_corrected(
        round_.revision, accepted, note=f"Corrections from the grading round {round_.slug}", made_by=by.get_username()
    )
    audit.record(by, "grading.revision-prepared", f"grading round {round_.slug}", f"{len(accepted)} corrections.")
    return draft


def views_of(round_: GradingRound, *, right: ReadingRight) -> list[CorrectionView]:
    """The corrections with their references. Seven queries."""
    found = corrections_of(round_)
    qids = {one.question.qid for one in found}
    items = reference_items(round_.revision, qids, right=right)
    as_json = reference_json(round_.revision, qids, right=right)
    return [
        CorrectionView(
            one,
            tuple(tuple(item.text for item in line.items) for line in items[one.question.qid].lines),
            as_json[one.question.qid],
        )
        for one in found
        if one.question.qid in items
    ]


def as_document(round_: GradingRound, *, right: ReadingRight) -> dict[str, Any]:
    """The corrections as a JSON document: current references, reports and decisions."""
    return {
        "schema": SCHEMA,
        "round": round_.slug,
        "revision": round_.revision.signature_part,
        "content_hash": round_.revision.content_hash,
        "corrections": [
            {
                "id": view.correction.question.qid,
                "question": readable(view.correction.question.text),
                "reference": json.loads(view.reference_json),
                "marks": [
                    {"by": mark.who, "note": mark.note, "proposal": mark.proposal} for mark in view.correction.marks
                ],
                "decision": _decision(view.correction.decision),
            }
            for view in views_of(round_, right=right)
        ],
    }


def as_json(round_: GradingRound, *, right: ReadingRight) -> bytes:
    """`as_document` as a file."""
    document = json.dumps(as_document(round_, right=right), ensure_ascii=False, indent=1)
    return (document + "\n").encode("utf-8", "surrogatepass")


def _decision(made: ReferenceCorrection | None) -> dict[str, Any] | None:
    if made is None:
        return None
    return {
        "state": made.state,
        "answer": json.loads(made.answer_json) if made.answer_json else None,
        "note": made.note,
        "at": made.decided_at.isoformat(),
    }
