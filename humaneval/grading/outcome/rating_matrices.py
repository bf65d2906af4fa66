"""Grades as arrays, for statistics: agreement, judge validation, the upper bound of the Human row."""

import statistics
from dataclasses import dataclass
from typing import Final

import numpy as np

from humaneval.grading.criteria import is_by_criteria, rubrics_of, share_of
from humaneval.grading.current_grades import by_answer, current_grades, newest, ticked_of
from humaneval.grading.outcome.agreement import GradeArrays
from humaneval.models import GradedAnswer, GradeKind, GradingRound

LETTERS: Final = "ABCDEF"


def grade_arrays(round_: GradingRound) -> GradeArrays:
    """The grades of a round as arrays. Three queries, or four."""
    rubrics = rubrics_of(round_)
    graders = list(round_.graders.order_by("number"))
    row_of = {grader.pk: row for row, grader in enumerate(graders)}
    answers = list(round_.answers.filter(is_calibration=False).order_by("position"))
    starts = np.cumsum([0, *(answer.n_items for answer in answers)])
    place_of = {answer.pk: place for place, answer in enumerate(answers)}
    shape = (len(graders), len(answers))
    loose, letters = np.full(shape, np.nan), np.full(shape, np.nan)
    ticks = np.full((len(graders), int(starts[-1])), np.nan)
    for grade in current_grades(round_):
        place = place_of.get(grade.graded_answer_id)
        if place is None or grade.slot is None or grade.slot.grader_id is None:
            continue
        row, ticked = row_of[grade.slot.grader_id], ticked_of(grade)
        share = share_of(grade.graded_answer, ticked, rubrics)
        loose[row, place] = np.nan if share is None else share
        letters[row, place] = LETTERS.index(ticked.letter)
        ticks[row, starts[place] : starts[place + 1]] = [np.nan if tick is None else tick for tick in ticked.ticks]
    return GradeArrays(
        graders=tuple(grader.code for grader in graders),
        loose=loose,
        letters=letters,
        ticks=ticks,
        answer_of=np.repeat(np.arange(len(answers)), [answer.n_items for answer in answers]).astype(np.int64),
        dimensions=tuple(
            criterion.dimension_label
            for answer in (answers if rubrics else ())
            for criterion in rubrics[answer.question_id].criteria
        ),
    )


@dataclass(frozen=True)
class FinalGrade:
    """A round's result for one answer: the decision if there is one, else the known grade, else its graders' mean."""

    answer: GradedAnswer
    loose: float
    strict: float
    correct: float
    """0 or 1 if decided or if all graders agree; between them if they do not."""
    said: tuple[tuple[float, ...], ...]
    """What each says of the answer, 1 or 0; of criteria what each who could say says of each, 0 to 1."""

    @property
    def met(self) -> tuple[float | None, ...]:
        """How far each criterion is met, as the mean over those who could say; None where nobody could."""
        return tuple(statistics.fmean(shares) if shares else None for shares in self.said)


def final_grades(round_: GradingRound) -> list[FinalGrade]:
    """A round's result for each graded answer, by position. Four queries.

    In a round of criteria only ``said`` and ``met`` mean something. The result names the sources of answers: for people
    who may see them, or for aggregates over many answers.
    """
    decided, known = newest(round_, GradeKind.DECISION), newest(round_, GradeKind.KNOWN)
    by_criteria = is_by_criteria(round_)
    graded = by_answer(current_grades(round_))
    answers = round_.answers.select_related(
        "question", "origin__answer_set", "origin__assignment__participant__study__split"
    ).order_by("position")
    results = []
    for answer in answers.defer("origin__assignment__text"):
        single = decided.get(answer.pk) or known.get(answer.pk)
        given = [ticked_of(grade) for grade in ([single] if single else graded.get(answer.pk, []))]
        if given:
            correct = tuple(grade.correct for grade in given)
            columns = zip(*(grade.ticks for grade in given), strict=True) if by_criteria else [correct]
            results.append(
                FinalGrade(
                    answer=answer,
                    loose=statistics.fmean(grade.loose for grade in given),
                    strict=statistics.fmean(grade.strict for grade in given),
                    correct=statistics.fmean(correct),
                    said=tuple(tuple(float(tick) for tick in column if tick is not None) for column in columns),
                )
            )
    return results
