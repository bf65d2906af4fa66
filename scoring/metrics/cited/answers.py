"""An answer with its citations, and the metrics that read it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Final

from scoring.generations.citations import of_stored
from scoring.metrics.base import Metric
from scoring.metrics.citations import read_citations
from scoring.metrics.cited.sentences import sentences_of
from scoring.metrics.columns import Column
from scoring.metrics.graded_answer.items import StoredQuestion

LONGEST: Final = 200_000
"""Characters of an answer that are read; the rest cites nothing."""


@dataclass(frozen=True)
class Citation:
    """What an answer cites."""

    id: str = ""
    url: str = ""
    title: str = ""
    quote: str = ""
    text: str = ""

    @property
    def page(self) -> str:
        """What is the same for all citations of one page: its id, or its address without a highlighted text
        (``#:~:text=``), which the code of DeepResearch Bench cuts off as well."""
        return self.url.partition("#:~:text=")[0] or self.id

    @cached_property
    def passage(self) -> str:
        """What it says, with its title, as ALCE's code gives it to the model; empty if that is not known."""
        said = self.text if self.text.strip() else self.quote
        return "" if not said.strip() else f"Title: {self.title}\n{said}" if self.title else said


@dataclass(frozen=True)
class CitedAnswer:
    """An answer with its citations, and the pages that are evidence for its question."""

    text: str
    citations: tuple[Citation, ...] = ()
    evidence: tuple[tuple[str, str], ...] = ()
    """Title and address of each page."""

    @classmethod
    def of(cls, generation: str | None) -> CitedAnswer:
        """The answer in a text that `packed` made."""
        stored = json.loads(generation) if generation is not None else {}
        citations = tuple(Citation(**one) for one in stored.get("citations", ()))
        return cls(stored.get("answer") or "", citations, tuple(map(tuple, stored.get("evidence", ()))))

    @cached_property
    def sentences(self) -> list[str]:
        """Its sentences, with their citations."""
        return sentences_of(self.text[:LONGEST])

    @cached_property
    def cited(self) -> list[list[int]]:
        """For each sentence the numbers of its citations, from 1, in its order; none if one does not exist."""
        numbers = [read_citations(sentence) for sentence in self.sentences]
        return [own if all(1 <= number <= len(self.citations) for number in own) else [] for own in numbers]

    @cached_property
    def places(self) -> list[int]:
        """The sentences that cite something, by their places from 0."""
        return [place for place, numbers in enumerate(self.cited) if numbers]

    def passages(self, numbers: Sequence[int]) -> list[str]:
        """The passages with a text among some citations, in their order."""
        return [text for text in (self.citations[number - 1].passage for number in numbers) if text]


class CitationMetric(Metric):
    """A metric of the citations in answers, each of which it gets as `packed` makes it."""

    version: ClassVar[str] = "0.9.0"
    task_types: ClassVar[tuple[str, ...]] = ("text-answer", "short-answer", "rubric")
    needs_site: ClassVar[bool] = True
    reads_citations: ClassVar[bool] = True

    def column(self, part: str, label: str, short_label: str, description: str, **changes: Any) -> Column:
        """See `Metric.column`. None is shown on a hidden split: systems send what their sources say themselves, and
        recall of evidence loses nothing by many citations."""
        return super().column(part, label, short_label, description, disclosed=False, **changes)


def packed(answer: str | None, citations: str | None, question: StoredQuestion) -> str:
    """An answer as metrics get it that read citations.

    A citation without a text whose ``id`` is the number of a text in the question's context, from 1, or its first line,
    gets that text.

    Args:
        citations: As they are stored (`scoring.generations.citations`).
    """
    texts = [block for block in question.context or () if isinstance(block, str)]
    passages = {text.partition("\n")[0].strip(): text for text in reversed(texts)}
    passages |= {str(number): text for number, text in enumerate(texts, start=1)}
    cited = list(of_stored(citations))
    for one in cited:
        if not one.get("text", "").strip() and one.get("id") in passages:
            one["text"] = passages[one["id"]]
    evidence = [[str(page.get("title") or ""), str(page.get("url") or "")] for page in question.evidence]
    return json.dumps({"answer": answer, "citations": cited, "evidence": evidence}, ensure_ascii=False)
