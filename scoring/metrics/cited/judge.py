"""What both judges of citations share."""

from __future__ import annotations

import hashlib
from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, Final

from scoring.generations.records import has_content
from scoring.metrics.asking.items import AskedItem
from scoring.metrics.asking.metric import JudgeMetric
from scoring.metrics.asking.neutralising import Rules, neutralise
from scoring.metrics.base import ScoredVector
from scoring.metrics.cited.answers import CitedAnswer
from scoring.metrics.graded_answer.items import AnswerPrompt
from scoring.metrics.rubric.items import part_rules

MOST_ASKED: Final = 500
"""Sentences with citations of an answer that the judge is asked about at most, the first."""
MOST_CHARACTERS: Final = 10_000_000
"""Characters of passages at most that the first requests about an answer have, all of them together."""


@dataclass(frozen=True)
class SentenceMark:
    """What is known of a sentence and its citations."""

    supported: bool | None
    """Whether its citations support it; None without a verdict."""
    reason: str = ""
    """What the judge says for it."""


@dataclass(frozen=True)
class CitationPrompt(AnswerPrompt):
    """A prompt with passages and what is said with reference to them, both written by the system."""

    reply: Rules = ()
    """What a finished reply looks like in a text."""

    @cached_property
    def delimiters(self) -> Rules:
        """What is neutralised: the prompt's tags, labels and closings, and a finished reply."""
        return (*part_rules(self.text), *self.rules, *self.reply)

    def sent(self, text: str) -> str:
        """A text as it is sent."""
        return neutralise(text, self.delimiters)


@dataclass(frozen=True)
class CitationItem(AskedItem):
    """A request about cited passages, of which ``reference`` has only the digests, and what cites them (``answer``).

    Both are as the system wrote them, and neutralised only when they are sent: there may be many requests about the
    same long page. Its key has two parts after that of the answer."""

    prompt: CitationPrompt
    places: tuple[str, str]
    """The names of the places of both in the prompt."""
    passages: tuple[str, ...]

    @property
    def answer_key(self) -> str:
        return self.key.rsplit("\t", 2)[0]

    def messages(self) -> list[dict[str, str]]:
        texts = self.prompt.sent("\n".join(self.passages)), self.prompt.sent(self.answer.text)
        return [{"role": "user", "content": self.prompt.filled(dict(zip(self.places, texts, strict=True)))}]


def digest_of(passage: str) -> str:
    """What stands for a passage in the identity of a request."""
    return hashlib.sha256(passage.encode()).hexdigest()


class CitationJudge(JudgeMetric):
    """A judge of the citations in answers."""

    version: ClassVar[str] = "0.9.0"
    task_types: ClassVar[tuple[str, ...]] = ("text-answer", "short-answer", "rubric")
    reads_citations: ClassVar[bool] = True
    judges_in_one: ClassVar[bool] = False
    asks_about: ClassVar[str] = "citations"

    def score_verdicts(self, verdicts: Sequence[str | None]) -> Mapping[str, ScoredVector]:
        """Always raise TypeError: an answer is scored with its citations (`score_answers`)."""
        raise TypeError("An answer is scored with its citations.")

    @abstractmethod
    def marks(self, cited: CitedAnswer, replies: Mapping[str, tuple[str, str]]) -> list[SentenceMark]:
        """What the judge says of each sentence of an answer.

        Args:
            replies: The verdict and the reply to each request, by what its key has after that of the answer.
        """


def answers_of(keys: Sequence[str], generations: Sequence[str | None]) -> Iterator[tuple[str, CitedAnswer]]:
    """The answers with content, each with its key."""
    for key, generation in zip(keys, generations, strict=True):
        cited = CitedAnswer.of(generation)
        if has_content(cited.text):
            yield key, cited
