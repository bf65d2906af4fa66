"""Calls that do not map and free memory again and again.

CPython keeps the frames of calls in chunks of 16 KiB. Where the stack of a server or worker happens to end at the edge
of a chunk, each call maps a new chunk and each return frees it: two page faults a call, each dearer than the call. One
frame that needs a chunk of its own, far larger than the frames of one request, prevents that.
"""

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")
N_SLOTS = 16_000
"""The size of the frame in pointers, 125 KiB. CPython gives it a chunk of 256 KiB; the rest holds the frames of the
calls below."""


def with_own_chunk(function: Callable[P, R]) -> Callable[P, R]:
    """The function, which begins a large chunk for its frame and those of all that it calls."""

    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        return function(*args, **kwargs)

    call.__code__ = call.__code__.replace(co_stacksize=N_SLOTS)
    return wraps(function)(call)
