"""How often something may be done: rates as settings write them, and counting against them in the shared cache."""

import logging
import math
import time
from collections.abc import Container
from dataclasses import dataclass
from typing import Final, Self

from django.core.cache import cache
from redis.exceptions import RedisError

PERIODS: Final = {"second": 1, "minute": 60, "hour": 3600, "day": 86400}
logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Rate:
    """So many times in so many seconds; ``number`` 0 is no limit."""

    number: int
    seconds: int

    @classmethod
    def of(cls, text: str) -> Self:
        """A rate as written in a setting.

        Raises:
            ValueError: it is neither empty nor like ``60/minute``.

        >>> Rate.of("60/minute"), Rate.of("")
        (Rate(number=60, seconds=60), Rate(number=0, seconds=1))
        """
        if not text.strip():
            return cls(0, 1)
        number, _, period = text.partition("/")
        if not number.strip().isdecimal() or period.strip() not in PERIODS:
            raise ValueError(f"“{text}” is no rate: write it like 60/minute, with one of {', '.join(PERIODS)}.")
        return cls(int(number), PERIODS[period.strip()])

    def __str__(self) -> str:
        period = next(name for name, seconds in PERIODS.items() if seconds == self.seconds)
        return f"{self.number:,} per {period}" if self.number else "no limit"


def weekly_limits(text: str, benchmarks: Container[str]) -> dict[str, int | None]:
    """How many a week, of each benchmark: the limit of all under the empty name, exceptions under theirs.

    Args:
        text: as in the setting; ``none`` is no limit.
        benchmarks: those that may be named.

    Raises:
        ValueError: it is not like ``20`` or ``20, slug=5, other=none``, or names another benchmark.

    >>> weekly_limits("20, easy=none", ["easy", "hard"])
    {'': 20, 'easy': None}
    """
    limits: dict[str, int | None] = {}
    for part in text.split(","):
        name, given, number = part.rpartition("=")
        name, number = name.strip(), number.strip()
        if bool(given) != bool(name) or name in limits or not (number == "none" or number.isdecimal()):
            raise ValueError(f"“{part.strip()}” is no limit: write it like 20, or 20, slug=5, other=none.")
        if name and name not in benchmarks:
            raise ValueError(f"There is no benchmark “{name}”.")
        limits[name] = None if number == "none" else int(number)
    if "" not in limits:
        raise ValueError(f"“{text}” says nothing of the other benchmarks: begin with a number for all of them.")
    return limits


@dataclass(frozen=True)
class Count:
    """Where somebody stands against a rate after one more try.

    ``remaining`` tries are left now; after a refusal, ``wait`` seconds bring the next one.
    """

    allowed: bool
    limit: int
    remaining: int
    wait: int


def count(key: str, rate: Rate) -> Count | None:
    """Count one more try by *key*; a refused one does not count.

    Over a sliding window: of the window of fixed bounds before the present one, as large a share is counted as the
    sliding one still covers, so nobody can do twice as much around a bound. The counters are atomic in the shared
    cache. While that is away nothing is counted and nothing refused: the site is worth more than its limits.

    Returns:
        Nothing if there is no limit, or no cache.
    """
    if not rate.number:
        return None
    now = time.time()
    window, passed = int(now // rate.seconds), now % rate.seconds / rate.seconds
    this, last = f"rate:{key}:{window}", f"rate:{key}:{window - 1}"
    try:
        cache.add(this, 0, timeout=2 * rate.seconds)
        current = cache.incr(this)
        previous = cache.get(last, 0)
        used = previous * (1 - passed) + current
        if used <= rate.number:
            return Count(allowed=True, limit=rate.number, remaining=math.floor(rate.number - used), wait=0)
        cache.decr(this)
    except (RedisError, OSError, ValueError) as error:  # ValueError: the counter was evicted just now
        logger.warning("Requests are not counted, because the cache is away: %s", error)
        return None
    wait = _wait(previous, current - 1, passed, rate)
    return Count(allowed=False, limit=rate.number, remaining=0, wait=wait)


def forget(key: str, rate: Rate) -> None:
    """Forget the tries by *key*: they were none of those that the rate is there for."""
    window = int(time.time() // rate.seconds)
    try:
        cache.delete_many([f"rate:{key}:{window}", f"rate:{key}:{window - 1}"])
    except (RedisError, OSError) as error:
        logger.warning("Requests are not forgotten, because the cache is away: %s", type(error).__name__)


def _wait(previous: int, current: int, passed: float, rate: Rate) -> int:
    """Whole seconds until one more try fits, if nothing else is tried until then."""
    room = rate.number - 1
    at = 1 - (room - current) / previous if current <= room else 2 - room / current
    return max(1, math.ceil((at - passed) * rate.seconds))
