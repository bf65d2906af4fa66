"""The pool that asks: a steady number of workers, each taking the next answer as soon as it is through with one."""

from __future__ import annotations

import asyncio
import random
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final

from scoring.metrics.judge.cost import BY_CHARACTERS, REPLY_TOKENS, TokenCounter
from scoring.metrics.judge.endpoint import (
    Endpoint,
    EndpointUnavailableError,
    MisconfiguredError,
    PassingTroubleError,
    RejectedError,
)
from scoring.metrics.judge.prompt import JudgeItem, JudgeSettings
from scoring.metrics.judge.rate_limits import Pace, backoff
from scoring.metrics.judge.replies import Outcome, Reply, read_completion

OnReply = Callable[[JudgeItem, Reply], Awaitable[None]]
"""Told of every reply the moment it is there, before anything else happens; what it raises ends the run."""
Check = Callable[[], None]
"""Called before every new answer; what it raises ends the run."""

REJECTIONS_IN_A_ROW: Final = 5
"""So many requests refused and none ever accepted: it is not the answers, it is how this site asks."""


@dataclass(frozen=True)
class PoolSettings:
    """How hard to ask."""

    concurrency: int = 32
    """Requests under way at a time, at most."""
    requests_per_minute: float = 0
    """0 for no limit; likewise the next."""
    tokens_per_minute: float = 0
    """Of prompts and replies together, as providers count."""
    max_asks: int = 3
    """How often a verdict is asked for while replies come that hold none."""
    max_tries: int = 6
    """How often one ask is sent while no reply comes."""
    max_timeouts: int = 2
    """How often, at most, one ask waits in vain until the time is up: such a request may have been paid for."""
    max_rate_limited: int = 30
    """How often one ask is sent while the endpoint says that it is too much."""
    backoff_seconds: float = 1.0
    longest_backoff_seconds: float = 60.0
    longest_wait_seconds: float = 120.0
    """A wait that the endpoint asks for is waited here; a longer one is left to the run, which goes back in line."""


@dataclass(frozen=True)
class PendingItem:
    """One answer for the pool: what to judge, and how often it was asked for before."""

    item: JudgeItem
    asks_before: int = 0
    unread_before: int = 0
    """How many of those brought a reply without a verdict: the seed counts on from there."""
    asks_left: int | None = None
    """How many asks are left for it, if fewer than the settings allow."""


@dataclass
class PoolReport:
    """What happened, in numbers."""

    outcomes: Counter[Outcome] = field(default_factory=Counter)
    """One for each reply, asks that brought none in the end included."""
    n_requests: int = 0
    """Requests sent, those without a reply included."""


class _StoppedError(Exception):
    """The pool is coming to its end."""


class JudgePool:
    """Asks one endpoint for verdicts. One pool serves one run.

    ``concurrency`` workers each take the next answer as soon as they are through with one: no batch waits for its
    slowest. A request that brings no reply is sent again after a wait that doubles, or that the endpoint asks for; a
    reply without a verdict is asked for again with the next seed.

    When something ends the run (a callback that fails, a key that is not accepted, an endpoint that is away), nothing
    new is sent, but requests that are under way, and may have been paid for, are waited for and handed on.
    """

    def __init__(
        self,
        endpoint: Endpoint,
        settings: JudgeSettings,
        pool: PoolSettings,
        *,
        on_reply: OnReply,
        check: Check = lambda: None,
        counter: TokenCounter = BY_CHARACTERS,
        reply_tokens: int = REPLY_TOKENS,
        chance: Callable[[], float] = random.random,
    ) -> None:
        self.report = PoolReport()
        self._endpoint = endpoint
        self._judge = settings
        self._pool = pool
        self._on_reply = on_reply
        self._check = check
        self._counter = counter
        self._reply_tokens = reply_tokens
        self._chance = chance
        self._pace = Pace(
            requests_per_minute=pool.requests_per_minute, tokens_per_minute=pool.tokens_per_minute, sleep=self._sleep
        )
        self._stop = asyncio.Event()
        self._error: BaseException | None = None
        self._last_reply_at = float("-inf")
        self._accepted = False

    async def run(self, pending: Iterable[PendingItem]) -> PoolReport:
        """Ask for all of them; return when each has its verdict or its reason.

        Raises:
            MisconfiguredError: no request will be accepted as things are set.
            EndpointUnavailableError: the endpoint is away; what was answered has been handed on.
            Exception: what ``on_reply`` or ``check`` raised.
        """
        queue = list(pending)
        waiting = iter(queue)
        async with asyncio.TaskGroup() as group:
            for _ in range(min(self._pool.concurrency, len(queue))):
                group.create_task(self._work(waiting))
        error = self._error
        if isinstance(error, EndpointUnavailableError) and error.whole is None:
            error.whole = not await self._endpoint.reachable()
        if error is not None:
            raise error
        return self.report

    # --- Workers -----------------------------------------------------------------------------------------------------

    async def _work(self, waiting: Iterator[PendingItem]) -> None:
        try:
            for pending in waiting:
                if self._stop.is_set():
                    return
                self._check()
                await self._judge_one(pending)
        except _StoppedError:
            return
        except Exception as error:  # noqa: BLE001 - whatever it is, the others must come to an orderly end first
            self._halt(error)

    async def _judge_one(self, pending: PendingItem) -> None:
        allowed = self._pool.max_asks if pending.asks_left is None else min(pending.asks_left, self._pool.max_asks)
        for number in range(allowed):
            seed = self._judge.seed + pending.unread_before + number
            reply = await self._ask(pending.item, pending.asks_before + number + 1, seed)
            self.report.outcomes[reply.outcome] += 1
            await self._on_reply(pending.item, reply)
            if reply.outcome.final or reply.outcome.passing:
                return
            if self._stop.is_set():
                raise _StoppedError

    async def _ask(self, item: JudgeItem, ask: int, seed: int) -> Reply:
        """Send one ask until it is answered; a reply of a passing outcome if it never was."""
        messages = item.messages()
        body = self._endpoint.request_body(
            messages, model=self._judge.model, temperature=self._judge.temperature, seed=seed
        )
        tokens = self._counter.of_messages(messages) + self._reply_tokens if self._pool.tokens_per_minute else 0
        first_trouble_at = float("inf")
        troubles: Counter[Outcome] = Counter()
        while True:
            await self._pace.admit(tokens)
            if self._stop.is_set():
                raise _StoppedError
            self.report.n_requests += 1
            try:
                answer = await self._endpoint.complete(body, private=[item.reference])
            except PassingTroubleError as trouble:
                troubles[trouble.outcome] += 1
                first_trouble_at = min(first_trouble_at, time.monotonic())
                if self._given_up(troubles):
                    if self._last_reply_at < first_trouble_at:  # nobody was answered since: it is not this request
                        raise EndpointUnavailableError(self._away(trouble)) from None
                    return Reply(outcome=trouble.outcome, ask=ask, seed=seed)
                await self._wait_out(trouble, troubles.total())
            except RejectedError as refusal:
                self._note_rejection(refusal)
                return Reply(outcome=refusal.outcome, text=refusal.body[:2000], ask=ask, seed=seed)
            else:
                self._last_reply_at, self._accepted = time.monotonic(), True
                reply = read_completion(answer.content).asked(ask=ask, seed=seed, latency=answer.latency)
                if reply.tokens_in is not None and reply.tokens_out is not None:
                    self._pace.settle(tokens, reply.tokens_in + reply.tokens_out)
                return reply

    # --- Troubles ----------------------------------------------------------------------------------------------------

    def _given_up(self, troubles: Counter[Outcome]) -> bool:
        limited = troubles[Outcome.RATE_LIMITED]
        return (
            limited >= self._pool.max_rate_limited
            or troubles[Outcome.TIMEOUT] >= self._pool.max_timeouts
            or troubles.total() - limited >= self._pool.max_tries
        )

    async def _wait_out(self, trouble: PassingTroubleError, n_troubles: int) -> None:
        longest = self._pool.longest_backoff_seconds
        wait = trouble.wait
        if wait is None:
            wait = backoff(n_troubles, base=self._pool.backoff_seconds, longest=longest, chance=self._chance)
        elif wait > self._pool.longest_wait_seconds:
            raise EndpointUnavailableError(self._away(trouble), wait=wait, whole=True)
        if trouble.outcome is Outcome.RATE_LIMITED:
            self._pace.pause(wait)  # the limit is the account's: whoever asks now would only be told the same
            wait += self._chance() * min(wait, 1.0)
        await self._sleep(wait)

    def _note_rejection(self, refusal: RejectedError) -> None:
        n_rejected = self.report.outcomes[Outcome.REJECTED] + 1
        if refusal.outcome is Outcome.REJECTED and not self._accepted and n_rejected >= REJECTIONS_IN_A_ROW:
            raise MisconfiguredError(f"The judge's endpoint rejects all requests: {refusal}")

    @staticmethod
    def _away(trouble: PassingTroubleError) -> str:
        return f"The judge's endpoint is not answering ({trouble.outcome.label}: {trouble})."

    def _halt(self, error: Exception) -> None:
        if self._error is None:
            self._error = error
        self._stop.set()

    async def _sleep(self, seconds: float) -> None:
        """Sleep, unless the pool comes to its end, which ends the sleep and the worker."""
        try:
            async with asyncio.timeout(seconds):
                await self._stop.wait()
        except TimeoutError:
            return
        raise _StoppedError
