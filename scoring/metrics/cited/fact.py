"""Effective citations and their accuracy, as DeepResearch Bench defines them."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import islice
from typing import ClassVar, Final

import numpy as np

from scoring.metrics.asking.languages import PromptsByLanguage
from scoring.metrics.asking.neutralising import Rules
from scoring.metrics.asking.prompts import Asked
from scoring.metrics.base import ScoredVector
from scoring.metrics.citations import SUPPORTED, UNKNOWN, UNSUPPORTED, fact_summary, without_citations
from scoring.metrics.cited.answers import CitedAnswer
from scoring.metrics.cited.judge import (
    MOST_ASKED,
    MOST_CHARACTERS,
    CitationJudge,
    SentenceMark,
    VerdictOf,
)
from scoring.metrics.columns import Column, Explanation

AT_ONCE: Final = 20
"""Statements about a page in one request."""
MOST_PAIRS: Final = 1_000
"""The most citations in an answer that are checked: statements with a page."""
LONGEST_PAGE: Final = 150_000
"""Characters of a page in a request: its passages in their order, the first."""
RESULTS: Final = {"s": SUPPORTED, "u": UNSUPPORTED, "k": UNKNOWN}
"""What a letter of a verdict says of a statement; a verdict has one for each, in their order."""

Results = list[list[str] | None]
"""What is known of each page that an answer cites: a result for each statement; None without its text."""


def verdict_in(reply: str, n: int) -> str | None:
    """The letters of a reply about *n* statements; None if it does not say something of each, once.

    >>> verdict_in('[{"idx": 2, "result": "unknown"}, {"idx": 1, "result": "Supported"}]', 2)
    'sk'
    """
    try:
        listed = json.loads(reply[reply.find("[") : reply.rfind("]") + 1])
        results = [(str(entry["idx"]), str(entry["result"]).strip().casefold()) for entry in listed]
    except (ValueError, RecursionError, TypeError, KeyError):
        return None
    letters = {result: letter for letter, result in RESULTS.items()}
    by_number = {number: letters.get(result, "") for number, result in results}
    own = [by_number.get(str(number), "") for number in range(1, n + 1)]
    return "".join(own) if len(results) == n and all(own) else None


def pages_of(cited: CitedAnswer) -> list[tuple[str, dict[str, set[int]]]]:
    """The text of each page that an answer cites, empty if it is not known, and the statements that cite the page, each
    with the sentences that make it, by their places from 0. The text is that of all citations of the page, each passage
    once, up to `LONGEST_PAGE`.

    Of an answer that cites very often, the first `MOST_ASKED` sentences with citations and their first `MOST_PAIRS`
    citations count.
    """
    passages: dict[str, dict[str, None]] = defaultdict(dict)
    for citation in cited.citations:
        passages[citation.page][citation.passage] = None
    statements: dict[str, dict[str, set[int]]] = {page: defaultdict(set) for page in passages}
    places = cited.places[:MOST_ASKED]
    pairs = ((place, number) for place in places for number in dict.fromkeys(cited.cited[place]))
    for place, number in islice(pairs, MOST_PAIRS):
        page = cited.citations[number - 1].page
        statements[page][without_citations(cited.sentences[place]).strip()].add(place)
    return [("\n".join(filter(None, passages[page]))[:LONGEST_PAGE], own) for page, own in statements.items() if own]


class Fact(PromptsByLanguage, CitationJudge):
    """How many statements of a report the pages support that it cites.

    Du et al. (2025), DeepResearch Bench, https://arxiv.org/abs/2506.11763 (FACT); see `fact_summary`. The published
    code has a model extract the statements that cite a page, and fetches the page; here statements are the sentences
    with ``[n]``, and pages the texts that were sent.
    """

    name: ClassVar[str] = "fact"
    prompt_kind: ClassVar[str] = "fact"
    stem: ClassVar[str] = "fact_prompt"
    places: ClassVar[tuple[str, ...]] = ("reference", "statements")
    asked: ClassVar[Asked] = Asked(
        {word: word for word in ("idx", "result", *RESULTS.values())},
        "a list of idx and result, one for each statement",
        "a prompt without {}",
    )
    finished_reply: ClassVar[Rules] = ((re.compile(r"[\"“”'](\s*result\s*)[\"“”']\s*:"), r"\1 -"),)
    is_numbered: ClassVar[bool] = True
    verdict_in = staticmethod(verdict_in)
    score_names: ClassVar[tuple[str, ...]] = ("fact.accuracy", "fact.effective", "fact.uncited")
    label: ClassVar[str] = "Citations of pages"
    formula: ClassVar[str] = "metrics/cited/fact.html"
    yes: ClassVar[str] = "s"
    reply_tokens: ClassVar[int] = 200

    def __init__(self, prompts: Mapping[str, str] | None = None, judged_length: int | None = None) -> None:
        super().__init__(prompts, judged_length)
        self.prompts = self.prompts_of(prompts)

    def columns(self) -> tuple[Column, ...]:
        accuracy = (
            "The share of the statements that cite a page which the page supports, of all questions together. The "
            "published code has a model extract statements; here they are the sentences with [n]."
        )
        effective = (
            "The mean number of supported statements in the answers that cite something. As in the published code, "
            "questions whose answer cites nothing do not count, although its authors call it an average per task."
        )
        uncited = (
            "The share of the questions whose answer cites nothing; they count in neither of the others. The published "
            "code does not say how many these are."
        )
        number = {"unit": "number", "digits": 2, "bounds": None}
        return (
            self.column("accuracy", "Citation accuracy", "C. acc.", accuracy),
            self.column("effective", "Effective citations", "E. cit.", effective, **number),
            self.column("uncited", "Answers that cite nothing", "Uncited", uncited, higher_is_better=False),
        )

    def explanation(self) -> Explanation:
        return Explanation(
            measures=(
                "Measures how many statements of a report are supported by the page that they cite. A language model "
                "gets the benchmark's own prompt with the text of a page and the statements that cite it, and says of "
                "each whether it is supported, unsupported, or unknown, where the page says nothing at all."
            ),
            formula=(
                "accuracy = supported statements / supported and unsupported ones, of all questions together\n"
                "effective citations = supported statements / questions whose answer cites something\n"
                "uncited = questions whose answer cites nothing / questions"
            ),
            surprises=(
                "The published code has a model extract statements; here a statement is a sentence with [n].",
                "It fetches pages; here nothing is fetched, and a page is the texts sent with the citations of it.",
                "Questions whose answer cites nothing count neither in accuracy nor in effective citations, as there.",
                "This flatters a system that often cites nothing: look at the third column.",
                "A page without a text and statements judged as unknown count nowhere.",
                f"Of an answer, {MOST_ASKED:,} sentences with citations and {MOST_PAIRS:,} citations count, the first.",
            ),
            source="https://arxiv.org/abs/2506.11763",
        )

    def assess(
        self, cited: CitedAnswer, verdict_of: VerdictOf, *, at_most: bool = False
    ) -> tuple[Results, list[SentenceMark]]:
        """See `CitationJudge.assess`. A request is about some statements that cite a page, and a sentence is supported
        if one of its pages supports it. Pages count as unknown after `MOST_CHARACTERS`."""
        results: Results = []
        of_sentence: dict[int, set[str]] = defaultdict(set)
        n_characters = 0
        for number, (text, sentences_of) in enumerate(pages_of(cited)):
            statements, own = list(sentences_of), []
            requests = [statements[at : at + AT_ONCE] for at in range(0, len(statements), AT_ONCE)]
            n_characters += len(text) * len(requests)
            is_known = bool(text) and n_characters <= MOST_CHARACTERS
            for at, asked in enumerate(requests if is_known else ()):
                letters, _ = verdict_of(f"{number}\t{at}", [text], asked)
                for statement, letter in zip(asked, letters, strict=False):
                    own.append(RESULTS[letter])
                    for place in sentences_of[statement]:
                        of_sentence[place].add(RESULTS[letter])
            results.append(own if is_known else None)
        decided = (of_sentence[place] - {UNKNOWN} for place in range(len(cited.sentences)))
        return results, [SentenceMark(SUPPORTED in own if own else None) for own in decided]

    def scores_of(self, assessed: Sequence[Results]) -> Mapping[str, ScoredVector]:
        """See `CitationJudge.scores_of`; of a score that no answer has, there is none."""
        cites = np.array([bool(pages) for pages in assessed], dtype=np.float64)
        scores = {"fact.uncited": ScoredVector(float(np.mean(1 - cites)), 1 - cites)}
        if summary := fact_summary(assessed):
            listed = [[result for page in pages for result in page or ()] for pages in assessed]
            n_supported = np.array([own.count(SUPPORTED) for own in listed], dtype=np.float64)
            n_found = n_supported + [own.count(UNSUPPORTED) for own in listed]
            shares = np.divide(n_supported, n_found, out=np.zeros_like(n_found), where=n_found > 0)
            scores["fact.accuracy"] = ScoredVector(summary.accuracy, shares, n_found)
            scores["fact.effective"] = ScoredVector(summary.effective_citations, n_supported, cites)
        return scores
