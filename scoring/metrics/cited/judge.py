"""What both judges of citations share: what they ask about an answer, and how its verdicts become scores and marks."""

from __future__ import annotations

import hashlib
from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Final

from scoring.metrics.asking.items import AnswersToJudge, AskedItem
from scoring.metrics.asking.languages import prompt_for
from scoring.metrics.asking.letters import Reading
from scoring.metrics.asking.metric import JudgeMetric
from scoring.metrics.asking.neutralising import SentAnswer, neutralise
from scoring.metrics.asking.prompts import Prompt
from scoring.metrics.base import ReferenceAnswer, ScoredVector
from scoring.metrics.cited.answers import CitationMetric, CitedAnswer

MOST_ASKED: Final = 500
"""Sentences with citations of an answer that the judge is asked about at most, the first."""
MOST_CHARACTERS: Final = 10_000_000
"""Characters of passages at most that the first requests about an answer have, all of them together."""

VerdictOf = Callable[[str, Sequence[str], Sequence[str]], tuple[str, str]]
"""The verdict on whether passages support statements, and the reply that it was read in; both empty while unknown.

The first argument tells the request from the answer's others, by two parts with a tab between them; passages and
statements follow."""


@dataclass(frozen=True)
class CitationItem(AskedItem):
    """A request: ``answer`` has the statements, and ``reference`` the digests of the passages.

    Both texts are as the system wrote them, and neutralised only when they are sent: there may be many requests about
    the same long page."""

    judge: CitationJudge
    prompt: Prompt
    passages: Sequence[str]
    n: int
    """The number of statements."""

    @property
    def answer_key(self) -> str:
        return self.key.rsplit("\t", 2)[0]

    def messages(self) -> list[dict[str, str]]:
        texts = "\n".join(self.passages), self.answer.text
        sent = (neutralise(text, self.prompt.delimiters) for text in texts)
        return self.prompt.messages(dict(zip(self.judge.places, sent, strict=True)))

    def read(self, reply: str) -> Reading | None:
        verdict = self.judge.verdict_in(reply, self.n)
        return None if verdict is None else Reading(verdict)


@dataclass(frozen=True)
class SentenceMark:
    """What is known of a sentence and its citations."""

    supported: bool | None
    """Whether its citations support it; None without a verdict."""
    reason: str = ""
    """What the judge says for it."""


class CitationJudge(CitationMetric, JudgeMetric):
    """A judge of the citations in answers."""

    judges_in_one: ClassVar[bool] = False
    asks_about: ClassVar[str] = "citations"
    asks_nothing_about: ClassVar[str] = "missing, or no text cited"
    yes: ClassVar[str]
    """The letter of a statement that is supported."""
    places: ClassVar[tuple[str, ...]]
    """The places of a prompt: for passages, and for what is said with reference to them, both written by the system."""
    is_numbered: ClassVar[bool] = False
    """Whether a prompt gets several statements at once, with numbers."""
    prompts: Mapping[str, Prompt]
    """By the code of a language; the empty code is that of the others."""

    @staticmethod
    @abstractmethod
    def verdict_in(reply: str, n: int) -> str | None:
        """The verdict in a reply about a number of statements, a letter for each; None if it has none."""

    @abstractmethod
    def assess(
        self, cited: CitedAnswer, verdict_of: VerdictOf, *, at_most: bool = False
    ) -> tuple[Any, list[SentenceMark]]:
        """What the scores of an answer are made of, and the mark of each of its sentences.

        Args:
            verdict_of: Called for each request, and for none that an unknown verdict might lead to.
            at_most: Whether it is called for all of these too.
        """

    @abstractmethod
    def scores_of(self, assessed: Sequence[Any]) -> Mapping[str, ScoredVector]:
        """The scores, from what `assess` returns for each answer."""

    def items(self, answers: AnswersToJudge) -> Iterator[CitationItem]:
        """The requests about each answer.

        Args:
            answers: Generations are as `packed` makes them.
        """
        for key, _, _, generation, fields in answers.rows():
            prompt = self.prompts[prompt_for(fields.get("language", ""), self.prompts)]
            yield from self._items_of(CitedAnswer.of(generation), key, prompt, answers)

    def _items_of(self, cited: CitedAnswer, key: str, prompt: Prompt, answers: AnswersToJudge) -> list[CitationItem]:
        items: dict[str, CitationItem] = {}

        def verdict_of(part: str, passages: Sequence[str], statements: Sequence[str]) -> tuple[str, str]:
            own = f"{key}\t{part}"
            if own not in items:
                numbered = [f"{number}. {text}" for number, text in enumerate(statements, start=1)]
                answer = SentAnswer("\n".join(numbered if self.is_numbered else statements), cut=False)
                digests = " ".join(hashlib.sha256(passage.encode()).hexdigest() for passage in passages)
                items[own] = CitationItem(own, "", digests, answer, self, prompt, passages, len(statements))
            return answers.verdicts.get(own, ""), ""

        self.assess(cited, verdict_of, at_most=answers.at_most)
        return list(items.values())

    def score_answers(
        self,
        verdicts: Sequence[Sequence[str]],
        references: Sequence[ReferenceAnswer],
        generations: Sequence[str | None] = (),
    ) -> Mapping[str, ScoredVector]:
        """See `JudgeMetric.score_answers`: verdicts are in the order of `items`, in which `assess` asks."""
        del references
        return self.scores_of([self._assessed(*answer) for answer in zip(verdicts, generations, strict=True)])

    def _assessed(self, verdicts: Sequence[str], generation: str | None) -> Any:
        known: dict[str, str] = {}
        given = iter(verdicts)

        def verdict_of(part: str, *_: object) -> tuple[str, str]:
            if part not in known:
                known[part] = next(given)
            return known[part], ""

        return self.assess(CitedAnswer.of(generation), verdict_of)[0]

    def marks(self, cited: CitedAnswer, replies: Mapping[str, tuple[str, str]]) -> list[SentenceMark]:
        """What the judge says of each sentence of an answer.

        Args:
            replies: The verdict of each request and the reply, by what its key has after that of the answer.
        """
        return self.assess(cited, lambda part, *_: replies.get(part, ("", "")))[1]

    def is_correct(self, verdict: str) -> bool:
        """Whether all statements are supported."""
        return set(verdict) == {self.yes}
