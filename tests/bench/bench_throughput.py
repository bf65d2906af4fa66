"""What a submission costs a site from its upload to its scores: the ground of the arithmetic in docs/deploy.md.

A real worker on PostgreSQL and Redis scores submissions of three files with 724 questions each by string accuracy
and ROUGE, intervals included. BLEURT and the judge have benches of their own.
"""

from __future__ import annotations

import json
import os
import secrets
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from tests.bench import prepared
from tests.bench.corpus import N_QUESTIONS
from tests.bench.registry import Report, bench, output_of

N_SUBMISSIONS = 20
DAY = 86_400
KIB = 1024


@bench("throughput")
def throughput(report: Report) -> None:
    """Processor time and bytes of one submission, and how many a day that makes."""
    n_submissions, n_questions = report.size(N_SUBMISSIONS, 1), report.size(N_QUESTIONS, 12)
    measured = site_with_a_worker(report, n_submissions, n_questions)
    if measured is None:
        return
    files = f"three files with {n_questions} answers"
    report.note(f"{n_submissions} submissions of {files}, {measured['runs']} runs; one worker process")
    report.note(f"{os.cpu_count()} cores, load of the last minute {os.getloadavg()[0]:.1f}")
    report.measure("receiving a submission, processor", measured["receiving_cpu"], "s")
    report.measure("scoring it, processor", measured["scoring_cpu"], "s", at_most=10)
    report.measure("from upload to scores, by the clock", measured["elapsed"], "s", beside="one after another")
    report.measure("submissions a day, one core that does nothing else", DAY / measured["scoring_cpu"], "")
    report.measure("in the database", measured["database"] / KIB, "KiB")
    report.measure("as uploaded files", measured["uploads"] / KIB, "KiB")
    report.measure("in the database, of the files' bytes", measured["database"] / measured["uploads"], "", at_most=0.5)


def site_with_a_worker(report: Report, n_submissions: int, n_questions: int) -> dict[str, Any] | None:
    """What `throughput_site` measures; none without the servers that it needs."""
    from tests import services

    if services.find_postgres() is None or services.find_redis_server() is None:
        report.note("left out: PostgreSQL or Redis is not installed")
        return None
    with ExitStack() as stack:
        directory = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        redis = stack.enter_context(services.redis_server_in(directory))
        environment = os.environ | {
            "DJANGO_SETTINGS_MODULE": "leaderboard.settings",
            "SECRET_KEY": secrets.token_urlsafe(50),
            "SUBMISSIONS_PER_WEEK": "none",
            "HIDDEN_FILES": "none, none, none",
            "DEBUG": "0",
            "SECURE_SSL": "0",
            "LOG_LEVEL": "WARNING",
            "DATABASE_URL": stack.enter_context(prepared.postgres_url()),
            "REDIS_URL": redis.url,
            "CELERY_BROKER_URL": redis.url,
            "MANYHOP_DATA_DIR": str(directory),
            "MANYHOP_TEST_CHILD": "1",
        }
        command = [sys.executable, "-m", "tests.bench.throughput_site", str(n_submissions), str(n_questions)]
        measured: dict[str, Any] = json.loads(output_of(command, env=environment))
        return measured
