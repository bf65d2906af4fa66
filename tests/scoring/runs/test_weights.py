"""Scores whose items do not all count alike: what is stored of one attempt at each question, and of several."""

from collections.abc import Mapping

import numpy as np
import pytest

from scoring.metrics.base import ScoredVector, ScoresError, check_scores
from scoring.metrics.graded_answer import GradedAnswer
from scoring.models import Run, Score, Split
from scoring.models.run_states import RunState
from scoring.runs import intervals, leases
from scoring.statistics import completed, mean_interval, weighted_mean_interval
from tests import factories

N = 60


@pytest.fixture
def run(db: None) -> Run:
    """A run that no worker has claimed."""
    made = factories.benchmark(N, 1)
    dev: Split = factories.split(made, "dev")
    sent = factories.submission(factories.user(), dev, {"openbook": factories.perfect("dev", N)})
    return Run.objects.filter(answer_set__submission_file__submission=sent, state=RunState.WAITING)[0]


def stored(run: Run, scores: Mapping[str, ScoredVector], n_attempts: int = 1) -> dict[str, Score]:
    token = leases.claim(str(run.pk))
    assert token
    leases.finish(str(run.pk), token, scores=scores, n_answered=N * n_attempts, n_attempts=n_attempts)
    return {score.name: score for score in Score.objects.filter(run=run)}


def drawn_verdicts(n_attempts: int) -> np.ndarray:
    """Shape (n_attempts, N)."""
    return np.random.default_rng(8).choice(["correct", "incorrect", "not attempted"], (n_attempts, N))


def test_weights_are_stored_with_the_interval_of_the_weighted_mean(run: Run) -> None:
    values, weights = np.arange(N) % 3 / 2, 1.0 + np.arange(N) % 5
    [score] = stored(run, {"loose": ScoredVector(values.mean(), values).times(weights.tolist())}).values()
    assert score.value == pytest.approx(np.average(values, weights=weights))
    assert score.per_item.tolist() == values.tolist()
    assert score.per_weight is not None
    assert score.per_weight.tolist() == weights.tolist()
    ends = weighted_mean_interval(values, weights)
    assert (score.low, score.high) == (ends.low, ends.high)
    Score.objects.update(low=None, high=None)
    intervals.fill()
    score.refresh_from_db()
    assert (score.low, score.high) == (ends.low, ends.high), "a sweep computes the same one"


def test_scores_that_count_all_items_alike_store_no_weights(run: Run) -> None:
    values = (np.arange(N) % 2).astype(float)
    score = stored(run, {"loose": ScoredVector(values.mean(), values).times(None)})["loose"]
    assert score.weights is None
    ends = mean_interval(values)
    assert (score.low, score.high) == (ends.low, ends.high)


def test_a_question_counts_as_often_as_it_was_attempted(run: Run) -> None:
    verdicts = drawn_verdicts(4)
    scores = GradedAnswer().score_verdicts(verdicts.ravel().tolist())
    found = stored(run, scores, n_attempts=4)
    attempted, right = (verdicts != "not attempted").mean(axis=0), (verdicts == "correct").mean(axis=0)
    given = found["graded-answer.accuracy-given-attempted"]
    assert given.per_weight is not None
    assert given.per_weight.tolist() == attempted.tolist()
    assert given.attempts is None, "attempts of a question count differently"
    # The mean over attempts of what `completed` makes of all answers.
    every = completed(verdicts.ravel() == "correct", (verdicts != "not attempted").ravel().astype(float))
    vector = completed(given.per_item, given.per_weight)
    assert vector.tolist() == pytest.approx(every.reshape(4, N).mean(axis=0).tolist())
    assert vector.mean() == pytest.approx(given.value)
    f_score = found["graded-answer.f-score"]
    assert completed(f_score.per_item, f_score.per_weight).mean() == pytest.approx(f_score.value)
    assert found["graded-answer.correct"].per_item.tolist() == right.tolist()
    assert found["graded-answer.correct"].per_attempt.shape == (4, N)


def test_questions_with_weights_keep_the_values_of_their_attempts(run: Run) -> None:
    values = (np.arange(2 * N) % 2).astype(float)
    weights = [1.0 + number % 5 for number in range(N)]
    score = stored(run, {"loose": ScoredVector(values.mean(), values).times(weights * 2)}, n_attempts=2)["loose"]
    assert score.per_attempt.tolist() == values.reshape(2, N).tolist()
    assert score.per_weight is not None
    assert score.per_weight.tolist() == weights


@pytest.mark.parametrize("weights", [[1.0], [1.0, -1.0], [0.0, 0.0], [1.0, float("nan")]])
def test_weights_that_cannot_be_are_not_stored(weights: list[float]) -> None:
    score = ScoredVector(0.5, np.array([1.0, 0.0]), np.array(weights))
    with pytest.raises(ScoresError, match="weight"):
        check_scores(GradedAnswer(), {"graded-answer.correct": score}, 2)
