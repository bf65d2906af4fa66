"""Rendered boards, kept as long as their version stands.

Nothing here is ever told that something changed: the key holds the version of what is shown (see
`leaderboard.board.version`), so what is kept of an earlier one is never found again and goes with time.
"""

import gzip
import hashlib
import logging
from collections.abc import Callable
from typing import Final

from django.core.cache import cache

from leaderboard.board.asked import Asked

logger = logging.getLogger(__name__)

SECONDS: Final = 300
"""How long something is kept at most: a net, should the version ever miss a change."""
MOST_KEYS_KEPT: Final = 2


def worth_keeping(asked: Asked) -> bool:
    """Whether others are likely to ask the same: not what is typed, nor long orders."""
    typed = bool(asked.q) or asked.context_min is not None or asked.context_max is not None
    return not typed and len(asked.sort) <= MOST_KEYS_KEPT


def tag_of(version: str, asked: Asked, part: str) -> str:
    """A name for one part (page, table, …) of one board as asked for, in its present version; 32 digits."""
    return hashlib.sha256(f"{version}\n{part}\n{asked.query_string()}".encode()).hexdigest()[:32]


def kept(tag: str, asked: Asked, make: Callable[[], str]) -> bytes:
    """The gzip-compressed text behind a tag, made if it is not kept."""
    if not worth_keeping(asked):
        return _compressed(make())
    found = _found(tag)
    if found is not None:
        return found
    made = _compressed(make())
    try:
        cache.set(f"board:{tag}", made, SECONDS)
    except Exception as error:  # noqa: BLE001 - whatever the cache's client raises; see below
        logger.warning("A board was not kept: %s", type(error).__name__)
    return made


def _found(tag: str) -> bytes | None:
    """What is kept. A cache that is away costs time, not the page."""
    try:
        found = cache.get(f"board:{tag}")
    except Exception as error:  # noqa: BLE001
        logger.warning("What is kept of boards cannot be had: %s", type(error).__name__)
        return None
    return found if isinstance(found, bytes) else None


def _compressed(text: str) -> bytes:
    return gzip.compress(text.encode(), compresslevel=4, mtime=0)
