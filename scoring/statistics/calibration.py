"""How well stated confidences fit the share of right answers."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from scoring.statistics.arrays import as_vector

Norm = Literal[1, 2, "max"]


def calibration_error(
    confidences: ArrayLike, correct: ArrayLike, bin_size: int = 100, norm: Norm = 2, published: bool = False
) -> float:
    """The distance of stated confidences from the share of right answers, over bins of equal size.

    Hendrycks et al. (2019), https://arxiv.org/abs/1812.04606, appendix; reported by Humanity's Last Exam and
    BrowseComp. Answers are sorted by confidence (those of one confidence stay in their order: the published code may
    order them otherwise) and divided into bins; the remainder joins the last bin. Of each bin, d is the distance
    between the mean confidence and the share of right answers.

    Args:
        confidences: From 0 to 1, one an answer.
        correct: 1 or 0, one an answer.
        bin_size: Answers in a bin; fewer answers are one bin.
        norm: 2 for the root of the mean of d² over answers, 1 for the mean of d, ``"max"`` for the greatest d.
        published: Leave out the last bin, the most confident answers, as the published code does. Only for comparison
            with published numbers.

    Returns:
        From 0 to 1, lower is better; with *published* and fewer answers than two bins, 0.

    Raises:
        ValueError: For no answer, values beyond 0 to 1, an unknown norm, or, with *published*, fewer answers than one
            bin, for which the published code fails.

    >>> calibration_error([0.5, 0.5, 0.9, 0.9], [1, 0, 1, 0], bin_size=2, norm=1)
    0.2
    >>> calibration_error([0.5, 0.5, 0.9, 0.9], [1, 0, 1, 0], bin_size=2, published=True)
    0.0
    """
    stated, right = as_vector(confidences, "confidences"), as_vector(correct, "correct")
    if stated.shape != right.shape:
        raise ValueError(f"{stated.size} confidences but {right.size} answers")
    if min(stated.min(), right.min()) < 0 or max(stated.max(), right.max()) > 1:
        raise ValueError("confidences and answers are numbers from 0 to 1")
    if norm not in (1, 2, "max"):
        raise ValueError(f"norm: expected 1, 2 or 'max', found {norm!r}")
    if bin_size < 1:
        raise ValueError(f"bin_size: expected at least 1, found {bin_size}")
    n_answers, n_bins = stated.size, stated.size // bin_size
    if published and not n_bins:
        raise ValueError(f"the published code needs at least one bin of {bin_size} answers, found {n_answers}")
    order = np.argsort(stated, kind="stable")
    stated, right = stated[order], right[order]
    starts = [index * bin_size for index in range(max(n_bins, 1))]
    bins = [slice(start, end) for start, end in zip(starts, [*starts[1:], n_answers], strict=True)]
    error = 0.0
    for answers in bins[:-1] if published else bins:
        distance = abs(stated[answers].mean() - right[answers].mean())
        if norm == "max":
            error = max(error, distance)
        else:
            error += stated[answers].size / n_answers * distance**norm
    return float(np.sqrt(error)) if norm == 2 else float(error)
