"""Rendered boards, kept as long as their version stands.

Nothing here is ever told that something changed: the key holds the version of what is shown (see
`leaderboard.board.version`), so what is kept of an earlier one is never found again and goes with time.
"""

import gzip
import hashlib
from collections.abc import Callable
from typing import Final

from django.core.cache import cache

from leaderboard.board.asked import Asked

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
    found = cache.get(f"board:{tag}")
    if isinstance(found, bytes):
        return found
    made = _compressed(make())
    cache.set(f"board:{tag}", made, SECONDS)
    return made


def _compressed(text: str) -> bytes:
    return gzip.compress(text.encode(), compresslevel=4, mtime=0)
