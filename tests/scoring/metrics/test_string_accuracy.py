"""String accuracy against the official scorer, to the last bit."""

import json
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from scoring.metrics.base import UnusableReference
from scoring.metrics.string_accuracy import StringAccuracy
from scoring.metrics.text.normalise import as_text
from tests.real_data import files, have
from tests.scoring.metrics import official
from tests.scoring.metrics.strategies import candidates, leaves, perturbed, references, scored_sets, thorough

METRIC = StringAccuracy("lookup")
DEV = [question["answer"] for question in official.packaged_dev_questions()]


def assert_official(references: list[Any], generations: list[str | None], metric: StringAccuracy = METRIC) -> None:
    ours = metric.score(metric.prepare(references), generations)
    theirs = official.accuracy(references, generations)
    assert list(ours) == list(metric.score_names) == ["loose", "strict"]
    for name, (value, per_item) in theirs.items():
        assert ours[name].value == value
        assert ours[name].per_item.dtype == np.float64
        assert ours[name].per_item.tolist() == per_item


@pytest.mark.slow
@thorough(400)
@given(scored_sets())
@example((["a", 1, True, 2.5, "", ["", [1]], {"": {"x": False}}], ["a", "1", "yes", "25", "", "word", None]))
@example(([["Oslo", ["a", "b", "c"]], [["a", "b"]], [{"k": [1, 2, 3]}]], ["none of it", "", "k"]))
def test_any_references_and_answers(scored_set: tuple[list[Any], list[str | None]]) -> None:
    assert_official(*scored_set)


@pytest.mark.slow
@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(1, 12))])
def test_thousands_of_answers_to_the_dev_questions(seed: int) -> None:
    chance = random.Random(seed)
    generations = [None if chance.random() < 0.05 else perturbed(answer, chance) for answer in DEV]
    assert_official(DEV, generations)


@pytest.mark.slow
def test_very_long_answers() -> None:
    everything = "\n".join(map(as_text, DEV))
    assert len(everything) > 40_000
    assert_official(DEV[:10], [everything] * 10)


@pytest.mark.slow
@pytest.mark.parametrize("generations", files("official/*-generations/*.jsonl"), ids=lambda path: path.stem)
@pytest.mark.parametrize("references", files("fanoutqa/synthetic-test-answers.json"), ids=lambda path: path.stem)
def test_real_answers(references: Path, generations: Path) -> None:
    """Of each file a third, another one each: the official scorer is slow, and all questions have their turn."""
    files_in_order = files("official/*-generations/*.jsonl")
    questions = json.loads(references.read_text(encoding="utf-8"))[files_in_order.index(generations) % 3 :: 3]
    answers = {line["id"]: line["answer"] for line in map(json.loads, generations.open(encoding="utf-8"))}
    assert_official([question["answer"] for question in questions], [answers.get(one["id"]) for one in questions])


# The ceiling: what a verbatim copy of the references scores -----------------------------------------------------------


def ceiling(references: list[Any]) -> tuple[float, float]:
    scores = METRIC.score(METRIC.prepare(references), [as_text(reference) for reference in references])
    return scores["loose"].value, scores["strict"].value


def test_ceiling_of_the_revision_of_2023() -> None:
    loose, strict = ceiling(DEV)
    assert (loose, strict) == (0.978382354652516, 285 / 310)
    assert (round(loose, 4), round(strict, 4)) == (0.9784, 0.9194)


@pytest.mark.parametrize("path", files("fanoutqa/fanout-final-dev.json"), ids=lambda path: path.stem)
def test_ceiling_of_the_revision_of_2026(path: Path) -> None:
    loose, strict = ceiling([question["answer"] for question in json.loads(path.read_text(encoding="utf-8"))])
    assert (round(loose, 4), round(strict, 4)) == (0.9772, 0.9097)


# What surprises -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("reference", "generation", "loose"),
    [
        ("$5", "it costs $5", 0),
        ("12%", "it is 12% of all", 0),
        ("C++", "written in C++", 0),
        ("5.2", "52 people", 1),
        ("1:30", "130", 1),
        ("1,000", "1000", 1),
        (True, "Yes.", 1),
        (False, "yes", 0),
        ("", "any word", 1),
        ("", "...", 0),
        (["Oslo", ["a1", "b1", "c1"]], "nothing", -1.0),
        (["Oslo", ["a1", "b1", "c1"]], "Oslo", -0.5),
        ([["a1", "b1"]], "nothing", -1.0),
        ({"Norway": ["a1", "b1", "c1"]}, "nothing", -1.0),
        ({"Norway": "Oslo"}, "Oslo", 0.5),
        (["Oslo", "Rome"], "not Rome and not Oslo", 1.0),
        ("mice", "a mouse", 1),
        ("Marathon", "marathons!", 1),
    ],
)
def test_documented_surprises_of_the_official_accuracy_are_kept(reference: Any, generation: str, loose: float) -> None:
    assert_official([reference], [generation])
    assert METRIC.score(METRIC.prepare([reference]), [generation])["loose"].value == loose


def test_unanswered_is_zero_and_counted_and_an_empty_answer_is_an_answer() -> None:
    prepared = METRIC.prepare(["a1", "b1", "", ["c1"]])
    scores = METRIC.score(prepared, ["a1", None, "", None])
    assert scores["loose"].per_item.tolist() == [1.0, 0.0, 0.0, 0.0]
    assert scores["loose"].value == 0.25
    assert scores["strict"].per_item.tolist() == [1.0, 0.0, 0.0, 0.0]
    assert scores["strict"].value == 0.25


# Input that cannot be scored ------------------------------------------------------------------------------------------


def test_every_empty_container_is_listed() -> None:
    with pytest.raises(UnusableReference) as caught:
        METRIC.prepare(["fine", [], {"a": [1, {}], "b": {"c": []}}, {}])
    assert [(one.index, one.path) for one in caught.value.problems] == [
        (1, ()),
        (2, ("a", 1)),
        (2, ("b", "c")),
        (3, ()),
    ]


def test_other_values_are_refused_along_with_empty_ones() -> None:
    with pytest.raises(UnusableReference) as caught:
        METRIC.prepare([None, ["x", None, []], ("tuple",)])  # type: ignore[list-item]
    assert [(one.index, one.path) for one in caught.value.problems] == [(0, ()), (1, (1,)), (1, (2,)), (2, ())]
    assert "NoneType" in str(caught.value)
    assert "tuple" in str(caught.value)


def test_messages_show_no_reference_text() -> None:
    with pytest.raises(UnusableReference) as caught:
        METRIC.prepare([["canary", []]])
    assert "canary" not in str(caught.value)


@pytest.mark.parametrize("generations", [[], ["a"], ["a", "b", "c"]])
def test_numbers_that_do_not_fit(generations: list[str]) -> None:
    with pytest.raises(ValueError, match=f"2 references but {len(generations)} generations"):
        METRIC.score(METRIC.prepare(["a", "b"]), generations)


def test_no_questions_at_all() -> None:
    with pytest.raises(ValueError, match="no references"):
        METRIC.score(METRIC.prepare([]), [])


# Work -----------------------------------------------------------------------------------------------------------------


def test_progress_goes_up_to_the_end() -> None:
    calls: list[tuple[int, int]] = []
    METRIC.score(METRIC.prepare(["a", "b", "c"]), ["a", None, "c"], lambda done, total: calls.append((done, total)))
    assert calls == [(1, 3), (2, 3), (3, 3)]


@pytest.mark.slow
def test_progress_within_one_long_answer() -> None:
    calls: list[int] = []
    text = " ".join(f"word{number}" for number in range(60_000))
    METRIC.score(METRIC.prepare(["word7"]), [text], lambda done, total: calls.append(done))
    assert calls[-1] == 1
    assert calls.count(0) >= 10


# Signature and explanation --------------------------------------------------------------------------------------------


def test_signature() -> None:
    from importlib.metadata import version

    expected = (
        f"accuracy|lemma:spacy-lookups-data-{version('spacy-lookups-data')}|spacy:{version('spacy')}"
        f"|ftfy:{version('ftfy')}"
    )
    assert METRIC.signature() == f"{expected}|manyhop:0.1.0"
    assert METRIC.signature("dev@3f2a9c1b") == f"{expected}|data:dev@3f2a9c1b|manyhop:0.1.0"


def test_the_signature_names_the_lemmatiser() -> None:
    other = StringAccuracy(official.GivenPipeline(official.lookup_pipeline(), "mine-1"))
    assert other.signature().startswith("accuracy|lemma:mine-1|")


@pytest.mark.slow
@thorough(250)
@given(st.data())
def test_explain_agrees_with_the_score(data: st.DataObject) -> None:
    reference = data.draw(references)
    generation = data.draw(candidates(reference))
    matches = METRIC.explain(reference, generation)
    missing = sum(not match.found for match in matches)
    if generation is None:
        assert missing == len(matches)
        score = 0.0  # and no less, unlike an answer in which nothing is found
    elif isinstance(reference, list):
        score = (len(reference) - missing) / len(reference)
    elif isinstance(reference, dict):
        score = (2 * len(reference) - missing) / (2 * len(reference))
    else:
        score = 1.0 - missing
    assert METRIC.score(METRIC.prepare([reference]), [generation])["loose"].value == score
    assert sorted(match.text for match in matches) == sorted(leaves(reference))
    for match in matches:
        value = reference
        for step in match.path[:-1] if match.is_key else match.path:
            value = value[step]
        assert list(leaves(match.path[-1] if match.is_key else value)) == [match.text]
        assert match.normalised == METRIC.normaliser(match.text)


def test_real_data_is_used_where_it_is() -> None:
    """The tests above run over nothing without a word if the names of the files change."""
    for (folder,) in have("official"):
        assert folder.is_dir()
        assert len(files("official/*-generations/*.jsonl")) == 9
        assert files("fanoutqa/synthetic-test-answers.json")
