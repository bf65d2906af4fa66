"""ScholarQA-CS's score: graded criteria, length, citations and excerpts, and snippets.

The numbers are those of the authors' code on the same replies: allenai/multidoc_qa_eval (commit 4a0130e2),
``scripts/corpusqa_rubric.py``, ``score_output``, executed.
"""

import json
from typing import Any

import pytest

from scoring.benchmarks import files_in, shipped_folders
from scoring.metrics.asking.items import AnswersToJudge, AskedItem, JudgeSettings
from scoring.metrics.base import UnusableReference
from scoring.metrics.rubric import Criteria
from scoring.metrics.rubric.measures import ClaimsItem, SnippetsItem
from scoring.metrics.rubric.references import named_rubric, rubrics_of, stored_rubric

CONFIGURATION: dict[str, Any] = {
    "question": "Which bridges are old?",
    "low_length": 300,
    "high_length": 600,
    "length_weight": 0.05,
    "expertise_weight": 0.05,
    "citations_weight": 0.2,
    "excerpts_weight": 0.1,
    "other_properties": [
        {
            "name": "most_important_item_0",
            "criterion": "Names the Aby bridge",
            "weight": 0.24,
            "evidence": ["Aby has a bridge.", "Built in 1702."],
        },
        {
            "name": "most_important_item_1",
            "criterion": "Compares two bridges",
            "weight": 0.24,
            "evidence": ["Bro has one too."],
        },
        {"name": "nice_to_have_item_0", "criterion": "Mentions tolls", "weight": 0.12, "evidence": []},
    ],
}
CLAIMS = [
    {"claim_text": "a", "citations": [{"excerpts": ["e"]}, {"excerpts": []}]},
    {"claim_text": "b", "citations": []},
    {"claim_text": "c", "citations": [{"excerpts": []}]},
]
DIMENSIONS = ["Ingredients", "Length", "Expertise", "Citations", "Excerpts"]
REPORT = "word " * 450


def metric() -> Criteria:
    files = files_in(shipped_folders()["scholarqa"])
    prompts = {name.removeprefix("prompts/"): text.decode() for name, text in files.items() if "prompts/" in name}
    return Criteria(prompts, scale=10, dimensions=DIMENSIONS)


def asked(answer: str = REPORT, configuration: dict[str, Any] = CONFIGURATION) -> list[AskedItem]:
    return list(
        metric().items(AnswersToJudge(["q"], ["Which bridges are old?"], [stored_rubric(configuration)], [answer]))
    )


def reply(item: AskedItem) -> str:
    user = item.messages()[-1]["content"]
    if "several claims" in user:
        return f"Here you are: {json.dumps({'claims': CLAIMS})}"
    if "<snippets>" in user:
        return '{"score": 5}' if "Bro has" in user else '{"score": 1}'
    scores = {"The level": 3, "Names the Aby": 7, "Compares": 0, "Mentions": 10}
    return json.dumps({"score": next(score for text, score in scores.items() if f"<criterion>{text}" in user)})


def test_the_scores_equal_those_of_the_authors_code() -> None:
    verdicts = [item.known or item.part_of(item.read(reply(item)).letter)[0] for item in asked()]  # type: ignore[union-attr]
    scores = metric().score_answers([verdicts], [stored_rubric(CONFIGURATION)])
    assert {name: score.value for name, score in scores.items()} == pytest.approx(
        {
            "rubric": 0.4706666666666666,
            "rubric.ingredients": 0.44000000000000006,
            "rubric.length": 0.5,
            "rubric.expertise": 0.3,
            "rubric.citations": 0.6666666666666666,
            "rubric.excerpts": 0.3333333333333333,
        },
        abs=1e-12,
    )


def test_prompts_are_the_authors() -> None:
    _, _, citations, excerpts, criterion, snippets, *_ = (item.messages() for item in asked("Oslo {x}."))
    assert criterion[1]["content"] == (
        "<question>Which bridges are old?</question>\n<response>Oslo {x}.</response>\n"
        "<criterion>Names the Aby bridge</criterion>"
    )
    assert criterion[0]["content"].endswith('Output JSON in the format: {{"score": x}}.')
    assert citations == excerpts
    assert citations[0]["content"] == "You are a helpful assistant."
    assert '"excerpts": ["...", ...]}, ...]}, ...]}\n\nIf a claim' in citations[1]["content"]
    assert "numbered from 1 to 2 enclosed" in snippets[0]["content"]
    assert snippets[0]["content"].endswith('in the format: {"score": x}.')
    assert snippets[1]["content"] == (
        "<response>Oslo {x}.</response>\n<snippets>1. Aby has a bridge.\n2. Built in 1702.</snippets>"
    )


def test_citations_and_excerpts_are_one_request_and_the_length_is_none() -> None:
    items, settings = asked(), JudgeSettings("m")
    assert [bool(item.known) for item in items] == [True] + [False] * 8
    assert items[2].address(settings) == items[3].address(settings)
    assert len({item.address(settings) for item in items}) == 8


def test_a_changed_criterion_asks_only_itself_and_a_changed_weight_nothing() -> None:
    first, *others = CONFIGURATION["other_properties"]
    settings = JudgeSettings("m")

    def new(*properties: Any) -> set[str]:
        changed = asked(configuration=CONFIGURATION | {"other_properties": list(properties)})
        return {item.address(settings) for item in changed} - {item.address(settings) for item in asked()}

    assert new(first | {"weight": 0.2}, *others) == set()
    assert len(new(first | {"criterion": "Names the bridge of Aby"}, *others)) == 1
    assert len(new(first | {"evidence": ["Built in 1703."]}, *others)) == 1


@pytest.mark.parametrize(("n_words", "known"), [(0, 1), (300, 1), (375, 0.75), (600, 0), (9_000, 0)])
def test_length_counts_words_of_the_answer_as_it_was_sent(n_words: int, known: float) -> None:
    assert float(asked("=== " * n_words + "\n")[0].known if n_words else "1") == known


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        (ClaimsItem, '{"claims": 3}'),
        (ClaimsItem, '{"claims": [{"claim_text": "a"}]}'),
        (ClaimsItem, "I see two claims."),
        (SnippetsItem, '{"score": -1}'),
        (SnippetsItem, '{"score": "many"}'),
        (SnippetsItem, "[1]"),
    ],
)
def test_other_replies_are_no_verdict(kind: type, text: str) -> None:
    item = next(item for item in asked() if type(item) is kind)
    assert item.read(text) is None


def test_replies_without_claims_or_with_too_many_snippets_are_verdicts() -> None:
    claims, snippets = (next(item for item in asked() if type(item) is kind) for kind in (ClaimsItem, SnippetsItem))
    assert [claims.read(text).letter for text in ('{"claims": []}',)] == ["0.0/0.0"]  # type: ignore[union-attr]
    assert snippets.read('{"score": 9}').letter == "1.0"  # type: ignore[union-attr]


def test_a_criterion_twice_counts_twice_and_is_asked_for_once() -> None:
    own = {"criterion": "Names Aby", "weight": 0.3, "evidence": []}
    twice = [own | {"name": "most_important_item_0"}, own | {"name": "most_important_item_1"}]
    items = asked(configuration=CONFIGURATION | {"other_properties": twice})
    assert len(items) == 6
    assert items[4].address(JudgeSettings("m")) == items[5].address(JudgeSettings("m"))


@pytest.mark.parametrize(
    ("criteria", "where"),
    [
        ([{"criterion": "x", "weight": 1, "measure": "length"}], "words"),
        ([{"criterion": "x", "weight": 1, "measure": "length", "words": [600, 300]}], "words"),
        ([{"criterion": "x", "weight": 1, "words": [300, 600]}], "words"),
        ([{"criterion": "x", "weight": 1, "snippets": ["y"]}], "snippets"),
        ([{"criterion": "x", "weight": 1, "measure": "snippets", "snippets": ["y"]}], "measure"),
        ([{"criterion": "x", "weight": 1}, {"criterion": "y", "weight": 1, "measure": "snippets"}], "snippets"),
    ],
)
def test_measures_with_mistakes_are_refused(criteria: Any, where: str) -> None:
    with pytest.raises(UnusableReference, match=f"'{where}'"):
        rubrics_of([{"criteria": criteria}])


def test_a_measure_without_its_prompt_is_refused_with_the_name_of_the_file() -> None:
    judge = Criteria({"rubric_prompt.txt": "{response} {criterion} score"}, scale=10)
    with pytest.raises(UnusableReference, match=r"prompts/claims_prompt\.txt"):
        list(judge.items(AnswersToJudge(["q"], ["?"], [stored_rubric(CONFIGURATION)], ["Oslo"])))


def test_prompts_and_scale_are_in_the_signature() -> None:
    files = {"rubric_prompt.txt": "{response} {criterion} score"}
    graded, of_ten = Criteria(files), Criteria(files, scale=10)
    with_claims = Criteria({**files, "claims_prompt.txt": "{response}"})
    assert len({judge.prompt_version for judge in (graded, of_ten, with_claims, Criteria(files, scale=5))}) == 4


@pytest.mark.parametrize("scale", [-1, True, "10", float("inf")])
def test_a_scale_is_a_number(scale: Any) -> None:
    with pytest.raises(ValueError, match="scale"):
        Criteria(scale=scale)


def test_rubrics_of_two_annotators_count_their_mean() -> None:
    rubrics: list[Any] = [named_rubric([{"criterion": name, "weight": 1}], name) for name in ("x", "y")]
    both: Any = {"criteria": [one for rubric in rubrics for one in rubric["criteria"]]}
    assert metric().score_answers([["0.5", "1"]], [both])["rubric"].value == 0.75
