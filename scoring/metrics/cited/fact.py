"""Effective citations and their accuracy, as DeepResearch Bench defines them.

Du et al. (2025), DeepResearch Bench, https://arxiv.org/abs/2506.11763 (FACT); see `fact_summary`. The published code
has a model extract the statements that cite a page, and fetches the page; here statements are the sentences with
``[n]``, and pages the texts that were sent.

A verdict is stored as one letter a statement, in their order: *s* for supported, *u* for unsupported, *k* for unknown.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Final

import numpy as np

from scoring.metrics.asking.languages import PromptsByLanguage, by_language, prompt_for, prompts_digest
from scoring.metrics.asking.letters import Reading
from scoring.metrics.asking.neutralising import SentAnswer
from scoring.metrics.base import ReferenceAnswer, ScoredVector
from scoring.metrics.citations import SUPPORTED, UNKNOWN, UNSUPPORTED, fact_summary, without_citations
from scoring.metrics.cited.answers import CitedAnswer
from scoring.metrics.cited.judge import (
    MOST_ASKED,
    MOST_CHARACTERS,
    CitationItem,
    CitationJudge,
    CitationPrompt,
    SentenceMark,
    answers_of,
    digest_of,
)
from scoring.metrics.columns import Column, Explanation

PLACES: Final = ("reference", "statements")
AT_ONCE: Final = 20
"""Statements about a page in one request."""
MOST_PAIRS: Final = 1_000
"""The most citations in an answer that are checked: statements with a page."""
LETTERS: Final = {SUPPORTED: "s", UNSUPPORTED: "u", UNKNOWN: "k"}
_RESULTS: Final = {letter: result for result, letter in LETTERS.items()}
_REPLY: Final = ((re.compile(r"[\"“”'](\s*result\s*)[\"“”']\s*:"), r"\1 -"),)


@dataclass(frozen=True)
class FactItem(CitationItem):
    """Whether a page supports some statements."""

    n: int

    def read(self, reply: str) -> Reading | None:
        """The verdict: a letter for each statement."""
        results = results_in(reply, self.n)
        return None if results is None else Reading("".join(LETTERS[result] for result in results))


def results_in(reply: str, n: int) -> list[str] | None:
    """What a reply says of *n* statements; None if it does not say it of each, once.

    >>> results_in('[{"idx": 2, "result": "unknown"}, {"idx": 1, "result": "Supported"}]', 2)
    ['supported', 'unknown']
    """
    try:
        listed = json.loads(reply[reply.find("[") : reply.rfind("]") + 1])
    except (ValueError, RecursionError):
        return None
    results: dict[object, str] = {}
    for one in listed if isinstance(listed, list) else ():
        number, result = (one.get("idx"), one.get("result")) if isinstance(one, dict) else (None, None)
        if (
            not isinstance(result, str)
            or (result := result.strip().casefold()) not in LETTERS
            or str(number) in results
        ):
            return None
        results[str(number)] = result
    own = [results.get(str(number)) for number in range(1, n + 1)]
    return [result for result in own if result] if len(results) == n and all(own) else None


@dataclass
class Page:
    """A page that an answer cites, with what cites it."""

    text: str = ""
    """What it says; empty if that is not known."""
    statements: dict[str, list[int]] = field(default_factory=dict)
    """Statements, each once, with the sentences that make it, by their places from 0."""

    @property
    def requests(self) -> list[list[str]]:
        """The statements of each request; none if nothing is known of the page."""
        statements = list(self.statements)
        return [statements[at : at + AT_ONCE] for at in range(0, len(statements), AT_ONCE)] if self.text else []


def pages_of(cited: CitedAnswer) -> list[Page] | None:
    """The pages that an answer cites, in the order of its citations; None if it cites none.

    Of an answer that cites very often, the first `MOST_ASKED` sentences with citations and their first `MOST_PAIRS`
    citations count, and pages count as unknown after `MOST_CHARACTERS`.
    """
    pages: dict[str, Page] = {}
    numbered = [pages.setdefault(one.page, Page()) for one in cited.citations]
    for page, one in zip(numbered, cited.citations, strict=True):
        page.text = page.text or one.passage
    places = [place for place, numbers in enumerate(cited.cited) if numbers][:MOST_ASKED]
    pairs = [(place, number) for place in places for number in dict.fromkeys(cited.cited[place])]
    for place, number in pairs[:MOST_PAIRS]:
        statement = without_citations(cited.sentences[place]).strip()
        made_by = numbered[number - 1].statements.setdefault(statement, [])
        if place not in made_by[-1:]:
            made_by.append(place)
    cited_pages = [page for page in pages.values() if page.statements]
    n_characters = 0
    for page in cited_pages:
        n_characters += len(page.text) * len(page.requests)
        if n_characters > MOST_CHARACTERS:
            page.text = ""
    return cited_pages or None


class Fact(PromptsByLanguage, CitationJudge):
    """How many statements of a report the pages support that it cites.

    Du et al. (2025), DeepResearch Bench, https://arxiv.org/abs/2506.11763 (FACT).
    """

    name: ClassVar[str] = "fact"
    stem: ClassVar[str] = "fact_prompt"
    places: ClassVar[tuple[str, ...]] = PLACES
    score_names: ClassVar[tuple[str, ...]] = ("fact.accuracy", "fact.effective", "fact.uncited")
    label: ClassVar[str] = "Citations of pages"
    formula: ClassVar[str] = "metrics/cited/fact.html"
    reply_tokens: ClassVar[int] = 200

    def __init__(self, prompts: Mapping[str, str] | None = None, judged_length: int | None = None) -> None:
        super().__init__(prompts, judged_length)
        self.prompts: dict[str, CitationPrompt] = {}
        """By the code of a language; the empty code is that of the others."""
        if prompts is not None:
            texts = self.texts_of(prompts)
            self.prompts = {code: CitationPrompt(text, _REPLY) for code, text in texts.items()}
            self.prompt_version = f"fact-{prompts_digest(texts)}"
        self.question_fields = ("language",) if len(self.prompts) > 1 else ()

    def prompt_faults(self, files: Mapping[str, str]) -> Iterator[tuple[str, str, str]]:
        for name in by_language(files, self.stem).values():
            if lacking := [word for word in ("idx", "result", *LETTERS) if word not in files[name]]:
                yield name, f"a prompt without {', '.join(lacking)}", "a list of idx and result, one for each statement"

    def columns(self) -> tuple[Column, ...]:
        """None is shown on a hidden split: systems send what their sources say themselves."""
        accuracy = "The share of the statements that cite a page which the page supports, of all questions together."
        effective = "The mean number of supported statements in the answers that cite something."
        uncited = "The share of the questions whose answer cites nothing; they count in neither of the others."
        return (
            self.column("accuracy", "Citation accuracy", "C. acc.", accuracy, disclosed=False),
            self.column(
                "effective",
                "Effective citations",
                "E. cit.",
                effective,
                disclosed=False,
                unit="number",
                digits=2,
                bounds=None,
            ),
            self.column(
                "uncited", "Answers that cite nothing", "Uncited", uncited, disclosed=False, higher_is_better=False
            ),
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
                (
                    "The published code has a model extract statements and fetches pages. Here a statement is a "
                    "sentence with [n], and a page is the text that was sent with its citation: nothing is fetched."
                ),
                (
                    "Questions whose answer cites nothing count neither in accuracy nor in effective citations, which "
                    "flatters a system that often cites nothing: look at the third column."
                ),
                "A page without a text and statements judged as unknown count nowhere.",
                (
                    f"The judge is asked about the first {MOST_ASKED:,} sentences with citations of an answer, and "
                    f"their first {MOST_PAIRS:,} citations."
                ),
            ),
            source="https://arxiv.org/abs/2506.11763",
        )

    def items(
        self,
        keys: Sequence[str],
        questions: Sequence[str],
        references: Sequence[ReferenceAnswer],
        generations: Sequence[str | None],
        *,
        stored: Sequence[Mapping[str, str]] = (),
        **_: object,
    ) -> Iterator[FactItem]:
        """Items to judge: one for each page with a text and each `AT_ONCE` of its statements.

        Args:
            generations: As `packed` makes them.
        """
        del questions, references
        language = dict(zip(keys, (own.get("language", "") for own in stored), strict=False))
        for key, cited in answers_of(keys, generations):
            prompt = self.prompts[prompt_for(language.get(key, ""), self.prompts)]
            for number, page in enumerate(pages_of(cited) or ()):
                digest = digest_of(page.text)
                for at, statements in enumerate(page.requests):
                    lines = "\n".join(f"{place}. {text}" for place, text in enumerate(statements, start=1))
                    item = f"{key}\t{number}\t{at}", "", digest, SentAnswer(lines, cut=False), prompt, PLACES
                    yield FactItem(*item, passages=(page.text,), n=len(statements))

    def score_answers(
        self,
        verdicts: Sequence[Sequence[str]],
        references: Sequence[ReferenceAnswer],
        generations: Sequence[str | None] = (),
    ) -> Mapping[str, ScoredVector]:
        """See `JudgeMetric.score_answers`; of a score that no answer has, there is none."""
        del references
        answers: list[list[list[str] | None] | None] = []
        for own, generation in zip(verdicts, generations, strict=True):
            letters = iter(own)
            pages = pages_of(CitedAnswer.of(generation))
            results = [
                [_RESULTS[letter] for _ in page.requests for letter in next(letters)] if page.text else None
                for page in pages or ()
            ]
            answers.append(results or None)
        n_supported, n_unsupported = (
            np.array([sum(page.count(result) for page in pages or () if page) for pages in answers], dtype=np.float64)
            for result in (SUPPORTED, UNSUPPORTED)
        )
        n_found = n_supported + n_unsupported
        cites = np.array([pages is not None for pages in answers], dtype=np.float64)
        scores = {"fact.uncited": ScoredVector(float(np.mean(1 - cites)), 1 - cites)}
        if summary := fact_summary(answers):
            shares = np.divide(n_supported, n_found, out=np.zeros_like(n_found), where=n_found > 0)
            scores["fact.accuracy"] = ScoredVector(summary.accuracy, shares, n_found)
            scores["fact.effective"] = ScoredVector(summary.effective_citations, n_supported, cites)
        return scores

    def marks(self, cited: CitedAnswer, replies: Mapping[str, tuple[str, str]]) -> list[SentenceMark]:
        """A sentence that cites several pages is supported if one of them supports it."""
        found: dict[int, set[str]] = {}
        for number, page in enumerate(pages_of(cited) or ()):
            for at, statements in enumerate(page.requests):
                letters, _ = replies.get(f"{number}\t{at}", ("", ""))
                for letter, statement in zip(letters, statements, strict=False):
                    for place in page.statements[statement]:
                        found.setdefault(place, set()).add(_RESULTS[letter])
        of_sentence = (found.get(place, set()) for place in range(len(cited.sentences)))
        return [SentenceMark(SUPPORTED in own if own & {SUPPORTED, UNSUPPORTED} else None) for own in of_sentence]

    def is_correct(self, verdict: str) -> bool:
        """Whether all statements are supported."""
        return set(verdict) == {LETTERS[SUPPORTED]}
