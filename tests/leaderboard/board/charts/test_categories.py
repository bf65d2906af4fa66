"""Scores by category, computed with a board's statistics; folding is tested in the tests of `scoring.analysis`."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from leaderboard.board import standings
from leaderboard.board.charts.categories import category_means
from leaderboard.board.charts.series import charts_of
from leaderboard.disclosure import CATEGORY_ERROR
from leaderboard.models import BoardStatistics, Entry, System
from leaderboard.systems.page import system_page
from scoring.metrics.side_by_side.items import NAME, WIN_RATE
from scoring.models import Comparison, Question, Score, Setting, Split, vector_bytes
from scoring.runs.intervals import intervals_of
from scoring.runs.judging.comparisons import pair_of
from tests import attacks, boards, compared, compared_site, factories

Place = tuple[Split, Setting]
Means = tuple[list[tuple[str, int, bool]], dict[int, list[float | None]]]


NO_MEANS: Means = ([], {})


def labels(found: Means) -> list[tuple[str, int]]:
    return [(name, size) for name, size, _ in found[0]]


def computed(place: Place, column: str) -> Means:
    """The means of a column once a worker has computed them."""
    standings.refresh(*place)
    return category_means(place[0].pk, place[1].pk, column)


@pytest.fixture
def filled(db: None) -> Place:
    made = factories.benchmark(n_dev=4, n_test=60)
    split, setting = factories.split(made, "test"), factories.setting(made)
    boards.fill(split, setting, 4)
    return split, setting


def entries() -> list[int]:
    return list(Entry.objects.order_by("pk").values_list("pk", flat=True))


def test_means_are_those_of_the_stored_vectors(filled: Place) -> None:
    Split.objects.update(hidden=False)
    found = computed(filled, "loose")
    assert set(found[1]) == set(entries())
    for score in Score.objects.filter(name="loose").select_related("run__answer_set__board_entry"):
        assert found[1][score.run.answer_set.board_entry.pk][0] == pytest.approx(score.value)


def test_questions_without_a_verdict_do_not_count_in_their_categories(db: None, client: Client) -> None:
    split = factories.split(compared_site.declare(30), "dev")
    setting = factories.setting(split.benchmark, "closed-book")
    for question in Question.objects.filter(revision=split.current_revision_id):
        question.categories = ["A" if question.position < 15 else "B"]
        question.save()
    first, second = compared_site.rank(split, setting, 2)
    stored = Comparison.objects.get(run__answer_set=first.answer_set_id, run__metric=NAME, run__counts=True)
    pair = pair_of(stored.run)
    scores = pair.scores.copy()
    scores[10:15] = np.nan
    stored.arrays = compared.packed(replace(pair, scores=scores))
    stored.save()
    BoardStatistics.objects.all().delete()
    counted = pair.preference[:10], pair.preference[15:]
    found = computed((split, setting), WIN_RATE)
    assert labels(found) == [("A", 15), ("B", 15)]
    assert found[1][first.pk] == pytest.approx([part.mean() for part in counted])
    [result] = system_page(first.system).results
    assert result.categories is not None
    for row, part in zip(result.categories.rows, counted, strict=True):
        [[low, high]] = intervals_of([part])
        shown = row.values[0]
        assert shown is not None
        assert [shown.value, shown.low, shown.high] == pytest.approx([part.mean(), low, high])
    place = {"benchmark": compared_site.SLUG, "split": "dev", "setting": "closed-book"}
    assert client.get("/compare/", place | {"system": [first.system.slug, second.system.slug]}).status_code == 200


def test_means_of_a_hidden_split_carry_an_error_and_are_of_one_score(filled: Place, settings: Any) -> None:
    settings.SECRET_KEY = attacks.KEY
    found = computed(filled, "loose")
    # Of 60 questions every second one is in Politics too, which has none of its own and is folded.
    assert labels(found) == [("Geography", 60)]
    values = {
        score.run.answer_set.board_entry.pk: score.value
        for score in Score.objects.filter(name="loose").select_related("run__answer_set__board_entry")
    }
    for entry, (mean,) in found[1].items():
        assert mean == round(mean or 0, 3)
        assert mean == pytest.approx(values[entry], abs=16 * CATEGORY_ERROR / 60)  # missed once in two million
    assert any(mean != round(values[entry], 3) for entry, (mean,) in found[1].items())
    assert computed(filled, "strict") == NO_MEANS


@pytest.mark.parametrize("hidden", [True, False])
def test_a_new_secret_key_changes_the_stored_errors_of_a_hidden_split(
    filled: Place, settings: Any, hidden: bool
) -> None:
    Split.objects.filter(pk=filled[0].pk).update(hidden=hidden)
    before = computed(filled, "loose")
    settings.SECRET_KEY = attacks.KEY
    assert boards.refresh() == hidden
    assert (computed(filled, "loose")[1] != before[1]) is hidden


def test_with_a_rounding_step_they_have_its_digits(filled: Place, client: Client, settings: Any) -> None:
    settings.SECRET_KEY = attacks.KEY
    Split.objects.filter(pk=filled[0].pk).update(rounding_step=0.05)
    standings.refresh(*filled)
    heat = charts_of(boards.find(*filled)).heat
    assert heat is not None
    shown = [value for _, values in heat["rows"] for value in values if value is not None]
    shown += [column["mean"] for column in heat["columns"] if column["mean"] is not None]
    systems = System.objects.order_by("pk")[:2]
    [result] = system_page(systems[0]).results
    assert result.categories is not None
    cells = [cell for row in result.categories.rows for cell in row.values if cell is not None]
    address = f"/compare/?split=test&setting=openbook&system={systems[0].slug}&system={systems[1].slug}"
    comparison = client.get(address).context["comparison"]
    cells += [cell for line in comparison.categories for cell in line.values if cell is not None]
    shown += [number for cell in cells for number in (cell.value, cell.low, cell.high) if number is not None]
    assert len(cells) >= 3
    assert [value for value in shown if abs(value / 0.05 - round(value / 0.05)) > 1e-6] == []


def test_an_open_split_is_broken_down_further(filled: Place) -> None:
    assert labels(computed(filled, "loose")) == [("Geography", 60)]
    Split.objects.update(hidden=False)
    found = computed(filled, "loose")
    assert labels(found) == [("Geography", 60), ("Politics", 30)]
    score = Score.objects.filter(name="loose").select_related("run__answer_set__board_entry")[0]
    even = score.per_item[::2].mean()
    assert found[1][score.run.answer_set.board_entry.pk][1] == pytest.approx(even)


def test_one_query_whatever_the_number_of_systems(
    filled: Place, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    Split.objects.update(hidden=False)
    boards.fill(*filled, 9, prefix="More", seed=1)
    standings.refresh(*filled)
    for column in ("loose", "strict", "rouge1.fscore"):
        with django_assert_num_queries(1):
            assert len(category_means(filled[0].pk, filled[1].pk, column)[1]) == 13


def test_a_score_is_broken_down_by_the_categories_of_the_revision_it_was_made_of(filled: Place) -> None:
    before = computed(filled, "loose")
    factories.revise(filled[0], factories.source_questions("test", 70))
    split = factories.split(filled[0].benchmark, "test")
    assert split.current_revision is not None
    Question.objects.filter(revision=split.current_revision).update(categories=["Sports"])
    boards.fill(split, Setting.objects.get(slug="closedbook"), 2, prefix="New", seed=2)
    boards.refresh()
    assert category_means(split.pk, filled[1].pk, "loose") == before


def test_a_hidden_category_is_shown_whatever_it_is_with_equal_errors_for_equal_outcomes(filled: Place) -> None:
    first, second = Score.objects.filter(name="loose").select_related("run__answer_set__board_entry")[:2]
    vector = first.per_item * 0
    vector[:2] = 1
    Score.objects.filter(pk__in=[first.pk, second.pk]).update(vector=vector_bytes(vector), value=vector.mean())
    entries = [score.run.answer_set.board_entry.pk for score in (first, second)]
    [mean], [other] = (computed(filled, "loose")[1][entry] for entry in entries)
    assert mean == other
    assert mean == pytest.approx(2 / 60, abs=16 * CATEGORY_ERROR / 60)
    Split.objects.update(hidden=False)
    assert computed(filled, "loose")[1][entries[0]] == [2 / 60, 1 / 30]
