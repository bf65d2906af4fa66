"""How pages, tasks, the backup and the migrations grow with the number of submissions, on PostgreSQL: seconds and bytes
at growing sizes, and the exponent of each series.

Two kinds of submissions (`growth_site.FAMILIES`): three files of 724 answers, and one of 20. They are written in bulk
and belong to one person; every other one is on the board. ``--full`` adds the largest size of each kind: with it the
bench takes at most 45 minutes and 20 GB. What it asks is listed in `growth_site`.
"""

from __future__ import annotations

import json
import os
import secrets
import sys
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from typing import Any, Final

import numpy as np
from scipy import stats

from tests.bench import prepared
from tests.bench.growth_site import DOWNLOAD, FIRST, PERSON, TASK, TRIES
from tests.bench.registry import Report, bench, output_of

SIZES: Final = {"three files": (100, 1000, 10_000), "one short file": (1000, 10_000, 100_000)}
"""Of each kind of submissions; the last only with ``--full``."""
SHORT: Final = {"three files": (4,)}
AT_MOST: Final = {PERSON: 0.2, FIRST: 1.1, DOWNLOAD: 1.1, TASK: 1.1}
"""The exponent of what somebody waits for, by who waits."""
FLOOR: Final = 0.02
"""Seconds that nobody notices: the exponent of a series below them says nothing."""


def exponent(series: Mapping[int, Sequence[float]]) -> tuple[float, float]:
    """By the seconds of all tries at each size: the slope of the least-squares line through the logarithms of the
    shortest ones, and the half width of the 95 % confidence interval of that through all of them.

    >>> [round(number, 6) for number in exponent({100: [0.1], 1000: [1.0], 10_000: [10.0]})]
    [1.0, 0.0]
    """
    points = [(size, max(seconds, FLOOR)) for size, tries in series.items() for seconds in tries]
    if len(series) == 1:
        return float("nan"), float("inf")
    shortest = [max(min(tries), FLOOR) for tries in series.values()]
    slope = stats.linregress(np.log(list(series)), np.log(shortest)).slope
    if len(points) < 3:
        return float(slope), float("inf")
    every = stats.linregress(*np.log(np.array(points)).T)
    return float(slope), float(every.stderr * stats.t.ppf(0.975, len(points) - 2))


@bench("growth")
def growth(report: Report) -> None:
    """Pages and tasks at growing sizes."""
    from tests import services

    if services.find_postgres() is None:
        report.note("left out: PostgreSQL is not installed")
        return
    report.note("seconds of processor, of the site's process and of PostgreSQL's, (and of the clock); no cache is warm")
    for family, sizes in SHORT.items() if report.short else SIZES.items():
        chosen = sizes if report.full or report.short else sizes[:-1]
        made = measured(family, chosen, tries=0 if report.short else TRIES)
        numbers = " → ".join(f"{size:,}" for size in chosen)
        kib = " → ".join(f"{n_bytes / 1024:.0f}" for n_bytes in made["bytes"])
        report.note(f"{family}: {numbers} submissions; {kib} KiB of database for each")
        for name, row in made["measured"].items():
            of_sizes = list(zip(chosen, row["seconds"], strict=False))  # what is left out at the largest size
            slope, half = exponent({size: [busy for busy, _ in tries] for size, tries in of_sizes})
            report.measure(
                f"{family}: {name}",
                slope,
                f"± {half:.2f}",
                at_most=AT_MOST[row["waiting"]],
                beside=" → ".join(f"{min(tries)[0]:.3f} ({min(tries)[1]:.3f})" for _, tries in of_sizes)
                + f" s, {' → '.join(f'{n_bytes / 1024:.0f}' for n_bytes in row['bytes'])} KiB",
            )


def measured(family: str, sizes: tuple[int, ...], tries: int) -> Any:
    """What `growth_site` says of a kind of submissions, on a PostgreSQL of its own."""
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
        command = [sys.executable, "-m", "tests.bench.growth_site", family, str(tries), *map(str, sizes)]
        return json.loads(output_of(command, env=environment))
