"""The state machine of runs."""

from itertools import product

import pytest

from scoring.models.run_states import ACTIVE, MOVES, ForbiddenMoveError, RunState, check_move, sources_of


def test_every_state_is_in_it_and_can_be_left_but_only_for_another() -> None:
    assert set(MOVES) == set(RunState)
    assert all(targets and source not in targets for source, targets in MOVES.items())


def test_what_is_allowed_and_what_is_not() -> None:
    for source, target in product(RunState, RunState):
        if target in MOVES[source]:
            check_move(source, target)
            assert source in sources_of(target)
        else:
            with pytest.raises(ForbiddenMoveError, match="cannot go from"):
                check_move(source, target)
            assert source not in sources_of(target)


def test_only_a_running_run_ends_with_scores_and_only_a_waiting_one_begins() -> None:
    assert sources_of(RunState.DONE) == [RunState.RUNNING]
    assert sources_of(RunState.RUNNING) == [RunState.WAITING]
    assert {RunState.WAITING, RunState.RUNNING} == set(ACTIVE)


def test_whatever_has_ended_can_be_taken_up_again_except_a_score() -> None:
    assert set(sources_of(RunState.WAITING)) == set(RunState) - {RunState.WAITING, RunState.DONE}
