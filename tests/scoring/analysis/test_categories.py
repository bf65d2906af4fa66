"""Groups of questions by category: what is folded, and that no arithmetic leads back to a few questions."""

import doctest
import itertools
import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pytest_django import DjangoAssertNumQueries

from scoring.analysis import categories
from scoring.analysis.categories import FEWEST, FEWEST_UNLIKE, OTHER, Cell, cells_of, cells_of_revision, concealed
from scoring.benchmarks import definitions
from tests import factories

CATEGORIES = st.lists(
    st.tuples(st.sets(st.sampled_from("ABCDEF"), max_size=4), st.integers(1, 14)), min_size=1, max_size=12
).map(lambda groups: [sorted(names) for names, count in groups for _ in range(count)])


def test_doctests() -> None:
    assert doctest.testmod(categories).failed == 0


def names(cells: tuple[Cell, ...]) -> dict[str, int]:
    return {cell.name: cell.size for cell in cells}


def test_a_small_category_is_folded_and_a_question_counts_in_each_of_its_categories() -> None:
    given_ = [["A", "B"]] * 10 + [["A"]] * 10 + [["B"]] * 10 + [["C"]] * 9 + [[]] * 2
    assert names(cells_of(given_, hidden=True)) == {"A": 20, "B": 20, OTHER: 11}
    assert cells_of(given_, hidden=True)[-1].rest


def test_a_rest_of_a_few_is_not_left_over_on_a_hidden_split() -> None:
    """Or the total less the shown groups would tell of them."""
    given_ = [["A"]] * 30 + [["B"]] * 12 + [["C"]] * 3
    assert names(cells_of(given_, hidden=False)) == {"A": 30, "B": 12, OTHER: 3}
    assert names(cells_of(given_, hidden=True)) == {"A": 30, OTHER: 15}


def test_a_group_inside_another_but_for_one_question_is_not_shown_beside_it() -> None:
    given_ = [["A", "B"]] * 20 + [["A"]] + [["C"]] * 10
    assert names(cells_of(given_, hidden=True)) == {"A": 21, "C": 10}


def test_a_category_that_is_named_twice_counts_once() -> None:
    assert names(cells_of([["A", "A"]] * 12, hidden=True)) == {"A": 12}


@given(CATEGORIES, st.randoms(use_true_random=False))
def test_no_combination_of_groups_and_total_comes_down_to_a_few_questions(
    given_: list[list[str]], chance: random.Random
) -> None:
    """Each small set of questions that could be singled out is looked for by rank, not by the rule under test."""
    cells = cells_of(given_, hidden=True)
    if not cells:
        return
    rows = np.zeros((len(cells) + 1, len(given_)))
    rows[-1] = 1
    for row, cell in zip(rows, cells, strict=False):
        row[list(cell.questions)] = 1
    patterns, counts = np.unique(rows.T, axis=0, return_counts=True)
    rank = np.linalg.matrix_rank(rows)
    few = [index for index, count in enumerate(counts) if count < FEWEST]
    for size in range(1, len(few) + 1):
        for some in itertools.combinations(few, size):
            if counts[list(some)].sum() < FEWEST:
                others = np.delete(patterns, some, axis=0)
                assert np.linalg.matrix_rank(others) == rank, "something is left that hangs on these alone"
    weights = np.array([chance.randint(-2, 2) for _ in rows])
    left = np.abs(weights @ rows) > 1e-9
    assert left.sum() == 0 or left.sum() >= FEWEST


@given(CATEGORIES)
def test_every_question_is_in_its_groups_or_in_the_rest(given_: list[list[str]]) -> None:
    for hidden in (True, False):
        cells = cells_of(given_, hidden=hidden)
        assert not cells or {place for cell in cells for place in cell.questions} == set(range(len(given_)))
        for cell in cells:
            assert cell.rest or cell.size >= FEWEST
            assert cell.rest or all(cell.name in given_[place] for place in cell.questions)


@pytest.mark.parametrize("split", ["dev", "test"])
def test_the_packaged_questions_keep_most_of_their_large_categories(split: str) -> None:
    source = next(iter(definitions().values())).packaged()[split].source.questions
    cells = cells_of([question.categories for question in source], hidden=True)
    assert len(cells) >= 8
    assert {"Geography", "History", "Sports"} <= {cell.name for cell in cells}


@pytest.mark.django_db
def test_the_groups_of_a_revision(django_assert_num_queries: DjangoAssertNumQueries) -> None:
    made = factories.benchmark(n_dev=30, n_test=30)
    dev, test = (factories.split(made, slug).current_revision for slug in ("dev", "test"))
    assert dev is not None
    assert test is not None
    with django_assert_num_queries(2):
        assert names(cells_of_revision(dev)) == {"Geography": 30, "Politics": 15}
    assert names(cells_of_revision(test)) == {"Geography": 30}


def test_a_mean_near_either_end_is_concealed() -> None:
    for k in range(2 * FEWEST + 1):
        outcomes = np.array([1.0] * k + [0.0] * (2 * FEWEST - k))
        few = min(k, 2 * FEWEST - k) < FEWEST_UNLIKE
        assert concealed(outcomes) == concealed(1 - outcomes) == few, k
