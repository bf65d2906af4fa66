"""Win rates against a baseline as they would be if both answers were equally long, of all systems of a board together.

One system alone does not tell the effect of length: most systems are shorter than the baseline nearly everywhere, and
the questions on which the baseline is long are not the same as the others. All systems of a board together tell both
apart.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from scoring.statistics.arrays import BoolArray, FloatArray, OneWay, Units, check_level
from scoring.statistics.means import PRIOR_CORRELATION, answers_beside, clustered_variance, wilson

QUESTION_PENALTY = 0.1
"""Penalty on the square of a question's term, in log-odds: as if terms had a standard deviation of 3."""
SLOPE_PENALTY = 0.02
"""Penalty on the squared deviation of a system's slope from the mean of the slopes, for each question."""
MEAN_SLOPE_PENALTY = 0.003
"""Penalty on the squared mean of the slopes, for each question. It matters only for a few systems, where the difficulty
of a question cannot be told from the length of the baseline's answer. The penalties are chosen on the published
annotations of AlpacaEval, for boards of 1 to 56 systems; as they are for each question, they weigh the same with any
number."""
FEWEST_QUESTIONS = 10
"""A system with fewer judged questions has no value."""
CLEARLY = 0.25
"""An answer is clearly longer or shorter than the baseline's if the regressor is beyond this."""
FEWEST_OTHERS = 3
SMALLEST_SHARE_OF_OTHERS = 0.05
"""Unless so many answers are not clearly shorter, and so many not clearly longer, lengths hardly overlap: the value
would rest on the model alone, and there is none."""
SMALLEST_SCALE = 1e-9
NEWTON_STEPS = 100
LONGEST_STEP = 2.0
"""Newton's method may overshoot from far away: no coefficient changes more than this in a step."""
PRECISION = 1e-10
LARGEST_LEVERAGE = 0.5
"""A residual is at most doubled: with few questions the leverages, which are taken in the fit, may exceed 1."""


@dataclass(frozen=True)
class LengthControlled:
    """The win rate that a system would have if its answers and the baseline's were equally long."""

    controlled: float
    """From 0 to 1."""
    low: float
    """With ``high`` the interval of ``controlled``, over questions."""
    high: float


def length_controlled_board(
    outcomes: ArrayLike, length_differences: ArrayLike, level: float = 0.95, clusters: OneWay | None = None
) -> list[LengthControlled | None]:
    """The win rates of a board's systems at equal length, as in AlpacaEval 2 (Dubois et al. 2024, arXiv:2404.04475).

    One logistic regression for all systems: a constant and a slope of each system, and a term of each question. The
    regressor is tanh(difference of lengths / their standard deviation, the median over systems). Slopes are shrunk
    towards their mean, and question terms towards 0. The controlled win rate of a system is the mean over questions of
    its expected outcome with a regressor of 0. AlpacaEval fits each system by itself, with terms of questions from
    systems that it judged before, and with artificial systems that hold the slope down; over the 56 systems whose
    annotations are published, the values here differ from its own by half a percentage point.

    Intervals are over questions, for the value that the same systems would have with very many of them: from what each
    question contributes to the estimate, which holds even if the outcomes of a question depend on each other or the
    model is not exact (Huber 1967), as a Wilson interval (`mean_intervals`). With clusters,
    the contributions of a cluster's questions are added up; no interval is narrower than the one without.

    Args:
        outcomes: For the system, from 0 to 1: the mean over both orders; NaN where there is no verdict, which the terms
            of questions account for. No answer has the outcome 0. Shape ``(n_systems, n_questions)``.
        length_differences: The length of the system's answer minus that of the baseline's, in any unit, the same shape.
            NaN where the system or the baseline has no answer: the outcome then counts at any length, and does not tell
            the effect of length, so that leaving an answer blank cannot pay. Ignored where there is no verdict.
        clusters: The cluster of each question, such as its template, shape ``(n_questions,)``.

    Returns:
        For each system its value; ``None`` for a system with fewer than ten judged pairs of answers, for one that won
        or lost all of them, and where lengths hardly overlap: nearly all its answers (all but two, or 5 %) are clearly
        shorter than the baseline's, or clearly longer. All are ``None`` if the judged questions are of one cluster.

    Raises:
        ValueError: If the shapes do not match, or a number is out of range.

    >>> chance = np.random.default_rng(3)
    >>> longer = chance.normal([[0], [500]], 400, (2, 300))
    >>> wins = chance.random((2, 300)) < 1 / (1 + np.exp(-2 * np.tanh(longer / 400)))
    >>> wins.mean(axis=1).round(2), [round(system.controlled, 2) for system in length_controlled_board(wins, longer)]
    (array([0.53, 0.77]), [0.53, 0.54])
    """
    check_level(level)
    values, differences = (np.asarray(array, dtype=np.float64) for array in (outcomes, length_differences))
    if values.ndim != 2 or values.shape != differences.shape:
        raise ValueError(
            "expected outcomes and length differences of one shape (n_systems, n_questions), "
            f"found {values.shape} and {differences.shape}"
        )
    if ((values < 0) | (values > 1)).any():
        raise ValueError("outcomes: expected numbers from 0 to 1, or NaN where there is no verdict")
    if np.isinf(differences).any():
        raise ValueError("length_differences: expected numbers, or NaN where there is no answer")
    cluster_of = None if clusters is None else Units.labels_of(values.shape[1], clusters)
    judged = np.isfinite(values) & np.isfinite(differences)
    controlled: list[LengthControlled | None] = [None] * len(values)
    # The usual difference of lengths: the median of the systems' standard deviations, which no single one decides.
    rows = zip(differences, judged, strict=True)
    deviations = [float(row[known].std()) for row, known in rows if known.sum() >= FEWEST_QUESTIONS]
    scale = max(float(np.median(deviations)), SMALLEST_SCALE) if deviations else 1.0
    regressors = np.tanh(np.where(judged, differences, 0.0) / scale)
    n_judged = judged.sum(axis=1)
    n_won = np.where(judged, values, 0.0).sum(axis=1)
    n_others = np.minimum((judged & (regressors > -CLEARLY)).sum(axis=1), (judged & (regressors < CLEARLY)).sum(axis=1))
    overlap = n_others >= np.maximum(FEWEST_OTHERS, SMALLEST_SHARE_OF_OTHERS * n_judged)
    fitted = np.flatnonzero((n_judged >= FEWEST_QUESTIONS) & (n_won > 0) & (n_won < n_judged) & overlap)
    if not len(fitted):
        return controlled
    asked = np.flatnonzero(np.isfinite(values[fitted]).any(axis=0))
    cells = np.ix_(fitted, asked)
    values, n = values[cells], len(asked)
    units = [Units.of(n, None)]
    if cluster_of is not None:
        units.append(Units.of(n, cluster_of[asked]))
        if units[-1].n_units < 2:
            return controlled
    means, contributions = _fit(values, regressors[cells], judged[cells])
    deviations = contributions - contributions.mean(axis=1, keepdims=True)
    wins = np.nansum(values, axis=1)
    losses = np.isfinite(values).sum(axis=1) - wins
    fewer = np.minimum(np.minimum(wins, losses), n * np.minimum(means, 1 - means))
    low, high = means, means
    for way in units:
        beside = answers_beside([way])
        design_effect = 1 + beside * PRIOR_CORRELATION
        lower, upper = wilson(
            means,
            *clustered_variance(deviations, np.ones(n), [way]),
            fewer,
            prior=means * (1 - means) / n * design_effect,
            n_without_variance=n / design_effect,
            n_items=n,
            beside=beside,
            level=level,
        )
        low, high = np.minimum(low, lower), np.maximum(high, upper)
    for place, *ends in zip(fitted.tolist(), means.tolist(), low.tolist(), high.tolist(), strict=True):
        controlled[place] = LengthControlled(*ends)
    return controlled


def _fit(values: FloatArray, regressors: FloatArray, judged: BoolArray) -> tuple[FloatArray, FloatArray]:
    """The win rates at equal length, by Newton's method, and what each question contributes to them.

    Args:
        values: NaN without a verdict, shape ``(n_systems, n_questions)``.
        regressors: The same shape; used where ``judged``.

    Returns:
        The win rates, shape ``(n_systems,)``; and for each question its own expected outcomes at equal length plus its
        part in the estimates of all the others, shape ``(n_systems, n_questions)``: their variance over questions,
        divided by the number of these, is that of the win rate.
    """
    n_systems, n = values.shape
    outcomes = np.where(judged, values, 0.0)
    own = np.arange(n_systems)
    constants, slopes = np.zeros((2, n_systems))
    terms = np.zeros(n)
    # The mean of the slopes is not a coefficient: this is the least penalty over all values of it.
    pooled = SLOPE_PENALTY**2 / (n_systems * SLOPE_PENALTY + MEAN_SLOPE_PENALTY)
    penalty = np.zeros((2 * n_systems, 2 * n_systems))
    penalty[n_systems:, n_systems:] = n * (np.diag(np.full(n_systems, SLOPE_PENALTY)) - pooled)
    for _ in range(NEWTON_STEPS):
        expected = _logistic(constants[:, None] + slopes[:, None] * regressors + terms)
        residuals = np.where(judged, outcomes - expected, 0.0)
        weights = np.where(judged, expected * (1 - expected), 0.0)
        gradients = np.concatenate([residuals, residuals * regressors])
        mixed = np.concatenate([weights, weights * regressors])
        curvatures = weights.sum(axis=0) + QUESTION_PENALTY
        of_terms = residuals.sum(axis=0) - QUESTION_PENALTY * terms
        # The information on constants and slopes, after the terms of questions are eliminated.
        information = penalty - (mixed / curvatures) @ mixed.T
        information[own, own] += weights.sum(axis=1)
        information[own, n_systems + own] += mixed[n_systems:].sum(axis=1)
        information[n_systems + own, own] += mixed[n_systems:].sum(axis=1)
        information[n_systems + own, n_systems + own] += (mixed[n_systems:] * regressors).sum(axis=1)
        pull = penalty @ np.concatenate([constants, slopes])
        step = np.linalg.solve(information, gradients.sum(axis=1) - pull - mixed @ (of_terms / curvatures))
        step_of_terms = (of_terms - mixed.T @ step) / curvatures
        longest = max(float(np.abs(step).max()), float(np.abs(step_of_terms).max()))
        part = min(1.0, LONGEST_STEP / longest) if longest else 1.0
        constants = constants + part * step[:n_systems]
        slopes = slopes + part * step[n_systems:]
        terms = terms + part * step_of_terms
        if longest < PRECISION:
            break
    # Without an answer there is no length: the outcome counts as it is.
    unanswered = np.isfinite(values) & ~judged
    equally_long = np.where(unanswered, values, _logistic(constants[:, None] + terms))
    changes = np.where(unanswered, 0.0, equally_long * (1 - equally_long))
    of_coefficients = -(changes / curvatures) @ mixed.T
    of_coefficients[own, own] += changes.sum(axis=1)
    # A fit comes closer to an outcome that decides it. Divided by 1 - leverage, residuals are about those of a fit to
    # the other questions (HC3 of MacKinnon and White 1985): few answers are about as long as the baseline's.
    covariance = np.linalg.inv(information)
    of_constants, of_both, of_slopes = (
        covariance[first + own, second + own][:, None]
        for first, second in ((0, 0), (0, n_systems), (n_systems, n_systems))
    )
    leverages = weights * (of_constants + 2 * of_both * regressors + of_slopes * regressors**2)
    gradients /= np.tile(1 - np.minimum(leverages, LARGEST_LEVERAGE), (2, 1))
    influence = of_coefficients @ covariance @ (gradients - pull[:, None] / n)
    return equally_long.mean(axis=1), equally_long + influence


def _logistic(odds: FloatArray) -> FloatArray:
    return np.asarray(1 / (1 + np.exp(-odds)))
