"""The site's Celery app for workers that score slowly, so that tests find runs in the middle on every machine."""

import time

import django

from leaderboard.project.celery import app

django.setup()

from scoring.models import workers  # noqa: E402
from scoring.runs import execution, leases  # noqa: E402

__all__ = ["app"]

SECONDS_PER_ITEM = 0.1

_renew = leases.renew
_n_done = 0


def _renew_slowly(
    run_id: str, token: str, *, done: int | None = None, total: int | None = None, is_kept: bool = False
) -> None:
    global _n_done
    _renew(run_id, token, done=done, total=total, is_kept=is_kept)
    if done is not None and done != _n_done:
        _n_done = done
        time.sleep(SECONDS_PER_ITEM)


workers.HEARTBEAT_SECONDS = 1  # type: ignore[misc]  # so that workers soon notice each other
execution.PROGRESS_SECONDS = 0.0  # so that progress is written after every item
leases.renew = _renew_slowly
