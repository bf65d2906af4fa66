"""The model of the queue does what its examples say."""

import doctest

from tests.load import deadline


def test_the_examples_hold() -> None:
    results = doctest.testmod(deadline)
    assert results.attempted > 5
    assert results.failed == 0
