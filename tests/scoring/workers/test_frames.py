"""Page faults of calls, counted at every depth of the stack."""

import resource
from collections.abc import Callable

import pytest

from scoring.workers.frames import with_own_chunk

N_CALLS = 2_000
DEPTHS = range(200)
"""More than the frames of two chunks."""


def many_calls() -> int:
    return sum(absolute(number) for number in range(N_CALLS))


def absolute(number: int) -> int:
    return abs(number)


def worst_faults(function: Callable[[], int]) -> int:
    return max(faults_at(depth, function) for depth in DEPTHS)


def faults_at(depth: int, function: Callable[[], int]) -> int:
    if depth:
        return faults_at(depth - 1, function)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    function()
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before


def test_no_depth_of_the_stack_maps_memory_for_each_call() -> None:
    assert worst_faults(with_own_chunk(many_calls)) < N_CALLS / 10


def test_the_function_keeps_its_name_arguments_and_errors() -> None:
    wide = with_own_chunk(divmod)
    assert wide(7, 2) == (3, 1)
    assert with_own_chunk(many_calls).__name__ == "many_calls"
    with pytest.raises(ZeroDivisionError):
        wide(1, 0)
