"""Scores by category with their intervals, for a few systems at a time: the system pages and comparisons."""

from collections.abc import Mapping, Sequence
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from leaderboard.disclosure import DisclosureRule
from leaderboard.systems.comparison.types import CellValue
from scoring.analysis.categories import Cell, concealed
from scoring.statistics import TooFewUnitsError, mean_intervals

Key = TypeVar("Key")


def by_category(
    vectors: Mapping[Key, NDArray[np.float64]],
    cells: Sequence[Cell],
    *,
    hidden: bool,
    scores: Mapping[Key, int] | None = None,
) -> dict[Key, list[CellValue]]:
    """The means of some scores over each group of questions, with their 95 % intervals.

    Args:
        vectors: per-question scores of one revision, each of shape ``(n_questions,)``.
        cells: groups of the same revision's questions.
        hidden: whether scores of single questions must not be revealed: the means then carry a random error.
        scores: by the same keys, the keys of the scores that *vectors* belong to; required on a hidden split.

    Returns:
        By the keys of *vectors*: one value per group, in the unit of the score.
    """
    rule = DisclosureRule(hidden)
    found: dict[Key, list[CellValue]] = {key: [] for key in vectors}
    for cell in cells if vectors else ():
        rows = np.stack([vector[list(cell.questions)] for vector in vectors.values()])
        means = rows.mean(axis=1).tolist()
        try:
            ends = mean_intervals(rows)
            lows, highs = ends.low.tolist(), ends.high.tolist()
        except TooFewUnitsError:
            lows = highs = [None] * len(rows)
        for key, row, mean, low, high in zip(vectors, rows, means, lows, highs, strict=True):
            kept_back = hidden and concealed(row)
            score = scores[key] if scores else 0
            shown = rule.category(mean, (low, high), score=score, name=cell.name, size=cell.size)
            found[key].append(CellValue(None) if kept_back else CellValue(*shown))
    return found
