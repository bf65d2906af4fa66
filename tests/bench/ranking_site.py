"""What `tests.bench.bench_ranking` runs in a process of its own: a site with a ranking, asked for its pages in process.

Prints JSON: by state, the median times of requests for the ranking and for the empty page, in seconds.
"""

from __future__ import annotations

import json
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from itertools import combinations

import django

django.setup()

from django.core.cache import cache  # noqa: E402 - Django is set up first
from django.db.models import F  # noqa: E402
from django.test import Client  # noqa: E402

from leaderboard.board import write  # noqa: E402
from leaderboard.board.ranking.types import Estimate, RankedSystem, Ranking  # noqa: E402
from leaderboard.models import BoardDocument, BoardStatistics, Entry  # noqa: E402
from scoring.models import Setting, Split  # noqa: E402
from tests import boards, compared_site  # noqa: E402

N_QUESTIONS = 1000
FULL, NONE = "closed-book", "open-book"
"""The settings of the board with a ranking, and of the one without any system."""


def drawn(entries: list[Entry]) -> Ranking:
    """A ranking with every number that there can be, and all pairs compared."""
    n = len(entries)
    number = Estimate(0.52, 0.48, 0.56)
    systems = tuple(
        RankedSystem(
            *(entry.pk, False, n - 1, (n - 1) * N_QUESTIONS, 3, 41, number, place, max(1, place - 9), place + 9),
            *(number, number, Estimate(71.5, 70.25, 72.75), 0.9, number),
        )
        for place, entry in enumerate(entries, start=1)
    )
    pairs = [(one, other, 0.512, N_QUESTIONS) for one, other in combinations(range(n), 2)]
    total = len(pairs) * N_QUESTIONS
    return Ranking(systems, json.dumps(pairs), N_QUESTIONS, total, 4100, 12, 0.9, number, regularised=False)


def prepare(n_systems: int) -> None:
    """A board of so many systems with a ranking, as a worker stores it, and one without systems."""
    split = Split.objects.get(benchmark=compared_site.declare(), slug="dev")
    settings = {one.slug: one for one in Setting.objects.filter(benchmark=split.benchmark)}
    entries = boards.fill(split, settings[FULL], n_systems, with_vectors=False)
    packed = drawn(entries).packed
    BoardStatistics.objects.create(split=split, setting=settings[FULL], fingerprint="", ranking=packed)
    for setting in settings.values():
        write.write(split, setting)


def medians(paths: Sequence[str], before: Callable[[], object], repeats: int) -> list[float]:
    """The median times of requests for pages in turn, each after something that is not counted; the first two do not
    count."""
    client = Client(SERVER_NAME="localhost")
    times: list[list[float]] = [[] for _ in paths]
    for _ in range(repeats + 2):
        for path, found in zip(paths, times, strict=True):
            before()
            begin = time.perf_counter()
            if client.get(path, headers={"Accept-Encoding": "gzip"}).status_code != 200:
                raise RuntimeError(f"{path} could not be read")
            found.append(time.perf_counter() - begin)
    return [statistics.median(found[2:]) for found in times]


def change() -> None:
    """Every board changes, so that nothing of its pages is cached."""
    BoardDocument.objects.update(serial=F("serial") + 1)
    cache.clear()


def main() -> None:
    n_systems, repeats = map(int, sys.argv[1:])
    prepare(n_systems)
    paths = [f"/{compared_site.SLUG}/dev/{setting}/ranking/" for setting in (FULL, NONE)]
    print(json.dumps({"first": medians(paths, change, repeats), "cached": medians(paths, lambda: None, repeats)}))


if __name__ == "__main__":
    main()
