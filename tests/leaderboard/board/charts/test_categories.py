"""Scores of many systems by category, from the database; the rule of folding is tested beside
`scoring.analysis.categories`."""

import pytest
from pytest_django import DjangoAssertNumQueries

from leaderboard.board.charts.categories import ScoresByCategory, scores_by_category
from leaderboard.models import System
from scoring.models import AnswerSet, CurrentSignature, Question, Score, Setting, Split, vector_bytes
from tests import boards, factories


def labels(found: ScoresByCategory) -> list[tuple[str, int]]:
    return [(cell.name, cell.size) for cell in found.cells]


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
    assert labels(found["loose"]) == [("Geography", 60)]
    means = found["loose"].means()
    assert set(means) == {one.pk for one in sets}
    for score in Score.objects.filter(name="loose"):
        assert means[score.run.answer_set_id] == pytest.approx([score.value])


def test_an_open_split_is_broken_down_further(filled: tuple[Split, Setting]) -> None:
    split, _ = filled
    split.hidden = False
    found = scores_by_category(split, [one.pk for one in answer_sets(split)], ["loose"])["loose"]
    assert labels(found) == [("Geography", 60), ("Politics", 30)]
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
    assert labels(after) == labels(before)
    assert after.means() == before.means()


def test_nothing_scored_is_nothing_broken_down(filled: tuple[Split, Setting]) -> None:
    split, _ = filled
    assert scores_by_category(split, [], ["loose"]) == {}
    CurrentSignature.objects.filter(split=split).update(signature="other")
    assert scores_by_category(split, [one.pk for one in answer_sets(split)], ["loose"]) == {}


def test_a_hidden_cell_that_would_tell_of_nearly_every_question_is_kept_back(filled: tuple[Split, Setting]) -> None:
    split, _ = filled
    score = Score.objects.filter(name="strict").select_related("run")[0]
    vector = score.per_item * 0
    vector[:2] = 1
    Score.objects.filter(pk=score.pk).update(vector=vector_bytes(vector), value=vector.mean())
    key = score.run.answer_set_id
    assert scores_by_category(split, [key], ["strict"])["strict"].means() == {key: [None]}
    split.hidden = False
    assert scores_by_category(split, [key], ["strict"])["strict"].means() == {key: [2 / 60, 1 / 30]}
