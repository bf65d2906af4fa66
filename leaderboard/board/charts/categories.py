"""Scores of a board's systems by question category; `scoring.analysis.categories` chooses the categories.

A worker computes the means with the board's statistics, and pages read them: no page reads a vector.
"""

import gzip
import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leaderboard.disclosure import SHARE, DisclosureRule, outcomes_key
from leaderboard.models import BoardStatistics
from scoring.analysis.categories import Cell, cells_of_revision
from scoring.metrics.columns import Column
from scoring.models import Revision

Means = dict[str, Any]
"""The stored data of a column: ``categories`` and ``means``, JSON-ready."""


def means_of(
    entries: Sequence[int],
    vectors: NDArray[np.float64],
    cells: Sequence[Cell],
    column: Column | None = None,
    *,
    weights: Sequence[NDArray[np.float64] | None] = (),
    hidden: bool,
    revision: int,
) -> Means | None:
    """The means of a column over each category; None if no category can be shown.

    Args:
        entries: the rows of *vectors*, by their keys.
        vectors: shape (n_systems, n_questions); NaN where a question does not count.
        column: of the scores.
        weights: what each question counts, for each row; None where all count alike.
        hidden: whether scores of single questions must not be revealed: the means then carry a random error.
        revision: the key of the revision that *vectors* belong to.
    """
    if not cells:
        return None
    rule = DisclosureRule(hidden)

    def mean(vector: NDArray[np.float64], counts: NDArray[np.float64] | None, cell: Cell) -> float | None:
        part = cell.part_of(vector, counts)
        if part is None:
            return None
        key = outcomes_key(revision, (column or SHARE).key, part.values, cell.questions)
        return rule.category(part.mean, (None, None), column, outcomes=key, size=part.size)[0]

    return {
        "categories": [[cell.name, cell.size, cell.rest] for cell in cells],
        "means": {
            entry: [mean(vector, counts, cell) for cell in cells]
            for entry, vector, counts in zip(entries, vectors, weights or [None] * len(entries), strict=True)
        },
    }


class CellsOfRevisions:
    """The categories and clusters of some revisions, read once per revision."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[tuple[Cell, ...], tuple[str, ...] | None]] = {}

    def _of(self, revision: int) -> tuple[tuple[Cell, ...], tuple[str, ...] | None]:
        if revision not in self._known:
            row = Revision.objects.select_related("split").get(pk=revision)
            self._known[revision] = (cells_of_revision(row), row.clusters)
        return self._known[revision]

    def of(self, revision: int, n_items: int) -> tuple[Cell, ...]:
        """The categories of a revision, by its key; none if scores of *n_items* do not belong to its questions."""
        cells, _ = self._of(revision)
        return cells if cells and 1 + max(max(cell.questions) for cell in cells) == n_items else ()

    def clusters_of(self, revision: int, n_items: int) -> tuple[str, ...] | None:
        """The clusters of a revision's questions, by its key; None if it has none, or if scores of *n_items* do not
        belong to its questions."""
        _, clusters = self._of(revision)
        return clusters if clusters is not None and len(clusters) == n_items else None


def packed(means: Mapping[str, Means]) -> bytes:
    """The means of all columns of a board, in their stored form."""
    return gzip.compress(json.dumps(means, separators=(",", ":")).encode(), compresslevel=6, mtime=0)


def category_means(
    split: int, setting: int, column: str
) -> tuple[list[tuple[str, int, bool]], dict[int, list[float | None]]]:
    """The categories of one column of a board (name, number of questions, and whether it contains the questions that
    are in no other group), and by entry the mean of each, as computed with the board's statistics; both empty if there
    are none. One query.

    A mean is None if no question of the category counts.
    """
    rows = BoardStatistics.objects.filter(split=split, setting=setting).values_list("categories", flat=True)
    stored = rows.first()
    means: Means | None = json.loads(gzip.decompress(bytes(stored))).get(column) if stored else None
    if means is None:
        return [], {}
    return [tuple(category) for category in means["categories"]], {int(key): of for key, of in means["means"].items()}
