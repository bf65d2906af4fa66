"""A site with one worker that scores submissions of real size; says what that took. Run by `bench_throughput`."""

from __future__ import annotations

import datetime
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil

SETTINGS = {"closedbook": "short", "openbook": "long", "evidenceprovided": "warming"}
N_WARMING = 2
LIMIT_SECONDS = 540


def main(n_submissions: int, n_questions: int) -> dict[str, Any]:
    """Send, score, and measure: seconds of processor and of the clock, and bytes, per submission of three files."""
    from django.conf import settings

    from scoring.models import Run
    from scoring.workers import broker

    broker.IMPATIENT.update(socket_connect_timeout=60, socket_timeout=60)  # no sweep sends again what it did not take
    to, owner = benchmark(n_questions)
    _send(to, owner, range(N_WARMING), n_questions)
    worker = _start_worker(settings.DATA_DIR)
    try:
        _wait_until_scored()
        bytes_before, busy_before = database_bytes(), _busy(worker)
        started, busy = time.monotonic(), time.process_time()
        _send(to, owner, range(N_WARMING, N_WARMING + n_submissions), n_questions)
        sent_busy, sent = time.process_time() - busy, time.monotonic() - started
        _wait_until_scored()
        elapsed = time.monotonic() - started
        worker_busy = _busy(worker) - busy_before
    finally:
        worker.terminate()
        worker.wait(timeout=60)
    uploads = sum(file.stat().st_size for file in Path(settings.MEDIA_ROOT).rglob("*") if file.is_file())
    return {
        "run_seconds": _run_seconds(),
        "runs": Run.objects.filter(state="done").count(),
        "receiving_cpu": sent_busy / n_submissions,
        "receiving": sent / n_submissions,
        "scoring_cpu": worker_busy / n_submissions,
        "elapsed": elapsed / n_submissions,
        "database": (database_bytes() - bytes_before) / n_submissions,
        "uploads": uploads / (n_submissions + N_WARMING),
    }


def benchmark(n_questions: int, slug: str = "test") -> tuple[Any, Any]:
    """A split of the first benchmark with so many questions, and an account."""
    from leaderboard.models import User
    from scoring.benchmarks import definitions
    from scoring.benchmarks.base import SourceQuestion
    from scoring.importing.revisions import import_definition, import_split
    from scoring.models import Split
    from tests.bench.corpus import submission

    made = import_definition(next(iter(definitions().values())))
    to = Split.objects.select_related("benchmark").get(benchmark=made, slug=slug)
    known = submission("short").first(n_questions)
    questions = [
        SourceQuestion(qid=qid, text=f"Question {qid}?", categories=(), evidence=(), answer=reference)
        for qid, reference in zip(known.ids, known.references, strict=True)
    ]
    import_split(to, questions, date=datetime.date(2024, 1, 1), note="For a bench.")
    to = Split.objects.select_related("benchmark", "current_revision").get(pk=to.pk)
    return to, User.objects.create_user("bench", "bench@example.org")


def _send(to: Any, owner: Any, numbers: range, n_questions: int) -> None:
    from tests.bench.corpus import submission
    from tests.factories import submission as send

    ids = submission("short").ids[:n_questions]
    for number in numbers:
        answers = {slug: dict(answers_of(ids, kind, number)) for slug, kind in SETTINGS.items()}
        send(owner, to, answers, name=f"System {number}", within_quota=False)


def answers_of(ids: tuple[str, ...], kind: str, number: int) -> Iterator[tuple[str, str]]:
    """A system's answers, moved on by some questions, so that no two submissions are the same."""
    from tests.bench.corpus import submission

    texts = submission(kind).generations
    for index, qid in enumerate(ids):
        text = texts[(index + 7 * number) % len(texts)]
        if text is not None:
            yield qid, text


def _start_worker(directory: Path) -> psutil.Popen:
    command = [sys.executable, "-m", "celery", "-A", "leaderboard.celery:app", "worker", "--queues", "cpu"]
    command += ["--hostname", "bench@127.0.0.1", "--concurrency", "1", "--loglevel", "WARNING"]
    with (directory / "worker.log").open("wb") as log:
        return psutil.Popen(command, stdout=log, stderr=subprocess.STDOUT, env=dict(os.environ))


def _busy(worker: psutil.Popen) -> float:
    """Seconds of processor time that the worker and its processes took so far."""
    processes = [worker, *worker.children(recursive=True)]
    return sum(sum(process.cpu_times()[:2]) for process in processes)


def _wait_until_scored() -> None:
    from scoring.models import Run
    from scoring.models.run_states import ACTIVE

    deadline = time.monotonic() + LIMIT_SECONDS
    while Run.objects.filter(state__in=ACTIVE).exists():
        if time.monotonic() > deadline:
            raise TimeoutError("the worker did not score everything")
        time.sleep(0.1)


def _run_seconds() -> dict[str, list[float]]:
    """How long each run took, by metric."""
    from scoring.models import Run

    taken: dict[str, list[float]] = {}
    for metric, begin, end in Run.objects.filter(state="done").values_list("metric", "started_at", "finished_at"):
        assert begin is not None and end is not None
        taken.setdefault(metric, []).append((end - begin).total_seconds())
    return taken


def database_bytes() -> int:
    from django.db import connection

    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute("SELECT pg_database_size(current_database())")
        else:
            cursor.execute("SELECT page_count * page_size FROM pragma_page_count(), pragma_page_size()")
        row = cursor.fetchone()
    return int(row[0])


if __name__ == "__main__":
    import django

    django.setup()
    sys.stdout.write(json.dumps(main(*map(int, sys.argv[1:]))))
