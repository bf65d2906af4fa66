"""Recall and precision of citations, the summary of statements with pages, and evidence."""

from collections.abc import Callable

import pytest

from scoring.metrics.citations import (
    CitationScores,
    EvidenceScores,
    FactSummary,
    citation_scores,
    evidence_scores,
    fact_summary,
    read_citations,
)


def entailed_by(*needed: set[int]) -> Callable[[tuple[int, ...], int], bool]:
    """An entailment by which each sentence needs some passages."""
    return lambda passages, sentence: needed[sentence] <= set(passages)


def test_a_number_of_any_length_is_read_in_no_time() -> None:
    assert read_citations(f"One [{'9' * 10_000}].") == [10**9]


def test_a_passage_that_is_not_needed_is_not_precise() -> None:
    assert citation_scores([[1, 2]], 2, entailed_by({1})) == CitationScores(1.0, 0.5)


def test_passages_that_are_needed_together_are_all_precise() -> None:
    assert citation_scores([[1, 2]], 2, entailed_by({1, 2})) == CitationScores(1.0, 1.0)


def test_a_sentence_that_is_not_entailed_keeps_its_citations_in_the_denominator() -> None:
    assert citation_scores([[1], [2, 3]], 3, entailed_by({1}, {1})) == CitationScores(0.5, 1 / 3)


@pytest.mark.parametrize("number", [0, 4, 10**9])
def test_a_passage_that_does_not_exist_voids_its_sentence(number: int) -> None:
    assert citation_scores([[1], [2, number]], 3, entailed_by({1}, {2})) == CitationScores(0.5, 1.0)


def test_only_the_first_citations_count_unless_all_do() -> None:
    assert citation_scores([[1, 2, 3, 4]], 4, entailed_by({4})) == CitationScores(0.0, 0.0)
    assert citation_scores([[1, 2, 3, 4]], 4, entailed_by({4}), max_citations=None) == CitationScores(1.0, 0.25)


def test_a_judge_is_asked_nothing_about_sentences_that_cite_nothing() -> None:
    def asked(passages: tuple[int, ...], sentence: int) -> bool:
        raise AssertionError((passages, sentence))

    assert citation_scores([[], []], 3, asked) == CitationScores(0.0, 0.0)
    assert citation_scores([], 3, asked) == CitationScores(0.0, 0.0)


def test_questions_without_a_citation_and_unread_pages_count_nowhere() -> None:
    questions = [None, [], [["supported", "unknown"], None], [["unsupported", "supported"]], [None]]
    assert fact_summary(questions) == FactSummary(1.0, 2 / 3, 2 / 3)


def test_nothing_found_is_no_number() -> None:
    assert fact_summary([[["unknown"]], None]) is None


def test_another_result_than_the_three_is_refused() -> None:
    with pytest.raises(ValueError, match="'Supported'"):
        fact_summary([[["Supported"]]])


def test_evidence_is_compared_as_sets() -> None:
    assert evidence_scores([["Aby", 0], ["Aby", 0], ["Bro", 1]], [["Aby", 0]]).precision == 0.5
    assert evidence_scores([3, 1], [1, 3]) == EvidenceScores(1.0, 1.0, 1.0, 1.0)


def test_no_evidence_is_right_where_none_is_needed() -> None:
    assert evidence_scores([], []).f1 == 1
    assert evidence_scores([], [1]) == EvidenceScores(0.0, 0.0, 0.0, 0.0)
