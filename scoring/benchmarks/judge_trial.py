"""A judge on trial: it judges a few questions of a benchmark, so that its author reads prompts and replies first."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from decimal import Decimal
from types import MappingProxyType
from typing import Any

from scoring.benchmarks.base import SourceQuestion
from scoring.metrics.asking.config import JudgeConfig
from scoring.metrics.asking.items import AnswersToJudge, AskedItem
from scoring.metrics.asking.metric import JudgeMetric
from scoring.metrics.asking.pool import JudgePool, PendingItem
from scoring.metrics.asking.replies import Reply
from scoring.metrics.cited.answers import packed
from scoring.metrics.graded_answer.items import stored_texts

OWN = "its own answer"


@dataclass
class Tried:
    """One request to the judge, with the replies to it: several if one had no readable verdict."""

    qid: str
    answer: str
    """Whose answer was judged, in words."""
    item: AskedItem
    replies: list[Reply] = field(default_factory=list)

    def usd(self, config: JudgeConfig) -> Decimal | None:
        """What the replies cost; None if the model's price or the number of tokens is unknown."""
        costs = [
            config.price.of(reply.tokens_in, reply.tokens_out)
            for reply in self.replies
            if config.price is not None and reply.tokens_in is not None and reply.tokens_out is not None
        ]
        return sum(costs, Decimal()) if len(costs) == len(self.replies) else None


def requests(
    metric: JudgeMetric,
    questions: Sequence[SourceQuestion],
    answers: Mapping[str, str],
    n: int,
    citations: Mapping[str, str] = MappingProxyType({}),
) -> Iterator[Tried]:
    """The requests about some questions, spread evenly over those that have an answer.

    Each question is asked about twice, because a judge that finds everything right looks like a good one as long as
    the answers are right: with its own answer, and with that of another question. A judge that compares gets both in
    one request, in both orders. Items that have one verdict, such as the criteria of a group, are one request.

    Args:
        answers: By question, an answer as stored: of a system, or a copy of the reference.
        n: The most questions.
        citations: Likewise those of answers that have some.
    """
    answered = [question for question in questions if question.qid in answers]
    answered = answered[:: max(1, len(answered) // n)][:n]
    others = [*answered[1:], *answered[:1]]
    for question, other in zip(answered, others, strict=True):
        own, foreign, of_other = answers[question.qid], answers[other.qid], f"the answer of {other.qid}"
        if metric.reads_citations:
            own, foreign = (packed(answers[qid], citations.get(qid), question) for qid in (question.qid, other.qid))
        tries: list[tuple[str, str, dict[str, Any]]] = [(OWN, own, {}), (of_other, foreign, {})]
        if metric.compares:
            compared: dict[str, Any] = {"opponents": [foreign], "longest": metric.longest}
            tries = [(f"{OWN}, compared with {of_other}", own, compared)]
        reference = question.answer if question.has_answer else ""
        stored = [stored_texts(question, metric.question_fields)]
        for answer, text, opponent in tries:
            asked = AnswersToJudge([question.qid], [question.text], [reference], [text], stored=stored, **opponent)
            by_address = {item.address(metric.settings): item for item in metric.items(asked) if not item.known}
            yield from (Tried(question.qid, answer, item) for item in by_address.values())


def ask(config: JudgeConfig, tried: Sequence[Tried]) -> None:
    """Send the requests, and keep the replies to each.

    Raises:
        MisconfiguredError: no request will be accepted with these settings.
        EndpointUnavailableError: the endpoint is unavailable.
    """
    of_item = {id(one.item): one for one in tried}

    async def keep(item: AskedItem, reply: Reply) -> None:
        of_item[id(item)].replies.append(reply)

    async def run() -> None:
        async with aclosing(config.endpoint.connect()) as endpoint:
            await JudgePool(endpoint, config.judge, config.pool, on_reply=keep).run(
                PendingItem(one.item) for one in tried
            )

    asyncio.run(run())
