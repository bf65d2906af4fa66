"""Redis stops, hangs or forgets: submissions are taken at once, and scored as soon as it is back."""

import socket

import pytest
import redis

from leaderboard.models import Submission
from scoring.models import Run
from scoring.models.run_states import RunState
from scoring.runs import dispatch
from tests import factories
from tests.processes import Beat, Site, Worker
from tests.reliability.ground import (
    SCORED,
    all_done,
    assert_scored_once,
    scorable_runs,
    undisturbed,
    wait_until,
)
from tests.reliability.raw_http import Part, exchange, head
from tests.reliability.visitors import doors
from tests.services import LOOPBACK, Redis

pytestmark = [pytest.mark.slow, pytest.mark.postgres, pytest.mark.django_db(transaction=True)]

HANG_SECONDS = 60.0
"""Whoever submits and hears nothing for so long is taken to hang. A bound, far from what it takes."""
ANSWERS = factories.perfect(right=3)
FILES = [Part(name, factories.generations(ANSWERS), "answers.jsonl") for name in ("openbook", "closedbook")]


@pytest.fixture
def process_options(redis_server: Redis) -> dict[str, str]:
    """Everything that the site keeps in Redis is in the one that goes away, not the queue alone."""
    short = {"RUN_LEASE_SECONDS": "6", "RUN_RESEND_SECONDS": "1", "SWEEP_SECONDS": "1"}
    return short | {"REDIS_URL": redis_server.url}


@pytest.fixture
def own_broker(broker: str) -> str:
    """Makes sure that the Redis of the test is the broker of this process and of those it starts."""
    assert broker.startswith("redis://")
    return broker


def test_a_worker_outlives_messages_that_are_none(
    redis_server: Redis, live_site: Site, worker: Worker, beat: Beat
) -> None:
    for content in (b"no JSON", b"[]", b'{"headers": {"task": []}, "body": "e30=", "properties": {}}'):
        redis.Redis.from_url(redis_server.url).lpush("cpu", content)
    pid = worker.pid
    factories.benchmark()
    form = doors(live_site, factories.user())[0]
    assert form.submit(FILES).status == form.accepted
    wait_until("the end of all runs", all_done)
    assert worker.running and worker.pid == pid


def test_redis_is_away_while_submissions_come(redis_server: Redis, live_site: Site, worker: Worker, beat: Beat) -> None:
    made = factories.benchmark()
    ways_in = doors(live_site, factories.user())
    processes = [live_site, worker, beat]
    pids = [process.pid for process in processes]
    redis_server.stop(keep_data=False)

    for door in ways_in:
        answer = door.submit(FILES, timeout=HANG_SECONDS)
        assert answer.status == door.accepted, (door.name, answer.reason)
    front = exchange(live_site.port, head("GET", "/", live_site.port, {}), timeout=HANG_SECONDS)
    assert front.status == 200, "reading needs no Redis either"
    runs = scorable_runs()
    assert len(runs) == 4 * len(SCORED)
    assert all((run.state, run.sent_at, run.times_sent) == (RunState.WAITING, None, 0) for run in runs)

    redis_server.start()
    wait_until("the end of all runs after the outage", all_done)
    assert [process.pid for process in processes if process.running] == pids, "all of them lived through it"
    expected = undisturbed(factories.split(made, "dev"), ANSWERS)
    for submission in Submission.objects.all():
        by_setting = {"openbook": 0, "closedbook": 0}
        for run in scorable_runs(submission):
            by_setting[run.answer_set.setting.slug] += 1
            assert (run.attempts, run.state) == (1, RunState.DONE)
            for score in run.scores.all():
                assert score.value == expected[score.name].value
        assert by_setting == {"openbook": len(SCORED), "closedbook": len(SCORED)}

    after = ways_in[0].submit(FILES[:1])
    assert after.status == ways_in[0].accepted
    wait_until("a submission after the outage is scored", all_done)


def test_redis_takes_connections_and_never_answers(redis_server: Redis, live_site: Site) -> None:
    factories.benchmark()
    ways_in = doors(live_site, factories.user())
    with socket.create_connection((LOOPBACK, redis_server.port), timeout=10) as control:
        control.sendall(b"CLIENT PAUSE 600000 ALL\r\n")
        assert control.recv(100) == b"+OK\r\n"
    for door in ways_in:
        answer = door.submit(FILES, timeout=HANG_SECONDS)
        assert answer.status == door.accepted, (door.name, answer.reason)
    assert Submission.objects.count() == 2
    assert all(run.sent_at is None for run in scorable_runs())
    redis_server.kill9()


def test_redis_is_flushed_with_twenty_runs_waiting(
    redis_server: Redis, own_broker: str, request: pytest.FixtureRequest
) -> None:
    made = factories.benchmark()
    split = factories.split(made, "dev")
    user = factories.user()
    sent = [factories.submission(user, split, {"openbook": ANSWERS}, name=f"System {number}") for number in range(10)]
    runs = scorable_runs()
    assert len(runs) == 10 * len(SCORED) >= 20
    assert all(run.times_sent == 1 for run in runs), "each had its message"
    redis_server.flush()

    request.getfixturevalue("worker")
    request.getfixturevalue("beat")
    wait_until("the end of all runs", all_done)
    expected = undisturbed(split, ANSWERS)
    for submission in sent:
        assert_scored_once(submission, expected)
    assert {run.attempts for run in scorable_runs()} == {1}
    assert {run.times_sent for run in scorable_runs()} >= {2}, "they were sent again"


def test_redis_is_flushed_while_a_worker_runs(redis_server: Redis, own_broker: str, worker: Worker, beat: Beat) -> None:
    split = factories.split(factories.benchmark(), "dev")
    user = factories.user()
    for number in range(3):
        factories.submission(user, split, {"openbook": ANSWERS}, name=f"System {number}")
        redis_server.flush()
    wait_until("the end of all runs", all_done)
    assert worker.running and beat.running
    factories.submission(user, split, {"openbook": ANSWERS}, name="After")
    wait_until("one sent afterwards is scored", all_done)


def test_a_message_for_a_run_that_is_gone_or_finished_does_nothing(
    redis_server: Redis, own_broker: str, worker: Worker
) -> None:
    from scoring.tasks import execute_run

    made = factories.benchmark()
    sent = factories.submission(factories.user(), factories.split(made, "dev"), {"openbook": ANSWERS})
    wait_until("the worker has scored it", all_done)
    before = list(Run.objects.order_by("pk").values())
    for run_id in [str(sent.pk), "not an id", *[str(run.pk) for run in scorable_runs()]]:
        execute_run.apply_async((run_id,), queue="cpu")
    wait_until("the finished ones are turned away", lambda: worker.log.read_text().count("is finished, deleted") >= 3)
    assert list(Run.objects.order_by("pk").values()) == before
    assert dispatch.send([str(sent.pk)]) == 0
