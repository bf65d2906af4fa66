"""Draws: in proportion, repeated by their seed, and not to be foreseen from one grader to the next."""

from collections import Counter
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from humaneval.grading.desk.services import calibration_is_due, order_of
from humaneval.grading.rounds.sampling import (
    Candidate,
    most_disputed,
    shuffled,
    systematic,
)


def candidates(**counts: int) -> list[Candidate]:
    """Named ``party_category``."""
    made: list[Candidate] = []
    for name, count in counts.items():
        party, _, category = name.partition("_")
        for _ in range(count):
            made.append(Candidate(f"q{len(made)}", "text", party, category, answer_set=UUID(int=len(made))))
    return made


def strata(drawn: list[Candidate]) -> dict[str, int]:
    return dict(Counter(f"{one.party}_{one.category}" for one in drawn))


SIZES = st.lists(st.integers(1, 60), min_size=1, max_size=6)
SEEDS = st.integers(0, 2**31)


def of_sizes(sizes: list[int]) -> list[Candidate]:
    return candidates(**{f"p{number}_c{number % 2}": size for number, size in enumerate(sizes)})


def test_each_stratum_gives_its_share() -> None:
    pool = candidates(a_x=60, a_y=20, b_x=10, b_y=10)
    assert strata(systematic(pool, 10, seed=3)[0]) == {"a_x": 6, "a_y": 2, "b_x": 1, "b_y": 1}


@given(sizes=SIZES, n=st.integers(1, 100), seed=SEEDS, from_every=st.booleans())
def test_a_draw_has_the_wanted_size_and_each_party_its_share(
    sizes: list[int], n: int, seed: int, from_every: bool
) -> None:
    pool = of_sizes(sizes)
    drawn = systematic(pool, n, seed, from_every_party=from_every)
    assert len(drawn[0]) == len({one.key for one in drawn[0]}) == min(n, len(pool))
    assert set(drawn[1]) == {one.key for one in pool}
    assert all(0 < probability <= 1 for probability in drawn[1].values())
    assert sum(drawn[1].values()) == pytest.approx(min(n, len(pool)))
    by_party = Counter(one.party for one in drawn[0])
    for number in range(len(sizes)):
        expected = sum(drawn[1][one.key] for one in pool if one.party == f"p{number}")
        assert abs(by_party[f"p{number}"] - expected) < 1
        if from_every and n >= len(sizes):
            assert by_party[f"p{number}"] >= 1


@pytest.mark.slow
def test_answers_are_drawn_as_often_as_their_probabilities_say() -> None:
    """Categories of one question each have a chance too."""
    pool = candidates(a_x=25, a_y=1, a_z=4, b_x=2)
    n_draws = 3000
    draws = [systematic(pool, 8, seed, from_every_party=True) for seed in range(n_draws)]
    times = Counter(one.key for drawn in draws for one in drawn[0])
    assert {round(chance, 3) for chance in draws[0][1].values()} == {0.233, 0.5}
    for key, probability in draws[0][1].items():
        error = (probability * (1 - probability) / n_draws) ** 0.5
        assert abs(times[key] / n_draws - probability) < 4.5 * error


def test_a_small_study_beside_a_large_system_is_not_left_out() -> None:
    pool = candidates(system_x=500, study_x=3)
    drawn = systematic(pool, 20, seed=1, from_every_party=True)
    assert strata(drawn[0]) == {"system_x": 19, "study_x": 1}
    assert {one.party: drawn[1][one.key] for one in pool} == {"system": 19 / 500, "study": 1 / 3}


def test_the_seed_repeats_a_draw_and_another_gives_another() -> None:
    pool = candidates(a_x=50)
    assert systematic(pool, 10, 1) == systematic(pool, 10, 1) != systematic(pool, 10, 2)
    assert shuffled(pool, 1, "one") != shuffled(pool, 1, "two")


def test_the_most_disputed_come_first_and_the_unanimous_not_at_all() -> None:
    pool = candidates(a_x=4)
    opinions = {
        pool[0].key: {"strict": 0.0, "judge": 1.0},
        pool[1].key: {"strict": 1.0, "judge": 1.0},
        pool[2].key: {"strict": 0.0},
        pool[3].key: {"judge": 0.0, "graders": 0.5},
    }
    found = most_disputed(pool, opinions, 10, seed=0)
    assert [(one.key, why) for one, why in found] == [
        (pool[0].key, "judge 1, strict 0"),
        (pool[3].key, "graders 0.5, judge 0"),
    ]
    assert len(most_disputed(pool, opinions, 1, seed=0)) == 1


def test_each_grader_gets_the_answers_in_an_order_of_their_own() -> None:
    orders = [sorted(range(40), key=lambda place: order_of(7, grader, place)) for grader in (1, 2)]
    assert sorted(orders[0]) == sorted(orders[1])
    assert orders[0] != orders[1]


@pytest.mark.parametrize(("share", "expected"), [(0.1, 10), (0.25, 25), (0.0, 0)])
def test_the_declared_share_of_answers_is_for_calibration(share: float, expected: int) -> None:
    due = [calibration_is_due(n, start=3, share=share, seed=1, grader=1) for n in range(103)]
    assert due[:3] == [True] * 3
    assert sum(due[3:]) == expected


def test_calibration_answers_of_one_grader_tell_nothing_of_anothers() -> None:
    places = {
        tuple(n for n in range(50) if calibration_is_due(n, start=0, share=0.1, seed=1, grader=grader))
        for grader in range(20)
    }
    assert len(places) > 10
