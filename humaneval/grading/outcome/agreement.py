"""Inter-annotator agreement in a round: on items, letters and shares; and each grader's generosity."""

from dataclasses import dataclass
from itertools import combinations

import numpy as np

from humaneval.grading.outcome.rating_matrices import grade_arrays
from humaneval.models import GradingRound
from scoring.statistics import Estimate, cohen_kappa, fleiss_kappa, grader_biases, krippendorff_alpha


@dataclass(frozen=True)
class RoundAgreement:
    """Agreement in a round. Krippendorff's alpha and Fleiss' kappa for all graders, Cohen's kappa for every pair.

    Intervals are over answers, each with all of its items.
    """

    n_answers: int
    n_shared: int
    """Answers that two or more graded."""
    n_items: int
    items: Estimate
    letters: Estimate
    loose: Estimate
    """On the shares, where large differences count more than small ones (alpha for intervals)."""
    fleiss_items: Estimate
    fleiss_letters: Estimate
    kappas: tuple[tuple[str, Estimate, Estimate], ...]
    """For each two graders with answers in common: their codes, and Cohen's kappa on items and on letters."""
    biases: tuple[tuple[str, Estimate], ...]
    """By grader, the difference between their share of items and the mean of the others."""


def agreement_of(round_: GradingRound) -> RoundAgreement:
    """The agreement of a round's graders. Calibration answers are omitted. Three queries."""
    arrays = grade_arrays(round_)
    # Graders without a grade, and answers without one, are no units of the intervals.
    graded = np.isfinite(arrays.loose)
    rows, columns = np.flatnonzero(graded.any(axis=1)), np.flatnonzero(graded.any(axis=0))
    item_columns = np.flatnonzero(np.isin(arrays.answer_of, columns))
    graders = [arrays.graders[row] for row in rows]
    if not graders:
        nothing = Estimate(None, None, 0)
        return RoundAgreement(0, 0, 0, nothing, nothing, nothing, nothing, nothing, (), ())
    clusters = arrays.answer_of[item_columns].tolist()
    items = arrays.ticks[np.ix_(rows, item_columns)]
    letters, loose = arrays.letters[np.ix_(rows, columns)], arrays.loose[np.ix_(rows, columns)]
    kappas = [
        (
            f"{graders[a]} and {graders[b]}",
            cohen_kappa(items[a], items[b], clusters=clusters),
            cohen_kappa(letters[a], letters[b]),
        )
        for a, b in combinations(range(len(graders)), 2)
    ]
    return RoundAgreement(
        n_answers=loose.shape[1],
        n_shared=int((graded.sum(axis=0) >= 2).sum()),
        n_items=items.shape[1],
        items=krippendorff_alpha(items, clusters=clusters),
        letters=krippendorff_alpha(letters),
        loose=krippendorff_alpha(loose, scale="interval"),
        fleiss_items=fleiss_kappa(items, clusters=clusters),
        fleiss_letters=fleiss_kappa(letters),
        kappas=tuple(kappa for kappa in kappas if kappa[2].n_items),
        biases=tuple(zip(graders, grader_biases(loose), strict=True)),
    )
