"""A cache with an upper bound in bytes."""

from __future__ import annotations

import sys
from typing import Generic, TypeVar

Value = TypeVar("Value")

ENTRY_BYTES = 104
"""The overhead of one dict entry: the entry, its share of the index, and reserved space."""


class BoundedCache(dict[str, Value], Generic[Value]):
    """A dict from texts to values that is emptied when it outgrows its bound, so that a worker stays small.

    As thread-safe as dicts are: two threads may compute the same entry, and neither gets a wrong one.

    Args:
        max_bytes: Upper bound of keys and values together; an entry that alone exceeds an eighth is not cached.
    """

    def __init__(self, max_bytes: int) -> None:
        super().__init__()
        self.max_bytes = max_bytes
        self.bytes = 0

    def remember(self, key: str, value: Value) -> None:
        """Cache an entry."""
        cost = sys.getsizeof(key) + sys.getsizeof(value) + ENTRY_BYTES
        if cost > self.max_bytes // 8:
            return
        if self.bytes + cost > self.max_bytes:
            self.clear()
            self.bytes = 0
        if key not in self:
            self.bytes += cost
        self[key] = value
