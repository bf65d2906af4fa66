"""The pace of asking: requests and tokens a minute, waits after a failure, and a pause for all when one is told so."""

from __future__ import annotations

import asyncio
import datetime
import email.utils
import random
import time
from collections.abc import Awaitable, Callable, Mapping
from typing import Final

Clock = Callable[[], float]
Sleep = Callable[[float], Awaitable[None]]

BURST_SECONDS: Final = 1.0
"""A bucket holds what comes in during this: a limit a minute is kept within every second, about."""
LONGEST_WAIT: Final = 3600.0 * 24


class TokenBucket:
    """Lets through so many units a minute, in the order asked.

    What is larger than the bucket goes through when it is full and leaves a debt, so nothing waits for ever.

    :param per_minute: units a minute; 0 for no limit.
    """

    def __init__(self, per_minute: float, *, clock: Clock = time.monotonic, sleep: Sleep = asyncio.sleep) -> None:
        self._rate = per_minute / 60
        self._capacity = max(self._rate * BURST_SECONDS, 1.0)
        self._level = self._capacity
        self._clock = clock
        self._sleep = sleep
        self._at = clock()
        self._turn = asyncio.Lock()

    async def take(self, amount: float = 1.0) -> None:
        """Wait until so many units may go, and take them."""
        if not self._rate:
            return
        async with self._turn:
            self._fill()
            missing = min(amount, self._capacity) - self._level
            while missing > 1e-9:
                await self._sleep(missing / self._rate)
                self._fill()
                missing = min(amount, self._capacity) - self._level
            self._level -= amount

    def correct(self, amount: float) -> None:
        """Take more (or, if negative, give back) without waiting: an estimate turned out wrong."""
        if self._rate:
            self._level = min(self._level - amount, self._capacity)

    def _fill(self) -> None:
        now = self._clock()
        self._level = min(self._level + (now - self._at) * self._rate, self._capacity)
        self._at = now


class Pace:
    """When the next request may go: both limits, and the pause that the endpoint asked for."""

    def __init__(
        self,
        *,
        requests_per_minute: float = 0,
        tokens_per_minute: float = 0,
        clock: Clock = time.monotonic,
        sleep: Sleep = asyncio.sleep,
    ) -> None:
        self._clock = clock
        self._sleep = sleep
        self._requests = TokenBucket(requests_per_minute, clock=clock, sleep=sleep)
        self._tokens = TokenBucket(tokens_per_minute, clock=clock, sleep=sleep)
        self._paused_until = clock()

    async def admit(self, tokens: float) -> None:
        """Wait until a request of about so many tokens (prompt and reply) may go."""
        await self._tokens.take(tokens)
        await self._requests.take()
        while (left := self._paused_until - self._clock()) > 0:
            await self._sleep(left)

    def settle(self, estimated: float, actual: float | None) -> None:
        """Correct the tokens of a request by what the endpoint counted."""
        if actual is not None:
            self._tokens.correct(actual - estimated)

    def pause(self, seconds: float) -> None:
        """Let no request go for so long: the endpoint said that all are too many."""
        self._paused_until = max(self._paused_until, self._clock() + seconds)


def backoff(attempt: int, *, base: float, longest: float, chance: Callable[[], float] = random.random) -> float:
    """How long to wait after the *attempt*-th failure in a row (from 1): doubling, up to *longest*, with jitter.

    Between half of it and all of it is waited, by chance, so that those who failed together do not come back together.
    """
    whole: float = min(base * 2 ** (attempt - 1), longest)
    return whole * (0.5 + 0.5 * chance())


def retry_after(headers: Mapping[str, str], now: datetime.datetime | None = None) -> float | None:
    """The wait in seconds that a response asks for, or nothing.

    ``retry-after-ms`` in milliseconds, or ``Retry-After`` in seconds or as a date (RFC 9110, 10.2.3).

    :param headers: with names in any case if it is an HTTP client's mapping, else in small letters.
    :param now: the time to reckon a date from, with its zone.

    >>> retry_after({"retry-after": "2"}), retry_after({"retry-after-ms": "250"}), retry_after({})
    (2.0, 0.25, None)
    """
    for name, unit in (("retry-after-ms", 1000.0), ("retry-after", 1.0)):
        value = headers.get(name, "").strip()
        try:
            seconds = float(value) / unit
        except ValueError:
            continue
        if 0 <= seconds < float("inf"):
            return min(seconds, LONGEST_WAIT)
    try:
        date = email.utils.parsedate_to_datetime(headers.get("retry-after", ""))
    except (ValueError, TypeError):
        return None
    if date.tzinfo is None:
        date = date.replace(tzinfo=datetime.UTC)
    seconds = (date - (now or datetime.datetime.now(datetime.UTC))).total_seconds()
    return min(max(seconds, 0.0), LONGEST_WAIT)
