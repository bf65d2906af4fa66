"""The declaration of Researchy Questions: its file as questions, its categories, its prompt, its published table."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from scoring.benchmarks import definition_of
from scoring.benchmarks.base import SourceError
from scoring.benchmarks.researchy import QUALITIES, read_file
from scoring.metrics import side_by_side
from tests.real_data import ROOT, have

LINE: dict[str, Any] = {
    "id": "1004841",
    "question": " why is the sky blue ",
    "intrinsic_scores": {label: 3 * place for place, label in enumerate(("ambiguous", "incompleteness", "harmful"))},
    "DocStream": [
        {"Url": "https://example.org/a", "Title": "A", "CluewebURLHash": "F", "Click_Cnt": 0.6},
        {"Url": "https://example.org/b", "Title": None},
        {"Url": "https://example.org/a", "Title": "A"},
    ],
    "gpt4_decomposition": {"subquestions": ["What is light?", " ", "What is air?"], "queries": ["light"]},
    "decompositional_score": 0.709,
    "nonfactoid_score": 1.018,
}


def given(folder: Path, *changes: dict[str, Any]) -> Path:
    path = folder / "test.jsonl"
    path.write_text("".join(json.dumps({**LINE, "id": str(n), **change}) + "\n" for n, change in enumerate(changes)))
    return path


def test_a_published_line_becomes_a_question(tmp_path: Path) -> None:
    (question,) = read_file(given(tmp_path, {"id": "1004841"})).questions
    assert (question.qid, question.text, question.has_answer) == ("1004841", "why is the sky blue", False)
    assert question.categories == (
        *("Ambiguous: 0–3", "Incomplete: 0–3", "Harmful: 4–7"),
        "Decompositional score: 0.7–0.8",
    )
    shown = [(page["title"], page["url"]) for page in question.evidence]
    assert shown == [("A", "https://example.org/a"), ("https://example.org/b",) * 2]
    assert [one["question"] for one in question.decomposition] == ["What is light?", "What is air?"]


def test_every_label_may_be_there_or_missing(tmp_path: Path) -> None:
    labels = dict.fromkeys(QUALITIES, 8) | {"incomplete": 9}
    del labels["incompleteness"]
    nothing = dict.fromkeys(LINE.keys() - {"id", "question"})
    full, bare = read_file(given(tmp_path, {"intrinsic_scores": labels}, nothing)).questions
    assert [name.partition(":")[0] for name in full.categories[:-1]] == list(QUALITIES.values())
    assert (bare.categories, bare.evidence, bare.decomposition) == ((), (), ())


def test_every_mistake_is_reported_with_line_and_field(tmp_path: Path) -> None:
    wrong: list[tuple[dict[str, Any], str]] = [
        ({"question": " "}, "question"),
        ({"intrinsic_scores": [1]}, "intrinsic_scores"),
        ({"intrinsic_scores": {"harmful": 11}}, "intrinsic_scores.harmful"),
        ({"intrinsic_scores": {"incomplete": "low"}}, "intrinsic_scores.incomplete"),
        ({"decompositional_score": True}, "decompositional_score"),
        ({"DocStream": {"Url": "https://example.org"}}, "DocStream"),
        ({"DocStream": [{"Title": "A"}]}, "DocStream[0]"),
        ({"DocStream": ["https://example.org"]}, "DocStream[0]"),
    ]
    with pytest.raises(SourceError) as caught:
        read_file(given(tmp_path, *(change for change, _ in wrong)))
    for number, (problem, (_, field)) in enumerate(zip(caught.value.problems, wrong, strict=True), start=1):
        assert f": line {number}: " in problem and field in problem, problem
        assert str(tmp_path) not in problem


def test_the_declaration_has_its_prompt_and_no_hidden_split() -> None:
    definition = definition_of("researchy")
    assert not list(side_by_side.SideBySide().lacking_prompts(definition.prompts))
    assert not [split for split in definition.splits if split.hidden]


def words(text: str) -> list[str]:
    """The words of a text, without marks of lists and emphasis, and the marks of what is left out without reference."""
    without_marks = re.sub(r"\*|\{[?/]ReferenceAnswer\}", " ", text)
    plain = re.sub(r"^\s*(?:-|•|\d\.\s+\d\.|\d\.)\s+", " ", without_marks, flags=re.MULTILINE)
    return plain.split()


@pytest.mark.data
@pytest.mark.parametrize("paper", sorted((ROOT.parent / "seeds").glob("004*.txt")))
def test_the_prompt_has_the_words_of_the_papers_figure(paper: Path) -> None:
    text = paper.read_text(encoding="utf-8").partition("\nFigure 8: ")[0]
    printed = text[text.rindex("Question: {Question}\n\n####") :]
    printed = printed.replace("# Instructions", "#\n\nInstructions")
    assert words(definition_of("researchy").prompts[side_by_side.PROMPT]) == words(printed)


@pytest.mark.data
@pytest.mark.parametrize("path", have("benchmarks/researchy/reported.json"))
def test_the_reported_rows_are_the_papers(path: tuple[Path, ...]) -> None:
    definition = definition_of("researchy")
    (printed,) = (row for row in json.loads(path[0].read_text())["table5"] if row["dataset"] == definition.name)
    results = definition.published_results
    assert results is not None
    shown = [f"{100 * row.values['side-by-side.score']:.1f}" for row in results.rows]
    assert shown == [printed[f"{way}_score"] for way in ("direct", "cot", "factored")]
    assert results.split == definition.default_split
    assert "Table 5" in results.rows[0].source
