"""Cited pages against the evidence of questions."""

import json
from types import SimpleNamespace
from typing import Any

import pytest

from scoring.metrics.base import MetricUnavailableError
from scoring.metrics.cited.answers import packed
from scoring.metrics.cited.evidence import Evidence

WIKI = "https://en.wikipedia.org/wiki/"
ABY, BRO = {"title": "Aby Bridge", "url": f"{WIKI}Aby_Bridge"}, {"title": "Bro", "url": ""}


def generation(citations: list[dict[str, str]], *evidence: dict[str, Any]) -> str:
    return packed("x", json.dumps(citations), SimpleNamespace(context=None, evidence=evidence))


def scores_of(*texts: str) -> dict[str, float]:
    scores = Evidence().score(len(texts), texts)
    return {name.partition(".")[2]: score.value for name, score in scores.items()}


@pytest.mark.parametrize(
    "citation",
    [
        {"id": "aby  bridge"},
        {"url": "http://EN.wikipedia.org/wiki/Aby_Bridge#History"},
        {"url": "https://de.example/wiki/Aby%20Bridge"},
        {"id": "7", "title": "Aby Bridge"},
    ],
)
def test_a_page_is_recognised_by_its_title_address_or_id(citation: dict[str, str]) -> None:
    assert scores_of(generation([citation], ABY, BRO)) == {"f1": 2 / 3, "precision": 1.0, "recall": 0.5}


def test_a_page_twice_counts_once_and_another_page_costs_precision() -> None:
    cited = [{"id": "Aby Bridge"}, {"url": ABY["url"]}, {"url": "https://other.example"}]
    assert scores_of(generation(cited, ABY, ABY)) == {"f1": 2 / 3, "precision": 0.5, "recall": 1.0}


@pytest.mark.parametrize(
    ("key", "first", "second"),
    [("url", "https://b.example/x#1", "http://WWW.B.example/x/#2"), ("id", "A_page", "a page"), ("url", "b/x", "B/x")],
)
def test_a_page_without_evidence_counts_once_however_it_is_written(key: str, first: str, second: str) -> None:
    cited = [{"id": "Aby Bridge"}, {key: first, "title": "One"}, {key: second, "title": "Another"}]
    assert scores_of(generation(cited, ABY)) == {"f1": 2 / 3, "precision": 0.5, "recall": 1.0}


def test_pages_with_equal_titles_are_different_pages() -> None:
    cited = [{"id": "Aby Bridge"}, *({"url": f"https://b.example/{n}", "title": "Home"} for n in range(2))]
    assert scores_of(generation(cited, ABY))["precision"] == 1 / 3


def test_questions_without_evidence_do_not_count_and_unanswered_ones_score_0() -> None:
    texts = [generation([{"id": "Bro"}], BRO), generation([{"id": "Bro"}]), generation([], BRO, {"title": None})]
    assert scores_of(*texts) == {"f1": 0.5, "precision": 0.5, "recall": 0.5}
    assert Evidence().score(3, texts)["evidence.recall"].per_item.tolist() == [1, 0, 0]


def test_a_split_without_evidence_has_no_score() -> None:
    with pytest.raises(MetricUnavailableError):
        Evidence().score(1, [generation([{"id": "Bro"}])])
