"""Cache of rendered boards, valid for one version of the board.

No entry is ever invalidated: the key contains the version of the content (see `leaderboard.board.lookup.StoredBoard`),
so entries of an earlier version are never found again and expire.
"""

import gzip
import hashlib
import logging
from collections.abc import Callable
from typing import Final, TypeVar

from django.core.cache import cache

from leaderboard.board.table.params import BoardParams

logger = logging.getLogger(__name__)
T = TypeVar("T")

SECONDS: Final = 300
"""The maximum lifetime of an entry: a safeguard in case the version ever misses a change."""
MAX_CACHED_KEYS: Final = 2


def is_cacheable(params: BoardParams) -> bool:
    """Whether other readers are likely to make the same request: not with typed text or long sort orders."""
    typed = bool(params.q) or params.context_min is not None or params.context_max is not None
    typed = typed or any("." in key for key, _ in (*params.attributes, *params.facts))
    return not typed and len(params.sort) <= MAX_CACHED_KEYS


def tag_of(version: str, params: BoardParams, part: str) -> str:
    """A key for one part (page, table, …) of one board with these parameters, in its current version; 32 digits."""
    return hashlib.sha256(f"{version}\n{part}\n{params.query_string()}".encode()).hexdigest()[:32]


def cached_gzip(tag: str, params: BoardParams, make: Callable[[], str]) -> bytes:
    """The gzip-compressed text of a key, rendered if it is not cached."""
    if not is_cacheable(params):
        return _compressed(make())
    return get_or_set(tag, lambda: _compressed(make()))


def get_or_set(name: str, make: Callable[[], T]) -> T:
    """The cached value of a name that includes all inputs, computed if it is not cached.

    If the cache is unavailable, the page is only slower.
    """
    key = f"board:{name}"
    try:
        value: T | None = cache.get(key)
    except Exception as error:  # noqa: BLE001 - any error of the cache's client
        logger.warning("Cached boards are unavailable: %s", type(error).__name__)
        return make()
    if value is None:
        value = make()
        try:
            cache.set(key, value, SECONDS)
        except Exception as error:  # noqa: BLE001
            logger.warning("A board was not cached: %s", type(error).__name__)
    return value


def _compressed(text: str) -> bytes:
    return gzip.compress(text.encode(), compresslevel=4, mtime=0)
