"""pass@k and pass^k are the shares of samples of k attempts with a right one, or with right ones alone."""

from itertools import combinations

import numpy as np
import pytest

from scoring.statistics import pass_at_k, pass_hat_k


@pytest.mark.parametrize("n", range(1, 7))
def test_both_are_shares_of_all_samples_of_k_attempts(n: int) -> None:
    for c in range(n + 1):
        outcomes = [1] * c + [0] * (n - c)
        for k in range(1, n + 1):
            samples = list(combinations(outcomes, k))
            assert pass_at_k([n], [c], k)[0] == pytest.approx(np.mean([any(sample) for sample in samples]))
            assert pass_hat_k([n], [c], k)[0] == pytest.approx(np.mean([all(sample) for sample in samples]))


def test_a_question_with_fewer_attempts_than_k_has_no_number() -> None:
    assert np.isnan(pass_at_k([1, 3], [1, 3], k=2)).tolist() == [True, False]
    assert np.isnan(pass_hat_k([1, 3], [1, 3], k=2)).tolist() == [True, False]


@pytest.mark.parametrize(
    ("attempts", "correct", "k"), [([2], [3], 1), ([2], [-1], 1), ([2.5], [1], 1), ([2, 2], [1], 1), ([2], [1], 0)]
)
def test_numbers_that_cannot_be_are_refused(attempts: list[float], correct: list[float], k: int) -> None:
    for function in (pass_at_k, pass_hat_k):
        with pytest.raises(ValueError, match="expected"):
            function(attempts, correct, k)
