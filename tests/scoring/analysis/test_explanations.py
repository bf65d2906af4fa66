"""What was found of a reference and what was missing; and that a hidden split is explained to nobody."""

import doctest
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from hypothesis import given
from hypothesis import strategies as st
from pytest_django import DjangoAssertNumQueries

from scoring.analysis import explanations
from scoring.analysis.explanations import LONGEST_ANSWER, MOST_QUESTIONS, HiddenSplitError, explain, marked, readable
from scoring.metrics.string_accuracy import ItemMatch, StringAccuracy
from scoring.models import AnswerSet, Benchmark, Revision, Score, Split
from tests import factories

OVERRIDES: dict[int, Any] = {
    0: {"Norway": ["Oslo", "$5"], "Kenya": True},
    1: ["Nairobi", "children"],
    2: "Lima",
}


@pytest.fixture
def made(db: None) -> Benchmark:
    made = factories.benchmark()
    for slug in ("dev", "test"):
        factories.revise(factories.split(made, slug), factories.source_questions(slug, 4, overrides=OVERRIDES))
    return made


def answered(made: Benchmark, answers: dict[str, str], split: str = "dev") -> tuple[AnswerSet, Revision]:
    sent = factories.scored(factories.user(), factories.split(made, split), {"openbook": answers})
    revision = factories.split(made, split).current_revision
    assert revision is not None
    return sent.files.get().answer_set, revision


def test_doctests() -> None:
    assert doctest.testmod(explanations).failed == 0


def test_what_was_found_and_what_was_missing_line_by_line(
    made: Benchmark, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    where = answered(made, {"dev-0": "In Norway: oslo, and YES.", "dev-1": "a child", "dev-2": ""})
    with django_assert_num_queries(4):
        first, second, third, fourth = explain(*where, [0, 1, 2, 3], with_answers=True)
    shown = [(line.depth, [(item.text, item.found) for item in line.items]) for line in first.lines]
    assert shown == [
        (0, [("Norway", True)]),
        (1, [("Oslo", True)]),
        (1, [("$5", False)]),
        (0, [("Kenya", False), ("yes", True)]),
    ]
    assert (first.n_found, first.n_items) == (3, 5)
    assert first.answer is not None
    assert [(piece.text, piece.marked) for piece in first.answer if piece.marked] == [
        ("Norway", True),
        ("oslo", True),
        ("YES", True),
    ]
    assert "".join(piece.text for piece in first.answer) == "In Norway: oslo, and YES."
    assert [(item.text, item.found) for line in second.lines for item in line.items] == [
        ("Nairobi", False),
        ("children", True),
    ]
    assert third.answered
    assert third.answer == ()
    assert not fourth.answered
    assert fourth.answer is None


def test_the_decisions_are_those_of_the_score(made: Benchmark) -> None:
    answer_set, revision = answered(made, factories.perfect(right=3) | {"dev-0": "Kenya yes"})
    loose = Score.objects.get(run__answer_set=answer_set, name="loose").per_item
    strict = Score.objects.get(run__answer_set=answer_set, name="strict").per_item
    for index, explanation in enumerate(explain(answer_set, revision, [0, 1, 2, 3], with_answers=False)):
        assert (explanation.n_found == explanation.n_items) == bool(strict[index])
        assert (explanation.n_found == 0) == (loose[index] == 0)
    assert explanations.signature_now(revision) == Score.objects.filter(name="loose").values_list("signature")[0][0]


def test_places_are_given_back_in_the_order_asked_for(made: Benchmark) -> None:
    where = answered(made, factories.perfect())
    assert [one.qid for one in explain(*where, [3, 0], with_answers=False)] == ["dev-3", "dev-0"]


def test_without_answers_none_of_their_text_is_told(made: Benchmark) -> None:
    where = answered(made, {"dev-0": "Norway and my secret words"})
    (explanation,) = explain(*where, [0], with_answers=False)
    assert explanation.answer is None
    assert explanation.n_found == 1
    assert "secret" not in repr(explanation)


class TestHiddenSplits:
    @pytest.mark.parametrize("with_answers", [True, False])
    def test_an_explanation_on_a_hidden_split_is_refused_before_any_answer_is_read(
        self, made: Benchmark, with_answers: bool
    ) -> None:
        where = answered(made, factories.perfect("test"), "test")
        with CaptureQueriesContext(connection) as queries, pytest.raises(HiddenSplitError):
            explain(*where, [0], with_answers=with_answers)
        assert not any("scoring_reference" in query["sql"] for query in queries)

    def test_an_explanation_reads_hiddenness_from_the_database_and_not_from_the_given_split(
        self, made: Benchmark
    ) -> None:
        answer_set, revision = answered(made, factories.perfect("test"), "test")
        answer_set.split.hidden = revision.split.hidden = False
        with pytest.raises(HiddenSplitError):
            explain(answer_set, revision, [0], with_answers=False)

    def test_answers_cannot_be_explained_once_their_split_is_hidden(self, made: Benchmark) -> None:
        where = answered(made, factories.perfect())
        assert explain(*where, [0], with_answers=False)
        Split.objects.filter(slug="dev").update(hidden=True)
        with pytest.raises(HiddenSplitError):
            explain(*where, [0], with_answers=False)

    def test_answers_to_a_hidden_split_cannot_be_held_against_an_open_one(self, made: Benchmark) -> None:
        hidden, _ = answered(made, factories.perfect("test"), "test")
        revision = factories.split(made, "dev").current_revision
        assert revision is not None
        with pytest.raises(ValueError, match="another split"):
            explain(hidden, revision, [0], with_answers=True)


def test_a_page_asks_for_a_few_questions_not_for_all(made: Benchmark) -> None:
    where = answered(made, factories.perfect())
    with pytest.raises(ValueError, match="At most"):
        explain(*where, [0] * (MOST_QUESTIONS + 1), with_answers=False)


def test_a_far_too_long_answer_is_neither_read_to_its_end_nor_explained(
    made: Benchmark, monkeypatch: pytest.MonkeyPatch
) -> None:
    where = answered(made, {"dev-2": "Lima " * LONGEST_ANSWER, "dev-1": "Nairobi " + "x" * (LONGEST_ANSWER - 8)})
    read: list[int] = []
    explain_one = StringAccuracy.explain

    def counting(self: StringAccuracy, reference: Any, text: str | None) -> list[ItemMatch]:
        read.append(len(text or ""))
        return explain_one(self, reference, text)

    monkeypatch.setattr(StringAccuracy, "explain", counting)
    just, over = explain(*where, [1, 2], with_answers=True)
    assert (just.too_long, just.n_found) == (False, 1)
    assert (over.too_long, over.n_found, over.answer_length) == (True, 0, 5 * LONGEST_ANSWER)
    assert over.answer is not None
    assert sum(len(piece.text) for piece in over.answer) == LONGEST_ANSWER
    assert read == [LONGEST_ANSWER, 0]


class TestText:
    @given(st.text(max_size=200), st.lists(st.text(min_size=1, max_size=8), max_size=5))
    def test_pieces_make_up_the_text(self, text: str, items: list[str]) -> None:
        assert "".join(piece.text for piece in marked(text, items)) in {readable(text), "".join(map(readable, text))}

    def test_whole_words_are_marked_the_longest_item_first(self) -> None:
        pieces = [piece.text for piece in marked("New York, York; $5 and 52", ["York", "New York", "5", "$5"])]
        assert pieces == ["New York", ", ", "York", "; ", "$5", " and 52"]

    @pytest.mark.parametrize("character", ["\u202e", "\u2066", "\x00", "\x1b", "\u200b", "\ufeff", "\ue000", "\u2028"])
    def test_characters_that_are_unseen_or_turn_the_line_are_named(self, character: str) -> None:
        assert readable(f"a{character}b") == f"a⟨U+{ord(character):04X}⟩b"
        assert [piece.text for piece in marked(f"{character}Oslo", ["Oslo"])] == [f"⟨U+{ord(character):04X}⟩", "Oslo"]

    @pytest.mark.parametrize("text", ["naïve café\n\tend", "שלום עולם", "👩\u200d🚀", "می\u200cخواهم"])
    def test_the_worlds_scripts_stay_as_they_are(self, text: str) -> None:
        assert readable(text) == text
