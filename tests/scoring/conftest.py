"""A judge's endpoint of each test's own, and a pool that asks it."""

import asyncio
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from scoring.metrics.asking.endpoint import Endpoint, EndpointSettings
from scoring.metrics.asking.items import AskedItem, JudgeSettings
from scoring.metrics.asking.pool import Check, JudgePool, PendingItem, PoolSettings
from scoring.metrics.asking.replies import Outcome, Reply
from scoring.metrics.judge.prompt import JudgeItem, sent_answer
from tests.judge_server import JudgeServer

MODEL = "gpt-4o-2024-11-20"
KEY = "sk-test-abcdefghijklmnop"


@pytest.fixture
def server() -> Iterator[JudgeServer]:
    with JudgeServer() as server:
        yield server


def item(number: int, answer: str = "", *, reference: str = "") -> JudgeItem:
    reference = reference or f"City {number}"
    return JudgeItem(
        f"q{number}", f"What is the capital of country {number}?", reference, sent_answer(answer or reference)
    )


class Asker:
    """Runs pools against a server and keeps what they hand on, in order."""

    def __init__(self, server: JudgeServer) -> None:
        self.server = server
        self.replies: list[tuple[str, Reply]] = []
        self.outcomes: Counter[Outcome] = Counter()

    def ask(
        self,
        *items: AskedItem | PendingItem,
        check: Check = lambda: None,
        on_reply: Callable[[AskedItem, Reply], None] = lambda item, reply: None,
        timeout_seconds: float = 60,
        key: str = KEY,
        **changes: Any,
    ) -> dict[str, Reply]:
        """The last reply to each item."""
        options = {"backoff_seconds": 0.01, "longest_backoff_seconds": 0.05, "concurrency": 4} | changes

        async def keep(item: AskedItem, reply: Reply) -> None:
            self.replies.append((item.key, reply))
            on_reply(item, reply)

        async def run() -> None:
            endpoint = Endpoint(
                EndpointSettings(base_url=self.server.url, api_key=key, timeout_seconds=timeout_seconds)
            )
            pool = JudgePool(
                endpoint,
                JudgeSettings(MODEL),
                PoolSettings(**options),
                on_reply=keep,
                check=check,
            )
            self.outcomes = pool.outcomes
            try:
                await pool.run([entry if isinstance(entry, PendingItem) else PendingItem(entry) for entry in items])
            finally:
                await endpoint.aclose()

        asyncio.run(run())
        return dict(self.replies)


@pytest.fixture
def asker(server: JudgeServer) -> Asker:
    return Asker(server)
