"""The judge's pool: how close it comes to the ideal, and to what batches of 20 with a barrier take.

724 verdicts (a full test set) from a server on this machine, in a process of its own, that answers each request after
200 ms ± 50 ms, with 32 under way at a time. The ideal is 724 / 32 × the mean of the server's latency: every place busy
all the time, and nothing but waiting. The official scorer's way is batches of 20 whose slowest everybody waits for; it
is taken with 20 under way and the same client.

The second bench compares 7 systems with a baseline on 200 questions in both orders, 2,800 requests, one system after
the other as the site does; with ``--full`` on 1,000 questions.

The third judges 100 reports of 5,000 words by 25 criteria each, 2,500 requests, as a worker does: the run of a
submission in a database, from its claim to its scores, with the estimate before and each verdict stored as it comes.
Its server takes 1 s ± 50 ms, which is quick for a model that reads 7,000 tokens and gives reasons.
"""

from __future__ import annotations

import asyncio
import json
import os
import secrets
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

from scoring.metrics.asking.endpoint import Endpoint, EndpointSettings
from scoring.metrics.asking.items import AnswersToJudge, AskedItem, JudgeSettings
from scoring.metrics.asking.pool import JudgePool, PendingItem, PoolSettings
from scoring.metrics.asking.replies import Reply
from scoring.metrics.judge.prompt import JudgeItem, sent_answer
from scoring.metrics.side_by_side import PROMPT, SideBySide
from scoring.metrics.side_by_side.items import ComparisonItem
from tests.bench import prepared
from tests.bench.registry import Report, bench, output_of

ROOT = Path(__file__).resolve().parents[2]
N_VERDICTS = 724
CONCURRENCY = 32
BATCH = 20
LATENCY, JITTER = 0.2, 0.05
BAR = 1.15


def items(n: int) -> list[JudgeItem]:
    """Answers of a usual length (about 60 words), each another."""
    return [
        JudgeItem(str(number), f"Which are the cities of region {number}?", f"City {number}", sent_answer(text))
        for number, text in ((number, f"City {number} is one of them. " * 10) for number in range(n))
    ]


@contextmanager
def server(latency: float = LATENCY, reply: str = "") -> Iterator[str]:
    """The server, in a process of its own; its address.

    Args:
        latency: mean seconds to each reply.
        reply: what it says to every request; by default a letter for it.
    """
    command = [sys.executable, "-m", "tests.judge_server", "--port", "0", "--reply", reply]
    command += ["--latency", str(latency), "--jitter", str(JITTER)]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        yield process.stdout.readline().split()[-1]
    finally:
        process.terminate()
        process.wait()


async def seconds(endpoint: Endpoint, groups: Sequence[Sequence[AskedItem]], verdict: str = "C") -> float:
    """How long it takes to judge some groups, one after the other."""
    verdicts: list[str | None] = []

    async def keep(item: AskedItem, reply: Reply) -> None:
        verdicts.append(reply.letter)

    began = time.perf_counter()
    for group in groups:
        pool = JudgePool(endpoint, JudgeSettings("m"), PoolSettings(concurrency=CONCURRENCY), on_reply=keep)
        await pool.run(PendingItem(item) for item in group)
    took = time.perf_counter() - began
    assert verdicts.count(verdict) == sum(map(len, groups)), "every verdict is there"
    return took


async def measure(address: str, n_verdicts: int) -> tuple[float, float, float]:
    """Seconds of the steady pool and of batches with a barrier, and processor seconds of the pool."""
    endpoint = Endpoint(EndpointSettings(base_url=address))
    try:
        await seconds(endpoint, [items(CONCURRENCY)])  # connections are made, modules loaded
        busy = time.process_time()
        steady = await seconds(endpoint, [items(n_verdicts)])
        busy = time.process_time() - busy
        todo = items(n_verdicts)
        batches = [todo[start : start + BATCH] for start in range(0, len(todo), BATCH)]
        return steady, await seconds(endpoint, batches), busy
    finally:
        await endpoint.aclose()


@bench("judge")
def judge(report: Report) -> None:
    """The ratio of the pool to the ideal, and to batches with a barrier."""
    n_verdicts = report.size(N_VERDICTS, 40)
    ideal = n_verdicts / CONCURRENCY * LATENCY
    with server() as address:
        steady, barred, busy = asyncio.run(measure(address, n_verdicts))
    report.note(f"{n_verdicts} verdicts, {LATENCY * 1000:g} ms ± {JITTER * 1000:g} ms each, {CONCURRENCY} at a time")
    report.note(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}; server and pool share them")
    report.measure(
        "pool: time / ideal", steady / ideal, "x", beside=f"{steady:.2f} s; ideal {ideal:.2f} s", at_most=BAR
    )
    report.measure("batches of 20 with a barrier / pool", barred / steady, "x", beside=f"{barred:.2f} s")
    report.measure("pool: processor time per verdict", 1000 * busy / n_verdicts, "ms")


N_REPORTS, N_CRITERIA, N_WORDS = 100, 25, 5_000
REPORTS_LATENCY, REPORTS_BAR = 1.0, 1.1


@bench("judge-reports")
def judge_reports(report: Report) -> None:
    """The ratio to the ideal of a whole run about long reports."""
    from tests import services

    n_reports = report.size(N_REPORTS, 2)
    n_requests = n_reports * N_CRITERIA
    ideal = n_requests / CONCURRENCY * REPORTS_LATENCY
    verdict = json.dumps({"verdict": "Satisfied", "score": 1.0, "reasoning": "The report says so. " * 30})
    with ExitStack() as stack:
        directory = stack.enter_context(tempfile.TemporaryDirectory())
        if services.find_postgres() is None:
            report.note("on SQLite: PostgreSQL is not installed")
            database = prepared.sqlite_url(Path(directory))
        else:
            database = stack.enter_context(prepared.postgres_url())
        environment = os.environ | {
            "DJANGO_SETTINGS_MODULE": "leaderboard.settings",
            "SECRET_KEY": secrets.token_urlsafe(50),
            "DEBUG": "0",
            "SECURE_SSL": "0",
            "LOG_LEVEL": "WARNING",
            "REDIS_URL": "",
            "CELERY_BROKER_URL": "memory://",
            "DATABASE_URL": database,
            "MANYHOP_DATA_DIR": directory,
            "MANYHOP_TEST_CHILD": "1",
            "JUDGE_BASE_URL": stack.enter_context(server(REPORTS_LATENCY, verdict)),
            "JUDGE_CONCURRENCY": str(CONCURRENCY),
            "JUDGE_SUBMISSION_CAP_USD": "",
            "JUDGE_MONTHLY_CAP_USD": "",
        }
        sizes = map(str, (n_reports, N_CRITERIA, N_WORDS))
        measured = json.loads(output_of([sys.executable, "-m", "tests.bench.judged_reports", *sizes], env=environment))
    report.note(f"{n_requests:,} requests: {n_reports} reports of {N_WORDS:,} words, {N_CRITERIA} criteria each")
    report.note(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}; server and worker share them")
    beside = f"{measured['seconds']:.2f} s, {measured['before']:.2f} s of it before asking; ideal {ideal:.2f} s"
    report.measure("reports: time / ideal", measured["seconds"] / ideal, "x", beside=beside, at_most=REPORTS_BAR)
    report.measure("reports: processor time per request", 1000 * measured["busy"] / n_requests, "ms")


N_OPPONENTS, N_QUESTIONS, ALL_QUESTIONS = 7, 200, 1000


def compared(n_questions: int) -> list[list[ComparisonItem]]:
    """Answers of some 600 words, each another, of each system beside the baseline's, in both orders."""
    side_by_side = SideBySide({PROMPT: "Question: {Question}\n\n{CandidateAnswers}\n\nThese are {NumCandidates}."})
    asked = [f"Why is region {number} poor?" for number in range(n_questions)]
    base = [f"Worth 50. {one} " + "It has few ports. " * 170 for one in asked]
    found = []
    for system in range(N_OPPONENTS):
        mine = [f"Worth 50. {one} System {system} says: " + "It has no rivers. " * 170 for one in asked]
        found.append(list(side_by_side.items(AnswersToJudge(asked, asked, [""] * n_questions, mine, opponents=base))))
    return found


async def measure_compared(address: str, n_questions: int) -> tuple[float, float]:
    """Seconds, and processor seconds, for all comparisons, one system after the other."""
    endpoint = Endpoint(EndpointSettings(base_url=address))
    try:
        await seconds(endpoint, [items(CONCURRENCY)])
        groups = compared(n_questions)
        busy = time.process_time()
        took = await seconds(endpoint, groups, verdict="50/50")
        return took, time.process_time() - busy
    finally:
        await endpoint.aclose()


@bench("judge-compared")
def judge_compared(report: Report) -> None:
    """The ratio to the ideal of comparisons in both orders."""
    n_questions = report.size(ALL_QUESTIONS if report.full else N_QUESTIONS, 4)
    n_requests = 2 * n_questions * N_OPPONENTS
    ideal = n_requests / CONCURRENCY * LATENCY
    with server() as address:
        took, busy = asyncio.run(measure_compared(address, n_questions))
    report.note(
        f"{n_requests:,} requests: {N_OPPONENTS} systems, {n_questions} questions, both orders, {CONCURRENCY} at a time"
    )
    report.note(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}; server and pool share them")
    report.measure(
        "comparisons: time / ideal", took / ideal, "x", beside=f"{took:.2f} s; ideal {ideal:.2f} s", at_most=BAR
    )
    report.measure("comparisons: processor time per request", 1000 * busy / n_requests, "ms")
