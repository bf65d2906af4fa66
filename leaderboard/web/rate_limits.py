"""Rate limits of requests: their syntax in settings, the key of a client, and counting against them.

Pages, the API and sign-in all use it. This module imports neither models nor Django REST framework, because the
settings import it. The rate of the site's own requests to a judge is separate:
`scoring.metrics.asking.rate_limits` delays our own requests and refuses none.
"""

import ipaddress
import math
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import wraps
from typing import Any, Final, Self

from django.conf import settings
from django.http import HttpRequest

from leaderboard.web import counters

IPV6_NETWORK: Final = 64
"""How much of an IPv6 address identifies its user: a user with one address has the whole network."""
RESERVED_MILLISECONDS: Final = 2_000
"""Processor time that `processor_time` counts in advance: about as much as checking a large file takes."""
PERIODS: Final = {"second": 1, "minute": 60, "hour": 3600, "day": 86400}


@dataclass(frozen=True)
class RateLimit:
    """A number of requests in a number of seconds; ``number`` 0 is no limit."""

    number: int
    seconds: int

    @classmethod
    def parse(cls, text: str) -> Self:
        """A limit as written in a setting.

        Raises:
            ValueError: it is neither empty nor like ``60/minute``.

        >>> RateLimit.parse("60/minute"), RateLimit.parse("")
        (RateLimit(number=60, seconds=60), RateLimit(number=0, seconds=1))
        """
        if not text.strip():
            return cls(0, 1)
        number, _, period = text.partition("/")
        if not number.strip().isdecimal() or period.strip() not in PERIODS:
            raise ValueError(
                f"“{text}” is not a valid rate: write it like 60/minute, with one of {', '.join(PERIODS)}."
            )
        return cls(int(number), PERIODS[period.strip()])

    def __str__(self) -> str:
        period = next(name for name, seconds in PERIODS.items() if seconds == self.seconds)
        return f"{self.number:,} per {period}" if self.number else "no limit"


def weekly_limits(text: str) -> dict[str, int | None]:
    """Weekly limits by benchmark: the general limit under the empty name, exceptions under their benchmarks' names.

    Args:
        text: as in the setting; ``none`` is no limit.

    Raises:
        ValueError: it is not like ``20`` or ``20, slug=5, other=none``.

    >>> weekly_limits("20, easy=none")
    {'': 20, 'easy': None}
    """
    limits: dict[str, int | None] = {}
    for part in text.split(","):
        name, given, number = part.rpartition("=")
        name, number = name.strip(), number.strip()
        if bool(given) != bool(name) or name in limits or not (number == "none" or number.isdecimal()):
            raise ValueError(f"“{part.strip()}” is not a valid limit: write it like 20, or 20, slug=5, other=none.")
        limits[name] = None if number == "none" else int(number)
    if "" not in limits:
        raise ValueError(f"“{text}” has no limit for the other benchmarks: begin with a number for all of them.")
    return limits


def file_limits(text: str) -> tuple[int | None, ...]:
    """The limits on files for a hidden split: in a day, in 30 days and in all.

    Raises:
        ValueError: it is not three numbers, each of which may be ``none`` for no limit.

    >>> file_limits("9, 30, none")
    (9, 30, None)
    """
    parts = [part.strip() for part in text.split(",")]
    if len(parts) != 3 or not all(part == "none" or part.isdecimal() for part in parts):
        raise ValueError(
            f"“{text}” is not three limits, in a day, in 30 days and in all: write it like 9, 30, 60, or 9, 30, none."
        )
    return tuple(None if part == "none" else int(part) for part in parts)


@dataclass(frozen=True)
class Count:
    """The result of one more request against a limit.

    ``remaining`` requests are left now; after a refusal, the next one is allowed in ``wait`` seconds. ``counter`` is
    what it was counted in.
    """

    allowed: bool
    limit: int
    remaining: int
    wait: int
    counter: str = ""


class OverLimitError(Exception):
    """A limit is used up; the next request is allowed in ``wait`` seconds. A view that lets it pass answers 429."""

    def __init__(self, wait: int) -> None:
        super().__init__(wait)
        self.wait = wait


def count(key: str, limit: RateLimit, amount: int = 1) -> Count | None:
    """Count one more request by *key*, or *amount* of something else; what is refused does not count.

    Uses a sliding window: of the preceding fixed window, the share that the sliding window still covers is counted, so
    nobody can send twice as much around a boundary. The counters are atomic, and shared by all processes. While they
    are unavailable, nothing is counted or refused: the availability of the site is more important than its limits.

    Returns:
        None if there is no limit, or no counter.
    """
    if not limit.number:
        return None
    now = time.time()
    window, passed = int(now // limit.seconds), now % limit.seconds / limit.seconds
    this, last = f"rate:{key}:{window}", f"rate:{key}:{window - 1}"
    try:
        current = counters.add(this, amount, lifetime=2 * limit.seconds)
        previous = counters.value(last)
        used = previous * (1 - passed) + current
        if used <= limit.number:
            remaining = math.floor(limit.number - used)
            return Count(allowed=True, limit=limit.number, remaining=remaining, wait=0, counter=this)
        counters.add(this, -amount, lifetime=2 * limit.seconds)
    except counters.UncountableError:
        return None
    # The share of a window after which as much is allowed, if nothing is counted until then: within this window, as the
    # previous one moves out of sight, or within the next one, as this one does.
    current, room = current - amount, limit.number - amount
    at = 1 - (room - current) / previous if current <= room else 2 - room / current
    wait = max(1, math.ceil((at - passed) * limit.seconds))
    return Count(allowed=False, limit=limit.number, remaining=0, wait=wait)


def require_room(key: str, limit: RateLimit, amount: int = 1) -> Count | None:
    """As `count`.

    Raises:
        OverLimitError: the limit is used up.
    """
    counted = count(key, limit, amount)
    if counted is not None and not counted.allowed:
        raise OverLimitError(counted.wait)
    return counted


@contextmanager
def processor_time(key: str, limit: RateLimit) -> Iterator[None]:
    """Count the processor time of the body, in this thread, against a limit in seconds of a processor.

    `RESERVED_MILLISECONDS` are counted before, so that simultaneous requests cannot all find the limit unused, and
    replaced by the true time after.

    Raises:
        OverLimitError: the time is used up; the body does not run.
    """
    allowed = RateLimit(limit.number * 1000, limit.seconds)
    reserved = min(RESERVED_MILLISECONDS, allowed.number)
    counted = require_room(key, allowed, reserved)
    begin = time.thread_time()
    try:
        yield
    finally:
        if counted is not None:
            used = math.ceil((time.thread_time() - begin) * 1000)
            with suppress(counters.UncountableError):
                counters.add(counted.counter, used - reserved, lifetime=2 * limit.seconds)


def forget(key: str, limit: RateLimit) -> None:
    """Reset the count of *key*: its requests were not of the kind that the limit is meant for."""
    window = int(time.time() // limit.seconds)
    with suppress(counters.UncountableError):
        counters.delete(f"rate:{key}:{window}", f"rate:{key}:{window - 1}")


def caller_of(request: HttpRequest) -> str:
    """The client that is counted: the account of a signed-in user, otherwise the address."""
    user = getattr(request, "user", None)
    return f"user:{user.pk}" if user and user.is_authenticated else f"address:{address_of(request)}"


def counts_processor_time(by: Callable[[HttpRequest], str] = caller_of) -> Callable[..., Any]:
    """Decorator of a view whose POST requests have files read: their processor time counts against `CHECK_SECONDS`.

    Args:
        by: gives the key of a request.
    """

    def counting(view: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(view)
        def counted(request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
            if request.method != "POST":
                return view(request, *args, **kwargs)
            with processor_time(f"check:{by(request)}", settings.CHECK_SECONDS):
                return view(request, *args, **kwargs)

        return counted

    return counting


def address_of(request: HttpRequest) -> str:
    """The address of a request: the one that the web server saw or, behind a proxy, the one that the proxy saw.

    For IPv6 it is the network. An address that cannot be parsed is ``unknown``.
    """
    client = request.META.get("REMOTE_ADDR", "")
    if settings.BEHIND_PROXY:  # the client may have made up everything before the last comma
        client = request.META.get("HTTP_X_FORWARDED_FOR", client).rpartition(",")[2].strip()
    try:
        address = ipaddress.ip_address(client)
    except ValueError:
        return "unknown"
    if isinstance(address, ipaddress.IPv6Address):
        return str(ipaddress.ip_network((address, IPV6_NETWORK), strict=False))
    return str(address)
