"""Several attempts at a question: the chance that one of k is right, or that all are."""

from __future__ import annotations

from math import comb

import numpy as np
from numpy.typing import ArrayLike

from scoring.statistics.arrays import FloatArray, IntArray


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
    section 4; each question has its own number of attempts, where their code takes one for the file.

    Args:
        attempts: The number of attempts at each question.
        correct: How many of them are right.
        k: At least 1.

    Returns:
        One number a question, whose mean is the score; NaN where k exceeds the attempts.

    Raises:
        ValueError: As `pass_at_k`.

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
