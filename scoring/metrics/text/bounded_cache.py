"""A cache with an upper bound in bytes."""

from __future__ import annotations

import sys
from typing import Generic, TypeVar

Value = TypeVar("Value")

ENTRY_BYTES = 104
"""The overhead of one dict entry: the entry, its share of the index, and reserved space."""


class LruCache(dict[str, Value], Generic[Value]):
    """A dict from texts to values that drops entries not used recently, so that a long-running worker stays small.

    It has two generations instead of an ordered list: this dict is the young one. When it outgrows half of the bound it
    becomes the old one and a new young one starts; an entry found in the old one moves to the young one; entries still
    in the old one at the next change are dropped. Every entry used within the last quarter of the bound is therefore
    guaranteed to be cached, and a hit costs no more than a plain dict's ``get``, which is what the hot loops call
    (``map(memo.get, texts)``).

    As thread-safe as dicts are: two threads may compute the same entry, and neither gets a wrong one.

    Args:
        max_bytes: Upper bound of keys and values together; an entry that alone exceeds an eighth is not cached.
    """

    def __init__(self, max_bytes: int) -> None:
        super().__init__()
        self.max_bytes = max_bytes
        self.bytes = 0
        self._old: dict[str, Value] = {}

    def recall(self, key: str) -> Value | None:
        """The value of ``key`` from either generation, or ``None``."""
        value = self.get(key)
        if value is None:
            value = self._old.get(key)
            if value is not None:
                self.remember(key, value)
        return value

    def remember(self, key: str, value: Value) -> None:
        """Cache an entry for as long as it is used or there is room."""
        cost = sys.getsizeof(key) + sys.getsizeof(value) + ENTRY_BYTES
        if cost > self.max_bytes // 8:
            return
        if self.bytes + cost > self.max_bytes // 2:
            self._old = dict(self)
            self.clear()
            self.bytes = 0
        if key not in self:
            self.bytes += cost
        self[key] = value
