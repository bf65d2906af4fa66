"""The judge that compares two answers side by side, as in Researchy Questions: scores for both, in both orders.

Rosset et al. (2024), Researchy Questions, https://arxiv.org/abs/2402.17896, section 5 and Figure 8.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

NAME: Final = "side-by-side"
"""The metric: comparisons with the split's baseline, the scores of boards."""
PAIR: Final = "side-by-side-pair"
"""Comparisons of other pairs, which are no scores of boards."""
WIN, TIE, LOSS = 1.0, 0.5, 0.0


def preferences(scores: NDArray[np.float64], answered: NDArray[np.bool_]) -> NDArray[np.float64]:
    """For the first side, in each order, shape ``(n, 2)``: 1 it wins, 0 the other wins, 0.5 a tie; NaN if unparsed.

    If only one side has an answer, it wins in both orders; if none has, it is a tie.

    :param scores: shape ``(n, 2, 2)``: question, order, side; NaN where there are none.
    :param answered: shape ``(n, 2)``: question, side.

    >>> scores = np.array([[[80, 70], [60, 70]], [[80, 70], [np.nan, np.nan]], [[np.nan, np.nan]] * 2])
    >>> preferences(scores, np.array([[True, True], [True, True], [False, True]])).tolist()
    [[1.0, 0.0], [1.0, nan], [0.0, 0.0]]
    """
    found: NDArray[np.float64] = (np.sign(scores[..., 0] - scores[..., 1]) + 1) / 2
    alone = ~answered.all(axis=1)
    found[alone] = (answered[alone, :1].astype(np.float64) - answered[alone, 1:] + 1) / 2
    return found
