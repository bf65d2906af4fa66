"""Inter-annotator agreement in a round: on items, letters and shares, or on criteria and scores; and each grader's
generosity."""

from itertools import combinations
from typing import Any

import numpy as np

from humaneval.grading.outcome.rating_matrices import grade_arrays
from humaneval.models import GradingRound
from scoring.statistics import cohen_kappa, fleiss_kappa, grader_biases, krippendorff_alpha
from scoring.statistics.agreement import Scale


def agreement_of(round_: GradingRound) -> dict[str, Any]:
    """The agreement of a round's graders: Krippendorff's alpha and Fleiss' kappa for all, Cohen's kappa for every pair.

    Intervals are over answers, each with all of its items. Calibration answers are omitted. Of criteria, which may be
    met in part, alpha is ordinal and given for each dimension too; there are no letters. Four queries at most.
    """
    arrays = grade_arrays(round_)
    # Graders without a grade, and answers without one, are no units of the intervals.
    graded = np.isfinite(arrays.letters)
    rows, columns = np.flatnonzero(graded.any(axis=1)), np.flatnonzero(graded.any(axis=0))
    item_columns = np.flatnonzero(np.isin(arrays.answer_of, columns))
    graders = [arrays.graders[row] for row in rows]
    if not graders:
        return {"n_answers": 0}
    clusters = arrays.answer_of[item_columns].tolist()
    items = arrays.ticks[np.ix_(rows, item_columns)]
    scale: Scale = "ordinal" if arrays.dimensions else "nominal"
    dimensions = np.array(arrays.dimensions)[item_columns] if arrays.dimensions else np.array([])
    of_dimension = {name: dimensions == name for name in dict.fromkeys(filter(None, dimensions.tolist()))}
    letters, loose = arrays.letters[np.ix_(rows, columns)], arrays.loose[np.ix_(rows, columns)]
    kappas = [
        (
            f"{graders[a]} and {graders[b]}",
            cohen_kappa(items[a], items[b], clusters=clusters),
            cohen_kappa(letters[a], letters[b]),
        )
        for a, b in combinations(range(len(graders)), 2)
    ]
    return {
        "n_answers": loose.shape[1],
        "n_shared": int((graded.sum(axis=0) >= 2).sum()),  # answers that two or more graded
        "n_items": items.shape[1],
        "items": krippendorff_alpha(items, scale=scale, clusters=clusters),
        "dimensions": [
            (name, krippendorff_alpha(items[:, where], scale=scale, clusters=np.array(clusters)[where]))
            for name, where in of_dimension.items()
        ],
        "letters": krippendorff_alpha(letters),
        # On the shares, where large differences count more than small ones.
        "loose": krippendorff_alpha(loose, scale="interval"),
        "fleiss_items": fleiss_kappa(items, clusters=clusters),
        "fleiss_letters": fleiss_kappa(letters),
        # For each two graders with answers in common: their codes, and the agreement on items and on letters.
        "kappas": [kappa for kappa in kappas if kappa[2].n_items],
        # Criteria on which a grader could not say.
        "n_unsure": int((np.isnan(items) & graded[np.ix_(rows, arrays.answer_of[item_columns])]).sum()),
        # By grader, the difference between their share of items and the mean of the others.
        "biases": list(zip(graders, grader_biases(loose), strict=True)),
    }
