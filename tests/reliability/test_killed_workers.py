"""Workers that die, freeze and double: every run finishes, once, with the scores of an undisturbed one."""

import os
import signal
from collections.abc import Callable

import psutil
import pytest

from scoring.models import Run
from scoring.models.run_states import RunState
from scoring.tasks import NOT_CLAIMED, execute_run
from tests import factories
from tests.processes import Beat, Worker
from tests.reliability.ground import (
    SCORED,
    all_done,
    answers_of_words,
    assert_scored_once,
    benchmark_of_words,
    runs_in_words,
    scorable_runs,
    undisturbed,
    wait_until,
)
from tests.services import Redis

MESSAGES = 8
"""How many more times each run is sent than it has to be, where it is sent too often."""

pytestmark = [pytest.mark.slow, pytest.mark.postgres, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def worker_app() -> str:
    return "tests.reliability.slow_worker:app"


def in_the_middle() -> Run | None:
    """A run of which some answers are scored and some are not."""
    return next((run for run in scorable_runs() if is_in_the_middle(run)), None)


def is_in_the_middle(run: Run) -> bool:
    return run.state == RunState.RUNNING and 0 < run.done_items < run.total_items


def freeze_in_the_middle(worker: Worker, *, of: Callable[[Run], bool] = lambda run: True) -> Run:
    """Stop a worker's processes while they score, so that there is no doubt what is killed; returns the run."""

    def found() -> Run | None:
        return next((run for run in scorable_runs() if is_in_the_middle(run) and of(run)), None)

    while True:
        wait_until("a run in the middle of being scored", found)
        os.killpg(worker.pid, signal.SIGSTOP)
        if run := found():
            return run
        os.killpg(worker.pid, signal.SIGCONT)  # it finished before it could be stopped


def test_killed_in_the_middle_of_each_metric(redis_server: Redis, worker: Worker, beat: Beat) -> None:
    split = benchmark_of_words()
    answers = answers_of_words()
    sent = factories.submission(factories.user(), split, {"openbook": answers})
    killed: set[object] = set()
    for _ in SCORED:
        run = freeze_in_the_middle(worker, of=lambda run: run.pk not in killed)
        assert not run.scores.exists(), "scores are written with the end of a run, not before"
        killed.add(run.pk)
        worker.kill9()
        worker.start()
    wait_until("the end of all runs", all_done)
    assert_scored_once(sent, undisturbed(split, answers))
    assert len(killed) == len(SCORED)
    assert [run.attempts for run in scorable_runs()] == [2] * len(SCORED), runs_in_words()


def test_a_dead_worker_s_run_does_not_wait_behind_the_others(
    redis_server: Redis, worker: Worker, beat: Beat, make_worker: Callable[..., Worker]
) -> None:
    split = benchmark_of_words()
    user = factories.user()
    for number in range(10):
        factories.submission(user, split, {"openbook": answers_of_words()}, name=f"System {number}")
    run = freeze_in_the_middle(worker)
    worker.kill9()
    make_worker("site", queues="site")
    make_worker("second")
    wait_until("it is with another", lambda: Run.objects.get(pk=run.pk).attempts == 2)
    n_waiting = sum(run.state == RunState.WAITING for run in scorable_runs())
    assert n_waiting > 5 * len(SCORED), "most of the others wait"


def test_the_child_alone_is_killed(redis_server: Redis, worker: Worker, beat: Beat) -> None:
    """As the kernel does when memory runs out: the parent lives and makes a new child."""
    split = benchmark_of_words()
    answers = answers_of_words()
    sent = factories.submission(factories.user(), split, {"openbook": answers})
    hit = freeze_in_the_middle(worker)
    [child] = psutil.Process(worker.pid).children()
    child.kill()
    os.killpg(worker.pid, signal.SIGCONT)
    wait_until("the end of all runs", all_done)
    assert worker.running
    assert_scored_once(sent, undisturbed(split, answers))
    assert {run.pk: run.attempts for run in scorable_runs()} == {
        run.pk: 2 if run.pk == hit.pk else 1 for run in scorable_runs()
    }


def test_a_worker_that_is_asked_to_stop_finishes_first(redis_server: Redis, worker: Worker) -> None:
    split = benchmark_of_words()
    answers = answers_of_words()
    factories.submission(factories.user(), split, {"openbook": answers})
    found: list[Run] = []

    def is_there() -> bool:
        found.extend([run] if (run := in_the_middle()) else [])
        return bool(found)

    wait_until("a run in the middle of being scored", is_there)
    run = found[0]
    worker.stop()
    run.refresh_from_db()
    assert (run.state, run.attempts) == (RunState.DONE, 1)


def test_a_frozen_worker_wakes_up_when_its_run_is_another_s(
    redis_server: Redis, worker: Worker, beat: Beat, make_worker: Callable[..., Worker]
) -> None:
    """A machine that sleeps longer than its lease: what it computed is thrown away, not written over the other's."""
    split = benchmark_of_words()
    answers = answers_of_words()
    sent = factories.submission(factories.user(), split, {"openbook": answers})
    run = freeze_in_the_middle(worker)
    second = make_worker("second")
    wait_until("the other worker is done with every run", all_done)
    written = {score.pk: score.created_at for score in run.scores.all()}
    os.killpg(worker.pid, signal.SIGCONT)
    wait_until("the first worker notices", lambda: "lost its lease" in worker.log.read_text())
    assert second.running
    assert worker.running
    assert_scored_once(sent, undisturbed(split, answers))
    run.refresh_from_db()
    assert run.attempts == 2
    assert {score.pk: score.created_at for score in run.scores.all()} == written


def test_two_workers_and_many_messages_for_one_run(redis_server: Redis, make_worker: Callable[..., Worker]) -> None:
    split = benchmark_of_words()
    answers = answers_of_words()
    workers = [make_worker("first"), make_worker("second")]
    sent = factories.submission(factories.user(), split, {"openbook": answers})
    for _ in range(MESSAGES):
        for run in scorable_runs():
            execute_run.apply_async((str(run.pk),), queue="cpu")
    refused = NOT_CLAIMED.partition("%s")[2]

    def refusals() -> int:
        return sum(worker.log.read_text().count(refused) for worker in workers)

    wait_until("every message was answered", lambda: refusals() == MESSAGES * len(SCORED))
    wait_until("the end of all runs", all_done)
    assert all(worker.log.read_text().count(refused) for worker in workers), "both had messages for the runs"
    assert_scored_once(sent, undisturbed(split, answers))
    assert [run.attempts for run in scorable_runs()] == [1] * len(SCORED)
