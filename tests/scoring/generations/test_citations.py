"""Citations in files of generations: what is read, and how mistakes are named."""

import json
from dataclasses import replace
from io import BytesIO
from typing import Any

import pytest

from scoring.generations.citations import LONGEST, MOST
from scoring.generations.reader import GenerationsReport, KnownQuestions, Limits, read_generations
from scoring.generations.records import TEXT_ANSWERS

WITH_CITATIONS = replace(TEXT_ANSWERS, takes_citations=True)
PAGE = {"url": "https://a.example", "title": "Aby", "quote": "of 1702", "text": "Aby has a bridge of 1702."}


def report_of(*lines: dict[str, Any], takes_citations: bool = True) -> GenerationsReport:
    content = "".join(f"{json.dumps(line)}\n" for line in lines).encode()
    known = KnownQuestions(tuple(dict.fromkeys(line["id"] for line in lines)))
    form = WITH_CITATIONS if takes_citations else TEXT_ANSWERS
    return read_generations(BytesIO(content), known, Limits(max_shown_per_group=20), form)


def problems_of(citations: Any) -> list[str]:
    report = report_of({"id": "a", "answer": "Built in 1702 [1].", "citations": citations})
    return [f"{one.line} {one.field}: {one.found}" for group in report.errors for one in group.problems]


def test_citations_are_read_beside_their_answer() -> None:
    report = report_of(
        {"id": "a", "answer": "Built in 1702 [1].", "citations": [PAGE, {"id": "7", "text": None}]},
        {"id": "b", "answer": "Nobody knows.", "citations": []},
        {"id": "c", "answer": "Nobody knows.", "citations": None},
    )
    assert (report.errors, report.warnings) == ((), ())
    assert {key: json.loads(text) for key, text in report.citations.items()} == {"a": [PAGE, {"id": "7"}]}
    assert report.answers["a"] == "Built in 1702 [1]."


def test_each_attempt_has_its_own_citations() -> None:
    lines = [{"id": "a", "attempt": n, "answer": f"{n}", "citations": [{"id": str(n)}]} for n in (1, 2)]
    report = report_of(*lines)
    assert [json.loads(text) for text in report.citations.values()] == [[{"id": "1"}], [{"id": "2"}]]
    assert report.citations.keys() == report.answers.keys()


def test_a_benchmark_that_reads_no_citations_ignores_the_key() -> None:
    report = report_of({"id": "a", "answer": "x", "citations": "nothing that could be read"}, takes_citations=False)
    assert report.ok and [group.code for group in report.warnings] == ["extra-key"]
    assert report.citations == {}


def test_answers_that_point_to_citations_and_have_none_are_named() -> None:
    lines: list[dict[str, Any]] = [
        {"id": "a", "answer": "Built in 1702 [1]."},
        {"id": "b", "answer": "Built in 1702 [2†L3].", "citations": []},
        {"id": "c", "answer": "Built in 1702 [1].", "citations": [PAGE]},
        {"id": "d", "answer": "Built in [about] 1702, a[i]."},
    ]
    report = report_of(*lines)
    (group,) = report.warnings
    assert report.ok and group.summary == "2 answers point to citations that were not sent: lines 1, 2"
    assert group.problems[1].found == "“[2†” in “Built in 1702 [2†L3].”"
    assert report_of(*lines[:1], takes_citations=False).warnings == ()


def test_every_mistake_is_named_with_its_line_and_field() -> None:
    wrong = [
        {"quote": "x"},
        "https://a.example",
        {"url": 5, "pages": 3},
        {"id": "x" * (LONGEST["id"] + 1)},
        {"id": " "},
    ]
    assert problems_of(wrong) == [
        "1 citations[1]: neither id nor url",
        "1 citations[2]: a string",
        "1 citations[3].url: a number",
        "1 citations[3]: the key “pages”",
        "1 citations[4].id: 501 characters",
        "1 citations[5]: neither id nor url",
    ]
    (group,) = report_of({"id": "a", "answer": "x", "citations": wrong}).errors
    assert group.summary == "6 mistakes in citations: line 1", "mistakes are counted, of which a citation may have some"
    assert problems_of({"url": "x"}) == ["1 citations: an object"]
    assert problems_of("x") == ["1 citations: a string"]


def test_a_field_twice_and_text_that_cannot_be_stored_are_named() -> None:
    known = KnownQuestions(("a",))
    line = rb'{"id": "a", "answer": "x", "citations": [{"id": "1", "id": "2"}, {"id": "3", "text": "a\u0000"}]}'
    report = read_generations(BytesIO(line), known, answer_format=WITH_CITATIONS)
    assert [(one.code, one.field) for group in report.errors for one in group.problems] == [
        ("citation-not-usable", "citations[1].id"),
        ("unstorable-character", "citations[2].text"),
    ]
    twice = rb'{"id": "a", "answer": "x", "citations": [], "citations": []}'
    report = read_generations(BytesIO(twice), known, answer_format=WITH_CITATIONS)
    assert [group.code for group in report.errors] == ["duplicate-key"]


@pytest.mark.parametrize("n", [MOST + 1, 5_000])
def test_more_citations_than_allowed_are_one_mistake(n: int) -> None:
    (problem,) = problems_of([PAGE] * n)
    assert problem == f"1 citations: {n:,} citations"


def test_thousands_of_wrong_citations_are_counted_and_a_few_named() -> None:
    report = report_of({"id": "a", "answer": "x", "citations": [5] * MOST})
    (group,) = report.errors
    assert (group.count, len(group.problems)) == (MOST, 20)


def test_the_most_citations_with_an_answer_of_2_mb_are_read() -> None:
    report = report_of({"id": "a", "answer": "Built [1]. " * 190_000, "citations": [PAGE] * MOST})
    assert report.ok and len(json.loads(report.citations["a"])) == MOST
