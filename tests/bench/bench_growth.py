"""How pages and the sweep grow with the number of submissions: the time of each at 100 and 1,000 submissions of three
files, with ``--full`` at 3,000 and 10,000 too, on PostgreSQL, and the exponent of each series.

The submissions are written in bulk and belong to one person; every other one is on the board. Questions are few, since
no page here reads answers.
"""

from __future__ import annotations

import json
import os
import secrets
import sys
import tempfile
from contextlib import ExitStack
from typing import Final

import numpy as np

from tests.bench import prepared
from tests.bench.registry import Report, bench, output_of

BACKGROUND: Final = ("checking the boards",)
"""What nobody waits for."""
FLOOR: Final = 0.02
"""Seconds that nobody notices: the exponent of a series below them says nothing."""


def exponent(sizes: list[int], seconds: list[float]) -> float:
    """The slope of the least-squares line through the logarithms.

    >>> round(exponent([100, 1000], [0.1, 1.0]), 6)
    1.0
    """
    return float(np.polyfit(np.log(sizes), np.log(seconds), 1)[0])


@bench("growth")
def growth(report: Report) -> None:
    """Pages and the sweep at growing sizes."""
    from tests import services

    if services.find_postgres() is None:
        report.note("left out: PostgreSQL is not installed")
        return
    sizes = [4, 8] if report.short else [100, 1000, 3000, 10_000] if report.full else [100, 1000]
    with ExitStack() as stack:
        directory = stack.enter_context(tempfile.TemporaryDirectory())
        environment = os.environ | {
            "DJANGO_SETTINGS_MODULE": "leaderboard.settings",
            "SECRET_KEY": secrets.token_urlsafe(50),
            "DEBUG": "0",
            "LOG_LEVEL": "WARNING",
            "DATABASE_URL": stack.enter_context(prepared.postgres_url()),
            "STATIC_ROOT": prepared.static_root(),
            "REDIS_URL": "",
            "CELERY_BROKER_URL": "memory://",
            "MANYHOP_DATA_DIR": directory,
            "MANYHOP_TEST_CHILD": "1",
        }
        command = [sys.executable, "-m", "tests.bench.growth_site", *map(str, sizes)]
        measured = json.loads(output_of(command, env=environment))
    report.note(f"{' → '.join(f'{size:,}' for size in sizes)} submissions of three files; one process, cache empty")
    for name, series in measured.items():
        seconds = [max(time, FLOOR) for time, _ in series]
        report.measure(
            name,
            exponent(sizes, seconds),
            "exponent",
            at_most=1.1 if name in BACKGROUND else 0.2,
            beside=f"{' → '.join(f'{time:.3f}' for time, _ in series)} s, "
            f"{' → '.join(f'{size / 1024:.0f}' for _, size in series)} KiB",
        )
