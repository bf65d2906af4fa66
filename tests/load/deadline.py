"""A model of the queue in the hour before a deadline: when each submission has its scores.

Every submitter sends one submission, with a rate that doubles every `DOUBLING_SECONDS` up to the deadline; each
submission makes the same kinds of runs. A free worker takes a run of the submitter whose turn it is, as
`scoring.runs.turns` has it: who has waited longest since the submission or the last turn. How long runs take is
measured (`tests.bench.bench_deadline`); messages, the database and the judge cost nothing here.
"""

import heapq
import random
from collections.abc import Sequence
from itertools import count
from math import log2

HOUR = 3600.0
DOUBLING_SECONDS = 900.0


def arrivals(n: int, chance: random.Random) -> list[float]:
    """The seconds of *n* submissions after the beginning of the hour, in order.

    >>> times = arrivals(3000, random.Random(0))
    >>> len(times), all(0 <= time <= HOUR for time in times)
    (3000, True)
    >>> late = sum(time > HOUR - DOUBLING_SECONDS for time in times)
    >>> 0.51 < late / 3000 < 0.56  # 8 of 15 parts
    True
    """
    most = 2 ** (HOUR / DOUBLING_SECONDS)
    return sorted(DOUBLING_SECONDS * log2(1 + chance.random() * (most - 1)) for _ in range(n))


def waits(times: Sequence[float], runs: Sequence[Sequence[float]], workers: int, chance: random.Random) -> list[float]:
    """The seconds from each submission to its last score.

    Args:
        times: when the submissions come, in order.
        runs: for each run of a submission the seconds that such runs take; one is drawn each time.
        workers: how many runs are scored at a time.

    One submission on one worker waits for its own runs, two at a time for each other's, and a later one is not before
    who waits already:

    >>> waits([0.0], [[1.0], [2.0]], 1, random.Random(0))
    [3.0]
    >>> waits([0.0, 0.0], [[1.0], [1.0]], 1, random.Random(0))
    [3.0, 4.0]
    >>> waits([0.0, 0.0], [[1.0], [1.0]], 4, random.Random(0))
    [1.0, 1.0]
    >>> waits([0.0, 0.5], [[1.0], [1.0]], 1, random.Random(0))
    [2.0, 3.5]
    """
    left = [[chance.choice(seconds) for seconds in runs][::-1] for _ in times]
    unfinished = [len(runs)] * len(times)
    done = [0.0] * len(times)
    order = count()
    turns: list[tuple[int, int]] = []  # (when it came or was served last, the submission)
    events: list[tuple[float, int, int]] = [(time, 0, number) for number, time in enumerate(times)]
    free = workers
    while events:
        now, kind, number = heapq.heappop(events)
        if kind == 0:
            heapq.heappush(turns, (next(order), number))
        else:
            free += 1
            unfinished[number] -= 1
            if not unfinished[number]:
                done[number] = now - times[number]
        while free and turns and (not events or events[0][:2] != (now, 0)):
            _, taken = heapq.heappop(turns)
            free -= 1
            heapq.heappush(events, (now + left[taken].pop(), 1, taken))
            if left[taken]:
                heapq.heappush(turns, (next(order), taken))
    return done
