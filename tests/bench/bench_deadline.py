"""The last hour before a deadline, and a cluster whose parts fail for half an hour: tables of docs/scale.md."""

from __future__ import annotations

import json
import os
import random
import statistics
import sys

from tests.bench.bench_throughput import site_with_a_worker
from tests.bench.corpus import N_QUESTIONS
from tests.bench.registry import Report, bench, output_of
from tests.load.deadline import HOUR, arrivals, waits

N_SUBMITTERS = 2_000
WORKERS = (2, 8, 32)
N_MEASURED = 20
MINUTE = 60


@bench("deadline")
def deadline(report: Report) -> None:
    """When 2,000 submitters have their scores, by a model of the queue that was calibrated with one worker."""
    n_measured, n_questions = report.size(N_MEASURED, 3), report.size(N_QUESTIONS, 12)
    measured = site_with_a_worker(report, n_measured, n_questions)
    if measured is None:
        return
    runs = list(measured["run_seconds"].values()) * 3  # a submission has three files
    report.note(
        f"runs of {n_measured} submissions of three files with {n_questions} answers; BLEURT and judge left out"
    )
    mean = sum(map(statistics.mean, runs))
    modelled = waits([0.0] * n_measured, runs, 1, random.Random(0))
    report.measure(
        "all submissions at once, one worker: the model's time in that of the real queue",
        max(modelled) / (measured["elapsed"] * n_measured),
        "",
        at_least=0.7,
        at_most=1.3,
    )
    report.measure("runs of one submission, one worker", mean, "s")
    chance = random.Random(1)
    times = arrivals(report.size(N_SUBMITTERS, 50), chance)
    for workers in WORKERS:
        waited = sorted(waits(times, runs, workers, chance))
        beside = f"{len(times)} submitters in the last hour; utilisation {len(times) * mean / workers / HOUR:.0%}"
        for name, share in (("median", 0.5), ("95 %", 0.95), ("last", 1.0)):
            place = min(len(waited) - 1, int(share * len(waited)))
            report.measure(f"{workers} workers, scores after, {name}", waited[place] / MINUTE, "min", beside=beside)


@bench("soak")
def soak(report: Report) -> None:
    """Submissions to a cluster while its parts fail: nothing is lost or paid twice, and memory stays flat."""
    seconds = 1800 if report.full else report.size(300, 0)
    report.note(f"parts of the cluster fail for {seconds} s (--full: 1,800 s); load {os.getloadavg()[0]:.1f}")
    ledger = json.loads(
        output_of(
            [sys.executable, "-m", "tests.load.faults", "--seconds", str(seconds)], env=dict(os.environ), allowed=(0, 1)
        )
    )
    for problem in ledger["problems"]:
        report.mismatches.append(problem)
    report.measure("faults", sum(ledger["faults"].values()), "")
    report.measure(
        "submissions accepted", ledger["accepted"], "", beside=f"{ledger['requests_repeated']} requests repeated"
    )
    report.measure("scores", ledger["scores"], "", beside="each equal to the undisturbed one")
    repeated = ledger["judge_calls"] - ledger["verdicts"]
    report.measure(
        "judge calls paid twice", repeated, "", beside=f"{ledger['calls_in_flight_at_kills']} in flight at kills"
    )
    for name, megabytes in ledger["megabytes"].items():
        quarter = max(1, len(megabytes) // 4)
        early, late = (
            statistics.median(megabytes[quarter : 2 * quarter] or megabytes),
            statistics.median(megabytes[-quarter:]),
        )
        report.measure(f"{name}: memory at the end", late, "MiB", beside=f"{early:.0f} MiB after warm-up")
