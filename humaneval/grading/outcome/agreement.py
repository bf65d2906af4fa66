"""Inter-annotator agreement in a round: on items, letters and shares; and each grader's generosity."""

import math
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from humaneval.grading.current_grades import current_grades, ticked_of
from humaneval.grading.grade_scores import Ticked
from humaneval.models import GradingRound
from scoring.statistics import Estimate, cohen_kappa, fleiss_kappa, grader_biases, krippendorff_alpha

LETTERS: Final = "ABCDEF"


@dataclass(frozen=True)
class GradeTable:
    """The grades that count, as arrays; NaN where a grader did not grade. Calibration answers are omitted.

    ``items`` has the shape (n_graders, n_items): 1 for a tick, 0 for none, the answers' items one after another.
    ``letters`` (0 for A to 5 for F), ``loose`` (shares, 0 to 1) and ``seconds`` have the shape (n_graders, n_answers).
    """

    graders: tuple[str, ...]
    """G-01, G-02, …: the rows."""
    answers: tuple[int, ...]
    """The answers' positions in the round: the columns."""
    item_answers: tuple[int, ...]
    """For each item the column of its answer."""
    items: NDArray[np.float64]
    letters: NDArray[np.float64]
    loose: NDArray[np.float64]
    seconds: NDArray[np.float64]

    @property
    def n_shared(self) -> int:
        """Answers that two or more graded."""
        return int((np.isfinite(self.letters).sum(axis=0) >= 2).sum())


@dataclass(frozen=True)
class PairKappa:
    """Two graders with answers in common."""

    first: str
    second: str
    items: Estimate
    letters: Estimate


@dataclass(frozen=True)
class RoundAgreement:
    """Agreement in a round. Krippendorff's alpha and Fleiss' kappa for all graders, Cohen's kappa for every pair.

    Intervals are over answers, each with all of its items.
    """

    n_answers: int
    n_shared: int
    n_items: int
    items: Estimate
    letters: Estimate
    loose: Estimate
    """On the shares, where large differences count more than small ones (alpha for intervals)."""
    fleiss_items: Estimate
    fleiss_letters: Estimate
    kappas: tuple[PairKappa, ...]
    biases: tuple[tuple[str, Estimate], ...]
    """By grader, the difference between their share of items and the mean of the others."""
    median_seconds: float | None


def grade_table(round_: GradingRound) -> GradeTable:
    """The round's grades as arrays. One query."""
    grades = [
        (grade.slot.grader, grade)
        for grade in current_grades(round_)
        if not grade.graded_answer.is_calibration and grade.slot is not None and grade.slot.grader is not None
    ]
    numbers = sorted({(grader.number, grader.code) for grader, _ in grades})
    row_of = {number: row for row, (number, _) in enumerate(numbers)}
    positions = sorted({(grade.graded_answer.position, grade.graded_answer.n_items) for _, grade in grades})
    column_of = {position: column for column, (position, _) in enumerate(positions)}
    starts = dict(zip(column_of, np.cumsum([0, *(n for _, n in positions)]).tolist(), strict=False))
    n_items = sum(n for _, n in positions)
    table = GradeTable(
        graders=tuple(code for _, code in numbers),
        answers=tuple(column_of),
        item_answers=tuple(column for column, (_, n) in enumerate(positions) for _ in range(n)),
        items=np.full((len(numbers), n_items), math.nan),
        letters=np.full((len(numbers), len(positions)), math.nan),
        loose=np.full((len(numbers), len(positions)), math.nan),
        seconds=np.full((len(numbers), len(positions)), math.nan),
    )
    for grader, grade in grades:
        row, position = row_of[grader.number], grade.graded_answer.position
        found: Ticked = ticked_of(grade)
        table.items[row, starts[position] : starts[position] + len(found.ticks)] = found.ticks
        table.letters[row, column_of[position]] = LETTERS.index(found.letter)
        table.loose[row, column_of[position]] = found.loose
        if grade.seconds is not None:
            table.seconds[row, column_of[position]] = grade.seconds
    return table


def agreement_of(round_: GradingRound) -> RoundAgreement:
    """The agreement of a round's graders. One query."""
    table = grade_table(round_)
    if not table.graders:
        nothing = Estimate(None, None, 0)
        return RoundAgreement(0, 0, 0, nothing, nothing, nothing, nothing, nothing, (), (), None)
    clusters = list(table.item_answers)
    kappas = [
        PairKappa(
            table.graders[a],
            table.graders[b],
            items=cohen_kappa(table.items[a], table.items[b], clusters=clusters),
            letters=cohen_kappa(table.letters[a], table.letters[b]),
        )
        for a in range(len(table.graders))
        for b in range(a + 1, len(table.graders))
    ]
    times = table.seconds[np.isfinite(table.seconds)]
    return RoundAgreement(
        n_answers=len(table.answers),
        n_shared=table.n_shared,
        n_items=table.items.shape[1],
        items=krippendorff_alpha(table.items, clusters=clusters),
        letters=krippendorff_alpha(table.letters),
        loose=krippendorff_alpha(table.loose, scale="interval"),
        fleiss_items=fleiss_kappa(table.items, clusters=clusters),
        fleiss_letters=fleiss_kappa(table.letters),
        kappas=tuple(kappa for kappa in kappas if kappa.letters.n_items),
        biases=tuple(zip(table.graders, grader_biases(table.loose), strict=True)),
        median_seconds=float(np.median(times)) if times.size else None,
    )
