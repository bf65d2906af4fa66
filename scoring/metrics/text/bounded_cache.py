"""Remembering what was computed, within a bound in bytes."""

from __future__ import annotations

import sys
from typing import Generic, TypeVar

Value = TypeVar("Value")

ENTRY_BYTES = 104
"""What one dict entry costs beside its key and value: the entry, its share of the index, and room kept free."""


class LruCache(dict[str, Value], Generic[Value]):
    """A dict from texts to values that forgets what was not used lately, so that a long-lived worker stays small.

    Two generations instead of an ordered list: this dict is the young one. When it outgrows half of the bound it
    becomes the old one and a new young one starts; an entry found in the old one moves to the young one; what is
    still in the old one at the next turn is forgotten. So whatever was used in the last quarter of the bound is
    certainly remembered, and a hit costs no more than a plain dict's ``get``, which is what the hot loops call
    (``map(memo.get, texts)``).

    Safe with threads as far as dicts are: two of them may compute the same entry, and neither gets a wrong one.

    :param max_bytes: upper bound of keys and values together; an entry that alone exceeds an eighth is not kept.
    """

    def __init__(self, max_bytes: int) -> None:
        super().__init__()
        self.max_bytes = max_bytes
        self.bytes = 0
        self._old: dict[str, Value] = {}
        self._old_bytes = 0

    def recall(self, key: str) -> Value | None:
        """The value of ``key`` from either generation, or ``None``."""
        value = self.get(key)
        if value is None:
            value = self._old.get(key)
            if value is not None:
                self.remember(key, value)
        return value

    def remember(self, key: str, value: Value) -> None:
        """Keep an entry for as long as it is used or there is room."""
        cost = sys.getsizeof(key) + sys.getsizeof(value) + ENTRY_BYTES
        if cost > self.max_bytes // 8:
            return
        if self.bytes + cost > self.max_bytes // 2:
            self._old, self._old_bytes = dict(self), self.bytes
            self.clear()
            self.bytes = 0
        if key not in self:
            self.bytes += cost
        self[key] = value

    @property
    def total_bytes(self) -> int:
        """Bytes held in both generations; never more than :attr:`max_bytes`."""
        return self.bytes + self._old_bytes
