"""Export of a round: JSON with every version of every grade, CSV with those that count (where people decide criteria,
one line for each criterion), or both with a notebook."""

import csv
import io
import json
import zipfile
from dataclasses import asdict
from typing import Any, Final

from humaneval.grading.criteria import Rubrics, lowest_mean, rubrics_of, share_of
from humaneval.grading.current_grades import by_answer, grades_that_count, newest_grades, ticked_of
from humaneval.grading.desk.page import CRITERIA_MARKS
from humaneval.grading.grade_scores import MARKS, verdict_of
from humaneval.grading.outcome import reference_corrections
from humaneval.grading.outcome.graded_answers import JudgedSet, first_category_of, judged_sets_of
from humaneval.models import Grade, GradedAnswer, GradingRound
from humaneval.results.exports import notebook
from humaneval.studies.queries import counted
from scoring.analysis.reference_items import ReadingRight, items_of, reference_items
from scoring.metrics.rubric.references import Rubric

SCHEMA: Final = "manyhop.grading.v1"
FORMATS: Final = {"json": "application/json", "csv": "text/csv; charset=utf-8", "zip": "application/zip"}
_OF_GRADE: Final = (
    *("position", "question_id", "setting", "source", "participant", "calibration", "by", "kind", "version"),
)
_FURTHER: Final = ("seconds", "made_at", "note", "proposal", "probability", "named")
COLUMNS: Final = (*_OF_GRADE, "letter", "loose", "strict", "ticks", *MARKS, *_FURTHER)
CRITERIA_COLUMNS: Final = (*_OF_GRADE, "criterion", "verdict", "score", *CRITERIA_MARKS, *_FURTHER)
"""Of a round in which people decide criteria. A criterion is named by its number in its question, from 1."""

SETTINGS: Final = (
    *("selection", "seed", "sampling", "graders_per_answer", "shared_share", "calibration_share"),
    *("answers_per_grader", "release_hours"),
    *("calibration_start", "shows_matches", "masks", "on_named", "guidelines"),
)
"""The columns of a round that JSON has as they are."""


def as_document(round_: GradingRound, *, right: ReadingRight) -> dict[str, Any]:
    """The whole round as a JSON document, which includes reference answers and the sources of answers: for maintainers.
    The number of queries does not grow with the answers."""
    answers, rubrics = _answers(round_), rubrics_of(round_)
    people = {
        assignment.participant.study for answer in answers if (assignment := answer.origin.assignment) is not None
    }
    counting = {pk for study in people for pk in counted(study).values_list("pk", flat=True)}
    references = reference_items(round_.revision, {answer.question.qid for answer in answers}, right=right)
    counts, current = ({grade.pk for grade in grades} for grades in (grades_that_count(round_), newest_grades(round_)))
    every = Grade.objects.filter(graded_answer__round=round_).select_related("slot__grader", "author")
    grades = by_answer(every.order_by("graded_answer__position", "made_at", "pk"))
    return {
        "schema": SCHEMA,
        "round": {
            "slug": round_.slug,
            "name": round_.name,
            "owner": round_.owner.get_username(),
            "revision": round_.revision.signature_part,
            "content_hash": round_.revision.content_hash,
            **{name: getattr(round_, name) for name in SETTINGS},
            **({"lowest_score": lowest_mean(rubrics)} if rubrics else {}),
            "created_at": round_.created_at.isoformat(),
            "closed_at": round_.closed_at.isoformat() if round_.closed_at else None,
        },
        "graders": [
            {
                "code": grader.code,
                "account": grader.user.get_username(),
                "added_at": grader.added_at.isoformat(),
                "removed_at": grader.removed_at.isoformat() if grader.removed_at else None,
            }
            for grader in round_.graders.select_related("user")
        ],
        "answers": [
            {
                "position": answer.position,
                "question_id": answer.question.qid,
                "question": answer.question.text,
                "category": first_category_of(answer.question),
                "items": [item.text for item in items_of(references[answer.question.qid])],
                **(_of_rubric(rubrics[answer.question_id], references[answer.question.qid]) if rubrics else {}),
                "answer": answer.text,
                "calibration": answer.is_calibration,
                "wanted": answer.n_wanted,
                # Whether the participant who gave the answer counts now; None for a system.
                "origin": _origin(answer)
                | {"counts": answer.origin.assignment and answer.origin.assignment.participant_id in counting},
                "probability": answer.origin.probability,
                "grades": [
                    _grade(grade, answer, rubrics) | {"counts": grade.pk in counts, "current": grade.pk in current}
                    for grade in grades.get(answer.pk, [])
                ],
            }
            for answer in answers
        ],
        "judged": [_judged(of_set, by_criteria=bool(rubrics)) for of_set in judged_sets_of(round_)],
        "corrections": reference_corrections.as_document(round_, right=right)["corrections"],
    }


def _of_rubric(rubric: Rubric, reference: Any) -> dict[str, Any]:
    """The criteria of a question with their weights, what else is declared of them, and the weights of dimensions."""
    criteria = [
        {name: value for name, value in asdict(item.criterion).items() if value}
        for item in items_of(reference)
        if item.criterion is not None
    ]
    return {"criteria": criteria, "dimensions": dict(rubric.dimensions)}


def _grade(grade: Grade, answer: GradedAnswer, rubrics: Rubrics) -> dict[str, Any]:
    ticked = ticked_of(grade)
    of_items = {"loose": ticked.loose, "strict": ticked.strict, "letter": ticked.letter}
    return {
        "by": grade.grader_code or grade.author.get_username(),
        "kind": grade.kind,
        "version": grade.version,
        "ticks": list(ticked.ticks),
        "marks": ticked.marks,
        **({"score": share_of(answer, ticked, rubrics)} if rubrics else of_items),
        "note": grade.note,
        "proposal": grade.proposal,
        "named": grade.named,
        "seconds": grade.seconds,
        "made_at": grade.made_at.isoformat(),
    }


def _judged(of_set: JudgedSet, *, by_criteria: bool) -> dict[str, Any]:
    """An answer set with what a judge gave each answer, and the position in the round of those with a grade; of
    criteria also how far the judge finds each met in these."""
    items, score = of_set.items, of_set.score
    nothing = [None] * len(items)
    rows = zip(
        *(items.keys, items.qids, items.participants or nothing, of_set.values, of_set.is_drawable),
        items.families or (items.qids if items.participants else nothing),
        [1.0] * len(items) if score.per_weight is None else score.per_weight.tolist(),
        strict=True,
    )
    return {
        "signature": score.signature,
        "answer_set": str(score.run.answer_set_id),
        "source": next((graded.party for graded in of_set.graded.values()), ""),
        "of_lists": of_set.is_of_lists,
        "correctable": of_set.is_correctable,
        "answers": [
            {
                "question_id": qid,
                "participant": participant,
                "value": value,
                "weight": weight,
                "drawable": drawable,
                "cluster": cluster,
                "position": of_set.graded[key].final.answer.position if key in of_set.graded else None,
                **({"verdicts": of_set.verdicts.get(key)} if by_criteria else {}),
            }
            for key, qid, participant, value, drawable, cluster, weight in rows
        ],
    }


def as_zip(round_: GradingRound, *, right: ReadingRight) -> bytes:
    """The JSON document and the CSV, with a notebook that computes the figures of the outcome from them."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", compression=zipfile.ZIP_DEFLATED) as archive:
        for extension in ("json", "csv"):
            archive.writestr(f"round.{extension}", as_file(round_, extension, right=right))
        for name, text in notebook.files_of(notebook.ROUND):
            archive.writestr(name, text)
    return out.getvalue()


def as_csv(round_: GradingRound) -> bytes:
    """The grades that count, one per line. Texts that a spreadsheet would run as a formula begin with an apostrophe.

    Ticks are a JSON list of 1 and 0: a sequence of digits would be read as a number, without its leading zeros. Where
    people decide criteria, each grade has a line for each criterion.
    """
    file, rubrics = io.StringIO(), rubrics_of(round_)
    writer = csv.DictWriter(file, CRITERIA_COLUMNS if rubrics else COLUMNS, extrasaction="ignore", lineterminator="\n")
    writer.writeheader()
    answers = {answer.pk: answer for answer in _answers(round_)}
    for grade in sorted(grades_that_count(round_), key=lambda grade: answers[grade.graded_answer_id].position):
        answer = answers[grade.graded_answer_id]
        row = {
            **_origin(answer),
            **_grade(grade, answer, rubrics),
            "position": answer.position,
            "question_id": answer.question.qid,
            "calibration": int(answer.is_calibration),
            "ticks": json.dumps([int(bool(tick)) for tick in grade.ticks]),
            "probability": answer.origin.probability,
            "named": int(grade.named),
            **{mark: int(getattr(grade, mark)) for mark in MARKS},
        }
        # Texts that people wrote or chose; a name of a metric or a code cannot begin a formula.
        row |= {name: _safe(row[name]) for name in ("setting", "source", "note", "proposal")}
        decided = [{"criterion": number, "verdict": verdict_of(tick)} for number, tick in enumerate(grade.ticks, 1)]
        writer.writerows(row | verdict for verdict in (decided if rubrics else [{}]))
    return file.getvalue().encode("utf-8", "replace")


def as_file(round_: GradingRound, extension: str, *, right: ReadingRight) -> bytes:
    """The round in one of `FORMATS`."""
    if extension == "zip":
        return as_zip(round_, right=right)
    if extension == "csv":
        return as_csv(round_)  # it has sources but no reference answers; the caller has checked access
    return reference_corrections.as_json(as_document(round_, right=right))


def _safe(text: str) -> str:
    return f"'{text}" if text.startswith(("=", "+", "-", "@", "\t", "\r")) else text


def _answers(round_: GradingRound) -> list[GradedAnswer]:
    return list(
        round_.answers.select_related(
            "question",
            "origin__answer_set__setting",
            "origin__answer_set__submission_file__submission",
            "origin__assignment__participant__study__setting",
        ).order_by("position")
    )


def _origin(answer: GradedAnswer) -> dict[str, str]:
    assignment, source = answer.origin.assignment, answer.origin.answer_set
    if assignment is not None:
        study = assignment.participant.study
        where = {"kind": "study", "source": study.name, "setting": study.setting.slug, "answer_set": ""}
        who = {"study": study.slug, "participant": assignment.participant.code}
        return where | who | {"why": answer.origin.why}
    if source is None:
        raise ValueError(f"{answer} has no origin")
    file = getattr(source, "submission_file", None)
    return {
        "kind": "submission",
        "source": file.submission.name if file is not None else "",
        "setting": source.setting.slug,
        "answer_set": str(source.pk),
        "study": "",
        "participant": "",
        "why": answer.origin.why,
    }
