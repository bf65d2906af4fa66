"""Agreement between graders, and between a judge's verdicts and the graders.

Grades have the shape ``(n_graders, n_items)``, with NaN where a grader did not grade an item. Labels are numbers: for
labels without an order (``nominal``) any numbers will do.

The coefficients are implemented here and tested against published values. The package `krippendorff` is under the GPL,
so this project, under the MIT licence, cannot depend on it at run time. The kappa of statsmodels has the same values,
but no bootstrap over clusters: the formula would still be needed here for the resamples, and each process would need
100 MB more memory.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from scoring.statistics.arrays import (
    N_RESAMPLES,
    TIE,
    Clusters,
    Ends,
    FloatArray,
    IntArray,
    TooFewUnitsError,
    Units,
    as_vector,
)
from scoring.statistics.means import mean_interval
from scoring.statistics.resampling import bootstrap_interval, interval, resample_counts

Level = Literal["nominal", "ordinal", "interval"]
"""``nominal``: labels are equal or not. ``ordinal``: they have an order, and the more grades lie between two of them,
the larger is the disagreement. ``interval``: they are numbers, and a larger difference is a larger disagreement."""

_Coefficient = Callable[[FloatArray], FloatArray]

MOST_UNDEFINED = 0.05
"""If a coefficient is not defined in more than this share of resamples, it gets no interval."""


@dataclass(frozen=True)
class Reliability:
    """A coefficient of agreement: 1 for full agreement, 0 for agreement by chance, below 0 for less than that."""

    value: float | None
    """``None`` if it is not defined: no item has two grades, or all grades are the same label, so that chance alone
    would give full agreement."""
    interval: Ends | None
    """From the bootstrap over items (or clusters of them); ``None`` if ``value`` is ``None``, with one item or cluster,
    and if more than :data:`MOST_UNDEFINED` of the resamples have no value."""
    n_items: int
    """The number of items with at least two grades; the others contribute nothing."""


def krippendorff_alpha(
    grades: ArrayLike,
    *,
    level: Level = "nominal",
    seed: int,
    confidence: float = 0.95,
    n_resamples: int = N_RESAMPLES,
    clusters: Clusters | None = None,
) -> Reliability:
    """Krippendorff's alpha: 1 - observed / expected disagreement, for any number of graders with gaps.

    Hayes and Krippendorff (2007, https://doi.org/10.1080/19312450709336664). An item with m grades adds the distance of
    each ordered pair of its grades, over m - 1; the expected disagreement is that of two of all n grades drawn at
    random without replacement, times n. Distances are 0 or 1 (nominal), squared differences (interval), or the squared
    number of grades from one label to the other, those with one of the two labels counted half (ordinal).

    :param level: the unit of the grades makes no difference, and for ``ordinal`` only their order does.
    :param grades: shape ``(n_graders, n_items)``; NaN where there is none.
    :param seed: determines the resamples; not negative.
    :param clusters: the cluster of each item, drawn together: the atomic items of one answer are not independent.
    :raises ValueError: if the shape is wrong, or a grade is infinite, or the level is none of these.

    >>> found = krippendorff_alpha([[1, 1, 0, 0, 1], [1, 0, 0, 0, math.nan]], seed=0)
    >>> round(found.value, 4), found.n_items
    (0.5333, 4)
    """
    if level not in get_args(Level):
        raise ValueError(f"level: expected one of {', '.join(get_args(Level))}, found {level!r}")
    table = _as_grades(grades)
    pairable = np.count_nonzero(np.isfinite(table), axis=0) >= 2
    n_items = int(pairable.sum())
    if n_items == 0:
        return Reliability(None, None, 0)
    cells = _grade_sums(table[:, pairable], level)
    groups = None if clusters is None else np.asarray(clusters)[pairable]
    alpha = _ordinal_alpha if level == "ordinal" else partial(_alpha, level=level)
    return _reliability(alpha, cells, groups, seed, confidence, n_resamples)


def _grade_sums(table: FloatArray, level: Level) -> FloatArray:
    """The contribution of each item to the sums that alpha is computed from, shape ``(n_items, n_cells)``.

    The cells are the number of grades, the observed disagreement, and the inputs of the expected one: squares and sums
    of the grades (interval), or a count for each label (nominal). For ordinal grades they are a count for each label,
    and for each ordered pair of labels the number of pairs of grades, over the number of grades minus 1.
    """
    given = np.isfinite(table)
    values = np.where(given, table, 0.0)
    n_grades = given.sum(axis=0).astype(np.float64)
    if level == "interval":
        spread = np.ptp(values[given]) or 1.0  # the unit must not matter
        values = np.where(given, (values - values.sum() / given.sum()) / spread, 0.0)
        sums, squares = values.sum(axis=0), (values**2).sum(axis=0)
        observed = 2 * (n_grades * squares - sums**2) / (n_grades - 1)
        return np.stack([n_grades, observed, squares, sums], axis=1)
    labels = np.unique(values[given])
    counts = ((values[:, :, None] == labels) & given[:, :, None]).sum(axis=0).astype(np.float64)
    if level == "ordinal":
        pairs = counts[:, :, None] * counts[:, None, :] / (n_grades - 1)[:, None, None]
        return np.concatenate([counts, pairs.reshape(len(counts), -1)], axis=1)
    observed = (n_grades**2 - (counts**2).sum(axis=1)) / (n_grades - 1)
    return np.concatenate([n_grades[:, None], observed[:, None], counts], axis=1)


def _alpha(totals: FloatArray, level: Level) -> FloatArray:
    """Alpha from sums over items, shape ``(n,)`` from ``(n, n_cells)``; NaN where it is not defined."""
    n, observed, rest = totals[:, 0], totals[:, 1], totals[:, 2:]
    interval_level = level == "interval"
    expected = 2 * (n * rest[:, 0] - rest[:, 1] ** 2) if interval_level else n**2 - (rest**2).sum(axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(expected > TIE, 1 - (n - 1) * observed / expected, np.nan)


def _ordinal_alpha(totals: FloatArray) -> FloatArray:
    """The same for ordinal grades. The diagonal of the pairs does not matter: its distance is 0."""
    n_labels = math.isqrt(totals.shape[1])  # n_labels + n_labels² cells
    counts, pairs = totals[:, :n_labels], totals[:, n_labels:].reshape(-1, n_labels, n_labels)
    middles = np.cumsum(counts, axis=1) - counts / 2
    distances = (middles[:, :, None] - middles[:, None, :]) ** 2
    observed = (pairs * distances).sum(axis=(1, 2))
    expected = (counts[:, :, None] * counts[:, None, :] * distances).sum(axis=(1, 2))
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(expected > 0, 1 - (counts.sum(axis=1) - 1) * observed / expected, np.nan)


def fleiss_kappa(
    grades: ArrayLike,
    *,
    seed: int,
    confidence: float = 0.95,
    n_resamples: int = N_RESAMPLES,
    clusters: Clusters | None = None,
) -> Reliability:
    """Fleiss' kappa of any number of graders: (p - c) / (1 - c), where p is the mean over items of the share of pairs
    of grades that are equal, and c the share expected by chance, Σ of squared shares of labels.

    Fleiss (1971, https://doi.org/10.1037/h0031619), for the same number of grades of each item. Where it differs, items
    with fewer than two grades are left out, and each other item has the same weight in p. Unlike Krippendorff's alpha
    it does not correct c for the number of grades, so it is slightly lower.

    :param grades: labels, shape ``(n_graders, n_items)``; NaN where there is none. Graders need not be the same ones.
    :param clusters: as in :func:`krippendorff_alpha`.
    :raises ValueError: as :func:`krippendorff_alpha`.

    >>> found = fleiss_kappa([[1, 1, 0, 0, 1], [1, 0, 0, 0, math.nan]], seed=0)
    >>> round(found.value, 4), found.n_items
    (0.4667, 4)
    """
    table = _as_grades(grades)
    n_grades = np.count_nonzero(np.isfinite(table), axis=0)
    pairable = n_grades >= 2
    n_items = int(pairable.sum())
    if n_items == 0:
        return Reliability(None, None, 0)
    labels = np.unique(table[:, pairable][np.isfinite(table[:, pairable])])
    counts = (table[:, pairable, None] == labels).sum(axis=0).astype(np.float64)
    n = n_grades[pairable].astype(np.float64)
    equal = ((counts**2).sum(axis=1) - n) / (n * (n - 1))
    cells = np.concatenate([np.ones((n_items, 1)), equal[:, None], counts], axis=1)

    def kappa(totals: FloatArray) -> FloatArray:
        shares = totals[:, 2:] / totals[:, 2:].sum(axis=1, keepdims=True)
        observed, by_chance = totals[:, 1] / totals[:, 0], (shares**2).sum(axis=1)
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.where(1 - by_chance > TIE, (observed - by_chance) / (1 - by_chance), np.nan)

    groups = None if clusters is None else np.asarray(clusters)[pairable]
    return _reliability(kappa, cells, groups, seed, confidence, n_resamples)


def cohen_kappa(
    first: ArrayLike,
    second: ArrayLike,
    *,
    seed: int,
    confidence: float = 0.95,
    n_resamples: int = N_RESAMPLES,
    clusters: Clusters | None = None,
) -> Reliability:
    """Cohen's kappa of two graders: (p - c) / (1 - c), where p is the share of equal labels and c the share expected by
    chance.

    Cohen (1960, https://doi.org/10.1177/001316446002000104). The chance model uses each grader's own shares of labels.

    :param first: labels, shape ``(n_items,)``; NaN where there is none. Items without both are left out.
    :param second: those of the other grader.
    :param clusters: as in :func:`krippendorff_alpha`.
    :raises ValueError: if the shapes differ.

    >>> cohen_kappa([1, 1, 0, 0], [1, 0, 0, 0], seed=0).value
    0.5
    """
    table = _as_grades([np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)])
    pairable = np.isfinite(table).all(axis=0)
    n_items = int(pairable.sum())
    if n_items == 0:
        return Reliability(None, None, 0)
    labels, codes = np.unique(table[:, pairable], return_inverse=True)
    codes = codes.reshape(2, n_items)
    cells = np.zeros((n_items, len(labels) ** 2))
    cells[np.arange(n_items), codes[0] * len(labels) + codes[1]] = 1.0

    def kappa(confusion: FloatArray) -> FloatArray:
        tables = confusion.reshape(-1, len(labels), len(labels))
        n = tables.sum(axis=(1, 2))
        equal = np.trace(tables, axis1=1, axis2=2) / n
        by_chance = (tables.sum(axis=1) * tables.sum(axis=2)).sum(axis=1) / n**2
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.where(by_chance < 1, (equal - by_chance) / (1 - by_chance), np.nan)

    groups = None if clusters is None else np.asarray(clusters)[pairable]
    return _reliability(kappa, cells, groups, seed, confidence, n_resamples)


@dataclass(frozen=True)
class GraderBias:
    """How much higher a grader's grades are than the others' for the same items, in the unit of the grades."""

    value: float | None
    """``None`` if no other grader graded any of these items."""
    interval: Ends | None
    n_items: int
    """The number of items that another grader graded too."""


def grader_biases(
    grades: ArrayLike,
    *,
    seed: int,
    confidence: float = 0.95,
    n_resamples: int = N_RESAMPLES,
    clusters: Clusters | None = None,
) -> tuple[GraderBias, ...]:
    """For each grader the mean of (own grade - mean of the others' grades of the same item).

    :param grades: numbers, shape ``(n_graders, n_items)``; NaN where there is none.
    :returns: one for each grader.
    :raises ValueError: as :func:`krippendorff_alpha`.

    >>> [bias.value for bias in grader_biases([[1, 1, 0], [0, 1, 0], [0, 0, math.nan]], seed=0)]
    [0.5, 0.0, -0.75]
    """
    table = _as_grades(grades)
    given = np.isfinite(table)
    filled = np.where(given, table, 0.0)
    found = []
    for own, has_own in zip(filled, given, strict=True):
        n_others = given.sum(axis=0) - has_own
        shared = has_own & (n_others > 0)
        if not shared.any():
            found.append(GraderBias(None, None, 0))
            continue
        others = (filled.sum(axis=0) - own)[shared] / n_others[shared]
        differences = own[shared] - others
        groups = None if clusters is None else np.asarray(clusters)[shared]
        ends = _mean_interval(differences, groups, seed, confidence, n_resamples)
        found.append(GraderBias(float(differences.mean()), ends, int(shared.sum())))
    return tuple(found)


def pairwise_kappas(
    grades: ArrayLike, *, seed: int, confidence: float = 0.95, n_resamples: int = N_RESAMPLES
) -> dict[tuple[int, int], Reliability]:
    """Cohen's kappa of every two graders with an item in common.

    :param grades: shape ``(n_graders, n_items)``; NaN where there is none.
    :returns: by the graders' rows, the lower first.

    >>> {pair: kappa.value for pair, kappa in pairwise_kappas([[1, 0, 1], [1, 0, 1]], seed=0).items()}
    {(0, 1): 1.0}
    """
    table = _as_grades(grades)
    kappas = {
        (a, b): cohen_kappa(table[a], table[b], seed=seed, confidence=confidence, n_resamples=n_resamples)
        for a, b in combinations(range(len(table)), 2)
    }
    return {pair: kappa for pair, kappa in kappas.items() if kappa.n_items}


@dataclass(frozen=True)
class JudgeValidation:
    """A judge's verdicts compared with human grades of the same answers; both 0 or 1."""

    n_items: int
    confusion: IntArray
    """The number of answers: shape ``(2, 2)``, rows by the judge's verdict, columns by human grade; wrong, right."""
    accuracy: float
    """The share of answers with the same outcome."""
    accuracy_interval: Ends | None
    kappa: Reliability
    bias: float
    """The judge's rate minus the human rate, -1 to 1: above 0 the judge is the more lenient."""
    bias_interval: Ends | None


def validate_judge(
    judged: ArrayLike,
    graded: ArrayLike,
    *,
    seed: int,
    confidence: float = 0.95,
    n_resamples: int = N_RESAMPLES,
    clusters: Clusters | None = None,
) -> JudgeValidation:
    """The agreement of a judge with human grades, with intervals over answers, or over clusters of them: that of the
    accuracy from :func:`~scoring.statistics.mean_interval`, the others from the bootstrap.

    :param judged: 1 where the judge finds the answer right, 0 where not; shape ``(n_items,)``.
    :param graded: the human grades of the same answers.
    :param clusters: the cluster of each answer, drawn together: answers of several systems to one question are not
        independent.
    :raises ValueError: if the shapes differ, there are no items, or a value is neither 0 nor 1.

    >>> found = validate_judge([1, 1, 1, 0], [1, 0, 1, 0], seed=0)
    >>> found.confusion.tolist(), found.accuracy, found.bias
    ([[1, 0], [1, 2]], 0.75, 0.25)
    """
    judge, people = as_vector(judged, "judged"), as_vector(graded, "graded")
    if judge.shape != people.shape:
        raise ValueError(f"{len(judge)} verdicts against {len(people)} grades")
    for name, values in (("judged", judge), ("graded", people)):
        if not np.isin(values, (0.0, 1.0)).all():
            raise ValueError(f"{name}: expected 0 and 1 alone")
    confusion = np.zeros((2, 2), dtype=np.int64)
    np.add.at(confusion, (judge.astype(int), people.astype(int)), 1)
    equal, difference = (judge == people).astype(np.float64), judge - people
    return JudgeValidation(
        n_items=len(judge),
        confusion=confusion,
        accuracy=float(equal.mean()),
        accuracy_interval=_share_interval(equal, clusters, confidence),
        kappa=cohen_kappa(judge, people, seed=seed, confidence=confidence, n_resamples=n_resamples, clusters=clusters),
        bias=float(difference.mean()),
        bias_interval=_mean_interval(difference, clusters, seed, confidence, n_resamples),
    )


# --- Shared functions -----------------------------------------------------------------------------------------------


def _as_grades(grades: ArrayLike) -> FloatArray:
    table = np.asarray(grades, dtype=np.float64)
    if table.ndim != 2:
        raise ValueError(f"grades: expected the shape (n_graders, n_items), found {table.shape}")
    if np.isinf(table).any():
        raise ValueError("grades: one is infinite")
    return table


def _share_interval(values: FloatArray, clusters: Clusters | None, confidence: float) -> Ends | None:
    try:
        return mean_interval(values, clusters, confidence)
    except TooFewUnitsError:
        return None


def _mean_interval(
    values: FloatArray, clusters: Clusters | None, seed: int, confidence: float, n_resamples: int
) -> Ends | None:
    try:
        found = bootstrap_interval(values, seed=seed, confidence=confidence, n_resamples=n_resamples, clusters=clusters)
        return Ends(float(found.low), float(found.high))
    except TooFewUnitsError:
        return None


def _reliability(
    coefficient: _Coefficient,
    per_item: FloatArray,
    clusters: Clusters | None,
    seed: int,
    confidence: float,
    n_resamples: int,
) -> Reliability:
    """A coefficient computed from a table that is a sum over items.

    :param coefficient: from tables ``(n, n_cells)`` to values ``(n,)``, NaN where there is none.
    :param per_item: the contribution of each item to the table, shape ``(n_items, n_cells)``.
    """
    n_items = len(per_item)
    value = float(coefficient(per_item.sum(axis=0)[None])[0])
    if math.isnan(value):
        return Reliability(None, None, n_items)
    units = Units.of(n_items, clusters)
    if units.n_units < 2:
        return Reliability(value, None, n_items)
    totals = units.totals(np.ascontiguousarray(per_item.T))
    blocks = resample_counts(units.n_units, n_resamples, seed, n_rows=len(totals))
    resampled = np.concatenate([coefficient(counts @ totals.T) for counts in blocks])
    defined = resampled[np.isfinite(resampled)]
    if len(defined) < (1 - MOST_UNDEFINED) * n_resamples:
        return Reliability(value, None, n_items)
    ends = interval(defined, confidence, n_units=units.n_units)
    return Reliability(value, Ends(float(ends.low), float(ends.high)), n_items)
