"""Rate limits: requests and tokens a minute, waits after a failure, and a pause for all requests on demand."""

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
"""The capacity of a bucket, as a duration of its rate: a limit per minute also holds roughly for each second."""
LONGEST_WAIT: Final = 3600.0 * 24


class TokenBucket:
    """Lets through a number of units a minute, in the order of the requests.

    A request larger than the bucket passes when the bucket is full and leaves a debt, so nothing waits for ever.

    Args:
        per_minute: Units a minute; 0 for no limit.
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
        """Wait until the given number of units is available, and take them."""
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
        """Take more (or, if negative, return) units without waiting, to correct an estimate."""
        if self._rate:
            self._level = min(self._level - amount, self._capacity)

    def _fill(self) -> None:
        now = self._clock()
        self._level = min(self._level + (now - self._at) * self._rate, self._capacity)
        self._at = now


class Pace:
    """Decides when the next request may be sent: both limits, and the pause that the endpoint asked for."""

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
        """Wait until a request of about this many tokens (prompt and reply) may be sent."""
        await self._tokens.take(tokens)
        await self._requests.take()
        while (left := self._paused_until - self._clock()) > 0:
            await self._sleep(left)

    def settle(self, estimated: float, actual: float | None) -> None:
        """Correct the tokens of a request by the endpoint's count."""
        if actual is not None:
            self._tokens.correct(actual - estimated)

    def pause(self, seconds: float) -> None:
        """Send no requests for this time: the endpoint reported that the limit is exceeded for all."""
        self._paused_until = max(self._paused_until, self._clock() + seconds)


def backoff(attempt: int, *, base: float, longest: float, chance: Callable[[], float] = random.random) -> float:
    """The wait after the *attempt*-th consecutive failure (from 1): doubling, up to *longest*, with jitter.

    The wait is a random time between half of it and all of it, so that requests that failed together do not return
    together.
    """
    whole: float = min(base * 2 ** (attempt - 1), longest)
    return whole * (0.5 + 0.5 * chance())


def retry_after(headers: Mapping[str, str], now: datetime.datetime | None = None) -> float | None:
    """The wait in seconds that a response asks for, or ``None``.

    ``retry-after-ms`` in milliseconds, or ``Retry-After`` in seconds or as a date (RFC 9110, 10.2.3).

    Args:
        headers: With names in any case if it is an HTTP client's mapping, else in lower case.
        now: The current time with its time zone, for a date in the header.

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
