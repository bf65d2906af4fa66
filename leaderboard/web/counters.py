"""Counters that all processes share: in Redis or, if the site has none, in the database.

Additions are atomic in both. Django's database cache would not do: its ``incr`` reads and then writes, so that
simultaneous requests are lost, and it forgets the counter's lifetime.
"""

import datetime
import logging
import time
from types import SimpleNamespace
from typing import TYPE_CHECKING, Final

from django.conf import settings
from django.core.cache import cache
from django.db import DatabaseError, transaction
from django.db.models import F, QuerySet
from django.utils import timezone
from redis.exceptions import RedisError
from redis.exceptions import TimeoutError as RedisTimeoutError

if TYPE_CHECKING:
    from leaderboard.models import RateCount

logger = logging.getLogger(__name__)


PAUSE_SECONDS: Final = 5.0
"""For so long a process does not ask Redis after it did not answer in time: a request asks several times, and would
wait each time."""


_silence = SimpleNamespace(until=0.0)
"""Time until which this process does not ask Redis, by `time.monotonic`."""


class UncountableError(Exception):
    """Redis or the database is unavailable."""


def add(key: str, amount: int, *, lifetime: int) -> int:
    """Add to a counter, which begins at 0, and return its value.

    Args:
        amount: may be negative.
        lifetime: seconds after which a new counter may be deleted.

    Raises:
        UncountableError: nothing was added.
    """
    _require_answers()
    try:
        return (_add_in_database if settings.RATE_COUNTS_IN_DATABASE else _add_in_cache)(key, amount, lifetime)
    except (RedisError, OSError, ValueError, DatabaseError) as error:  # ValueError: the counter was evicted just now
        raise _uncountable(error) from error


def value(key: str) -> int:
    """The value of a counter; 0 if there is none.

    Raises:
        UncountableError: the database is unavailable.
    """
    _require_answers()
    try:
        if settings.RATE_COUNTS_IN_DATABASE:
            return _rows().filter(key=key).values_list("amount", flat=True).first() or 0
        return int(cache.get(key, 0))
    except (RedisError, OSError, DatabaseError) as error:
        raise _uncountable(error) from error


def delete(*keys: str) -> None:
    """Delete counters.

    Raises:
        UncountableError: they may still exist.
    """
    try:
        if settings.RATE_COUNTS_IN_DATABASE:
            _rows().filter(key__in=keys).delete()
        else:
            cache.delete_many(keys)
    except (RedisError, OSError, DatabaseError) as error:
        raise _uncountable(error) from error


def _require_answers() -> None:
    """Do not wait for Redis again shortly after it did not answer in time."""
    if time.monotonic() < _silence.until:
        raise UncountableError("Redis did not answer.")


def _uncountable(error: Exception) -> UncountableError:
    if isinstance(error, RedisTimeoutError):
        _silence.until = time.monotonic() + PAUSE_SECONDS
    logger.warning("Rate limits are not counted: %s", type(error).__name__)
    return UncountableError(type(error).__name__)


def _add_in_cache(key: str, amount: int, lifetime: int) -> int:
    # `add` does nothing if the key exists, so the window is not prolonged; `incr` keeps its end.
    cache.add(key, 0, timeout=lifetime)
    return int(cache.incr(key, amount))


def _add_in_database(key: str, amount: int, lifetime: int) -> int:
    with transaction.atomic():  # the row stays locked until its new value is read
        counter = _rows().filter(key=key)
        if not counter.update(amount=F("amount") + amount):
            now = timezone.now()
            _rows().filter(expires_at__lt=now).delete()
            expires_at = now + datetime.timedelta(seconds=lifetime)
            # A row that another request has inserted meanwhile is kept, and counted on below.
            _rows().bulk_create([_rows().model(key=key, expires_at=expires_at)], ignore_conflicts=True)
            counter.update(amount=F("amount") + amount)
        return counter.values_list("amount", flat=True).get()


def _rows() -> "QuerySet[RateCount]":
    from leaderboard.models import RateCount  # the settings import this module before models can be

    return RateCount.objects.all()
