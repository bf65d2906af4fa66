"""Scores of the citations in a text.

Gao et al. (2023), Enabling Large Language Models to Generate Text with Citations (ALCE), https://arxiv.org/abs/2305.14627:
whether the passages that a sentence cites entail it, and whether each of them is needed. Du et al. (2025), DeepResearch
Bench, https://arxiv.org/abs/2506.11763 (FACT): how many statements are supported by the pages that they cite. Yang et
al. (2018), HotpotQA, https://arxiv.org/abs/1809.09600: evidence against gold evidence.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

MAX_CITATIONS: Final = 3
"""The citations of a sentence that count in ALCE's published figures: its first three."""
LONGEST_NUMBER: Final = 9
"""Digits of a citation's number; a longer one is read as a number beyond all passages."""
SUPPORTED: Final = "supported"
UNSUPPORTED: Final = "unsupported"
UNKNOWN: Final = "unknown"

_CITATION: Final = re.compile(r"\[(\d+)")


def read_citations(sentence: str) -> list[int]:
    """The numbers of the passages that a sentence cites, from 1, in their order and as often as they are cited.

    ALCE's form: a number after an opening bracket, so that ``[1, 2]`` cites passage 1 alone.

    >>> read_citations("Opened in 1907 [2][1], closed [3, 4] later.")
    [2, 1, 3]
    """
    return [
        int(number) if len(number) <= LONGEST_NUMBER else 10**LONGEST_NUMBER for number in _CITATION.findall(sentence)
    ]


def without_citations(sentence: str) -> str:
    """A sentence without its citations, as ALCE's code removes them: every closing bracket goes too.

    >>> without_citations("Opened in 1907 [2][1].")
    'Opened in 1907.'
    """
    return re.sub(r"\[\d+", "", re.sub(r" \[\d+", "", sentence)).replace(" |", "").replace("]", "")


@dataclass(frozen=True)
class CitationScores:
    """Recall and precision of the citations of an answer, from 0 to 1."""

    recall: float
    """The share of the answer's sentences that their passages entail together."""
    precision: float
    """The share of its citations that are needed; 0 without citations."""


def citation_scores(
    citations: Sequence[Sequence[int]],
    n_passages: int,
    entails: Callable[[tuple[int, ...], int], bool],
    max_citations: int | None = MAX_CITATIONS,
) -> CitationScores:
    """Recall and precision of the citations of an answer, as ALCE's code computes them.

    A sentence is supported if the passages that it cites entail it together. Of a supported sentence a citation is
    precise unless its passage alone does not entail the sentence and the others without it do; a single citation is
    precise. Of another sentence none is. A sentence that cites a passage that does not exist is not supported, and its
    citations do not count at all.

    Args:
        citations: for each sentence the numbers of its passages, from 1.
        n_passages: how many passages the answer can cite.
        entails: whether some passages, by their numbers in the cited order, entail a sentence, by its index from 0. It
            is not called without passages.
        max_citations: how many citations of a sentence count, its first; None for all.

    Returns:
        Both 0 without sentences, which ALCE leaves out of its means.

    >>> needs_the_first = lambda passages, sentence: 1 in passages
    >>> citation_scores([[1, 2], []], 2, needs_the_first)
    CitationScores(recall=0.5, precision=0.5)
    """
    n_supported = n_precise = n_counted = 0
    for sentence, numbers in enumerate(citations):
        if not numbers or not all(1 <= number <= n_passages for number in numbers):
            continue
        cited = tuple(numbers[:max_citations])
        n_counted += len(cited)
        if entails(cited, sentence):
            n_supported += 1
            n_precise += sum(_is_precise(cited, number, sentence, entails) for number in cited)
    return CitationScores(
        n_supported / len(citations) if citations else 0.0, n_precise / n_counted if n_counted else 0.0
    )


def _is_precise(
    cited: tuple[int, ...], number: int, sentence: int, entails: Callable[[tuple[int, ...], int], bool]
) -> bool:
    if len(cited) == 1 or entails((number,), sentence):
        return True
    place = cited.index(number)  # of a number that is cited twice, the first goes, as in the published code
    return not entails(cited[:place] + cited[place + 1 :], sentence)


@dataclass(frozen=True)
class FactSummary:
    """What the statements of a system's reports are worth that cite a page."""

    citations_per_question: float
    """Statements that were found supported or unsupported, for each question with a citation."""
    effective_citations: float
    """Supported statements, for each question with a citation."""
    accuracy: float
    """The share of supported statements of all questions together, from 0 to 1."""


def fact_summary(questions: Iterable[Sequence[Sequence[str] | None] | None]) -> FactSummary | None:
    """The summary of a system's citations, as DeepResearch Bench's code computes it.

    Questions without a citation count nowhere, which flatters a system that often cites nothing: show how many there
    are. Pages that could not be read and statements that are *unknown* count nowhere either.

    Args:
        questions: for each question None, or a list of its pages; each page None if it could not be read, or a list of
            `SUPPORTED`, `UNSUPPORTED` or `UNKNOWN`, one a statement.

    Returns:
        None without a statement that was found supported or unsupported.

    Raises:
        ValueError: if a statement is something else.

    >>> fact_summary([[["supported", "unknown"], None], [["unsupported"]], None])
    FactSummary(citations_per_question=1.0, effective_citations=0.5, accuracy=0.5)
    """
    n_questions = n_supported = n_found = 0
    for pages in questions:
        n_questions += bool(pages)
        for result in (result for page in pages or () for result in page or ()):
            if result not in (SUPPORTED, UNSUPPORTED, UNKNOWN):
                raise ValueError(f"{result!r} is not supported, unsupported or unknown.")
            n_supported += result == SUPPORTED
            n_found += result != UNKNOWN
    if not n_found:
        return None
    return FactSummary(n_found / n_questions, n_supported / n_questions, n_supported / n_found)


@dataclass(frozen=True)
class EvidenceScores:
    """Predicted evidence against gold evidence, from 0 to 1."""

    exact: float
    precision: float
    recall: float
    f1: float


def evidence_scores(predicted: Iterable[Any], gold: Iterable[Any]) -> EvidenceScores:
    """Exact match, precision, recall and F1 of the evidence of an answer: two sets.

    Args:
        predicted: paragraph numbers, or titles with the number of a sentence; repetitions count once.
        gold: the right ones in the same form.

    Returns:
        All 1 if both are empty, as in MuSiQue's code (in HotpotQA's, F1 is 0 then).

    >>> evidence_scores([["Aby", 0], ["Bro", 2]], [["Aby", 0]])
    EvidenceScores(exact=0.0, precision=0.5, recall=1.0, f1=0.6666666666666666)
    """
    found, wanted = ({tuple(item) if isinstance(item, list) else item for item in items} for items in (predicted, gold))
    if not found and not wanted:
        return EvidenceScores(1.0, 1.0, 1.0, 1.0)
    n_right = len(found & wanted)
    precision = n_right / len(found) if found else 0.0
    recall = n_right / len(wanted) if wanted else 0.0
    f1 = 2 * precision * recall / (precision + recall) if n_right else 0.0
    return EvidenceScores(float(found == wanted), precision, recall, f1)
