"""The metrics of answer lists: the official ones equal, and retrieved passages."""

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.metrics.answer_lists import GoldAnswer, predictions_of, text_of
from scoring.metrics.base import Metric, UnusableReference
from scoring.metrics.list_f1 import ListF1
from scoring.metrics.list_f1_alce import AlceListF1, split_text
from scoring.metrics.passage_recall import Passage, answer_ranks, evidence_ranks, overlaps, recall_at
from tests.scoring.metrics.vectors import vectors

PARTS = ("precision", "recall", "f1", "f1_above", "rec_above")


def gold(*answers: list[str] | tuple[str, list[str]]) -> Any:
    """A reference: each answer as its aliases, the first of which is its text, or as a pair of text and aliases."""
    pairs = [one if isinstance(one, tuple) else (one[0], one) for one in answers]
    return [{"answer_text": text, "aliases": aliases} for text, aliases in pairs]


def scores(metric: Metric, reference: Any, predictions: list[str] | None) -> dict[str, float]:
    text = None if predictions is None else text_of(predictions)
    found = metric.score(metric.prepare([reference]), [text])
    assert list(found) == list(metric.score_names)
    assert all(vector.per_item.tolist() == [vector.value] for vector in found.values())
    return {name.removeprefix(f"{metric.name}."): vector.value for name, vector in found.items()}


def precision_and_recall(metric: Metric, reference: Any, predictions: list[str] | None) -> tuple[float, float]:
    found = scores(metric, reference, predictions)
    return found["precision"], found["recall"]


ABC = gold(["Alpha", "A1"], ["Beta"], ["Gamma"], ["Delta"])
GEORGIA = gold(["Georgia", "Sakartvelo"], ["Georgia (state)", "Georgia", "Peach State"])
NUMBERS = [str(number) for number in range(24)]
OFFICIAL: dict[str, tuple[Any, list[str] | None, tuple[float, float]]] = {
    "all": (ABC, ["Alpha", "Beta", "Gamma", "Delta"], (1, 1)),
    "two aliases of one": (ABC, ["Alpha", "A1"], (0.5, 0.25)),
    "articles, punctuation, case, spaces": (ABC, ["the BETA!", "  a  Gamma, "], (1, 0.5)),
    "spelling variants are two predictions": (ABC, ["Beta", "beta"], (0.5, 0.25)),
    "the same twice is one": (ABC, ["Beta", "Beta"], (1, 0.25)),
    "none right": (ABC, ["x", ""], (0, 0)),
    "empty list": (ABC, [], (0, 0)),
    "no answer": (ABC, None, (0, 0)),
    "hyphen": (gold(["Spider-Man"]), ["Spider Man"], (0, 0)),
    "initial": (gold(["A. Smith"]), ["Smith"], (1, 1)),
    "accents matter": (gold(["José"]), ["Jose"], (0, 0)),
    "a mark belongs to its letter": (gold(["A\u0301lamo"]), ["\u0301lamo"], (0, 0)),
    "a raised digit ends a word": (gold(["the²"]), ["²"], (1, 1)),
    "shared alias goes to the last": (GEORGIA, ["Georgia"], (1, 0.5)),
    "shared alias and another": (GEORGIA, ["Georgia", "Sakartvelo"], (1, 1)),
    "shared alias and the last's": (GEORGIA, ["Georgia", "Peach State"], (0.5, 0.5)),
    "own text is no alias": (gold(("Oslo", ["Kristiania"])), ["Oslo"], (0, 0)),
    "no alias": (gold(("Oslo", []), ["Rome"]), ["Oslo", "Rome"], (0.5, 0.5)),
    "same text twice": (gold(("Oslo", ["Oslo"]), ("Oslo", ["Kristiania"])), ["Kristiania", "Oslo"], (0.5, 0.5)),
    "first spelling counts": (gold(["X", "The Oslo"], ["Y", "Oslo"]), ["Oslo", "Y"], (1, 1)),
    "only an article": (gold(["A"], ["X"]), ["the", "!"], (0.5, 0.5)),
}


@pytest.mark.parametrize(("reference", "predictions", "expected"), OFFICIAL.values(), ids=OFFICIAL)
def test_list_f1_follows_the_rules_of_the_official_code(
    reference: Any, predictions: list[str] | None, expected: tuple[float, float]
) -> None:
    assert precision_and_recall(ListF1(), reference, predictions) == expected


def test_thresholds_have_the_official_rounding() -> None:
    reference, some = gold(*([one] for one in NUMBERS)), [*NUMBERS[:21], *(f"x{n}" for n in range(39))]
    official = scores(ListF1(), reference, some)
    assert (official["f1"], official["f1_above"], official["rec_above"]) == (math.nextafter(0.5, 0) - 2**-54, 0, 1)
    assert scores(ListF1(), gold(["a1"], ["b1"], ["c1"]), ["a1"])["f1_above"] == 1
    assert scores(ListF1(), gold(*([one] for one in "vwxyz")), list("vwxy"))["rec_above"] == 1


def official_scores(vector: Any) -> dict[str, float]:
    rows = vector if isinstance(vector, list) else [vector]
    metric = ListF1()
    prepared = metric.prepare([row["answer_list"] for row in rows])
    found = metric.score(prepared, [text_of(row["predictions"]) for row in rows])
    return {part: found[f"list-f1.{part}"].value for part in PARTS}


@pytest.mark.data
@pytest.mark.parametrize(
    "vector", [*vectors("qampari", "reader"), *vectors("qampari", "reader_aggregate")], ids=lambda vector: vector["id"]
)
def test_the_official_vectors(vector: dict[str, Any]) -> None:
    if "raises" in vector["expected"]:  # a division by zero there
        assert set(official_scores(vector["input"]).values()) == {0.0}
    else:
        assert official_scores(vector["input"]) == vector["expected"]


ALCE: list[tuple[str, tuple[float, ...]]] = [
    ("Alpha [1], Beta [2][3], Nope.", (2 / 3, 2 / 7, 2 / 5)),
    ("Alpha, Alpha, Nope", (2 / 3, 1 / 7, 1 / 5)),
    ("Alpha, the, ,!.\nBeta", (1, 1 / 7, 1 / 5)),
    ("v, w, x, y, z, Alpha, Beta", (1, 1, 1)),
    ("", (0, 0, 0)),
]


@pytest.mark.parametrize(("output", "expected"), ALCE)
def test_the_rules_of_alce(output: str, expected: tuple[float, ...]) -> None:
    reference = gold(["Alpha", "A1"], ["Beta"], *([one] for one in "vwxyz"))
    found = scores(AlceListF1(), reference, split_text(output))
    assert (found["precision"], found["recall"], found["recall-5"]) == expected


def test_in_alce_a_shared_alias_finds_both() -> None:
    assert precision_and_recall(AlceListF1(), GEORGIA, ["Georgia"]) == (1, 1)


@pytest.mark.parametrize(
    ("output", "parts"),
    [
        ("a, b.,", ["a", "b."]),
        ("a, b,.", ["a", "b"]),
        ("\n a ,,b.. \nc", ["a", "b"]),
        ("a<|im_end|>", ["a"]),
        (" [1] | a", ["a"]),
    ],
)
def test_text_is_split_by_alces_protocol(output: str, parts: list[str]) -> None:
    assert split_text(output) == parts
    assert split_text(output.replace(",", ";"), ";") == parts


@pytest.mark.data
@pytest.mark.parametrize("vector", vectors("qampari", "alce"), ids=lambda vector: vector["id"])
def test_the_vectors_of_alce(vector: dict[str, Any]) -> None:
    predictions = split_text(vector["input"]["raw_output"])
    found = scores(AlceListF1(), gold(*vector["input"]["answers"]), predictions)
    names = {"precision": "prec", "recall": "rec", "recall-5": "rec_top5", "f1": "f1", "f1-5": "f1_top5"}
    assert {name: 100 * found[name] for name in names} == {
        name: vector["expected"][f"qampari_{official}"] for name, official in names.items()
    }


@pytest.mark.parametrize("metric", [ListF1(), AlceListF1()], ids=lambda metric: metric.name)
class TestEachMetric:
    def test_refuses_references_that_are_no_gold_lists(self, metric: Metric) -> None:
        bad: list[Any] = ["x", [], ["x"], [{"answer_text": 1, "aliases": "x"}], [{"answer_text": "x", "aliases": [1]}]]
        with pytest.raises(UnusableReference) as caught:
            metric.prepare([*bad, gold(["x"])])
        assert [(one.index, one.path) for one in caught.value.problems] == [
            (0, ()), (1, ()), (2, (0,)), (3, (0, "answer_text")), (3, (0, "aliases")), (4, (0, "aliases")),
        ]  # fmt: skip

    def test_refuses_answers_that_are_no_lists(self, metric: Metric) -> None:
        prepared = metric.prepare([gold(["x"])])
        for text in ("x", '"x"', "[1]", "{}"):
            with pytest.raises(ValueError, match=r"JSON array|Expecting"):
                metric.score(prepared, [text])

    def test_takes_means_over_all_questions_and_reports_progress(self, metric: Metric) -> None:
        prepared = metric.prepare([gold(["x"]), gold(["y"]), gold(["z"])])
        steps: list[tuple[int, int]] = []
        found = metric.score(prepared, [text_of(["x"]), None, text_of([])], lambda *step: steps.append(step))
        assert found[f"{metric.name}.recall"].per_item.tolist() == [1, 0, 0]
        assert found[f"{metric.name}.recall"].value == 1 / 3
        assert steps == [(1, 3), (2, 3), (3, 3)]


@given(st.lists(st.text('aé"\\\n\u2028,')))
def test_lists_survive_being_stored(predictions: list[str]) -> None:
    assert predictions_of(text_of(predictions)) == predictions


PASSAGES = [Passage("Dawn", "by Zack Snyder"), Passage("Noise", ""), Passage("Oslo", "was Christiania, in Norway")]


def test_answers_are_found_in_titles_and_texts_in_their_own_spelling() -> None:
    answers = [
        GoldAnswer("Zack Snyder", ()),
        GoldAnswer("noise", ("Noise",)),
        GoldAnswer("Oslo", ("Dawn",)),
        GoldAnswer("x", ()),
    ]
    assert answer_ranks(answers, PASSAGES) == [0, 2]
    assert answer_ranks(answers, PASSAGES, aliases=True) == [0, 1, 0]
    assert recall_at([0, 2], 4, (1, 2, 3, 50)) == {1: 0.25, 2: 0.25, 3: 0.5, 50: 0.5}


@pytest.mark.data
@pytest.mark.parametrize("vector", vectors("qampari", "retrieval"), ids=lambda vector: vector["id"])
def test_answer_recall_of_the_vectors(vector: dict[str, Any]) -> None:
    if "cum_count" not in vector["expected"] or "ARecall" not in "".join(vector["expected"]):
        return
    given = vector["input"]
    answers = [GoldAnswer(one["answer_text"], tuple(one["aliases"])) for one in given["answer_list"]]
    ranks = answer_ranks(answers, [Passage(one["title"], one["text"]) for one in given["ctxs"]])
    counts = [sum(rank <= last for rank in ranks) for last in range(len(given["ctxs"]))]
    assert counts == vector["expected"]["cum_count"]


def official_longest(x: str, y: str) -> int:
    """The length that the published search finds: it looks only at these beginnings of a common part."""
    starts = {(k - n, len(y) - 1 - n) for k in range(len(x)) for n in range(k + 1)}
    starts |= {(k - n, len(x) - 1 - n) for k in range(len(y)) for n in range(k + 1)}
    longest = 0
    for i, j in starts:
        length = 0
        while i >= 0 and j >= 0 and i + length < len(x) and j + length < len(y) and x[i + length] == y[j + length]:
            length += 1
        longest = max(longest, length)
    return longest


@given(st.text("ab", min_size=1, max_size=14), st.text("abc", min_size=1, max_size=14))
def test_overlap_is_that_of_the_published_search(retrieved: str, evidence: str) -> None:
    expected = official_longest(retrieved, evidence) / min(len(retrieved), len(evidence)) > 0.7
    assert overlaps(retrieved, evidence) is expected


def test_overlap_needs_more_than_seven_tenths() -> None:
    assert not overlaps("abcdefgXYZ", "abcdefg123")
    assert overlaps("ABCDEFGHyz", "abcdefgh12")
    assert not overlaps("", "abc")
    assert overlaps("0123456789", "xx01234567")
    assert not overlaps("xx01234567", "0123456789")  # the published search does not look there


def test_each_passage_matches_one_of_evidence() -> None:
    evidence = [Passage("Oslo", "It is a town."), Passage("Oslo", "It is a town!"), Passage("Rome", "Old.")]
    passages = [Passage("oslo", "It is a town"), Passage("Bern", "Old."), *[Passage("OSLO", "it is a town")] * 2]
    assert evidence_ranks(evidence, passages) == [0, 2]
