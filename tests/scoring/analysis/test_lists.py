"""Lists explained: which gold answers were found, and by which predictions; gold answers as a grader's items."""

import pytest

from scoring.analysis.explanations import HiddenSplitError, explain, explain_text, signature_now
from scoring.analysis.reference_items import ReadingRight, item_counts, items_of, reference_items, with_matches
from scoring.metrics.answer_lists import text_of
from scoring.metrics.list_f1 import ListF1
from scoring.models import Question, Split
from tests import factories

GOLD = [
    {"answer_text": "Oslo", "aliases": ["Oslo", "Christiania"]},
    {"answer_text": "Rome", "aliases": ["Roma"]},
    {"answer_text": "Rome", "aliases": ["Rome"]},
]


def test_matches_are_those_that_are_scored() -> None:
    metric = ListF1()
    answer = text_of(["the CHRISTIANIA", "Roma", "rome", "Oslo", "Bern"])
    gold, predictions = metric.explain(GOLD, answer)  # type: ignore[arg-type]  # a list of objects
    assert gold == [("Oslo", ["the CHRISTIANIA", "Oslo"]), ("Rome", []), ("Rome", ["rome"])]
    assert [one for one, is_found in predictions if not is_found] == ["Roma", "Bern"]
    recall = metric.score(metric.prepare([GOLD]), [answer])["list-f1.recall"].value  # type: ignore[list-item]
    assert recall == sum(bool(by) for _, by in gold) / len(gold)
    assert metric.explain(GOLD, None)[1] == []  # type: ignore[arg-type]


@pytest.fixture
def dev() -> Split:
    return factories.split(factories.list_benchmark(), "dev")


@pytest.mark.django_db
class TestExplanations:
    def test_gold_answers_line_by_line_and_predictions_as_a_list(self, dev: Split) -> None:
        answers = factories.list_answers() | {"0__wikidata_simple__dev": ["oslo 0", "Atlantis\u202e"]}
        sent = factories.scored(factories.user(), dev, {"openbook": answers})
        revision = dev.current_revision
        assert revision is not None
        answer_set = sent.files.get().answer_set
        shown, _, _, empty = explain(answer_set, revision, range(4), with_answers=True)
        assert [(line.items[0].text, line.items[0].found) for line in shown.lines[:2]] == [
            ("Oslo", True),
            ("Nairobi", False),
        ]
        assert shown.lines[0].items[0].by == ("oslo 0",)
        assert shown.is_list
        assert shown.answer is not None
        assert [(piece.text, piece.marked) for piece in shown.answer] == [("oslo 0", True), ("Atlantis⟨U+202E⟩", False)]
        assert (empty.n_found, empty.n_items, empty.answer) == (0, 6, ())
        (private, *_) = explain(answer_set, revision, [0], with_answers=False)
        assert (private.answer, private.lines[0].items[0].by) == (None, ()), "what a submitter wrote stays private"
        assert "list-f1|" in signature_now(revision)

    def test_a_typed_list_has_one_answer_a_line(self, dev: Split) -> None:
        question = Question.objects.get(revision=dev.current_revision, position=0)
        found = explain_text(question, "Oslo\n\n  Lima  \nBern")
        assert (found.n_found, found.n_items) == (2, 5)

    def test_lists_of_a_hidden_split_are_not_explained(self, dev: Split) -> None:
        sent = factories.submission(factories.user(), dev, {"openbook": factories.list_answers()})
        Split.objects.update(hidden=True)
        with pytest.raises(HiddenSplitError):
            explain(sent.files.get().answer_set, dev.current_revision, [0], with_answers=True)  # type: ignore[arg-type]

    def test_gold_answers_are_the_items_of_graders(self, dev: Split) -> None:
        revision = dev.current_revision
        assert revision is not None
        right = ReadingRight(dev.pk, "grace", "a test")
        qid = "0__wikidata_simple__dev"
        items = items_of(reference_items(revision, [qid], right=right)[qid])
        assert [item.text for item in items] == list(factories.CAPITALS.values())[:5]
        assert items[0].also == ("Oslo 0",)
        assert item_counts(revision)[qid] == 5
        pieces = with_matches(revision, qid, text_of(["Oslo", "Bern"]), right=right, mark=True)
        assert [(piece.text, piece.marked) for piece in pieces] == [("Oslo", True), ("\n", False), ("Bern", False)]
        (plain,) = with_matches(revision, qid, text_of(["Oslo", "Bern"]), right=right, mark=False)
        assert plain.text == "Oslo\nBern"
