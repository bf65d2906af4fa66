"""Housekeeping has a queue and workers of its own: scoring never delays a board, a sweep or a mail."""

from collections.abc import Callable

import pytest
from celery import current_app
from django.test import Client
from django.urls import reverse

from leaderboard.board.write import write
from leaderboard.models import Submission
from leaderboard.publishing.services import publish_submission
from scoring.models import Run, Split, WorkerHeartbeat
from scoring.models.run_states import RunState
from scoring.models.workers import SWEEP
from scoring.workers import broker
from scoring.workers.periodic import INTERVAL
from tests import factories
from tests.processes import Beat, Worker
from tests.reliability.ground import SCORED, answers_of_words, benchmark_of_words, wait_until
from tests.services import Redis

pytestmark = [pytest.mark.slow, pytest.mark.postgres, pytest.mark.django_db(transaction=True)]
N_WAITING = 10
"""Submissions to score: a slow worker needs more than a minute, also on the fastest machine."""


@pytest.fixture
def worker_app() -> str:
    return "tests.reliability.slow_worker:app"


def scored_and_waiting(split: Split) -> Submission:
    """A scored submission of a split whose board has a document, and others that wait to be scored."""
    user, answers = factories.user(), answers_of_words()
    scored = factories.scored(user, split, {"openbook": answers}, name="Engine")
    write(split, factories.setting(split.benchmark))
    for number in range(N_WAITING):
        factories.submission(user, split, {"openbook": answers}, name=f"System {number}")
    return scored


def is_shown() -> bool:
    return "Engine" in Client().get(reverse("board", args=["fanoutqa", "dev", "openbook"])).content.decode()


def is_scoring() -> bool:
    return Run.objects.filter(state=RunState.RUNNING).exists()


def has_swept() -> bool:
    return WorkerHeartbeat.objects.filter(name=SWEEP).exists()


def runs_wait() -> bool:
    return Run.objects.filter(metric__in=SCORED, state=RunState.WAITING).exists()


@pytest.mark.parametrize("queues", [["cpu", "site"], ["cpu"]], ids=["with its worker", "without"])
def test_boards_and_sweeps_do_not_wait_for_scoring(
    redis_server: Redis, beat: Beat, make_worker: Callable[..., Worker], queues: list[str]
) -> None:
    split = benchmark_of_words()
    scored = scored_and_waiting(split)
    for queue in queues:
        make_worker(queue, queues=queue)
    wait_until("a run is scored", is_scoring)
    publish_submission(scored, actor=scored.owner, approved=True)  # the files are alike
    wait_until("the system on its board", is_shown)
    wait_until("a sweep", has_swept)
    assert runs_wait(), "scoring was not finished before"


def test_a_worker_takes_housekeeping_only_while_that_has_none(
    redis_server: Redis, make_worker: Callable[..., Worker]
) -> None:
    cpu = make_worker("cpu")
    wait_until("it takes housekeeping", lambda: "this worker does, until one is there" in cpu.log.read_text())
    broker.send("scoring.tasks.sweep", queue=broker.SITE)
    wait_until("a sweep", has_swept)
    site = make_worker("site", queues="site")
    wait_until("it leaves housekeeping", lambda: "Another worker takes the queue site" in cpu.log.read_text())
    WorkerHeartbeat.objects.filter(name=SWEEP).delete()
    broker.send("scoring.tasks.sweep", queue=broker.SITE)
    wait_until("a sweep by the other", has_swept)
    assert "scoring.tasks.sweep" in site.log.read_text()


def test_messages_that_waited_for_a_worker_cost_one_sweep(
    redis_server: Redis, make_worker: Callable[..., Worker]
) -> None:
    with broker.open_producer() as producer:
        for _ in range(300):
            current_app.send_task(
                "scoring.tasks.sweep", queue=broker.SITE, headers={INTERVAL: 600.0}, producer=producer, retry=False
            )
    make_worker("site", queues="site")
    wait_until("a sweep", has_swept)
    swept_at = WorkerHeartbeat.objects.get(name=SWEEP).seen_at
    wait_until("all messages are read", lambda: broker.n_messages(broker.SITE) == 0)
    assert WorkerHeartbeat.objects.get(name=SWEEP).seen_at == swept_at
