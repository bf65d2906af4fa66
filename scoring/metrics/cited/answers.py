"""An answer with its citations, and what they say."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, Protocol

from scoring.generations.citations import of_stored
from scoring.metrics.citations import read_citations
from scoring.metrics.cited.sentences import sentences_of

LONGEST: Final = 200_000
"""Characters of an answer that are read; the rest cites nothing."""


class Question(Protocol):
    """A question, of a file or of a site."""

    @property
    def context(self) -> Sequence[Any] | None:
        """Its context: texts, tables, pictures and options."""

    @property
    def evidence(self) -> Sequence[Mapping[str, Any]]:
        """Pages, each with a title or an address."""


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
        """What is the same for all citations of one page."""
        return self.url or self.id

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


def packed(answer: str | None, citations: str | None, question: Question) -> str:
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
