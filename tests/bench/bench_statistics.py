"""Intervals and rank ranges of whole boards, beside a loop that bootstraps each system's scores by itself."""

from __future__ import annotations

import json
import os
import resource
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from scoring.statistics import mean_intervals, rank_statistics
from scoring.statistics.arrays import FloatArray, Interval
from tests.bench import prepared
from tests.bench.registry import Report, bench, output_of

N_QUESTIONS = 724
N_SCORES = 12
N_RESAMPLES = 10_000
SEED = 20240811
LOOPED = 6
"""So many of the vectors are bootstrapped by the loop; the others would take as long each."""
ROUNDS = 3


def made_up_scores(n_systems: int, n_scores: int) -> list[NDArray[np.float64]]:
    """Scores as they come: questions differ in difficulty, systems in skill; every third score is 0 or 1.

    Arrays of shape ``(n_systems, N_QUESTIONS)``, one for each score.
    """
    chance = np.random.default_rng(SEED)
    skill = np.linspace(0.3, 0.6, n_systems)[:, None]
    scores = []
    for number in range(n_scores):
        values = skill + chance.normal(0, 0.3, N_QUESTIONS) + chance.normal(0, 0.2, (n_systems, N_QUESTIONS))
        scores.append((values > 0.5).astype(np.float64) if number % 3 == 0 else np.clip(values, 0, 1))
    return scores


def looped_interval(values: NDArray[np.float64]) -> tuple[float, float]:
    """One system's interval in the usual few lines of NumPy: every resample's questions looked up, then averaged."""
    chance = np.random.default_rng(SEED)
    means = np.array([values[chance.integers(0, len(values), len(values))].mean() for _ in range(N_RESAMPLES)])
    low, high = np.percentile(means, [2.5, 97.5])
    return float(low), float(high)


def peak_memory() -> float:
    """Of this process so far, in MiB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


@bench("statistics-boards")
def boards(report: Report) -> None:
    """All columns of 50 systems."""
    n_scores, rounds = report.size(N_SCORES, 2), report.size(ROUNDS, 1)
    columns = made_up_scores(50, n_scores)
    report.note(
        f"{n_scores} scores x {N_QUESTIONS} questions x {N_RESAMPLES:,} resamples for 50 systems; best of {rounds}"
    )
    report.note("ours: intervals and rank ranges; the loop: intervals alone")
    report.note(f"the loop is timed on {LOOPED} of the {50 * n_scores} vectors, and taken to need as long for each")
    elapsed, intervals_alone = float("inf"), float("inf")
    computed: list[Interval[FloatArray]] = []
    for _ in range(rounds):
        start = time.perf_counter()
        computed = [mean_intervals(column) for column in columns]
        for column in columns:
            rank_statistics(column, seed=SEED)
        elapsed = min(elapsed, time.perf_counter() - start)
        start = time.perf_counter()
        for column in columns:
            mean_intervals(column)
        intervals_alone = min(intervals_alone, time.perf_counter() - start)
    vectors = [columns[number % n_scores][7 * number] for number in range(LOOPED)]
    start = time.perf_counter()
    looped = [looped_interval(values) for values in vectors]
    loop = (time.perf_counter() - start) / LOOPED * 50 * n_scores
    farthest = 0.0
    for number, (low, high) in enumerate(looped):
        ends = computed[number % n_scores]
        apart = max(abs(ends.low[7 * number] - low), abs(ends.high[7 * number] - high))
        farthest = max(farthest, apart / (high - low))
    report.measure("seconds for all of it", elapsed, "s", beside=f"the loop {loop:.0f} s", at_most=20)
    report.measure("seconds for as much as the loop does", intervals_alone, "s")
    report.measure("times as fast as the loop", loop / elapsed, "x", at_least=10)
    report.measure("ends apart, in widths of the interval", farthest, "", at_most=0.03)


@bench("statistics-thousand-systems")
def thousand_systems(report: Report) -> None:
    """All columns of 1,000 systems, one after another as a worker takes them."""
    n_systems, n_scores = report.size(1000, 40), report.size(N_SCORES, 1)
    columns = made_up_scores(n_systems, n_scores)
    before = peak_memory()
    start, spent = time.perf_counter(), time.process_time()
    for column in columns:
        mean_intervals(column)
        rank_statistics(column, seed=SEED)
    elapsed, spent = time.perf_counter() - start, time.process_time() - spent
    report.note(f"{n_scores} scores x {N_QUESTIONS} questions x {N_RESAMPLES:,} resamples for {n_systems:,} systems")
    report.measure("seconds", elapsed, "s", beside=f"{spent:.1f} s of processor time", at_most=60)
    report.measure("memory on top of what was used", peak_memory() - before, "MiB", at_most=400)


WHOLE_BOARD = """
import json, resource, sys, time
import django
django.setup()
from leaderboard.board import standings
from leaderboard.models import Standing
from tests import boards, factories
made = factories.benchmark(n_test=int(sys.argv[2]))
place = factories.split(made, "test"), factories.setting(made)
boards.fill(*place, int(sys.argv[1]))
memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
times = []
for wanted in (True, False):
    start = time.perf_counter()
    assert standings.refresh(*place) is wanted
    times.append(time.perf_counter() - start)
boards.fill(*place, 1, seed=1, prefix="Later")
start = time.process_time()
assert standings.refresh(*place)
one_more = time.process_time() - start
memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - memory
columns = Standing.objects.values_list("name").distinct().order_by().count()
print(json.dumps({"times": times, "one_more": one_more, "memory": memory / 1024, "columns": columns}))
"""
"""A site of its own, filled, and its board computed three times: once, once to find that nothing has changed, and once
with a system more."""


@bench("statistics-whole-board")
def whole_board(report: Report) -> None:
    """What a worker does: read the vectors, compute, write standings and intervals, keep a state."""
    report.note("from the database and back into it (SQLite), a dated state of the board included")
    for n_systems, at_most in ((5, 20),) if report.short else ((50, 20), (1000, 180)):
        with tempfile.TemporaryDirectory() as directory:
            environment = os.environ | {
                "DJANGO_SETTINGS_MODULE": "leaderboard.settings",
                "DATABASE_URL": prepared.sqlite_url(Path(directory)),
                "MANYHOP_DATA_DIR": directory,
                "REDIS_URL": "",
                "DEBUG": "1",
                "OPENBLAS_NUM_THREADS": "1",  # as in a worker
                "ALLOWED_HOSTS": "",  # the tests' settings, which other benches load, name a host
            }
            command = [sys.executable, "-c", WHOLE_BOARD, str(n_systems), str(N_QUESTIONS)]
            found = json.loads(output_of(command, env=environment))
        what = f"{n_systems:,} systems"
        beside = f"{found['columns']} scores x {N_QUESTIONS} questions"
        report.measure(f"seconds, {what}", found["times"][0], "s", beside=beside, at_most=at_most)
        report.measure(f"seconds to find it unchanged, {what}", found["times"][1], "s", at_most=2)
        report.measure(f"processor time with one system more, {what}", found["one_more"], "s")
        report.measure(f"memory on top, {what}", found["memory"], "MiB", at_most=600)
