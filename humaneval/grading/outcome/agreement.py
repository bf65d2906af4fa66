"""Inter-annotator agreement in a round: on items, letters and shares, or on criteria and scores; and each grader's
generosity.

This module is in the exports of rounds, whose notebook calls it: it needs NumPy and `scoring.statistics` alone.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scoring.statistics import Estimate, cohen_kappa, fleiss_kappa, grader_biases, krippendorff_alpha
from scoring.statistics.agreement import Scale

FloatArray = NDArray[np.float64]
ALPHA, KAPPA = "Krippendorff's α", "Fleiss' κ"


@dataclass(frozen=True)
class GradeArrays:
    """The graders' grades that count, of answers without a known grade. NaN where a grader did not grade."""

    graders: tuple[str, ...]
    """Their codes, shape (n_graders,)."""
    loose: FloatArray
    """Shape (n_graders, n_answers), 0 to 1; of criteria what the answer earned of their weights, perhaps below 0."""
    letters: FloatArray
    """Shape (n_graders, n_answers): the index of the letter in ``ABCDEF``, a label and not a quantity."""
    ticks: FloatArray
    """Shape (n_graders, n_items): 1 where an item was ticked, or how far a criterion is met, NaN where the grader could
    not say. The items of all answers, one answer after the other."""
    answer_of: NDArray[np.int64]
    """Shape (n_items,): the index of each item's answer among the answers, for intervals by answers."""
    dimensions: tuple[str, ...] = ()
    """The dimension of each criterion; empty in a round of items."""

    def graded(self) -> "GradeArrays":
        """Without graders who graded nothing, and answers that nobody graded: these are no units of intervals."""
        is_graded = np.isfinite(self.letters)
        rows, columns = np.flatnonzero(is_graded.any(axis=1)), np.flatnonzero(is_graded.any(axis=0))
        items = np.flatnonzero(np.isin(self.answer_of, columns))
        return GradeArrays(
            graders=tuple(self.graders[row] for row in rows),
            loose=self.loose[np.ix_(rows, columns)],
            letters=self.letters[np.ix_(rows, columns)],
            ticks=self.ticks[np.ix_(rows, items)],
            answer_of=np.searchsorted(columns, self.answer_of[items]),
            dimensions=tuple(self.dimensions[item] for item in items) if self.dimensions else (),
        )


def agreement_of(arrays: GradeArrays) -> dict[str, Any]:
    """The agreement of a round's graders: Krippendorff's alpha and Fleiss' kappa for all, Cohen's kappa for every pair.

    Intervals are over answers, each with all of its items. Of criteria, which may be met in part, alpha is ordinal and
    given for each dimension too; there are no letters.
    """
    arrays = arrays.graded()
    if not arrays.graders:
        return {"n_answers": 0}
    is_graded, clusters = np.isfinite(arrays.letters), arrays.answer_of.tolist()
    kappas = [
        (
            f"{arrays.graders[a]} and {arrays.graders[b]}",
            cohen_kappa(arrays.ticks[a], arrays.ticks[b], clusters=clusters),
            cohen_kappa(arrays.letters[a], arrays.letters[b]),
        )
        for a, b in combinations(range(len(arrays.graders)), 2)
    ]
    scale: Scale = "ordinal" if arrays.dimensions else "nominal"
    items = krippendorff_alpha(arrays.ticks, scale=scale, clusters=clusters)
    letters = krippendorff_alpha(arrays.letters)
    # On the shares, where large differences count more than small ones.
    loose = krippendorff_alpha(arrays.loose, scale="interval")
    of_all = fleiss_kappa(arrays.ticks, clusters=clusters)
    if arrays.dimensions:
        measures = [
            ("Criteria, met or not", ALPHA, items, "decision"),
            *((name, ALPHA, alpha, "decision") for name, alpha in _of_dimensions(arrays)),
            ("Scores", ALPHA, loose, "answer"),
            ("Criteria, met or not", KAPPA, of_all, "decision"),
        ]
    else:
        measures = [
            ("Items, found or not", ALPHA, items, "item"),
            ("Letters, A to F", ALPHA, letters, "answer"),
            ("Share of items found", ALPHA, loose, "answer"),
            ("Items, found or not", KAPPA, of_all, "item"),
            ("Letters, A to F", KAPPA, fleiss_kappa(arrays.letters), "answer"),
        ]
    return {
        "n_answers": arrays.loose.shape[1],
        "n_shared": int((is_graded.sum(axis=0) >= 2).sum()),  # answers that two or more graded
        "n_items": arrays.ticks.shape[1],
        "items": items,
        "letters": letters,
        "loose": loose,
        # What the page shows: what is measured, the coefficient, its estimate, and what it counts.
        "measures": measures,
        # For each two graders with answers in common: their codes, and the agreement on items and on letters.
        "kappas": [kappa for kappa in kappas if kappa[2].n_items],
        # Criteria on which a grader could not say.
        "n_unsure": int((np.isnan(arrays.ticks) & is_graded[:, arrays.answer_of]).sum()),
        # By grader, the difference between their share of items and the mean of the others.
        "biases": list(zip(arrays.graders, grader_biases(arrays.loose), strict=True)),
    }


def _of_dimensions(arrays: GradeArrays) -> Iterator[tuple[str, Estimate]]:
    dimensions = np.array(arrays.dimensions)
    for name in filter(None, dict.fromkeys(arrays.dimensions)):
        own = dimensions == name
        yield name, krippendorff_alpha(arrays.ticks[:, own], scale="ordinal", clusters=arrays.answer_of[own])
