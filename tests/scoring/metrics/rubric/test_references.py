"""Rubrics as they are published, and their mistakes."""

import json
from types import SimpleNamespace
from typing import Any

import pytest

from scoring.metrics.asking.items import AnswersToJudge, JudgeSettings
from scoring.metrics.base import UnusableReference
from scoring.metrics.rubric import Criteria
from scoring.metrics.rubric.items import PROMPT
from scoring.metrics.rubric.references import rubrics_of, stored_rubric

ONE: dict[str, Any] = {"criterion": "Names both builders", "weight": 3}


def problems_of(*criteria: Any) -> list[str]:
    with pytest.raises(UnusableReference) as caught:
        rubrics_of([{"criteria": list(criteria)}])
    return [f"{problem.place} {problem.what}" for problem in caught.value.problems]


@pytest.mark.parametrize(
    ("published", "stored"),
    [
        ([ONE], [ONE]),
        ([{"criterion": "x", "points": 5, "tags": ["axis:accuracy"]}], [{"criterion": "x", "weight": 5}]),
        (  # the file of ResearchRubrics, as its authors describe it
            [{"criterion": "x", "weight": 4.0, "axis": "Explicit Criteria"}],
            [{"criterion": "x", "weight": 4.0, "dimension": "Explicit Criteria"}],
        ),
        (
            json.dumps([{"title": "x", "weight": 4.0, "category": "Explicit Criteria"}]),
            [{"criterion": "x", "weight": 4.0, "dimension": "Explicit Criteria"}],
        ),
        (
            {
                "id": 1,
                "dimension_weight": {"insight": 0.5, "readability": 0.25},
                "criterions": {
                    "insight": [{"criterion": "x", "explanation": "y", "weight": 0.5}],
                    "readability": [{"criterion": "z", "weight": 1}],
                },
            },
            [
                {"criterion": "x", "weight": 0.5, "dimension": "insight", "explanation": "y"},
                {"criterion": "z", "weight": 1, "dimension": "readability"},
            ],
        ),
    ],
)
def test_published_forms_are_stored_alike(published: Any, stored: list[dict[str, Any]]) -> None:
    assert stored_rubric(published)["criteria"] == stored
    rubrics_of([stored_rubric(published)])


def test_every_mistake_is_named_at_once_and_no_criterion_is_quoted() -> None:
    found = problems_of(ONE, {"criterion": " names BOTH  builders", "weight": 1}, {"criterion": "", "weight": 0}, "x")
    assert found == [
        "['criteria'][1]['criterion'] expected each criterion of a dimension once",
        "['criteria'][2]['criterion'] expected a text with content",
        "['criteria'][2]['weight'] expected a number that is not 0, from -1000000 to 1000000",
        "['criteria'][3] expected an object with criterion and weight",
    ]


@pytest.mark.parametrize("field", ["rubric", "dimension"])
def test_the_same_criterion_may_be_in_two_rubrics_or_dimensions(field: str) -> None:
    assert len(rubrics_of([{"criteria": [ONE | {field: "a"}, ONE | {field: "b"}]}])[0].criteria) == 2


@pytest.mark.parametrize(
    ("field", "values", "expected"),
    [
        (
            "weight",
            [True, "3", float("nan"), None, 1e308, -(10**400)],
            "a number that is not 0, from -1000000 to 1000000",
        ),
        ("optional", ["yes", 1, None], "true or false"),
        ("measure", ["beauty"], "one of length, citations, excerpts, snippets"),
    ],
)
def test_a_value_of_another_type_is_named(field: str, values: list[Any], expected: str) -> None:
    for value in values:
        assert problems_of(ONE | {field: value}) == [f"['criteria'][0]['{field}'] expected {expected}"]


@pytest.mark.parametrize(
    ("dimensions", "found"),
    [
        ({"Facts": 1}, "'dimension'\\]: expected one of"),
        ({"Facts": 0}, "weights above 0"),
        ({"Facts": 10**400}, "weights above 0, at most 1000000"),
    ],
)
def test_a_dimension_that_has_no_weight_is_named(dimensions: Any, found: str) -> None:
    with pytest.raises(UnusableReference, match=found):
        rubrics_of([{"criteria": [ONE], "dimensions": dimensions}])


@pytest.mark.parametrize("reference", [None, "text", [], {"criteria": []}, {"criteria": "x"}])
def test_a_reference_without_criteria_is_refused(reference: Any) -> None:
    with pytest.raises(UnusableReference, match="list of criteria"):
        rubrics_of([reference])


def test_several_rubrics_of_a_question_count_alike() -> None:
    rubric: dict[str, Any] = {
        "criteria": [
            {"criterion": "a", "weight": 1, "rubric": "1"},
            {"criterion": "b", "weight": 3, "rubric": "1"},
            {"criterion": "a", "weight": 1, "rubric": "2"},
        ]
    }
    assert Criteria().score_answers([["1", "0", "0"]], [rubric])["rubric"].value == (0.25 + 0) / 2


def test_a_dimension_counts_only_where_it_has_criteria() -> None:
    first: dict[str, Any] = {
        "criteria": [ONE | {"dimension": "Facts"}, {"criterion": "b", "weight": 1, "dimension": "Clear Style"}]
    }
    second: dict[str, Any] = {"criteria": [ONE | {"dimension": "Facts"}]}
    metric = Criteria(dimensions=["Facts", "Clear Style"])
    scores = metric.score_answers([["0.5", "1"], []], [first, second])
    assert {name: score.value for name, score in scores.items()} == {
        "rubric": 2.5 / 4 / 2,
        "rubric.facts": 0.25,
        "rubric.clear-style": 1.0,
    }
    assert [column.score for column in metric.columns()] == list(scores)


def test_a_criterion_counts_its_weight_times_that_of_its_dimension() -> None:
    rubric: dict[str, Any] = {
        "criteria": [
            ONE | {"dimension": "Facts", "weight": 0.5},
            {"criterion": "b", "weight": 1, "dimension": "Style"},
        ],
        "dimensions": {"Facts": 0.5, "Style": 0.75},
    }
    assert Criteria().score_answers([["1", "0"]], [rubric])["rubric"].value == 0.25 / (0.25 + 0.75)


def test_an_optional_criterion_counts_its_weight_and_is_not_required() -> None:
    marked: dict[str, Any] = {"criteria": [ONE, {"criterion": "Names the year", "weight": 5, "optional": True}]}
    plain: dict[str, Any] = {"criteria": [ONE, {"criterion": "Names the year", "weight": 5}]}
    assert rubrics_of([stored_rubric(marked["criteria"])])[0].criteria[1].optional
    verdicts = [["0", "1"], []]
    scores, others = (
        Criteria(required=required).score_answers(verdicts, [rubric] * 2)
        for required, rubric in ((True, marked), (False, plain))
    )
    assert others.keys() == {"rubric"}
    assert scores["rubric"].value == others["rubric"].value == 5 / 8 / 2
    assert scores["rubric.required"].value == 0


def test_the_share_of_required_criteria_is_of_questions_that_have_some() -> None:
    fault = {"criterion": "Invents a source", "weight": -1, "optional": False}
    rubrics: list[Any] = [
        {"criteria": [ONE, fault, ONE | {"criterion": "Cites", "weight": 1}]},
        {"criteria": [ONE | {"optional": True}]},
        {"criteria": [ONE]},
    ]
    judge = Criteria(required=True, clip="mean")
    score = judge.score_answers([["0.5", "1", "1"], ["1"], []], rubrics)["rubric.required"]
    assert (score.value, score.per_item.tolist()) == (0.375, [0.75, 0, 0])
    column = Criteria(required=True, dimensions=["Facts"]).columns()[1]
    assert (column.score, column.bounds, column.disclosed) == ("rubric.required", (0.0, 1.0), False)
    assert [column.score for column in Criteria().columns()] == ["rubric"]
    assert judge.prompt_version == Criteria(clip="mean").prompt_version


def test_the_share_of_required_criteria_is_in_signatures_and_in_no_identity_of_a_verdict() -> None:
    site: Any = SimpleNamespace(JUDGE_MODEL="m", JUDGE_MAX_REPLY_TOKENS=4096)
    prompts = {PROMPT: "{response} {criterion} verdict"}
    usual, judge = (Criteria.on_site(site, prompts=prompts, required=required) for required in (False, True))
    assert usual.signature("dev@0").replace("|data", "|with:rubric.required|data") == judge.signature("dev@0")
    assert JudgeSettings.of_signature(judge.signature("dev@0"), "rubric").further_scores == "rubric.required"
    (address,) = {
        item.address(one.settings)
        for one in (usual, judge)
        for item in one.items(AnswersToJudge(["q"], ["?"], [{"criteria": [ONE]}], ["Oslo."]))
    }
    assert address


def test_a_dimension_cannot_have_the_name_of_the_share_of_required_criteria() -> None:
    with pytest.raises(ValueError, match="required"):
        Criteria(required=True, dimensions=["Required"])
    assert Criteria(dimensions=["Required"]).score_names == ("rubric", "rubric.required")


def test_the_text_of_a_criterion_is_stored_without_white_space_around_it_as_replies_have_it() -> None:
    assert stored_rubric([{"title": " Names Oslo\n", "weight": 1}])["criteria"] == [
        {"criterion": "Names Oslo", "weight": 1}
    ]
