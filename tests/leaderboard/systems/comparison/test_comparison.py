"""Comparing systems: what is paired, what is refused and why, and at what cost."""

import dataclasses
import html
from typing import Any

import numpy as np
import pytest
from django.template.loader import render_to_string
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from leaderboard.models import Entry, EntryKind, ReportedValue, System, User
from leaderboard.systems.comparison import rows as comparison_rows
from leaderboard.systems.comparison.candidates import chooser_for, comparable_boards
from leaderboard.systems.comparison.page import comparison_for
from leaderboard.systems.comparison.statistics import NEARLY_ALIKE, WEIGHTED, against, differences
from leaderboard.systems.comparison.types import Comparison, ComparisonParams, ScoreSection, Vector
from scoring import queries as scoring_queries
from scoring.metrics.rubric import Criteria
from scoring.models import (
    Answer,
    AnswerSet,
    Benchmark,
    CurrentSignature,
    Question,
    Run,
    Score,
    Setting,
    Split,
    vector_bytes,
)
from scoring.models.run_states import RunState
from scoring.statistics import (
    agreement,
    completed,
    difference_intervals,
    holm,
    paired_differences,
    system_against_people,
)
from tests import boards, factories

pytestmark = pytest.mark.django_db


@pytest.fixture
def made() -> Benchmark:
    return factories.benchmark(n_dev=30, n_test=60)


@pytest.fixture
def dev(made: Benchmark) -> Split:
    return factories.split(made, "dev")


@pytest.fixture
def openbook(made: Benchmark) -> Setting:
    return factories.setting(made)


def compared(*slugs: str, split: str = "dev", **params: str) -> Comparison:
    given: dict[str, Any] = {"setting": "openbook"} | params
    found = comparison_for(ComparisonParams(systems=slugs, split=split, **given))
    assert found is not None
    return found


def section(comparison: Comparison, name: str) -> ScoreSection:
    return next(one for one in comparison.sections if one.column.key == name)


def vector(slug: str, name: str) -> Any:
    return Score.objects.get(run__answer_set__board_entry__system__slug=slug, name=name).per_item


def set_vector(slug: str, name: str, values: Any, **where: Any) -> None:
    scores = Score.objects.filter(run__answer_set__board_entry__system__slug=slug, name=name, **where)
    scores.update(vector=vector_bytes(np.asarray(values)), value=float(np.mean(values)), n_items=len(values))


# --- Differences ---------------------------------------------------------------------------------------------------


def test_every_pair_in_every_score_is_what_the_statistics_say(dev: Split, openbook: Setting) -> None:
    boards.fill(dev, openbook, 3)
    comparison = compared("system-2", "system-1", "system-3")
    assert [(one.letter, one.slug) for one in comparison.systems] == [
        ("A", "system-2"),
        ("B", "system-1"),
        ("C", "system-3"),
    ]
    assert len(comparison.sections) == 7
    for name in ("loose", "strict", "judge"):
        rows = np.stack([vector(one.slug, name) for one in comparison.systems])
        expected = paired_differences(rows)
        found = section(comparison, name).differences.differences
        assert [(one.first, one.second) for one in found] == [(0, 1), (0, 2), (1, 2)]
        assert [one.value for one in found] == pytest.approx(
            rows.mean(axis=1)[[0, 0, 1]] - rows.mean(axis=1)[[1, 2, 2]]
        )
        assert [(one.low, one.high) for one in found] == list(
            zip(expected.interval.low.tolist(), expected.interval.high.tolist(), strict=True)
        )
        assert [one.p_value for one in found] == expected.p_value.tolist()
        assert [one.corrected for one in found] == holm(expected.p_value).tolist() == expected.corrected.tolist()
        alike = agreement(rows[0], rows[1])
        assert (found[0].equal_share, found[0].kappa, found[0].pearson) == (
            alike.equal_share,
            alike.kappa,
            alike.pearson,
        )
    assert section(comparison, "strict").differences.differences[0].kappa is not None
    assert section(comparison, "loose").differences.differences[0].kappa is None


# --- What is refused -----------------------------------------------------------------------------------------------


def test_what_cannot_be_paired_is_left_out_with_its_reason(made: Benchmark, dev: Split, openbook: Setting) -> None:
    boards.fill(dev, openbook, 2)
    ada = factories.user()
    owner = System.objects.create(slug="reported", name="Reported", authors="B")
    Entry.objects.create(system=owner, split=dev, setting=openbook, kind=EntryKind.REPORTED, source="Table 1")
    boards.fill(dev, factories.setting(made, "closedbook"), 1, prefix="Elsewhere")
    boards.fill(dev, openbook, 1, prefix="Old")
    Score.objects.filter(run__answer_set__board_entry__system__slug="old-1").update(signature="older")
    boards.fill(dev, openbook, 1, prefix="Empty")
    Run.objects.filter(answer_set__board_entry__system__slug="empty-1").delete()
    System.objects.create(slug="private", name="A private name", authors="C", owner=ada)
    params = ("system-1", "reported", "elsewhere-1", "old-1", "nowhere", "private")
    comparison = compared(*params)
    assert not comparison.possible
    reasons = {one.slug: one.reason for one in comparison.left_out}
    assert reasons["reported"] == comparison_rows.REPORTED
    assert reasons["elsewhere-1"] == comparison_rows.NOT_HERE
    assert reasons["old-1"] == comparison_rows.OTHER_SIGNATURE
    assert reasons["nowhere"] == reasons["private"]
    assert "A private name" not in [one.name for one in comparison.left_out]
    assert "no score" in compared("empty-1", "system-1").left_out[0].reason


def test_a_score_that_one_lacks_is_not_paired_and_says_why(dev: Split, openbook: Setting) -> None:
    boards.fill(dev, openbook, 10)
    comparison = compared("system-1", "system-10")
    judge = section(comparison, "judge")
    assert judge.differences.differences == ()
    assert judge.lacking == (("B", "not scored yet"),)
    assert len(section(comparison, "loose").differences.differences) == 1


def test_scores_under_another_signature_are_never_paired(dev: Split, openbook: Setting) -> None:
    boards.fill(dev, openbook, 3)
    Score.objects.filter(run__answer_set__board_entry__system__slug="system-2", name="bleurt").update(signature="older")
    bleurt = section(compared("system-1", "system-2", "system-3"), "bleurt")
    assert [(one.first, one.second) for one in bleurt.differences.differences] == [(0, 2)]
    assert bleurt.lacking == (("B", comparison_rows.LACKS_SIGNATURE),)


def test_one_signature_but_two_revisions_are_not_paired_either(dev: Split, openbook: Setting) -> None:
    boards.fill(dev, openbook, 2)
    other = factories.revise(dev, factories.source_questions("dev", 31)).revision
    Run.objects.filter(answer_set__board_entry__system__slug="system-2", metric="accuracy").update(revision=other)
    loose = section(compared("system-1", "system-2"), "loose")
    assert loose.differences.differences == ()
    assert "different revisions" in loose.differences.refused[0][1]


@pytest.mark.parametrize(("n_right", "paired"), [(0, False), (9, False), (10, True), (50, True), (51, False)])
def test_on_a_hidden_split_nothing_is_paired_with_what_is_nearly_all_alike(
    made: Benchmark, openbook: Setting, n_right: int, paired: bool
) -> None:
    """Its outcomes are as good as known to whoever sent it, so agreement with it would tell of single questions."""
    test = factories.split(made, "test")
    boards.fill(test, openbook, 2)
    set_vector("system-1", "strict", [1.0] * n_right + [0.0] * (60 - n_right))
    set_vector("system-2", "strict", [1.0, 0.0] * 30)
    strict = section(compared("system-1", "system-2", split="test"), "strict").differences
    assert bool(strict.differences) is paired
    assert [places for places, _ in strict.refused] == ([] if paired else [(0,)])


def test_a_new_secret_key_gives_other_random_errors_at_once(made: Benchmark, openbook: Setting, settings: Any) -> None:
    boards.fill(factories.split(made, "test"), openbook, 6)
    systems = [f"system-{number}" for number in range(1, 7)]

    def ends() -> list[tuple[float, float]]:
        found = section(compared(*systems, split="test"), "strict").differences
        return [(one.low, one.high) for one in found.differences]

    before = ends()
    assert before == ends() != []
    settings.SECRET_KEY = "another key, of fifty characters or more than that, as required"
    assert ends() != before


@pytest.mark.parametrize(
    ("n_asked", "compared"), [(1, False), (9, False), (10, True), (50, True), (51, False), (60, True)]
)
def test_on_a_hidden_split_systems_stand_beside_people_over_enough_questions_alone(
    n_asked: int, compared: bool
) -> None:
    """The mean over a few questions, or over all but a few, would tell what became of each in a system."""
    participants = tuple(f"P-0{index % 3}" for index in range(n_asked))
    people = Vector(1, "strict", 0.5, 7, np.resize([1.0, 0.0, 0.0], n_asked), participants, tuple(range(n_asked)))
    system = Vector(2, "strict", 0.5, 7, np.resize([0.0, 1.0], 60))
    found = against(people, [system], hidden=True)
    assert bool(found.differences) is compared
    assert [places for places, _ in found.refused] == ([] if compared else [(0,)])
    assert against(people, [system], hidden=False).differences or n_asked == 1


def test_one_attempt_and_ten_are_found_to_differ_less_easily_where_little_is_right() -> None:
    once, often = np.zeros(100), np.where(np.arange(100) < 18, 0.1, 0.0)

    def low(n_attempts: int) -> float:
        first = Vector(1, "strict", 0.018, 7, often, n_attempts=10)
        second = Vector(2, "strict", 0.0, 7, once, n_attempts=n_attempts)
        [difference] = differences([[first], [second]], hidden=False)["strict"].differences
        return difference.low

    assert low(10) > 0, "a system with ten attempts would have been right once at least"
    assert low(1) < 0


def test_means_that_were_clipped_differ_by_what_they_were_on_open_splits_and_as_they_are_shown_on_hidden_ones() -> None:
    bad, worse = np.resize([0.5, -0.9], 60), np.resize([0.5, -2.1, 0.2], 60)
    (column,) = Criteria(clip="mean").columns()
    both = [[Vector(1, "rubric", 0.0, 7, bad)], [Vector(2, "rubric", 0.0, 7, worse)]]
    [known] = differences(both, {"rubric": column}, hidden=False)["rubric"].differences
    assert known.value == pytest.approx(bad.mean() - worse.mean())
    [shown] = differences(both, {"rubric": column}, hidden=True)["rubric"].differences
    assert shown.value == 0
    assert -1 <= shown.low <= 0 <= shown.high <= 1
    assert shown.p_value == 1


def test_people_are_not_compared_in_scores_in_which_questions_count_differently() -> None:
    people = Vector(1, "strict", 0.5, 7, np.resize([1.0, 0.0, 0.0], 30), ("P-01", "P-02") * 15, tuple(range(30)))
    system = Vector(2, "strict", 0.5, 7, np.resize([1.0, 0.0], 60), weights=np.resize([1.0, 2.0], 60))
    compared_scores = differences([[people], [system]], hidden=False)["strict"]
    assert not compared_scores.differences
    assert compared_scores.refused == (((0, 1), WEIGHTED),)


def test_on_a_hidden_split_a_system_alike_on_all_that_people_were_asked_is_not_set_beside_them() -> None:
    people = Vector(1, "strict", 0.5, 7, np.resize([1.0, 0.0, 0.0], 30), ("P-01", "P-02") * 15, tuple(range(30)))
    system = Vector(2, "strict", 0.5, 7, np.repeat([1.0, 0.0], 30))
    assert against(people, [system], hidden=True).refused == (((0,), NEARLY_ALIKE),)


def test_intervals_leave_out_questions_that_do_not_count() -> None:
    values = np.resize([1.0, 0.0, 0.5, 1.0], 60)
    known = np.where(np.arange(60) < 12, np.nan, values)
    filled = Vector(1, "strict", 0.5, 7, np.where(np.isnan(known), np.nanmean(known), values))
    other = Vector(2, "strict", 0.5, 7, np.resize([0.0, 1.0, 1.0], 60))
    without, found = (
        differences([[one], [other]], hidden=False)["strict"].differences[0]
        for one in (filled, dataclasses.replace(filled, completed=completed(known)))
    )
    assert found.high - found.low > 1.05 * (without.high - without.low)
    assert found.value == pytest.approx(without.value)
    assert found.equal_share == without.equal_share


# --- People --------------------------------------------------------------------------------------------------------


def people(dev: Split, openbook: Setting, n_participants: int) -> System:
    """A study: each participant answered ten questions, in an order of its own."""
    revision = dev.current_revision
    assert revision is not None
    system = System.objects.create(slug="people", name="People", authors="Participants", is_human=True)
    answer_set = AnswerSet.objects.create(split=dev, setting=openbook)
    for participant in range(n_participants):
        for number in range(10):
            Answer.objects.create(
                answer_set=answer_set,
                qid=f"dev-{(participant * 7 + number) % 30}",
                participant=f"p{participant}",
                text="Oslo",
            )
    items = scoring_queries.items_to_score(answer_set, revision)
    loose = np.array([0.9 if place % 3 else 0.2 for place in items.places])
    signature = CurrentSignature.objects.get(split=dev, metric="accuracy").signature
    run = Run.objects.create(
        answer_set=answer_set, revision=revision, metric="accuracy", signature=signature, state=RunState.DONE
    )
    Score.objects.create(
        run=run,
        name="loose",
        value=float(loose.mean()),
        vector=vector_bytes(loose),
        n_items=len(loose),
        n_answered=len(loose),
        signature=signature,
    )
    Entry.objects.create(
        system=system, split=dev, setting=openbook, kind=EntryKind.SCORED, answer_set=answer_set, n_answered=10
    )
    return system


@pytest.mark.parametrize("shares", [True, False])
def test_people_are_paired_answer_by_answer(
    dev: Split, openbook: Setting, monkeypatch: pytest.MonkeyPatch, *, shares: bool
) -> None:
    boards.declare(monkeypatch, "loose", unit="share" if shares else "number")
    boards.fill(dev, openbook, 2)
    system = people(dev, openbook, 5)
    answer_set = Entry.objects.get(system=system).answer_set
    assert answer_set is not None
    comparison = compared("system-1", "people", "system-2")
    found = {(one.first, one.second): one for one in section(comparison, "loose").differences.differences}
    assert [found[pair].clustered for pair in ((0, 1), (0, 2), (1, 2))] == [True, False, True]
    assert dev.current_revision is not None
    items = scoring_queries.items_to_score(answer_set, dev.current_revision)
    assert items.participants is not None
    for pair, slug in (((0, 1), "system-1"), ((1, 2), "system-2")):
        difference = found[pair]
        outcomes = vector(slug, "loose")[list(items.places)]
        expected = system_against_people(
            outcomes, vector("people", "loose"), items.qids, items.participants, shares=shares
        )
        assert expected is not None
        shown = (difference.value, difference.low, difference.high)
        turned = -1 if pair == (1, 2) else 1
        ends = (turned * expected.low, turned * expected.high)[::turned]
        assert shown == pytest.approx((turned * expected.difference, *ends))
        assert difference.n_items == 50
        assert difference.p_value == pytest.approx(expected.p_value)
    assert [line.values[1] for line in comparison.categories] == [None] * len(comparison.categories)
    assert [one.slug for one in comparison.in_questions] == ["system-1", "system-2"]


# --- By category ---------------------------------------------------------------------------------------------------


def test_by_category_the_first_minus_each_other(dev: Split, openbook: Setting) -> None:
    boards.fill(dev, openbook, 3)
    comparison = compared("system-1", "system-2", "system-3", score="strict")
    assert comparison.current is not None
    assert comparison.current.column.key == "strict"
    politics = next(line for line in comparison.categories if line.name == "Politics")
    rows = np.stack([vector(f"system-{number}", "strict")[::2] for number in (1, 2, 3)])
    assert [value.value for value in politics.values if value] == pytest.approx(rows.mean(axis=1))
    assert [one.value for one in politics.differences if one] == pytest.approx((rows[0] - rows[1:]).mean(axis=1))
    expected = difference_intervals(rows[0] - rows[1])
    assert politics.differences[0] is not None
    ends = (politics.differences[0].low, politics.differences[0].high)
    assert ends == (float(expected.low), float(expected.high))


def test_of_a_hidden_split_no_category_tells_single_outcomes(made: Benchmark, openbook: Setting) -> None:
    questions = [
        dataclasses.replace(question, categories=names)
        for question, names in zip(
            factories.source_questions("test", 60), [("A",)] * 30 + [("B",)] * 27 + [("C",)] * 3, strict=True
        )
    ]
    test = factories.split(made, "test")
    factories.revise(test, questions)
    test = factories.split(made, "test")
    boards.fill(test, openbook, 2)
    set_vector("system-1", "loose", [1.0] * 2 + [0.0] * 28 + [1.0, 0.0] * 15)
    set_vector("system-2", "loose", [1.0, 0.0] * 30)
    assert compared("system-1", "system-2", split="test", score="strict").categories == [], "one score alone"
    comparison = compared("system-1", "system-2", split="test", score="loose")
    assert [(line.name, line.n_questions) for line in comparison.categories] == [("A", 30), ("Other", 30)]
    first, rest = comparison.categories
    for row in (first, rest):
        own, other, apart = row.values[0], row.values[1], row.differences[0]
        assert own is not None and other is not None and apart is not None
        assert apart.value == (own.value or 0) - (other.value or 0), "the difference of what is shown"
    assert comparison.questions == []
    assert comparison.in_questions == []


# --- Question by question ------------------------------------------------------------------------------------------


def test_the_questions_where_they_differ_those_furthest_apart_first(dev: Split, client: Client) -> None:
    ada: User = factories.user()
    answers = factories.perfect(n=30)
    factories.published(ada, dev, {"openbook": answers}, name="All")
    some = {**answers, "dev-7": "nothing at all", "dev-4": "Canada alone", "dev-9": "secret words, Lima"}
    del some["dev-11"]
    factories.published(ada, dev, {"openbook": some}, name="Some")
    comparison = compared("all", "some")
    assert comparison.n_differing == 4
    assert [question["number"] for question in comparison.questions] == [8, 10, 12, 5]
    assert comparison.questions[0]["values"] == [1.0, 0.0]
    assert comparison.questions[2]["answered"] == [True, False]
    half = comparison.questions[3]
    assert [(text, found) for text, _, found in half["items"]] == [("Canada", [True, True]), ("Ottawa", [True, False])]
    text = client.get("/compare/?system=all&system=some").content.decode()
    assert "What is the capital of Canada (4)?" in text
    assert "secret words" not in text


def test_the_questions_of_a_hidden_split_are_shown_to_nobody(made: Benchmark, client: Client) -> None:
    ada = factories.user()
    test = factories.split(made, "test")
    for name, right in (("All", 60), ("Some", 25)):
        factories.published(ada, test, {"openbook": factories.perfect("test", 60, right=right)}, name=name)
    client.force_login(factories.maintainer())
    text = client.get("/compare/?system=all&system=some").content.decode()
    assert "Differences" in text
    questions = Question.objects.filter(revision__split=test).values_list("text", flat=True)
    assert questions
    assert not [question for question in questions if question in html.unescape(text)]
    assert "Oslo" not in text


# --- Addresses -----------------------------------------------------------------------------------------------------


def test_six_at_most_are_compared_in_the_order_asked_for(dev: Split, openbook: Setting, client: Client) -> None:
    boards.fill(dev, openbook, 8)
    slugs = [f"system-{number}" for number in (8, 1, 7, 2, 6, 3, 5)]
    comparison = compared(*slugs)
    assert [one.slug for one in comparison.systems] == slugs[:6]
    assert len(section(comparison, "loose").differences.differences) == 15
    text = client.get("/compare/?" + "&".join(f"system={slug}" for slug in slugs)).content.decode()
    assert "Too many systems" in text


def test_without_a_board_in_the_address_the_one_with_most_of_them_is_taken(
    made: Benchmark, dev: Split, openbook: Setting
) -> None:
    boards.fill(dev, openbook, 3)
    boards.fill(factories.split(made, "test"), openbook, 1)
    found = comparison_for(ComparisonParams(systems=("system-1", "system-2")))
    assert found is not None
    assert (found.split.slug, found.setting.slug) == ("dev", "openbook")
    boards.fill(factories.split(made, "test"), openbook, 2, seed=5, prefix="Other")
    assert found.tabs == []
    boards.fill(dev, factories.setting(made, "closedbook"), 3)
    found = comparison_for(ComparisonParams(systems=("system-1", "system-2")))
    assert found is not None
    assert {tab.label: tab.count for tab in found.tabs} == {"Open book, development": 2, "Closed book, development": 2}


def test_a_page_without_systems_opens_on_a_board_with_something_to_compare(
    made: Benchmark, dev: Split, openbook: Setting, client: Client
) -> None:
    test = factories.split(made, "test")
    assert "Nothing to compare on this board" in client.get("/compare/").content.decode()
    boards.fill(dev, factories.setting(made, "closedbook"), 2)
    boards.fill(test, openbook, 1, prefix="Alone")
    for systems in ((), ("system-1",)):
        comparison = comparison_for(ComparisonParams(systems=systems))
        assert comparison is not None
        assert (comparison.split.slug, comparison.setting.slug) == ("dev", "closedbook")
    assert 'id="compare"' in client.get("/compare/").content.decode()
    # A board of one system has no button, and names the boards that have something.
    alone = client.get("/compare/?split=test&setting=openbook").content.decode()
    assert "<form" not in alone.partition("<main")[2]
    assert 'href="/compare/?place=fanoutqa/dev/closedbook"' in alone
    # Two rows of one system are nothing to compare.
    boards.fill(test, openbook, 1, prefix="Merged")
    System.objects.filter(slug="merged-1").update(same_as=System.objects.get(slug="alone-1"))
    assert [*comparable_boards()] == [("fanoutqa", "dev", "closedbook")]


@pytest.mark.parametrize(("n_scored", "n_reported", "n_boxes"), [(2, 1, 2), (1, 2, 0), (0, 2, 0)])
def test_a_board_has_a_button_to_compare_only_with_its_checkboxes(
    dev: Split, openbook: Setting, n_scored: int, n_reported: int, n_boxes: int
) -> None:
    boards.fill(dev, openbook, n_scored + n_reported)
    for entry in Entry.objects.exclude(system__slug__in=[f"system-{number}" for number in range(1, n_scored + 1)]):
        Entry.objects.filter(pk=entry.pk).update(kind=EntryKind.REPORTED, answer_set=None)
        ReportedValue.objects.create(entry=entry, name="loose", value=0.5)
    board = boards.board_for(dev, openbook)
    text = render_to_string("leaderboard/board/_table.html", {"board": board, "exports": []})
    assert text.count('type="checkbox"') == n_boxes
    assert ("Compare selected" in text) == bool(n_boxes)


def test_the_form_keeps_what_is_chosen_and_finds_by_name(dev: Split, openbook: Setting) -> None:
    boards.fill(dev, openbook, 60)
    params = ComparisonParams(systems=("system-60",), split="dev", setting="openbook", q="system 1")
    comparison = comparison_for(params)
    assert comparison is not None
    chooser = chooser_for(params, comparison)
    assert (chooser["candidates"][0][1], chooser["candidates"][0][3]) == ("system-60", True)
    with_a_one = {f"System {number}" for number in range(1, 60) if "1" in str(number)}
    assert {name for name, *_ in chooser["candidates"][1:]} == with_a_one
    values = [value for _, _, value, _ in chooser["candidates"][1:] if value is not None]
    assert values == sorted(values, reverse=True)
    everybody = chooser_for(dataclasses.replace(params, q=""), comparison)
    assert (len(everybody["candidates"]), everybody["n_matching"]) == (51, 59)


# --- Cost ----------------------------------------------------------------------------------------------------------


def test_the_number_of_queries_does_not_grow_with_the_systems(
    made: Benchmark, openbook: Setting, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    boards.fill(factories.split(made, "test"), openbook, 40)
    slugs = [f"system-{number}" for number in range(1, 7)]
    for chosen in (slugs, slugs[:2]):
        with django_assert_num_queries(11):
            compared(*chosen, split="test")
