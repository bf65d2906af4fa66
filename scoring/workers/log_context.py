"""The context of log lines: a request of the site, or a run. Plain Python."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from contextvars import ContextVar

request_id: ContextVar[str] = ContextVar("request_id", default="")
run_id: ContextVar[str] = ContextVar("run_id", default="")


@contextlib.contextmanager
def within(variable: ContextVar[str], value: str) -> Iterator[None]:
    """Assign all lines of the body, in this thread, to this context."""
    token = variable.set(value)
    try:
        yield
    finally:
        variable.reset(token)
