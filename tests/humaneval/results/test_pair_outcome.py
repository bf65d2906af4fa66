"""Rankings of systems by people's choices, beside the judge's."""

from collections.abc import Sequence
from uuid import UUID

import numpy as np
import pytest

from humaneval.models import Preference
from humaneval.results.pair_outcome import Choice, JudgedPair, RankRow, ranking_of

NAMES = ("Aardvark", "Badger", "Caracal", "Dormouse", "Ermine")
SETS = {UUID(int=number): name for number, name in enumerate(NAMES)}
KEYS = {name: key for key, name in SETS.items()}
N_QUESTIONS = 12


def choices(first: str, second: str, votes: Sequence[Preference]) -> list[Choice]:
    """One choice on each question."""
    return [
        Choice("P-01", f"q{n}", "", KEYS[first], KEYS[second], (9, 9), False, vote, False)
        for n, vote in enumerate(votes)
    ]


def judged(first: str, second: str) -> JudgedPair:
    """Comparisons by the judge, who prefers the first answer on two of three questions."""
    return JudgedPair(
        first=KEYS[first],
        second=KEYS[second],
        qids=tuple(f"q{n}" for n in range(N_QUESTIONS)),
        preferences=np.array([[1.0] * 2, [1.0] * 2, [0.0] * 2] * (N_QUESTIONS // 3)),
        judged=np.ones(N_QUESTIONS, dtype=np.bool_),
        answered=np.ones(N_QUESTIONS, dtype=np.bool_),
    )


MOSTLY_LEFT = [Preference.LEFT, Preference.LEFT, Preference.RIGHT] * (N_QUESTIONS // 3)


def by_name(every: list[Choice], judge: Sequence[JudgedPair] = (), n: int = 3) -> dict[str, RankRow]:
    rows, _ = ranking_of(every, judge, dict(list(SETS.items())[:n]))
    return {row.name: row for row in rows}


def test_a_system_without_comparisons_has_no_rank_and_changes_nothing() -> None:
    found, alone = (by_name(choices("Aardvark", "Badger", MOSTLY_LEFT), n=n) for n in (3, 2))
    assert list(found) == ["Aardvark", "Badger", "Caracal"]
    assert found["Caracal"].people is None
    assert {name: found[name] for name in alone} == alone


def test_systems_that_are_not_connected_are_not_ranked_together() -> None:
    """Of two parts of equal size that with more comparisons is ranked, then that with the first system."""
    one, other = choices("Aardvark", "Badger", MOSTLY_LEFT), choices("Caracal", "Dormouse", MOSTLY_LEFT)
    found = by_name(one + other, n=4)
    assert [name for name, row in found.items() if row.people] == ["Aardvark", "Badger"]
    found = by_name(one + other + other[:1], n=4)
    assert [name for name, row in found.items() if row.people] == ["Caracal", "Dormouse"]
    assert list(found)[2:] == ["Aardvark", "Badger"]


@pytest.mark.parametrize("n_linking", [2, 9])
def test_the_part_with_the_most_systems_is_ranked(n_linking: int) -> None:
    small = choices("Aardvark", "Badger", MOSTLY_LEFT)
    large = choices("Caracal", "Dormouse", MOSTLY_LEFT[:n_linking]) + choices("Dormouse", "Ermine", MOSTLY_LEFT[:2])
    assert {name for name, row in by_name(small + large, n=5).items() if row.people} == set(NAMES[2:])


def test_a_part_with_a_single_question_does_not_hide_another() -> None:
    single = choices("Caracal", "Dormouse", MOSTLY_LEFT[:1]) + choices("Dormouse", "Ermine", MOSTLY_LEFT[:1])
    found = by_name(single + choices("Aardvark", "Badger", MOSTLY_LEFT), n=5)
    assert {name for name, row in found.items() if row.people} == {"Aardvark", "Badger"}
    assert by_name(single, n=5) == {}


def test_the_judge_ranks_the_systems_that_it_compared() -> None:
    every = choices("Aardvark", "Badger", MOSTLY_LEFT) + choices("Badger", "Caracal", MOSTLY_LEFT)
    found = by_name(every, [judged("Badger", "Aardvark")])
    assert all(row.people is not None for row in found.values())
    assert found["Caracal"].judge is None
    aardvark, badger = found["Aardvark"].judge, found["Badger"].judge
    assert aardvark is not None and badger is not None
    assert badger.strength == pytest.approx(np.log(2) / 2)
    assert max(aardvark.worst, badger.worst) == 2
