"""Periodic tasks, whose messages the scheduler sends: one at a time on the whole site, and none twice in a row.

A message never expires: an expiry compares the clocks of two machines, and a batch that takes longer than the interval
would outlive all messages sent meanwhile. Instead, a message that finds its work running or just done ends at once, so
that any number of them, which waited for a worker, cost almost nothing.
"""

import functools
import time
from collections.abc import Callable
from typing import Final

from celery import current_task

from scoring.workers.locks import only_one

INTERVAL: Final = "manyhop_interval"
"""The header of a periodic message: the seconds until the next one of the same task."""


def one_at_a_time(task: Callable[[], None]) -> Callable[[], None]:
    """Make the body of a periodic task do nothing while another process does the same work, or if this process has
    finished it less than half an interval ago, by a clock of its own. Without an interval (any other message, a direct
    call) only the first holds."""
    what = f"task {task.__module__}.{task.__qualname__}"
    finished_at = float("-inf")

    @functools.wraps(task)
    def run() -> None:
        nonlocal finished_at
        headers = (current_task.request.headers if current_task else None) or {}
        interval = headers.get(INTERVAL, 0.0)
        if time.monotonic() - finished_at < interval / 2:
            return
        with only_one(what) as mine:
            if not mine:
                return
            task()
        finished_at = time.monotonic()

    return run
