"""The rules by which workers take runs, hold them and lose them, on a database that many use at once."""

import datetime
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
from celery import current_app
from django.conf import settings
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from leaderboard.models import Submission
from leaderboard.submissions import services as site_services
from scoring import registry
from scoring.metrics.base import ScoredVector
from scoring.models import Run, Score
from scoring.models.run_states import RunState
from scoring.runs import answer_sets, dispatch, leases, sweeper
from scoring.tasks import execute_run, renewed_lease
from scoring.workers import broker
from tests import factories
from tests.reliability.ground import SCORED

pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True)]

AT_ONCE = 12
VECTORS = {"loose": ScoredVector(0.5, np.array([0.0, 1.0, 0.5, 0.5])), "strict": ScoredVector(0.25, np.eye(4)[0])}


@pytest.fixture
def submission() -> Submission:
    made = factories.benchmark()
    return factories.submission(
        factories.user(), factories.split(made, "dev"), {"openbook": factories.perfect(right=3)}
    )


@pytest.fixture
def run(submission: Submission) -> Run:
    return Run.objects.get(metric="accuracy")


def in_parallel(work: Callable[[int], Any], n: int = AT_ONCE) -> list[Any]:
    """The results of *n* threads that begin at the same moment, each with its own connection to the database."""
    barrier = threading.Barrier(n)

    def begin(number: int) -> Any:
        try:
            barrier.wait(timeout=30)
            return work(number)
        finally:
            connection.close()

    with ThreadPoolExecutor(n) as pool:
        return list(pool.map(begin, range(n)))


def fresh(run: Run) -> Run:
    return Run.objects.get(pk=run.pk)


def let_the_lease_pass(run: Run) -> None:
    Run.objects.filter(pk=run.pk).update(lease_until=timezone.now() - datetime.timedelta(seconds=1))


# --- Claiming ------------------------------------------------------------------------------------------------------


def test_of_many_claims_at_once_one_succeeds(run: Run) -> None:
    for attempt in range(1, 6):
        tokens = in_parallel(lambda _: leases.claim(str(run.pk)))
        assert sum(token is not None for token in tokens) == 1
        [token] = [token for token in tokens if token]
        claimed = fresh(run)
        assert (claimed.state, claimed.lease_token, claimed.attempts) == (RunState.RUNNING, token, attempt)
        assert claimed.lease_until is not None
        left = claimed.lease_until - timezone.now()
        assert datetime.timedelta(0) < left <= datetime.timedelta(seconds=settings.RUN_LEASE_SECONDS)
        assert leases.end_run(str(run.pk), token, state=RunState.WAITING, reason="again")


@pytest.mark.parametrize("state", [state for state in RunState if state not in (RunState.WAITING, RunState.RUNNING)])
def test_only_a_waiting_run_can_be_claimed(run: Run, state: RunState) -> None:
    Run.objects.filter(pk=run.pk).update(state=state)
    assert leases.claim(str(run.pk)) is None
    assert fresh(run).attempts == 0


def test_many_sweeps_at_once_take_an_overdue_run_back_once(run: Run) -> None:
    for _ in range(3):
        assert leases.claim(str(run.pk))
        let_the_lease_pass(run)
        swept = in_parallel(lambda _: sweeper.sweep()["reclaimed"])
        assert sum(swept) == 1
        assert fresh(run).state == RunState.WAITING


# --- Holding and losing --------------------------------------------------------------------------------------------


def test_renewing_notes_progress_and_holds_the_run(run: Run) -> None:
    token = leases.claim(str(run.pk))
    assert token
    let_the_lease_pass(run)
    leases.renew(str(run.pk), token, done=2, total=4)
    held = fresh(run)
    assert (held.done_items, held.total_items) == (2, 4)
    assert sweeper.sweep()["reclaimed"] == 0


def losses() -> Iterator[tuple[str, Callable[[Run, Submission], object]]]:
    def reclaimed(run: Run, submission: Submission) -> None:
        let_the_lease_pass(run)
        sweeper.sweep()

    def taken_by_another(run: Run, submission: Submission) -> None:
        reclaimed(run, submission)
        assert leases.claim(str(run.pk))

    def withdrawn(run: Run, submission: Submission) -> None:
        site_services.withdraw_submission(submission, actor=submission.owner)

    def deleted(run: Run, submission: Submission) -> None:
        Run.objects.filter(pk=run.pk).delete()

    yield from {f.__name__: f for f in (reclaimed, taken_by_another, withdrawn, deleted)}.items()


@pytest.mark.parametrize(("how", "lose"), list(losses()), ids=[how for how, _ in losses()])
def test_who_lost_the_lease_changes_nothing_any_more(
    run: Run, submission: Submission, how: str, lose: Callable[[Run, Submission], object]
) -> None:
    token = leases.claim(str(run.pk))
    assert token
    lose(run, submission)
    after = list(Run.objects.filter(pk=run.pk).values())
    with pytest.raises(leases.LeaseLostError):
        leases.renew(str(run.pk), token, done=3, total=4)
    with pytest.raises(leases.LeaseLostError):
        leases.finish(str(run.pk), token, scores=VECTORS, n_answered=4)
    assert leases.end_run(str(run.pk), token, state=RunState.FAILED, reason="late") is False
    assert list(Run.objects.filter(pk=run.pk).values()) == after
    assert not Score.objects.exists()


def test_finish_and_withdraw_at_the_same_moment_agree_on_one_outcome(submission: Submission) -> None:
    """Whichever comes first, there are scores if and only if the run is done."""
    run = Run.objects.get(metric="accuracy")
    token = leases.claim(str(run.pk))
    assert token

    def finish_or_cancel(number: int) -> str:
        if number:
            answer_sets.cancel_runs([run.answer_set], reason="Withdrawn.")
            return "cancelled"
        try:
            leases.finish(str(run.pk), token, scores=VECTORS, n_answered=4)
        except leases.LeaseLostError:
            return "lost"
        return "finished"

    finished, _ = in_parallel(finish_or_cancel, 2)
    assert fresh(run).state == (RunState.DONE if finished == "finished" else RunState.CANCELLED)
    assert Score.objects.filter(run=run).count() == (2 if finished == "finished" else 0)


def test_the_lease_is_kept_while_one_item_takes_long(run: Run, settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.RUN_LEASE_SECONDS = 3
    token = leases.claim(str(run.pk))
    assert token
    with renewed_lease(str(run.pk), token) as check:
        renewed = threading.Event()
        monkeypatch.setattr(leases, "renew", _telling(leases.renew, renewed, after=4))
        assert renewed.wait(30), "a third of the lease apart, all by itself"
        check()
        assert sweeper.sweep()["reclaimed"] == 0
        Run.objects.filter(pk=run.pk).update(lease_token="somebody else's")
        renewed.clear()
        deadline = threading.Event()
        while not deadline.wait(0.05):
            try:
                check()
            except leases.LeaseLostError:
                break
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("lease-")]


def _telling(renew: Callable[..., None], told: threading.Event, *, after: int) -> Callable[..., None]:
    calls: list[int] = []

    def telling(*args: Any, **kwargs: Any) -> None:
        renew(*args, **kwargs)
        calls.append(1)
        if len(calls) >= after:
            told.set()

    return telling


# --- The sweeper ---------------------------------------------------------------------------------------------------


def test_a_run_whose_worker_died_goes_back_in_line_and_fails_after_so_many(run: Run) -> None:
    for attempt in range(1, settings.RUN_MAX_ATTEMPTS + 1):
        assert fresh(run).state == RunState.WAITING
        assert leases.claim(str(run.pk))
        assert fresh(run).attempts == attempt
        assert (sweeper.sweep()["reclaimed"], sweeper.sweep()["failed"]) == (0, 0), "its lease is good"
        let_the_lease_pass(run)
        swept = sweeper.sweep()
        last = attempt == settings.RUN_MAX_ATTEMPTS
        assert (swept["reclaimed"], swept["failed"]) == ((0, 1) if last else (1, 0))
        assert sweeper.STOPPED in fresh(run).reason
    failed = fresh(run)
    assert (failed.state, failed.lease_token, failed.lease_until) == (RunState.FAILED, "", None)
    assert str(settings.RUN_MAX_ATTEMPTS) in failed.reason
    assert failed.finished_at is not None
    sweeper.sweep()
    assert fresh(run).state == RunState.FAILED, "nothing starts it again but a person"
    assert site_services.retry_failed_runs(run.answer_set.submission_file.submission, actor=factories.user("eve")) == 1
    again = fresh(run)
    assert (again.state, again.attempts, again.reason) == (RunState.WAITING, 0, "")
    execute_run(str(run.pk))
    assert fresh(run).state == RunState.DONE


def empty_queue() -> None:
    with current_app.connection_for_write() as connection:
        channel: Any = connection.default_channel  # its annotations are incomplete
        channel.queue_purge("cpu")


def sent_ago(seconds: float, runs: Iterable[Run]) -> None:
    Run.objects.filter(pk__in=[run.pk for run in runs]).update(
        sent_at=timezone.now() - datetime.timedelta(seconds=seconds), times_sent=1
    )


def test_a_run_is_sent_again_when_its_queue_has_lost_its_message(run: Run, settings: Any) -> None:
    settings.RUN_RESEND_SECONDS = 600
    Run.objects.exclude(pk=run.pk).delete()
    empty_queue()
    for ago, n_sent in ((300, 0), (601, 1)):
        sent_ago(ago, [run])
        assert sweeper.sweep()["sent"] == n_sent, ago
    sent_ago(3600, [run])
    assert sweeper.sweep()["sent"] == 0, "its message waits in the queue, however long"
    empty_queue()
    assert sweeper.sweep()["sent"] == 1


def test_as_many_runs_are_sent_again_as_the_queue_lacks_messages(submission: Submission, settings: Any) -> None:
    settings.RUN_RESEND_SECONDS = 10
    factories.submission(submission.owner, submission.split, {"openbook": factories.perfect()}, name="Second")
    first, second, third, *others = Run.objects.filter(state=RunState.WAITING).order_by("created_at")
    Run.objects.filter(pk__in=[run.pk for run in others]).delete()
    empty_queue()
    assert dispatch.send([str(third.pk)]) == 1
    sent_ago(60, [first, second])
    sent_ago(40, [third])
    assert sweeper.sweep()["sent"] == 2
    assert [fresh(run).times_sent for run in (first, second, third)] == [2, 2, 1], "those that were sent first"
    sent_ago(60, [first, second, third])
    assert sweeper.sweep()["sent"] == 0


def test_other_messages_in_the_queue_only_delay_what_is_sent_again(submission: Submission, settings: Any) -> None:
    settings.RUN_RESEND_SECONDS = 10
    first, second, *others = Run.objects.filter(state=RunState.WAITING).order_by("created_at")
    Run.objects.filter(pk__in=[run.pk for run in others]).delete()
    empty_queue()
    assert broker.send("leaderboard.tasks.find_oddities", queue="cpu")
    sent_ago(60, [first, second])
    assert sweeper.sweep()["sent"] == 1
    sent_ago(60, [first, second])
    assert sweeper.sweep()["sent"] == 0
    empty_queue()  # the other message and a run were taken, and the other run's message was lost
    assert sweeper.sweep()["sent"] == 2


def test_a_broker_that_cannot_be_reached_stops_no_sweep(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def unreachable(queue: str) -> int:
        raise ConnectionRefusedError(queue)

    monkeypatch.setattr(broker, "n_messages", unreachable)
    sent_ago(3600, [run])
    assert sweeper.sweep()["failed"] == 0
    assert fresh(run).times_sent == 1


def test_one_run_that_was_taken_meanwhile_does_not_stop_the_others_from_being_sent(submission: Submission) -> None:
    accuracy, *others = Run.objects.filter(state=RunState.WAITING).order_by("created_at")
    assert leases.claim(str(accuracy.pk))
    assert dispatch.send([str(accuracy.pk), "00000000-0000-0000-0000-000000000000", str(others[0].pk)]) == 1


# --- What a worker cannot do ---------------------------------------------------------------------------------------


def test_a_worker_that_would_score_differently_refuses(run: Run) -> None:
    """Not because of another version of the metric: such a run starts again under the present one."""
    version = run.signature.rpartition("|manyhop:")[2]
    Run.objects.filter(pk=run.pk).update(signature=f"accuracy|lemma:another|data:dev@00000000|manyhop:{version}")
    execute_run(str(run.pk))
    refused = fresh(run)
    assert refused.state == RunState.FAILED
    assert "accuracy|lemma:another" in refused.reason
    assert run.signature in refused.reason, "and so is the worker's own"
    assert not Score.objects.exists()


def test_a_metric_starts_by_itself_once_it_can_run(submission: Submission, monkeypatch: pytest.MonkeyPatch) -> None:
    waiting_for_it = Run.objects.filter(metric="bleurt")
    parked = waiting_for_it.get()
    assert parked.state == RunState.NOT_CONFIGURED
    assert parked.reason
    assert sweeper.sweep()["configured"] == 0

    accuracy = registry.METRICS["accuracy"]
    monkeypatch.setitem(registry.METRICS, "bleurt", accuracy)
    assert sweeper.sweep()["configured"] == 1
    started = waiting_for_it.get()
    assert (started.pk, started.state, started.reason) == (parked.pk, RunState.WAITING, "")
    assert started.signature == accuracy.on_site(settings).signature(started.revision.signature_part)
    execute_run(str(started.pk))
    assert waiting_for_it.get().state == RunState.DONE


def test_hidden_answers_that_arrive_later_start_what_waited_for_them() -> None:
    made = factories.benchmark(test_answers=False)
    test = factories.split(made, "test")
    factories.submission(factories.user(), test, {"openbook": factories.perfect("test", right=2)})
    assert set(Run.objects.values_list("state", flat=True)) == {RunState.NOT_CONFIGURED}
    assert Run.objects.get(metric="accuracy").reason == answer_sets.NO_REFERENCES
    sweeper.sweep()
    assert not Run.objects.filter(state=RunState.WAITING).exists(), "there is nothing yet to score against"

    factories.revise(test, factories.source_questions("test"), factories.DATE + datetime.timedelta(days=1))
    waiting = Run.objects.filter(state=RunState.WAITING)
    assert sorted(waiting.values_list("metric", flat=True)) == sorted(SCORED)
    for pk in list(waiting.values_list("pk", flat=True)):
        execute_run(str(pk))
    assert Score.objects.get(name="strict").value == 0.5
    old = Run.objects.exclude(revision=factories.split(made, "test").current_revision)
    assert set(old.values_list("state", flat=True)) == {RunState.CANCELLED}


def test_a_sweep_costs_the_same_however_many_runs_are_idle(
    submission: Submission, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    def idle() -> int:
        """Everything is waiting for its message, being worked on, parked or settled: there is nothing to do."""
        empty_queue()
        Run.objects.filter(metric="accuracy").update(sent_at=timezone.now(), times_sent=1)
        Run.objects.filter(metric__in=SCORED).exclude(metric="accuracy").update(state=RunState.DONE)
        return Run.objects.count()

    split = submission.split
    nothing = dict.fromkeys(("failed", "reclaimed", "configured", "returned", "affordable", "sent"), 0)
    n_before = idle()
    with CaptureQueriesContext(connection) as few:
        assert sweeper.sweep() == nothing
    for number in range(10):
        factories.submission(submission.owner, split, {"openbook": factories.perfect()}, name=f"System {number}")
    assert idle() == 11 * n_before
    with django_assert_num_queries(len(few.captured_queries)):
        assert sweeper.sweep() == nothing
