"""Breakdowns by category: what is folded, and that no calculation comes down to a few questions of a hidden split."""

import doctest
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from pytest_django import DjangoAssertNumQueries

from leaderboard import categories
from leaderboard.categories import MINIMUM, OTHER, Folding, fold, scores_by_category
from leaderboard.models import System
from scoring.models import AnswerSet, CurrentSignature, Question, Score, Setting, Split
from tests import boards, factories

FEW = 3
"""A minimum that small examples reach."""
named_questions = st.lists(st.frozensets(st.sampled_from("ABCDE"), max_size=3), max_size=40)


def test_the_examples_in_the_docstrings_hold() -> None:
    results = doctest.testmod(categories)
    assert results.attempted
    assert not results.failed


def labels(folding: Folding) -> list[tuple[str, int]]:
    return [(one.label, one.n_questions) for one in folding.categories]


@pytest.mark.parametrize("hidden", [False, True])
def test_a_category_of_nine_is_folded_and_one_of_ten_is_not(hidden: bool) -> None:
    folding = fold([["Sports"]] * 10 + [["Music"]] * 9 + [["Law"]] * 2, hidden=hidden)
    assert labels(folding) == [("Sports", 10), (OTHER, 11)]
    assert folding.folded == ("Law", "Music")


@pytest.mark.parametrize("hidden", [False, True])
def test_a_remainder_of_nine_takes_a_category_with_it(hidden: bool) -> None:
    folding = fold([["Sports"]] * 30 + [["Music"]] * 10 + [[]] * 9, hidden=hidden)
    assert labels(folding) == [("Sports", 30), (OTHER, 19)]


def test_a_question_of_a_folded_category_stays_in_its_other_one() -> None:
    folding = fold([["Sports"]] * 20 + [["Sports", "Law"]] * 5, hidden=False)
    assert labels(folding) == [("Sports", 25)]
    assert folding.members.all()


def test_an_open_split_shows_overlapping_categories_that_a_hidden_one_folds() -> None:
    questions = [["Geography"]] * 40 + [["Geography", "Demographics"]] * 15 + [["Demographics"]] * 4
    assert labels(fold(questions, hidden=False)) == [("Geography", 55), ("Demographics", 19)]
    # Folding Demographics alone would leave the 4 in "Other", so Geography goes too.
    assert labels(fold(questions, hidden=True)) == [(OTHER, 59)]


def test_a_difference_of_nine_between_nested_categories_is_not_left_on_a_hidden_split() -> None:
    nested = [["Arts", "Music"]] * 20 + [["Arts"]] * 9 + [["Law"]] * 30
    assert labels(fold(nested, hidden=False)) == [("Law", 30), ("Arts", 29), ("Music", 20)]
    assert labels(fold(nested, hidden=True)) == [("Law", 30), ("Arts", 29)]


def test_nine_questions_shared_by_two_categories_are_not_left_on_a_hidden_split() -> None:
    shared = [["Arts"]] * 30 + [["Law"]] * 20 + [["Arts", "Law"]] * 9
    assert labels(fold(shared, hidden=True)) == [("Arts", 39), (OTHER, 20)]


def test_a_category_that_is_called_other_is_part_of_the_remainder() -> None:
    assert labels(fold([["Sports"]] * 10 + [[" Other "]] * 10 + [["Sports ", "Sports"]], hidden=False)) == [
        ("Sports", 11),
        (OTHER, 10),
    ]


def test_too_few_questions_have_no_breakdown() -> None:
    folding = fold([["Sports"]] * 9, hidden=True)
    assert folding.categories == ()
    assert folding.means(np.zeros((2, 9))).shape == (2, 0)
    assert fold([], hidden=True).categories == ()


def test_means_are_of_the_members_and_refuse_other_numbers_of_questions() -> None:
    folding = fold([["A"]] * 3 + [["A", "B"]] * 3 + [["B"]] * 3 + [[]] * 3, hidden=True, minimum=FEW)
    vector = np.arange(12.0)
    assert labels(folding) == [("A", 6), ("B", 6), (OTHER, 3)]
    assert folding.means(vector).tolist() == [2.5, 5.5, 10.0]
    assert folding.means(np.stack([vector, -vector])).tolist() == [[2.5, 5.5, 10.0], [-2.5, -5.5, -10.0]]
    with pytest.raises(ValueError, match="11 scores for 12 questions"):
        folding.means(np.zeros(11))


@given(questions=named_questions, hidden=st.booleans())
def test_cells_are_of_what_they_say_and_cover_every_question(questions: list[frozenset[str]], hidden: bool) -> None:
    folding = fold(questions, hidden=hidden, minimum=FEW)
    assert all(one.n_questions >= FEW for one in folding.categories)
    assert [one.n_questions for one in folding.categories] == folding.members.sum(axis=1).tolist()
    if len(questions) >= FEW:
        assert folding.members.any(axis=0).all()
    shown = {one.label for one in folding.categories if not one.is_remainder}
    assert shown.isdisjoint(folding.folded)
    assert shown.union(folding.folded) == {name for names in questions for name in names}


def smallest_support(sums: NDArray[np.float64], below: int) -> int | None:
    """The least number of questions, under *below*, that some combination of the rows of *sums* comes down to.

    Questions that stand in the same cells cannot be told apart. For each choice of such groups with fewer than *below*
    questions in all: if the rows without their columns have a lower rank, some combination is zero everywhere else.
    """
    if not sums.size:
        return None
    groups, sizes = np.unique(sums, axis=1, return_counts=True)
    rank = np.linalg.matrix_rank(groups)
    small = [index for index, size in enumerate(sizes) if size < below]
    for n in range(1, below):
        for chosen in combinations(small, n):
            total = int(sizes[list(chosen)].sum())
            if total < below:
                rest = np.delete(groups, list(chosen), axis=1)
                if (np.linalg.matrix_rank(rest) if rest.size else 0) < rank:
                    return total
    return None


@given(questions=named_questions)
def test_no_sum_of_cells_and_total_comes_down_to_few_questions_of_a_hidden_split(
    questions: list[frozenset[str]],
) -> None:
    if len(questions) < FEW:
        return
    members = fold(questions, hidden=True, minimum=FEW).members
    published = np.vstack([members, np.ones((1, len(questions)), dtype=bool)]).astype(float)
    assert smallest_support(published, FEW) is None


def test_the_search_for_small_supports_finds_one_where_nothing_is_folded() -> None:
    sums = np.array([[1, 1, 1, 1, 1, 0], [1, 1, 1, 1, 0, 0], [1, 1, 1, 1, 1, 1]], dtype=float)
    assert smallest_support(sums, FEW) == 1


# --- From the database -----------------------------------------------------------------------------------------------


@pytest.fixture
def filled(db: None) -> tuple[Split, Setting]:
    made = factories.benchmark(n_dev=4, n_test=60)
    split, setting = factories.split(made, "test"), factories.setting(made)
    boards.fill(split, setting, 4)
    return split, setting


def answer_sets(split: Split) -> list[AnswerSet]:
    return list(AnswerSet.objects.filter(split=split).order_by("pk"))


def test_means_are_those_of_the_stored_vectors(filled: tuple[Split, Setting]) -> None:
    split, _ = filled
    sets = answer_sets(split)
    found = scores_by_category(split, [one.pk for one in sets], ["loose", "judge"])
    # Of 60 questions every second one is in Politics too, which has none of its own and is folded.
    assert labels(found["loose"].folding) == [("Geography", 60)]
    means = found["loose"].means()
    assert set(means) == {one.pk for one in sets}
    for score in Score.objects.filter(name="loose"):
        assert means[score.run.answer_set_id].tolist() == pytest.approx([score.value])


def test_an_open_split_is_broken_down_further(filled: tuple[Split, Setting]) -> None:
    split, _ = filled
    split.hidden = False
    found = scores_by_category(split, [one.pk for one in answer_sets(split)], ["loose"])["loose"]
    assert labels(found.folding) == [("Geography", 60), ("Politics", 30)]
    score = Score.objects.filter(name="loose").select_related("run")[0]
    even = score.per_item[::2].mean()
    assert found.means()[score.run.answer_set_id][1] == pytest.approx(even)


def test_three_queries_whatever_the_number_of_systems(
    filled: tuple[Split, Setting], django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    split, setting = filled
    boards.fill(split, setting, 9, prefix="More", seed=1)
    keys = [one.pk for one in answer_sets(split)]
    with django_assert_num_queries(3):
        found = scores_by_category(split, keys, ["loose", "strict", "rouge1.fscore"])
    assert {name: len(one.vectors) for name, one in found.items()} == {"loose": 13, "strict": 13, "rouge1.fscore": 13}


def test_scores_under_another_signature_and_of_people_are_left_out(filled: tuple[Split, Setting]) -> None:
    split, _ = filled
    keys = [one.pk for one in answer_sets(split)]
    System.objects.filter(entries__answer_set=keys[0]).update(is_human=True)
    Score.objects.filter(run__answer_set=keys[1], name="loose").update(signature="accuracy|another")
    found = scores_by_category(split, keys, ["loose", "strict"])
    assert set(found["loose"].vectors) == set(keys[2:])
    assert set(found["strict"].vectors) == set(keys[1:])


def test_a_score_is_broken_down_by_the_categories_of_the_revision_it_was_made_of(
    filled: tuple[Split, Setting],
) -> None:
    split, _ = filled
    keys = [one.pk for one in answer_sets(split)]
    before = scores_by_category(split, keys, ["loose"])["loose"]
    questions = factories.source_questions("test", 70)
    factories.revise(split, questions)
    split.refresh_from_db()
    assert split.current_revision is not None
    Question.objects.filter(revision=split.current_revision).update(categories=["Sports"])
    after = scores_by_category(split, keys, ["loose"])["loose"]
    assert labels(after.folding) == labels(before.folding)
    assert {key: mean.tolist() for key, mean in after.means().items()} == {
        key: mean.tolist() for key, mean in before.means().items()
    }


def test_nothing_scored_is_nothing_broken_down(filled: tuple[Split, Setting]) -> None:
    split, _ = filled
    assert scores_by_category(split, [], ["loose"]) == {}
    CurrentSignature.objects.filter(split=split).update(signature="other")
    assert scores_by_category(split, [one.pk for one in answer_sets(split)], ["loose"]) == {}


def test_the_minimum_is_ten() -> None:
    assert MINIMUM == 10
