"""What the visit log says of an answer: pure functions, held against examples worked out by hand."""

import datetime
import itertools
from typing import ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from humaneval.models import Assignment, Origin, SearchKind, Visit
from humaneval.studies.evidence_measures import (
    AnswerMeasures,
    answer_measures,
    gold_of,
    is_same,
    normalised,
    passes,
    steps_of,
    together,
)
from scoring.models import Question

NOON = datetime.datetime(2027, 3, 1, 12, tzinfo=datetime.UTC)


def visited(title: str, page_id: int | None = None, after: float = 0, *, reported: bool = False) -> Visit:
    origin = Origin.REPORTED if reported else Origin.RESULT
    return Visit(title=title, page_id=page_id, opened_at=NOON + datetime.timedelta(seconds=after), origin=origin)


def measured(visits: list[Visit], evidence: list[dict[str, object]], *searches: SearchKind) -> AnswerMeasures:
    """The measures of an answer to a question with some evidence, which was opened at noon."""
    asked = Assignment(question=Question(evidence=evidence), opened_at=NOON)
    measures = answer_measures(asked, visits, searches)
    assert measures is not None
    return measures


class TestGold:
    def test_a_page_named_twice_is_one(self) -> None:
        evidence: list[dict[str, object]] = [
            {"pageid": 1, "title": "A"},
            {"pageid": 1, "title": "A (moved)"},
            {"pageid": None, "title": "B"},
        ]
        assert [gold.title for gold in gold_of(evidence)] == ["A", "B"]

    def test_an_entry_that_names_nothing_is_left_out(self) -> None:
        nothing: list[dict[str, object]] = [{"pageid": None, "title": None}, {}]
        assert gold_of(nothing) == []

    @pytest.mark.parametrize("placeholder", [None, "###TBD###", True])
    def test_where_no_page_id_is_known_the_title_decides(self, placeholder: object) -> None:
        (gold,) = gold_of([{"pageid": placeholder, "title": "list_of moons"}])
        assert gold.page_id is None
        assert is_same(gold.title, gold.page_id, "List of moons", 7)

    def test_page_ids_go_before_titles(self) -> None:
        assert is_same("Mercury", 1, "Mercury (planet)", 1)
        assert not is_same("Mercury", 1, "Mercury", 2)
        assert not is_same("", None, "", None)

    def test_titles_are_compared_without_the_case_of_their_first_letter(self) -> None:
        assert normalised("iPhone") == normalised("IPhone")
        assert normalised("US") != normalised("Us")
        assert normalised("Cafe\u0301") == normalised("Café")


class TestOneAnswer:
    evidence: ClassVar[list[dict[str, object]]] = [
        {"title": "A", "pageid": 1},
        {"title": "B", "pageid": 2},
        {"title": "C", "pageid": None},
        {"title": "D", "pageid": 4},
    ]

    def test_the_measures_of_an_answer_are_those_worked_out_by_hand(self) -> None:
        visits = [
            visited("Elsewhere", 9, 30),
            visited("B", 2, 75),
            visited("Elsewhere", 9, 80),
            visited("c", None, 100),
            visited("Never read", None, 120),
        ]
        found = measured(visits, self.evidence, *[SearchKind.ENCYCLOPEDIA] * 3, SearchKind.PASSAGES)
        assert (found.n_gold, found.n_gold_visited, found.n_visited) == (4, 2, 4)
        assert found.recall == 0.5
        assert found.precision == 0.5
        assert found.seconds_to_first_gold == 75
        assert found.first_gold_number == 2
        assert found.gold_order == ("B", "C")
        assert [gold.title for gold in found.missed] == ["A", "D"]
        assert (found.n_searches, found.n_passage_searches) == (3, 1)

    def test_nothing_visited_has_recall_0_and_no_precision(self) -> None:
        found = measured([], self.evidence)
        assert (found.recall, found.precision, found.seconds_to_first_gold) == (0.0, None, None)

    def test_without_evidence_there_is_nothing_to_recall(self) -> None:
        found = measured([visited("A", 1)], [])
        assert (found.recall, found.precision, found.missed) == (None, None, ())

    def test_what_was_read_elsewhere_counts_but_has_no_time(self) -> None:
        found = measured([visited("A", None, 500, reported=True)], self.evidence)
        assert found.recall == 0.25
        assert found.n_reported == 1
        assert found.seconds_to_first_gold is None
        assert found.first_gold_number == 1

    def test_articles_marked_as_used_have_a_recall_of_their_own(self) -> None:
        ticked = visited("A", 1)
        ticked.used = True
        found = measured([ticked, visited("B", 2)], self.evidence)
        assert (found.recall, found.recall_used, found.n_used) == (0.5, 0.25, 1)

    def test_an_article_that_is_opened_again_keeps_its_number(self) -> None:
        steps = steps_of([visited("A", 1), visited("B", 2), visited("A", 1), visited("E", 5)], gold_of(self.evidence))
        assert [(step.number, step.again) for step in steps] == [(1, False), (2, False), (1, True), (3, False)]

    @given(st.lists(st.tuples(st.sampled_from("ABCDEF"), st.sampled_from([None, 1, 2, 5]), st.booleans()), max_size=12))
    def test_recall_and_precision_lie_between_0_and_1(self, rows: list[tuple[str, int | None, bool]]) -> None:
        found = measured([visited(t, p, reported=r) for t, p, r in rows], self.evidence)
        assert found.recall is not None
        assert 0 <= found.recall <= 1
        assert found.precision is None or 0 <= found.precision <= 1
        assert found.n_gold_visited + len(found.missed) == found.n_gold
        assert found.n_reported <= found.n_visited <= len(rows)
        assert (found.precision is None) == (not rows)


class TestTogether:
    def test_every_answer_counts_the_same(self) -> None:
        evidence: list[dict[str, object]] = [{"title": "A", "pageid": 1}, {"title": "B", "pageid": 2}]
        search = SearchKind.ENCYCLOPEDIA
        answers = [
            measured([visited("A", 1, 10), visited("B", 2, 20)], evidence, *[search] * 4),
            measured([visited("X", 9, 10)], evidence, search),
            measured([], [], search),
        ]
        found = together(answers)
        assert found == {
            "n_answers": 3,
            "recall": 0.5,
            "precision": 0.5,
            "n_with_all_gold": 1,
            "n_without_gold": 1,
            "median_seconds_to_first_gold": 10,
            "mean_searches": 2,
            "mean_visited": 1,
        }
        assert all(together(list(order)) == found for order in itertools.permutations(answers))

    def test_no_answers_have_no_measures(self) -> None:
        found = together([])
        assert (found["n_answers"], found["recall"], found["median_seconds_to_first_gold"]) == (0, None, None)


@pytest.mark.parametrize(
    ("text", "passed"),
    [
        ("blue", True),
        ("It is BLUE.", True),
        ("bluebell", False),
        ("", False),
        ("sky-blue", False),
        ("light azure", True),
    ],
)
def test_an_attention_check_is_passed_by_a_whole_word(text: str, passed: bool) -> None:
    assert passes({"text": "Write blue.", "answers": ["Blue", "light azure"]}, text) is passed
