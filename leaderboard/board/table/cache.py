"""Rendered boards, kept as long as their version stands.

Nothing here is ever told that something changed: the key holds the version of what is shown (see
`leaderboard.board.lookup.FoundBoard`), so what is kept of an earlier one is never found again and goes with time.
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
"""How long something is kept at most: a net, should the version ever miss a change."""
MAX_CACHED_KEYS: Final = 2


def is_cacheable(params: BoardParams) -> bool:
    """Whether others are likely to ask the same: not what is typed, nor long orders."""
    typed = bool(params.q) or params.context_min is not None or params.context_max is not None
    return not typed and len(params.sort) <= MAX_CACHED_KEYS


def tag_of(version: str, params: BoardParams, part: str) -> str:
    """A name for one part (page, table, …) of one board as asked for, in its present version; 32 digits."""
    return hashlib.sha256(f"{version}\n{part}\n{params.query_string()}".encode()).hexdigest()[:32]


def cached_gzip(tag: str, params: BoardParams, make: Callable[[], str]) -> bytes:
    """The gzip-compressed text behind a tag, made if it is not kept."""
    if not is_cacheable(params):
        return _compressed(make())
    return get_or_set(tag, lambda: _compressed(make()))


def get_or_set(name: str, make: Callable[[], T]) -> T:
    """What is kept under a name that tells all that it depends on, made if it is not kept.

    A cache that is away costs time, not the page.
    """
    key = f"board:{name}"
    try:
        found: T | None = cache.get(key)
    except Exception as error:  # noqa: BLE001 - whatever the cache's client raises
        logger.warning("Cached boards are unavailable: %s", type(error).__name__)
        return make()
    if found is None:
        found = make()
        try:
            cache.set(key, found, SECONDS)
        except Exception as error:  # noqa: BLE001
            logger.warning("A board was not cached: %s", type(error).__name__)
    return found


def _compressed(text: str) -> bytes:
    return gzip.compress(text.encode(), compresslevel=4, mtime=0)
