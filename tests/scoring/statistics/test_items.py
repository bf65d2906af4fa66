"""Difficulty and discrimination: against NumPy's correlation, and in simulation."""

import numpy as np
import pytest

from scoring.statistics import FEWEST_SYSTEMS, difficulty, discrimination


def simulated(n_systems: int, seed: int, n_wrong: int = 15, n_questions: int = 300) -> np.ndarray:
    """Scores of 0 and 1: systems differ in ability by a logit, and the last questions' references are wrong, so that
    who is right on them does not depend on ability."""
    random = np.random.default_rng(seed)
    ability, hardness = random.normal(0, 1, n_systems), random.normal(0, 1.2, n_questions)
    right = random.random((n_systems, n_questions)) < 1 / (1 + np.exp(-(ability[:, None] - hardness)))
    right[:, -n_wrong:] = random.random((n_systems, n_wrong)) < 0.3
    return right.astype(float)


def test_discrimination_is_the_correlation_with_all_other_questions() -> None:
    scores = simulated(20, seed=1)[:, :30]
    found = discrimination(scores)
    for place in range(30):
        rest = np.delete(scores, place, axis=1).mean(axis=1)
        expected = np.corrcoef(scores[:, place], rest)[0, 1] if np.ptp(scores[:, place]) else np.nan
        assert found[place] == pytest.approx(expected, nan_ok=True)
    assert difficulty(scores).tolist() == scores.mean(axis=0).tolist()


@pytest.mark.parametrize(
    "scores",
    [
        simulated(FEWEST_SYSTEMS - 1, seed=1),
        np.ones((FEWEST_SYSTEMS, 1)),
        np.ones((FEWEST_SYSTEMS, 3)),
        np.full((FEWEST_SYSTEMS, 3), 0.1 + 0.2),
    ],
)
def test_it_is_undefined_with_few_systems_and_where_nothing_varies(scores: np.ndarray) -> None:
    assert np.isnan(discrimination(scores)).all()


@pytest.mark.parametrize(
    ("n_systems", "most_sound", "fewest_wrong"), [(10, 0.13, 0.4), (20, 0.06, 0.55), (50, 0.01, 0.8)]
)
def test_few_sound_questions_are_below_0_and_wrong_references_come_first(
    n_systems: int, most_sound: float, fewest_wrong: float
) -> None:
    """The figures of docs/statistics.md: the share of sound questions below 0, and the share of wrong references among
    the tenth of questions that discriminates least."""
    below, among_lowest = [], []
    for seed in range(20):
        found = discrimination(simulated(n_systems, seed))
        below.append(np.mean(found[:-15] < 0))
        order = np.argsort(np.nan_to_num(found, nan=9.0))[:30]
        among_lowest.append(np.sum(order >= 285) / 15)
    assert np.mean(below) < most_sound
    assert np.mean(among_lowest) > fewest_wrong
