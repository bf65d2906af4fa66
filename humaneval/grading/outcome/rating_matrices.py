"""Grades as arrays, for statistics: agreement, judge validation, the upper bound of the Human row."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from humaneval.grading.current_grades import by_answer, current_grades, newest, ticked_of
from humaneval.grading.grade_scores import Ticked
from humaneval.models import GradeKind, GradingRound

FloatArray = NDArray[np.float64]
LETTERS: Final = "ABCDEF"


@dataclass(frozen=True)
class GradeArrays:
    """The graders' grades that count, of answers without a known grade. NaN where a grader did not grade."""

    graders: tuple[str, ...]
    """Their codes, shape (n_graders,)."""
    positions: tuple[int, ...]
    """The answers by their number in the round, shape (n_answers,)."""
    qids: tuple[str, ...]
    """The question of each answer, shape (n_answers,)."""
    loose: FloatArray
    """Shape (n_graders, n_answers), 0 to 1."""
    strict: FloatArray
    """Shape (n_graders, n_answers), 0 or 1."""
    letters: FloatArray
    """Shape (n_graders, n_answers): the index of the letter in ``ABCDEF``, a label and not a quantity."""
    correct: FloatArray
    """Shape (n_graders, n_answers): 1 where the letter counts as correct."""
    ticks: FloatArray
    """Shape (n_graders, n_items): 1 where an item was ticked. The items of all answers, one answer after the other."""
    answer_of: NDArray[np.int64]
    """Shape (n_items,): the index of each item's answer among the answers, for intervals by answers."""


def grade_arrays(round_: GradingRound) -> GradeArrays:
    """The grades of a round as arrays. Three queries."""
    graders = list(round_.graders.order_by("number"))
    row_of = {grader.pk: row for row, grader in enumerate(graders)}
    answers = list(round_.answers.filter(is_calibration=False).select_related("question").order_by("position"))
    starts = np.cumsum([0, *(answer.n_items for answer in answers)])
    place_of = {answer.pk: place for place, answer in enumerate(answers)}
    shape = (len(graders), len(answers))
    loose, strict, letters, correct = (np.full(shape, np.nan) for _ in range(4))
    ticks = np.full((len(graders), int(starts[-1])), np.nan)
    for grade in current_grades(round_):
        place = place_of.get(grade.graded_answer_id)
        if place is None or grade.slot is None or grade.slot.grader_id is None:
            continue
        row, ticked = row_of[grade.slot.grader_id], ticked_of(grade)
        loose[row, place] = ticked.loose
        strict[row, place] = ticked.strict
        letters[row, place] = LETTERS.index(ticked.letter)
        correct[row, place] = ticked.correct
        ticks[row, starts[place] : starts[place + 1]] = ticked.ticks
    return GradeArrays(
        graders=tuple(grader.code for grader in graders),
        positions=tuple(answer.position for answer in answers),
        qids=tuple(answer.question.qid for answer in answers),
        loose=loose,
        strict=strict,
        letters=letters,
        correct=correct,
        ticks=ticks,
        answer_of=np.repeat(np.arange(len(answers)), [answer.n_items for answer in answers]).astype(np.int64),
    )


@dataclass(frozen=True)
class FinalGrade:
    """A round's result for one answer, and the source of the answer.

    The decision if there is one, else the known grade, else the mean over its graders.
    """

    position: int
    qid: str
    participant: str
    """The participant's code in a study; empty for a system."""
    answer_set: str
    """For a submission's answer: the key of its answer set. Empty for a study's."""
    study: int | None
    """For a study's answer: the key of the study."""
    categories: tuple[str, ...]
    loose: float
    strict: float
    correct: float
    """0 or 1 if decided or if all graders agree; between them if they do not."""
    n_graders: int
    decided: bool
    doubtful: bool
    """Whether a grader marked the question as unclear or the reference as wrong."""


def final_grades(round_: GradingRound) -> list[FinalGrade]:
    """A round's result for each graded answer, by position. Four queries.

    The result names the sources of answers: for people who may see them, or for aggregates over many answers.
    """
    decided, known = newest(round_, GradeKind.DECISION), newest(round_, GradeKind.KNOWN)
    graded = by_answer(current_grades(round_))
    answers = round_.answers.select_related(
        "question", "origin__answer", "origin__assignment__participant__study"
    ).order_by("position")
    found = []
    for answer in answers.defer("text", "origin__answer__text", "origin__assignment__text"):
        single = decided.get(answer.pk) or known.get(answer.pk)
        given = [ticked_of(grade) for grade in ([single] if single else graded.get(answer.pk, []))]
        if not given:
            continue
        marks = [ticked_of(grade) for grade in graded.get(answer.pk, [])] + given
        assignment, source = answer.origin.assignment, answer.origin.answer
        found.append(
            FinalGrade(
                position=answer.position,
                qid=answer.question.qid,
                participant=assignment.participant.code if assignment else (source.participant if source else ""),
                answer_set=str(source.answer_set_id) if source else "",
                study=assignment.participant.study_id if assignment else None,
                categories=tuple(answer.question.categories),
                loose=_mean(given, lambda one: one.loose),
                strict=_mean(given, lambda one: one.strict),
                correct=_mean(given, lambda one: one.correct),
                n_graders=len(graded.get(answer.pk, [])),
                decided=answer.pk in decided,
                doubtful=any(one.unclear_question or one.reference_wrong for one in marks),
            )
        )
    return found


def _mean(given: list[Ticked], value: Callable[[Ticked], float]) -> float:
    return sum(map(value, given)) / len(given)
