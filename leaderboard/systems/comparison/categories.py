"""Scores by category with their intervals, for a few systems at a time: the system pages and comparisons."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from leaderboard.disclosure import DisclosureRule, outcomes_key
from leaderboard.systems.comparison.types import CellValue
from scoring.analysis.categories import Cell
from scoring.metrics.columns import Column
from scoring.statistics import TooFewUnitsError, mean_intervals

Key = TypeVar("Key")


def by_category(
    vectors: Mapping[Key, NDArray[np.float64]],
    cells: Sequence[Cell],
    columns: Mapping[Key, Column],
    *,
    hidden: bool,
    revision: int,
    step: float | None = None,
) -> dict[Key, list[CellValue]]:
    """The means of some scores over each group of questions, with their 95 % intervals.

    Args:
        vectors: per-question scores of one revision, each of shape ``(n_questions,)``; NaN where a question does not
            count.
        cells: groups of the same revision's questions.
        columns: by the same keys as *vectors*.
        hidden: whether scores of single questions must not be revealed: the means then carry a random error.
        revision: the key of that revision.
        step: that shown scores are rounded to, if there is one.

    Returns:
        By the keys of *vectors*: one value per group, in the unit of the score.
    """
    rule = DisclosureRule(hidden, step=step)
    values: dict[Key, list[CellValue]] = {key: [] for key in vectors}
    for cell in cells if vectors else ():
        parts = {key: vector[list(cell.questions)] for key, vector in vectors.items()}
        rows = {key: part[~np.isnan(part)] for key, part in parts.items()}
        ends = _ends(parts, cell.clusters, columns)
        for key, row in rows.items():
            if not len(row):
                values[key].append(CellValue(None))
                continue
            outcomes = outcomes_key(revision, columns[key].key, parts[key], cell.questions)
            shown = rule.category(float(row.mean()), ends[key], columns[key], outcomes=outcomes, size=cell.size)
            values[key].append(CellValue(*shown))
    return values


def _ends(
    parts: Mapping[Key, NDArray[np.float64]], clusters: Sequence[str] | None, columns: Mapping[Key, Column]
) -> dict[Key, tuple[float | None, float | None]]:
    """The interval of the mean of each row over the questions that count; rows with the same ones are computed
    together."""
    alike: dict[bytes, list[Key]] = defaultdict(list)
    for key, part in parts.items():
        alike[np.isnan(part).tobytes()].append(key)
    values: dict[Key, tuple[float | None, float | None]] = dict.fromkeys(parts, (None, None))
    for keys in alike.values():
        known = ~np.isnan(parts[keys[0]])
        if not known.any():
            continue
        rows = np.stack([parts[key][known] for key in keys])
        try:
            ends = mean_intervals(
                rows,
                clusters=None if clusters is None else np.asarray(clusters)[known],
                shares=[columns[key].is_share for key in keys],
            )
        except TooFewUnitsError:
            continue
        values |= zip(keys, zip(ends.low.tolist(), ends.high.tolist(), strict=True), strict=True)
    return values
