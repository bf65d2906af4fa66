"""Scores by category with their intervals, for a few systems at a time: the system pages and comparisons."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from leaderboard.disclosure import DisclosureRule, outcomes_key
from leaderboard.systems.comparison.types import CellValue
from scoring.analysis.categories import Cell
from scoring.metrics.columns import Column
from scoring.runs.intervals import intervals_of
from scoring.statistics import TooFewUnitsError, mean_intervals

Key = TypeVar("Key")
EQUAL: Mapping[Any, NDArray[np.float64]] = MappingProxyType({})
"""The weights of questions, by score, where all count alike."""


def by_category(
    vectors: Mapping[Key, NDArray[np.float64]],
    cells: Sequence[Cell],
    columns: Mapping[Key, Column],
    *,
    weights: Mapping[Key, NDArray[np.float64]] = EQUAL,
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
        weights: what each question counts, of scores in which not all count alike.
        hidden: whether scores of single questions must not be revealed: the means then carry a random error.
        revision: the key of that revision.
        step: that shown scores are rounded to, if there is one.

    Returns:
        By the keys of *vectors*: one value per group, in the unit of the score.
    """
    rule = DisclosureRule(hidden, step=step)
    values: dict[Key, list[CellValue]] = {key: [] for key in vectors}
    for cell in cells if vectors else ():
        parts = {key: cell.part_of(vector, weights.get(key)) for key, vector in vectors.items()}
        known = {key: part for key, part in parts.items() if part is not None}
        ends = _ends({key: part.values for key, part in known.items() if key not in weights}, cell.clusters, columns)
        for key in weights.keys() & known.keys():
            part, share = known[key], columns[key].is_share
            (ends[key],) = intervals_of([part.values], cell.clusters, shares=share, weights=[part.weights])
        for key in vectors:
            if key not in known:
                values[key].append(CellValue(None))
                continue
            part = known[key]
            outcomes = outcomes_key(revision, columns[key].key, part.values, cell.questions)
            shown = rule.category(part.mean, ends[key], columns[key], outcomes=outcomes, size=part.size)
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
