"""A line on standard error that says how far a command is."""

from __future__ import annotations

import sys
import time

INTERVAL = 0.1
"""Seconds between two states of the line."""


class ProgressLine:
    """Shows states of some work, each in place of the one before; nothing where standard error is no terminal, or if it
    is *hidden*.
    """

    def __init__(self, name: str, *, hidden: bool = False) -> None:
        self._name = name
        self._hidden = hidden
        self._next = 0.0
        self._shown = False

    def __call__(self, done: int, total: int) -> None:
        now = time.monotonic()
        if not self._hidden and sys.stderr.isatty() and (now >= self._next or done >= total):
            self._next = now + INTERVAL
            self._shown = True
            print(f"\r\x1b[K{self._name}: {done:,} of {total:,}", end="", file=sys.stderr, flush=True)

    def __enter__(self) -> ProgressLine:
        return self

    def __exit__(self, *exception: object) -> None:
        if self._shown:
            print(file=sys.stderr)
