"""Several attempts at each question: their mean, where its uncertainty comes from, and the chance that one of k is
right, or that all are."""

from __future__ import annotations

from dataclasses import dataclass
from math import comb

import numpy as np
from numpy.typing import ArrayLike

from scoring.statistics.arrays import FloatArray, IntArray, as_rows, as_vector


@dataclass(frozen=True)
class AttemptSummary:
    """What several attempts at each question say, in the unit of the scores (variances: in its square)."""

    n_attempts: int
    mean: float
    """The mean over questions of their means over attempts, which estimates the mean of one attempt."""
    spread: float
    """The standard deviation (n - 1) of the attempts' means: how far one attempt at all questions is from another."""
    variance_of_questions: float | None
    """The part of the mean's variance that other questions would change; ``None`` for a single question."""
    variance_of_attempts: float
    """The part of the mean's variance that other attempts at the same questions would change."""
    pass_at: dict[int, float] | None
    """For each k up to the number of attempts, the chance that one of k attempts is right; ``None`` unless every
    value is 0 or 1."""
    pass_hat: dict[int, float] | None
    """The chance that all of k attempts are right, likewise."""


def attempt_summary(values: ArrayLike, weights: ArrayLike | None = None) -> AttemptSummary:
    """Mean, spread and variances of several attempts at each question.

    The variance of the mean is s² / n over n questions, where s² is the variance of the questions' means. It has two
    parts (Miller 2024, "Adding Error Bars to Evals", https://arxiv.org/abs/2411.00640, section 3.2): that of attempts
    is the mean over questions of the variance within a question, divided by the number of attempts and of questions;
    that of questions is the rest. Both are unbiased (the method of moments of an analysis of variance) as long as the
    rest is not negative; if it is, which happens by chance where questions hardly differ, it is 0, and the parts add
    up to more than s² / n. More attempts make the first part smaller, and never the second.

    The part of attempts is that of the spread, squared and divided by the number of attempts, if attempts at different
    questions are independent; it is estimated far better from all questions than from a few attempts' means.

    Args:
        values: The value of each attempt at each question, shape ``(n_attempts, n_questions)``, two attempts at least.
        weights: What each question counts, above 0, shape ``(n_questions,)``: all means over questions are then
            weighted, and the variances are those of the values of `scoring.statistics.completed`.

    Raises:
        ValueError: If there are fewer attempts, there is no question, or a value is not finite.

    >>> summary = attempt_summary([[1, 1, 0, 0], [1, 0, 0, 0], [1, 1, 0, 0]])
    >>> round(summary.mean, 3), round(summary.spread, 3), summary.pass_at[3], summary.pass_hat[3]
    (0.417, 0.144, 0.5, 0.25)
    >>> round(summary.variance_of_questions, 4), round(summary.variance_of_attempts, 4)
    (0.0556, 0.0069)
    """
    rows = as_rows(values, "values")
    n_attempts, n_questions = rows.shape
    if np.ndim(values) != 2 or n_attempts < 2:
        raise ValueError(f"values: expected two attempts or more at each question, found the shape {np.shape(values)}")
    counts = None if weights is None else as_vector(weights, "weights")
    pass_at, pass_hat = _chances(rows, counts) if ((rows == 0) | (rows == 1)).all() else (None, None)
    if counts is not None:
        mean = np.average(rows.mean(axis=0), weights=counts)
        rows = mean + (rows - mean) * (counts * (n_questions / counts.sum()))
    of_questions = rows.mean(axis=0)
    of_attempts = float(rows.var(axis=0, ddof=1).mean()) / (n_attempts * n_questions)
    rest = None if n_questions == 1 else max(0.0, float(of_questions.var(ddof=1)) / n_questions - of_attempts)
    return AttemptSummary(
        n_attempts,
        float(of_questions.mean()),
        float(rows.mean(axis=1).std(ddof=1)),
        rest,
        of_attempts,
        pass_at,
        pass_hat,
    )


def _chances(outcomes: FloatArray, weights: FloatArray | None) -> tuple[dict[int, float], dict[int, float]]:
    """pass@k and pass^k of outcomes of 0 or 1, shape ``(n_attempts, n_questions)``, by k."""
    n_attempts = len(outcomes)
    numbers = np.arange(n_attempts + 1)
    attempts, right = np.full_like(numbers, n_attempts), outcomes.sum(axis=0).astype(np.int64)
    # A question's chances depend on its number of right attempts alone, so that each is computed once.
    every_k = range(1, n_attempts + 1)
    pass_at = {k: float(np.average(pass_at_k(attempts, numbers, k)[right], weights=weights)) for k in every_k}
    pass_hat = {k: float(np.average(pass_hat_k(attempts, numbers, k)[right], weights=weights)) for k in every_k}
    return pass_at, pass_hat


def pass_at_k(attempts: ArrayLike, correct: ArrayLike, k: int) -> FloatArray:
    """For each question the probability that at least one of k attempts, drawn from those made, is right.

    Unbiased for the probability with k new attempts. Chen et al. (2021), https://arxiv.org/abs/2107.03374, section 2.1;
    computed in the order of their code, so equal to the last bit. Theirs gives 1 where k exceeds the attempts.

    Args:
        attempts: The number of attempts at each question.
        correct: How many of them are right.
        k: At least 1.

    Returns:
        One number a question, whose mean is the score; NaN where k exceeds the attempts.

    Raises:
        ValueError: For other numbers of right attempts than 0 to all, or a k below 1.

    >>> pass_at_k([10, 10, 2], [0, 5, 1], k=5).round(4).tolist()
    [0.0, 0.996, nan]
    """
    made, right = _counts(attempts, correct, k)
    values = np.full(made.shape, np.nan)
    for index, (n, c) in enumerate(zip(made.tolist(), right.tolist(), strict=True)):
        if n >= k:
            values[index] = 1.0 if n - c < k else 1.0 - np.prod(1.0 - k / np.arange(n - c + 1, n + 1))
    return values


def pass_hat_k(attempts: ArrayLike, correct: ArrayLike, k: int) -> FloatArray:
    """For each question the probability that all of k attempts, drawn from those made, are right: pass^k.

    Unbiased for the probability with k new attempts. Yao et al. (2024), τ-bench, https://arxiv.org/abs/2406.12045,
    section 4; each question has its own number of attempts, where their code takes one for the file. Arguments, result
    and errors as of `pass_at_k`.

    >>> pass_hat_k([4, 4, 1], [3, 4, 1], k=2).tolist()
    [0.5, 1.0, nan]
    """
    made, right = _counts(attempts, correct, k)
    shares = [comb(c, k) / comb(n, k) if n >= k else np.nan for n, c in zip(made.tolist(), right.tolist(), strict=True)]
    return np.array(shares, dtype=np.float64)


def _counts(attempts: ArrayLike, correct: ArrayLike, k: int) -> tuple[IntArray, IntArray]:
    made, right = np.asarray(attempts), np.asarray(correct)
    if made.ndim != 1 or made.shape != right.shape:
        raise ValueError(f"expected two numbers for each question, found the shapes {made.shape} and {right.shape}")
    if k < 1:
        raise ValueError(f"k: expected at least 1, found {k}")
    if (right < 0).any() or (right > made).any() or (made != np.rint(made)).any() or (right != np.rint(right)).any():
        raise ValueError("expected whole numbers: as many right attempts as were made, or fewer")
    return made.astype(np.int64), right.astype(np.int64)
