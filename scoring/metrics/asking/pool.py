"""The pool that asks the judge: a fixed number of workers, each taking the next answer when it has finished one."""

from __future__ import annotations

import asyncio
import hashlib
import json
import random
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Final

from scoring.metrics.asking.cost import BY_CHARACTERS, REPLY_TOKENS, TokenCounter
from scoring.metrics.asking.endpoint import Endpoint
from scoring.metrics.asking.errors import (
    EndpointUnavailableError,
    MisconfiguredError,
    PassingTroubleError,
    RejectedError,
)
from scoring.metrics.asking.items import AskedItem, JudgeSettings
from scoring.metrics.asking.rate_limits import Pace, backoff
from scoring.metrics.asking.replies import Outcome, Reply

OnReply = Callable[[AskedItem, Reply], Awaitable[None]]
"""Called with every reply immediately, before anything else happens; an exception that it raises ends the run."""
Check = Callable[[], None]
"""Called before every new answer; an exception that it raises ends the run."""

REJECTIONS_IN_A_ROW: Final = 5
"""After this many rejected requests and none accepted, the cause is the configuration, not the answers."""


@dataclass(frozen=True)
class PoolSettings:
    """The limits on asking."""

    concurrency: int = 32
    """The maximum number of concurrent requests."""
    requests_per_minute: float = 0
    """0 for no limit; likewise the next."""
    tokens_per_minute: float = 0
    """Prompts and replies together, as providers count."""
    max_asks: int = 3
    """The maximum number of times that a verdict is asked for while replies contain none."""
    max_tries: int = 6
    """The maximum number of times that one ask is sent while no reply arrives."""
    max_timeouts: int = 2
    """The maximum number of timeouts of one ask: a request that timed out may have been paid for."""
    max_rate_limited: int = 30
    """The maximum number of times that one ask is sent while the endpoint reports an exceeded limit."""
    backoff_seconds: float = 1.0
    longest_backoff_seconds: float = 60.0
    longest_wait_seconds: float = 120.0
    """The longest wait requested by the endpoint that the pool waits itself; for a longer one the run is requeued."""


@dataclass(frozen=True)
class PendingItem:
    """One answer for the pool: the item to judge, and the number of earlier asks."""

    item: AskedItem
    asks_before: int = 0
    unread_before: int = 0
    """The number of earlier replies without a verdict: the seed continues from there."""
    asks_left: int | None = None
    """The remaining number of asks, if lower than the settings allow."""


class _StoppedError(Exception):
    """The pool is stopping."""


class JudgePool:
    """Asks one endpoint for verdicts. One pool serves one run.

    ``concurrency`` workers each take the next answer as soon as they have finished one: no batch waits for its slowest
    request. A request without a reply is sent again after a wait that doubles, or that the endpoint asks for; after a
    reply without a verdict the answer is asked about again with the next seed.

    When something ends the run (a callback that fails, a key that is not accepted, an unavailable endpoint), no new
    request is sent, but the pool waits for running requests, which may have been paid for, and passes on their replies.
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
        self.outcomes: Counter[Outcome] = Counter()
        """The number of replies, including asks that finally got no reply."""
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
        self._first_fault_at = float("inf")
        self._accepted = False

    async def run(self, pending: Iterable[PendingItem]) -> None:
        """Ask about all answers; return when each has its verdict or the reason why there is none.

        Args:
            pending: read as workers become free, so that it may end when no further answer should be asked about.

        Raises:
            MisconfiguredError: no request will be accepted with these settings.
            EndpointUnavailableError: the endpoint is unavailable; all received replies have been passed on.
            Exception: any exception of ``on_reply`` or ``check``.
        """
        waiting = iter(pending)
        async with asyncio.TaskGroup() as group:
            for _ in range(self._pool.concurrency):
                group.create_task(self._work(waiting))
        error = self._error
        if isinstance(error, EndpointUnavailableError) and error.whole is None:
            error.whole = not await self._endpoint.reachable()
        if error is not None:
            raise error

    # --- Workers -----------------------------------------------------------------------------------------------------

    async def _work(self, waiting: Iterator[PendingItem]) -> None:
        try:
            for pending in waiting:
                if self._stop.is_set():
                    return
                self._check()
                await self._judge_item(pending)
        except _StoppedError:
            return
        except Exception as error:  # noqa: BLE001 - whatever it is, the others must come to an orderly end first
            self._error = self._error or error
            self._stop.set()

    async def _judge_item(self, pending: PendingItem) -> None:
        allowed = self._pool.max_asks if pending.asks_left is None else min(pending.asks_left, self._pool.max_asks)
        ask = pending.asks_before
        n_unread = 0
        faults: Counter[Outcome] = Counter()
        while n_unread < allowed:
            ask += 1
            reply = await self._ask(pending.item, ask, self._judge.seed + pending.unread_before + n_unread)
            self.outcomes[reply.outcome] += 1
            await self._on_reply(pending.item, reply)
            if reply.outcome.fault:
                if not await self._wait_out_fault(reply.outcome, faults):
                    return
                continue
            if reply.outcome.final or reply.outcome.passing:
                return
            if self._stop.is_set():
                raise _StoppedError
            n_unread += 1

    async def _ask(self, item: AskedItem, ask: int, seed: int) -> Reply:
        """Send one ask until it is answered or given up; then the reply has the outcome of its last trouble."""
        messages = item.messages()
        body = self._endpoint.request_body(
            messages, model=self._judge.model, temperature=self._judge.temperature, seed=seed
        )
        # The same after a restart too: what was in flight when a worker died need not be paid for twice.
        key = hashlib.sha256(json.dumps([body, ask], sort_keys=True).encode("ascii")).hexdigest()
        tokens = self._counter.of_messages(messages) + self._reply_tokens if self._pool.tokens_per_minute else 0
        first_trouble_at = float("inf")
        troubles: Counter[Outcome] = Counter()
        while True:
            await self._pace.admit(tokens)
            if self._stop.is_set():
                raise _StoppedError
            try:
                private = [item.reference, *item.further.values()]
                content, latency = await self._endpoint.complete(body, private=private, key=key)
                break
            except PassingTroubleError as trouble:
                troubles[trouble.outcome] += 1
                first_trouble_at = min(first_trouble_at, time.monotonic())
                if self._given_up(troubles):
                    if self._last_reply_at < first_trouble_at:  # no request was answered since, not only this one
                        raise EndpointUnavailableError(self._away(trouble)) from None
                    return Reply(outcome=trouble.outcome, ask=ask, seed=seed)
                await self._wait_out(trouble, troubles.total())
            except RejectedError as refusal:
                n_rejected = self.outcomes[Outcome.REJECTED] + 1
                if refusal.outcome is Outcome.REJECTED and not self._accepted and n_rejected >= REJECTIONS_IN_A_ROW:
                    raise MisconfiguredError(f"The judge's endpoint rejects all requests: {refusal}") from None
                return Reply(outcome=refusal.outcome, text=refusal.body[:2000], ask=ask, seed=seed)
        self._accepted = True
        reply = replace(self._endpoint.reply_in(content, item.read), ask=ask, seed=seed, latency=latency)
        if not reply.outcome.fault:
            self._last_reply_at = time.monotonic()
        if reply.tokens_in is not None and reply.tokens_out is not None:
            self._pace.settle(tokens, reply.tokens_in + reply.tokens_out)
        return reply

    # --- Troubles ----------------------------------------------------------------------------------------------------

    async def _wait_out_fault(self, outcome: Outcome, faults: Counter[Outcome]) -> bool:
        """Wait after a reply that is empty or no JSON, as after an error of the server; false if this answer's tries
        are used up. The reply is stored, because it may have been paid for; the next try has the same seed."""
        if self._stop.is_set():
            raise _StoppedError
        trouble = PassingTroubleError(outcome, "with status 200")
        if not faults:
            self._first_fault_at = min(self._first_fault_at, time.monotonic())
        faults[outcome] += 1
        if self._given_up(faults):
            if self._last_reply_at < self._first_fault_at:
                raise EndpointUnavailableError(self._away(trouble))
            return False
        await self._wait_out(trouble, faults.total())
        return True

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
            self._pace.pause(wait)  # the limit is the account's: every request now would be rejected
            wait += self._chance() * min(wait, 1.0)
        await self._sleep(wait)

    @staticmethod
    def _away(trouble: PassingTroubleError) -> str:
        return f"The judge's endpoint is not answering ({trouble.outcome.label}: {trouble})."

    async def _sleep(self, seconds: float) -> None:
        """Sleep, unless the pool is stopping, which ends the sleep and the worker."""
        try:
            async with asyncio.timeout(seconds):
                await self._stop.wait()
        except TimeoutError:
            return
        raise _StoppedError
