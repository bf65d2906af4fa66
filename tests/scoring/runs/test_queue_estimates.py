"""The line: places and estimates, by how long runs took and who is there to do them."""

import datetime
from pathlib import Path

import pytest
from django.core.cache import cache
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries, Settings

from leaderboard.models import Submission, User
from scoring.models import Benchmark, Run, Split, workers
from scoring.models.run_states import RunState
from scoring.runs import queue_estimates
from tests import factories

pytestmark = pytest.mark.django_db
NOW = datetime.datetime(2026, 5, 1, tzinfo=datetime.UTC)


@pytest.fixture(autouse=True)
def place(tmp_path: Path, settings: Settings) -> None:
    settings.MEDIA_ROOT = tmp_path
    cache.delete_many([f"pace:{metric}" for metric in ("accuracy", "rouge", "bleurt", "judge")])


@pytest.fixture
def made() -> Benchmark:
    return factories.benchmark(n_dev=4)


@pytest.fixture
def dev(made: Benchmark) -> Split:
    return factories.split(made, "dev")


@pytest.fixture
def ada() -> User:
    return factories.user()


def took(sent: Submission, metric: str, seconds: float) -> None:
    """Have a submission's run of a metric be finished, after so many seconds for its four questions."""
    run = Run.objects.get(answer_set__submission_file__submission=sent, metric=metric)
    Run.objects.filter(pk=run.pk).update(
        state=RunState.DONE,
        total_items=4,
        started_at=NOW,
        finished_at=NOW + datetime.timedelta(seconds=seconds),
    )


def submission(owner: User, dev: Split) -> Submission:
    return factories.submission(owner, dev, {"openbook": factories.perfect()})


def runs_of(sent: Submission) -> list[Run]:
    return list(Run.objects.filter(answer_set__submission_file__submission=sent))


def outlook(sent: Submission, metric: str) -> queue_estimates.QueueEstimate:
    runs = runs_of(sent)
    (run,) = [run for run in runs if run.metric == metric]
    return queue_estimates.estimate_runs(runs)[run.pk]


def test_the_pace_is_the_median_of_the_last_runs_alone(ada: User, dev: Split, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(queue_estimates, "LAST_RUNS", 3)
    for days, seconds in ((9, 400.0), (2, 8.0), (1, 12.0), (0, 4000.0)):
        sent = submission(ada, dev)
        took(sent, "rouge", seconds)
        Run.objects.filter(answer_set__submission_file__submission=sent, metric="rouge").update(
            started_at=NOW - datetime.timedelta(days=days, seconds=seconds),
            finished_at=NOW - datetime.timedelta(days=days),
        )
    assert queue_estimates.throughputs(["rouge", "accuracy"]) == {"rouge": (3.0, 3), "accuracy": None}


def test_a_waiting_run_shows_its_position_and_the_time_of_all_runs_before_it(ada: User, dev: Split) -> None:
    done = submission(ada, dev)
    for metric, seconds in (("accuracy", 4.0), ("rouge", 40.0)):
        took(done, metric, seconds)
    workers.record_heartbeat("one", ["cpu"])
    submission(ada, dev)
    second = submission(ada, dev)
    # before it the other's accuracy and rouge (4 + 40), and its own accuracy
    assert outlook(second, "rouge") == queue_estimates.QueueEstimate(
        position=4, seconds=44 + 4 + 40, n_runs=1, n_workers=1
    )
    assert outlook(second, "accuracy") == queue_estimates.QueueEstimate(
        position=3, seconds=44 + 4, n_runs=1, n_workers=1
    )
    workers.record_heartbeat("two", ["cpu"])
    assert outlook(second, "rouge").seconds == 40 + (44 + 4) / 2


def test_what_is_under_way_counts_by_what_is_left_of_it(ada: User, dev: Split) -> None:
    took(submission(ada, dev), "rouge", 40.0)
    workers.record_heartbeat("one", ["cpu"])
    first, second = submission(ada, dev), submission(ada, dev)
    Run.objects.exclude(metric="rouge").update(state=RunState.CANCELLED)
    Run.objects.filter(answer_set__submission_file__submission=first, metric="rouge").update(
        state=RunState.RUNNING, lease_token="x", lease_until=timezone.now(), done_items=3, total_items=4
    )
    assert outlook(first, "rouge") == queue_estimates.QueueEstimate(position=None, seconds=10.0, n_runs=1, n_workers=1)
    assert outlook(second, "rouge") == queue_estimates.QueueEstimate(position=2, seconds=50.0, n_runs=1, n_workers=1)


def test_a_line_is_of_those_who_wait_for_the_same_workers(ada: User, dev: Split) -> None:
    first, second = submission(ada, dev), submission(ada, dev)
    Run.objects.filter(metric="bleurt").update(state=RunState.WAITING)
    Run.objects.exclude(metric__in=["bleurt", "rouge"]).update(state=RunState.CANCELLED)
    assert outlook(second, "bleurt").position == 2  # another's BLEURT
    workers.record_heartbeat("gpu", ["bleurt"])
    assert outlook(second, "bleurt").position == 2
    workers.record_heartbeat("all", ["bleurt", "cpu"])
    assert outlook(second, "bleurt").position == 4  # and another's ROUGE, and its own, which was made before
    assert outlook(first, "bleurt").position == 2


def test_judging_is_one_after_the_other_whatever_the_number_of_workers(ada: User, dev: Split) -> None:
    took(submission(ada, dev), "judge", 40.0)
    for name in ("one", "two"):
        workers.record_heartbeat(name, ["judge"])
    first, second = submission(ada, dev), submission(ada, dev)
    del first
    Run.objects.filter(metric="judge", state=RunState.NOT_CONFIGURED).update(state=RunState.WAITING)
    assert outlook(second, "judge").seconds == 80


def test_a_run_with_a_start_time_has_no_earlier_estimate(ada: User, dev: Split) -> None:
    took(submission(ada, dev), "judge", 40.0)
    workers.record_heartbeat("one", ["judge"])
    sent = submission(ada, dev)
    Run.objects.filter(answer_set__submission_file__submission=sent, metric="judge").update(
        state=RunState.WAITING, not_before=timezone.now() + datetime.timedelta(seconds=600)
    )
    seconds = outlook(sent, "judge").seconds
    assert seconds is not None
    assert 630 < seconds <= 640


def test_an_estimate_needs_a_worker_and_known_paces(ada: User, dev: Split) -> None:
    sent = submission(ada, dev)
    assert outlook(sent, "rouge") == queue_estimates.QueueEstimate(position=2, seconds=None, n_runs=0, n_workers=0)
    took(submission(ada, dev), "rouge", 40.0)
    assert outlook(sent, "rouge").seconds is None  # nobody is there who does it
    workers.record_heartbeat("one", ["cpu"])
    assert outlook(sent, "rouge").seconds is None  # of what is before it nothing is known
    workers.WorkerHeartbeat.objects.update(seen_at=timezone.now() - datetime.timedelta(minutes=3))
    assert outlook(sent, "rouge").n_workers == 0


def test_queue_estimates_take_a_constant_number_of_queries(
    ada: User, dev: Split, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    done = submission(ada, dev)
    for metric in ("accuracy", "rouge"):
        took(done, metric, 40.0)
    for _ in range(3):
        submission(ada, dev)
    last = runs_of(submission(ada, dev))
    queue_estimates.throughputs(["accuracy", "rouge"])
    with django_assert_num_queries(4):
        queue_estimates.estimate_runs(last)
    Run.objects.update(state=RunState.CANCELLED)
    last = runs_of(Submission.objects.latest("created_at"))
    with django_assert_num_queries(0):
        assert queue_estimates.estimate_runs(last) == {}
