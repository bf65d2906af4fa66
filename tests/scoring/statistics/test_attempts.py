"""pass@k and pass^k are shares of samples of k attempts; the mean's variance is that of questions and of attempts."""

from itertools import combinations

import numpy as np
import pytest

from scoring.statistics import attempt_summary, pass_at_k, pass_hat_k
from scoring.statistics.arrays import FloatArray


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


def drawn_outcomes(random: np.random.Generator, n_attempts: int, n_questions: int) -> FloatArray:
    chances = random.beta(1, 2, size=n_questions)
    return (random.random((n_attempts, n_questions)) < chances).astype(float)


def test_the_two_parts_add_up_to_the_variance_of_the_mean_of_question_means() -> None:
    values = drawn_outcomes(np.random.default_rng(1), 4, 60)
    summary = attempt_summary(values)
    assert summary.variance_of_questions is not None
    whole = summary.variance_of_questions + summary.variance_of_attempts
    assert whole == pytest.approx(values.mean(axis=0).var(ddof=1) / 60)
    assert summary.mean == pytest.approx(values.mean())
    assert summary.spread == pytest.approx(values.mean(axis=1).std(ddof=1))


def test_both_parts_are_unbiased() -> None:
    random = np.random.default_rng(2)
    summaries = [attempt_summary(drawn_outcomes(random, 3, 50)) for _ in range(2000)]
    # A chance p of Beta(1, 2) has the variance 1/18; the mean of p(1 - p) is 1/6.
    of_questions = np.mean([summary.variance_of_questions for summary in summaries])
    assert of_questions == pytest.approx(1 / 18 / 50, rel=0.02)
    of_attempts = np.mean([summary.variance_of_attempts for summary in summaries])
    assert of_attempts == pytest.approx(1 / 6 / 3 / 50, rel=0.02)
    assert np.mean([summary.spread**2 for summary in summaries]) == pytest.approx(1 / 6 / 50, rel=0.06)


def test_questions_that_hardly_differ_have_no_negative_variance() -> None:
    summary = attempt_summary([[1, 0, 1, 0], [0, 1, 0, 1]])
    assert summary.variance_of_questions == 0
    assert summary.variance_of_attempts == pytest.approx(0.5 / 8)


def test_pass_at_1_and_pass_hat_1_are_the_mean_and_more_attempts_help_the_one_and_hurt_the_other() -> None:
    values = drawn_outcomes(np.random.default_rng(3), 5, 40)
    summary = attempt_summary(values)
    assert summary.pass_at is not None
    assert summary.pass_hat is not None
    assert list(summary.pass_at) == list(summary.pass_hat) == [1, 2, 3, 4, 5]
    assert summary.pass_at[1] == pytest.approx(summary.mean)
    assert summary.pass_hat[1] == pytest.approx(summary.mean)
    assert summary.pass_at[5] == values.max(axis=0).mean()
    assert summary.pass_hat[5] == values.min(axis=0).mean()
    assert sorted(summary.pass_at.values()) == list(summary.pass_at.values())
    assert sorted(summary.pass_hat.values(), reverse=True) == list(summary.pass_hat.values())


def test_shares_have_no_pass_at_k_and_one_question_no_variance_of_questions() -> None:
    shares = attempt_summary([[0.5, 1.0], [0.0, 1.0]])
    assert shares.pass_at is None
    assert shares.pass_hat is None
    assert attempt_summary([[0], [1]]).variance_of_questions is None


def test_a_question_of_weight_3_counts_as_three_questions() -> None:
    values = drawn_outcomes(np.random.default_rng(4), 3, 30)
    weights = np.arange(30) % 3 + 1
    weighted = attempt_summary(values, weights)
    repeated = attempt_summary(np.repeat(values, weights, axis=1))
    assert weighted.pass_at is not None
    assert weighted.pass_at == pytest.approx(repeated.pass_at)
    assert weighted.pass_hat == pytest.approx(repeated.pass_hat)
    assert (weighted.mean, weighted.spread) == pytest.approx((repeated.mean, repeated.spread))
    assert weighted.variance_of_attempts > repeated.variance_of_attempts, "but is only one"


@pytest.mark.parametrize("values", [[[1, 0, 1]], [1, 0, 1], [[], []], [[1, 0], [1, float("nan")]]])
def test_attempts_that_say_nothing_of_their_spread_are_refused(values: object) -> None:
    with pytest.raises(ValueError, match="values"):
        attempt_summary(values)  # type: ignore[arg-type]
