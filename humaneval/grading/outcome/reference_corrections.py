"""Reference answers that graders marked as wrong: a list, decisions, and an export.

Accepting a correction changes no reference answer. Accepted corrections go into a draft of the split's next revision.
The draft takes effect once a maintainer has seen its changes and confirms it; after that everything is scored again.
The export names each question with its corrected answer, for the maintainers of the benchmark's own data.
"""

import json
from collections import defaultdict
from dataclasses import dataclass
from typing import Any, Final

from django.db import transaction

from humaneval.grading.current_grades import grades_that_count
from humaneval.models import CorrectionState, Grade, GradingRound, ReferenceCorrection
from leaderboard.models import User
from leaderboard.operations import audit
from scoring.analysis.explanations import readable
from scoring.analysis.reference_items import ReadingRight, reference_items, reference_json
from scoring.importing import drafts
from scoring.models import Question
from scoring.models.drafts import ImportDraft

SCHEMA: Final = "manyhop.corrections.v1"


@dataclass(frozen=True)
class Correction:
    """A question whose reference answer a grader marked as wrong."""

    question: Question
    grades: tuple[Grade, ...]
    """The grades with the mark: each has a note, and perhaps a proposal."""
    decision: ReferenceCorrection | None


def corrections_of(round_: GradingRound) -> list[Correction]:
    """The questions with such a mark in grades that count, with the newest decision. Five queries."""
    marked: dict[int, list[Grade]] = defaultdict(list)
    question_of = dict(round_.answers.values_list("pk", "question"))
    for grade in grades_that_count(round_):
        if grade.reference_wrong:
            marked[question_of[grade.graded_answer_id]].append(grade)
    decided = {decision.question_id: decision for decision in round_.corrections.select_related("decided_by")}
    questions = Question.objects.filter(pk__in=marked).order_by("position")
    return [Correction(question, tuple(marked[question.pk]), decided.get(question.pk)) for question in questions]


def open_corrections(round_: GradingRound) -> list[Correction]:
    return [correction for correction in corrections_of(round_) if correction.decision is None]


@transaction.atomic
def decide_correction(
    *, round_: GradingRound, question: Question, state: CorrectionState, answer_json: str, note: str, by: User
) -> ReferenceCorrection:
    """Store a decision about a reference answer; earlier decisions remain stored."""
    decision = ReferenceCorrection.objects.create(
        round=round_, question=question, state=state, answer_json=answer_json, note=note, decided_by=by
    )
    audit.record(by, f"grading.correction-{state.value}", f"grading round {round_.slug}", f"Question {question.qid}.")
    return decision


def prepare_revision(round_: GradingRound, *, by: User) -> ImportDraft:
    """Save the split's questions with the accepted corrections as a draft. It takes effect once a maintainer has seen
    its changes and confirms it. Then everything is scored again.

    Raises:
        SourceError: no correction with an answer was accepted, or another revision has become current.
    """
    accepted = {
        correction.question.qid: correction.decision.answer_json
        for correction in corrections_of(round_)
        if correction.decision and correction.decision.state == CorrectionState.ACCEPTED
        if correction.decision.answer_json
    }
    draft = drafts.save_corrected(
        round_.revision, accepted, note=f"Corrections from the grading round {round_.slug}", made_by=by.get_username()
    )
    audit.record(by, "grading.revision-prepared", f"grading round {round_.slug}", f"{len(accepted)} corrections.")
    return draft


def with_references(
    round_: GradingRound, *, right: ReadingRight
) -> list[tuple[Correction, tuple[tuple[str, ...], ...], str]]:
    """The corrections, each with the lines of the current reference answer, and with it as JSON. Seven queries."""
    corrections = corrections_of(round_)
    qids = {correction.question.qid for correction in corrections}
    items = reference_items(round_.revision, qids, right=right)
    as_json = reference_json(round_.revision, qids, right=right)
    return [
        (
            correction,
            tuple(tuple(item.text for item in line.items) for line in items[correction.question.qid]),
            as_json[correction.question.qid],
        )
        for correction in corrections
        if correction.question.qid in items
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
                "id": correction.question.qid,
                "question": readable(correction.question.text),
                "reference": json.loads(reference),
                "marks": [
                    {
                        "by": grade.grader_code or grade.get_kind_display(),
                        "note": grade.note,
                        "proposal": grade.proposal,
                    }
                    for grade in correction.grades
                ],
                "decision": correction.decision
                and {
                    "state": correction.decision.state,
                    "answer": json.loads(correction.decision.answer_json or "null"),
                    "note": correction.decision.note,
                    "at": correction.decision.decided_at.isoformat(),
                },
            }
            for correction, _, reference in with_references(round_, right=right)
        ],
    }


def as_json(document: dict[str, Any]) -> bytes:
    text = json.dumps(document, ensure_ascii=False, indent=1)
    return (text + "\n").encode("utf-8", "surrogatepass")
