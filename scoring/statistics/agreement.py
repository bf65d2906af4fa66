"""Agreement between graders, and between a judge's verdicts and the graders.

Grades have the shape ``(n_graders, n_items)``, with NaN where a grader did not grade an item. Labels are numbers: for
labels without an order (``nominal``) any numbers will do.

The coefficients are implemented here and tested against published values. The package `krippendorff` is under the GPL,
so this project, under the MIT licence, cannot depend on it at run time. The kappa of statsmodels has the same values,
but an interval that has no width for full agreement and knows no clusters, and each process would need 100 MB more
memory.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from scoring.statistics.arrays import (
    TIE,
    BoolArray,
    Clusters,
    Estimate,
    FloatArray,
    IntArray,
    Interval,
    TooFewUnitsError,
    Units,
    as_vector,
)
from scoring.statistics.comparison import difference_intervals
from scoring.statistics.distributions import student_quantile
from scoring.statistics.means import PRIOR_CORRELATION, answers_beside, clustered_variance, mean_estimate

Scale = Literal["nominal", "ordinal", "interval"]
"""What grades are. ``nominal``: labels are equal or not. ``ordinal``: they have an order, and the more grades lie
between two of them, the larger is the disagreement. ``interval``: they are numbers, and a larger difference is a larger
disagreement."""

_Coefficient = Callable[[FloatArray], FloatArray]
"""From sums over items, shape ``(n, n_cells)``, to values ``(n,)``; NaN where it is not defined."""


MOST_LABELS = 20
"""The items that are added for intervals have so many different grades at most, evenly spread over those given."""


def krippendorff_alpha(
    grades: ArrayLike, *, scale: Scale = "nominal", level: float = 0.95, clusters: Clusters | None = None
) -> Estimate:
    """Krippendorff's alpha: 1 - observed / expected disagreement, for any number of graders with gaps.

    Hayes and Krippendorff (2007, https://doi.org/10.1080/19312450709336664). An item with m grades adds the distance of
    each ordered pair of its grades, over m - 1; the expected disagreement is that of two of all n grades drawn at
    random without replacement, times n. Distances are 0 or 1 (nominal), squared differences (interval), or the squared
    number of grades from one label to the other, those with one of the two labels counted half (ordinal).

    Args:
        grades: Shape ``(n_graders, n_items)``; NaN where there is none.
        scale: The unit of the grades makes no difference, and for ``ordinal`` only their order does.
        clusters: The cluster of each item: the atomic items of one answer are not independent.

    Returns:
        1 for full agreement, 0 for agreement by chance, below 0 for less than that, with an interval within -1 to 1,
        and the number of items with at least two grades: the others contribute nothing. The value is ``None`` if there
        is no such item, or all grades are the same label, so that chance alone would give full agreement.

    Raises:
        ValueError: If the shape is wrong, or a grade is infinite, or the scale is none of these.

    >>> found = krippendorff_alpha([[1, 1, 0, 0, 1], [1, 0, 0, 0, math.nan]])
    >>> round(found.value, 4), found.n_items
    (0.5333, 4)
    """
    if scale not in get_args(Scale):
        raise ValueError(f"scale: expected one of {', '.join(get_args(Scale))}, found {scale!r}")
    alpha = _ordinal_alpha if scale == "ordinal" else partial(_alpha, scale=scale)
    return _reliability(alpha, partial(_grade_sums, scale=scale), _as_grades(grades), clusters, level)


def _grade_sums(table: FloatArray, scale: Scale) -> FloatArray:
    """The contribution of each item to the sums that alpha is computed from, shape ``(n_items, n_cells)``.

    The cells are the number of grades, the observed disagreement, and the inputs of the expected one: squares and sums
    of the grades (interval), or a count for each label (nominal). For ordinal grades they are a count for each label,
    and for each ordered pair of labels the number of pairs of grades, over the number of grades minus 1.
    """
    given = np.isfinite(table)
    values = np.where(given, table, 0.0)
    n_grades = given.sum(axis=0).astype(np.float64)
    if scale == "interval":
        spread = np.ptp(values[given]) or 1.0  # the unit must not matter
        values = np.where(given, (values - values.sum() / given.sum()) / spread, 0.0)
        sums, squares = values.sum(axis=0), (values**2).sum(axis=0)
        observed = 2 * (n_grades * squares - sums**2) / (n_grades - 1)
        return np.stack([n_grades, observed, squares, sums], axis=1)
    labels = np.unique(values[given])
    counts = ((values[:, :, None] == labels) & given[:, :, None]).sum(axis=0).astype(np.float64)
    if scale == "ordinal":
        pairs = counts[:, :, None] * counts[:, None, :] / (n_grades - 1)[:, None, None]
        return np.concatenate([counts, pairs.reshape(len(counts), -1)], axis=1)
    observed = (n_grades**2 - (counts**2).sum(axis=1)) / (n_grades - 1)
    return np.concatenate([n_grades[:, None], observed[:, None], counts], axis=1)


def _alpha(totals: FloatArray, scale: Scale) -> FloatArray:
    """Alpha from sums over items, shape ``(n,)`` from ``(n, n_cells)``; NaN where it is not defined."""
    n, rest = totals[:, 0], totals[:, 2:]
    observed = np.maximum(totals[:, 1], 0.0)  # a sum of squares; rounding can leave it just below 0
    numbers = scale == "interval"
    expected = 2 * (n * rest[:, 0] - rest[:, 1] ** 2) if numbers else n**2 - (rest**2).sum(axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(expected > TIE, 1 - (n - 1) * observed / expected, np.nan)


def _ordinal_alpha(totals: FloatArray) -> FloatArray:
    """Krippendorff's alpha for ordinal grades. The diagonal of the pairs does not matter: its distance is 0."""
    n_labels = math.isqrt(totals.shape[1])  # n_labels + n_labels² cells
    counts, pairs = totals[:, :n_labels], totals[:, n_labels:].reshape(-1, n_labels, n_labels)
    middles = np.cumsum(counts, axis=1) - counts / 2
    distances = (middles[:, :, None] - middles[:, None, :]) ** 2
    observed = (pairs * distances).sum(axis=(1, 2))
    expected = (counts[:, :, None] * counts[:, None, :] * distances).sum(axis=(1, 2))
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(expected > 0, 1 - (counts.sum(axis=1) - 1) * observed / expected, np.nan)


def fleiss_kappa(grades: ArrayLike, *, level: float = 0.95, clusters: Clusters | None = None) -> Estimate:
    """Fleiss' kappa of any number of graders: (p - c) / (1 - c), where p is the mean over items of the share of pairs
    of grades that are equal, and c the share expected by chance, Σ of squared shares of labels.

    Fleiss (1971, https://doi.org/10.1037/h0031619), for the same number of grades of each item. Where it differs, items
    with fewer than two grades are left out, and each other item has the same weight in p. Unlike Krippendorff's alpha
    it does not correct c for the number of grades, so it is slightly lower.

    Args:
        grades: Labels, shape ``(n_graders, n_items)``; NaN where there is none. Graders need not be the same ones.
        clusters: As in `krippendorff_alpha`.

    Raises:
        ValueError: As `krippendorff_alpha`.

    >>> found = fleiss_kappa([[1, 1, 0, 0, 1], [1, 0, 0, 0, math.nan]])
    >>> round(found.value, 4), found.n_items
    (0.4667, 4)
    """

    def cells(table: FloatArray) -> FloatArray:
        labels = np.unique(table[np.isfinite(table)])
        counts = (table[:, :, None] == labels).sum(axis=0).astype(np.float64)
        n = counts.sum(axis=1)
        equal = ((counts**2).sum(axis=1) - n) / (n * (n - 1))
        return np.concatenate([np.ones((len(n), 1)), equal[:, None], counts], axis=1)

    def kappa(totals: FloatArray) -> FloatArray:
        shares = totals[:, 2:] / totals[:, 2:].sum(axis=1, keepdims=True)
        observed, by_chance = totals[:, 1] / totals[:, 0], (shares**2).sum(axis=1)
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.where(1 - by_chance > TIE, (observed - by_chance) / (1 - by_chance), np.nan)

    return _reliability(kappa, cells, _as_grades(grades), clusters, level)


def cohen_kappa(
    first: ArrayLike, second: ArrayLike, *, level: float = 0.95, clusters: Clusters | None = None
) -> Estimate:
    """Cohen's kappa of two graders: (p - c) / (1 - c), where p is the share of equal labels and c the share expected by
    chance.

    Cohen (1960, https://doi.org/10.1177/001316446002000104). The chance model uses each grader's own shares of labels.

    Args:
        first: Labels, shape ``(n_items,)``; NaN where there is none. Items without both are left out.
        second: Those of the other grader.
        clusters: As in `krippendorff_alpha`.

    Raises:
        ValueError: If the shapes differ.

    >>> cohen_kappa([1, 1, 0, 0], [1, 0, 0, 0]).value
    0.5
    """

    def cells(table: FloatArray) -> FloatArray:
        labels, codes = np.unique(table, return_inverse=True)
        first, second = codes.reshape(table.shape)
        chosen: FloatArray = np.eye(len(labels) ** 2)[first * len(labels) + second]
        return chosen

    def kappa(confusion: FloatArray) -> FloatArray:
        n_labels = math.isqrt(confusion.shape[1])
        tables = confusion.reshape(-1, n_labels, n_labels)
        n = tables.sum(axis=(1, 2))
        equal = np.trace(tables, axis1=1, axis2=2) / n
        by_chance = (tables.sum(axis=1) * tables.sum(axis=2)).sum(axis=1) / n**2
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.where(by_chance < 1, (equal - by_chance) / (1 - by_chance), np.nan)

    table = _as_grades([np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)])
    return _reliability(kappa, cells, table, clusters, level)


def grader_biases(grades: ArrayLike, *, level: float = 0.95, clusters: Clusters | None = None) -> tuple[Estimate, ...]:
    """For each grader the mean of (own grade - mean of the others' grades of the same item): how much higher the grades
    are, in their unit.

    Args:
        grades: Numbers, shape ``(n_graders, n_items)``; NaN where there is none.

    Returns:
        One for each grader, with the number of items that another grader graded too.

    Raises:
        ValueError: As `krippendorff_alpha`.

    >>> [bias.value for bias in grader_biases([[1, 1, 0], [0, 1, 0], [0, 0, math.nan]])]
    [0.5, 0.0, -0.75]
    """
    table = _as_grades(grades)
    given = np.isfinite(table)
    filled = np.where(given, table, 0.0)
    biases = []
    for own, has_own in zip(filled, given, strict=True):
        n_others = given.sum(axis=0) - has_own
        shared = has_own & (n_others > 0)
        if not shared.any():
            biases.append(Estimate(None, None, 0))
            continue
        others = (filled.sum(axis=0) - own)[shared] / n_others[shared]
        differences = own[shared] - others
        groups = None if clusters is None else np.asarray(clusters)[shared]
        biases.append(_difference_estimate(differences, groups, level))
    return tuple(biases)


@dataclass(frozen=True)
class JudgeValidation:
    """A judge's verdicts compared with human grades of the same answers; both 0 or 1."""

    n_items: int
    confusion: IntArray
    """The number of answers: shape ``(2, 2)``, rows by the judge's verdict, columns by human grade; wrong, right."""
    accuracy: Estimate
    """The share of answers with the same outcome."""
    kappa: Estimate
    bias: Estimate
    """The judge's rate minus the human rate, -1 to 1: above 0 the judge is the more lenient."""
    sensitivity: Estimate
    """Of the answers that people found right, the share that the judge did."""
    specificity: Estimate
    """Of the answers that people found wrong, the share that the judge did."""


def validate_judge(
    judged: ArrayLike, graded: ArrayLike, *, level: float = 0.95, clusters: Clusters | None = None
) -> JudgeValidation:
    """The agreement of a judge with human grades, with intervals over answers, or over clusters of them: of the
    accuracy, sensitivity and specificity from `mean_interval`, of the bias from `difference_intervals`.

    Args:
        judged: 1 where the judge finds the answer right, 0 where not; shape ``(n_items,)``.
        graded: The human grades of the same answers.
        clusters: The cluster of each answer: answers of several systems to one question are not independent.

    Raises:
        ValueError: If the shapes differ, there are no items, or a value is neither 0 nor 1.

    >>> found = validate_judge([1, 1, 1, 0], [1, 0, 1, 0])
    >>> found.confusion.tolist(), found.accuracy.value, found.bias.value
    ([[1, 0], [1, 2]], 0.75, 0.25)
    >>> found.sensitivity.value, found.specificity.value
    (1.0, 0.5)
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

    def among(chosen: BoolArray) -> Estimate:
        return mean_estimate(equal[chosen], None if clusters is None else np.asarray(clusters)[chosen], level)

    return JudgeValidation(
        n_items=len(judge),
        confusion=confusion,
        accuracy=mean_estimate(equal, clusters, level),
        kappa=cohen_kappa(judge, people, level=level, clusters=clusters),
        bias=_difference_estimate(difference, clusters, level),
        sensitivity=among(people == 1),
        specificity=among(people == 0),
    )


# --- Shared functions -----------------------------------------------------------------------------------------------


def _as_grades(grades: ArrayLike) -> FloatArray:
    table = np.asarray(grades, dtype=np.float64)
    if table.ndim != 2:
        raise ValueError(f"grades: expected the shape (n_graders, n_items), found {table.shape}")
    if np.isinf(table).any():
        raise ValueError("grades: one is infinite")
    return table


def _difference_estimate(differences: FloatArray, clusters: Clusters | None, level: float) -> Estimate:
    """The mean of at least one difference, with its interval if there is more than one item and cluster."""
    try:
        ends = difference_intervals(differences, level, clusters=clusters)
    except TooFewUnitsError:
        interval = None
    else:
        interval = Interval(float(ends.low), float(ends.high))
    return Estimate(float(differences.mean()), interval, len(differences))


def _reliability(
    coefficient: _Coefficient,
    cells_of: Callable[[FloatArray], FloatArray],
    grades: FloatArray,
    clusters: Clusters | None,
    level: float,
) -> Estimate:
    """A coefficient with its interval, from the grades of the items that have two or more.

    Full agreement leaves no variance to estimate, and a label that a grader never gave leaves the expected disagreement
    uncertain. As in the interval of a proportion by Agresti and Coull (1998,
    https://doi.org/10.1080/00031305.1998.10480550), two items are therefore added for the interval: one of equal
    grades, spread over the labels, and one of different grades, spread over their pairs. The interval is the
    coefficient of all these ± Student's quantile times the root of its variance, which is that of the contributions of
    items, or clusters (the jackknife, corrected for bias as that of means), and includes the coefficient of the items
    alone. With clusters, the added items count for more by the design effect that is assumed of few answers.

    Args:
        cells_of: From grades ``(n_graders, n_items)`` to the contribution of each item to the sums that the coefficient
            is computed from, shape ``(n_items, n_cells)``.
    """
    pairable = np.count_nonzero(np.isfinite(grades), axis=0) >= 2
    table = grades[:, pairable]
    n_items = table.shape[1]
    if n_items == 0:
        return Estimate(None, None, 0)
    labels = np.unique(table[np.isfinite(table)])
    labels = labels[np.linspace(0, len(labels) - 1, min(len(labels), MOST_LABELS)).round().astype(int)]
    added = np.full((len(table), len(labels) ** 2), np.nan)
    added[:2] = np.repeat(labels, len(labels)), np.tile(labels, len(labels))
    cells = cells_of(np.concatenate([table, added], axis=1))
    value = float(coefficient(cells[:n_items].sum(axis=0)[None])[0])
    if math.isnan(value):
        return Estimate(None, None, n_items)
    units = Units.of(n_items, None if clusters is None else np.asarray(clusters)[pairable])
    if units.n_units < 2:
        return Estimate(value, None, n_items)
    equal = added[0] == added[1]
    shares = np.where(equal, 1 / equal.sum(), 1 / (~equal).sum()) * (1 + answers_beside((units,)) * PRIOR_CORRELATION)
    weights = np.concatenate([np.ones(units.n_units), shares])
    sizes = np.concatenate([units.sizes, np.ones(len(shares))]) * weights
    parts = np.concatenate([units.totals(np.ascontiguousarray(cells[:n_items].T)).T, cells[n_items:]])
    parts *= weights[:, None]
    totals = parts.sum(axis=0)
    middle = float(coefficient(totals[None])[0])
    deviations = (sizes.sum() - sizes) * (middle - coefficient(totals - parts)) / np.sqrt(weights)
    (variance,), _ = clustered_variance(deviations[None], sizes)
    _, degrees = clustered_variance(np.zeros((1, units.n_units)), units.sizes)
    margin = student_quantile((1 - level) / 2, degrees) * math.sqrt(variance)
    return Estimate(
        value, Interval(max(-1.0, min(value, middle - margin)), min(1.0, max(value, middle + margin))), n_items
    )
