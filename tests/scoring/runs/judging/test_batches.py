"""Runs that are judged in batches: killed anywhere, they pick their batch up and pay for nothing twice."""

import re
from typing import Any

import pytest

from scoring.metrics.asking import batch_api
from scoring.metrics.asking.pool import PoolSettings
from scoring.metrics.asking.replies import Outcome
from scoring.models import JudgeBatch, JudgeEstimate, Run, Score, Split, Verdict
from scoring.models.judge import BatchState
from scoring.models.run_states import RunState
from scoring.runs import answer_sets
from scoring.runs.judging.batches import PROCESSING, SENT
from scoring.runs.judging.endings import GIVEN_UP
from scoring.runs.judging.missing import COVERAGE
from tests import factories
from tests.judge_server import JudgeServer, Play
from tests.scoring.runs.judging.site import RIGHT, judged_by, run_of, submit, work, work_until_settled

pytestmark = pytest.mark.django_db


@pytest.fixture
def split(settings: Any, server: JudgeServer) -> Split:
    judged_by(settings, server, MODE="batch")
    return factories.split(factories.benchmark(), "dev")


def test_a_batch_is_sent_waited_for_and_read_for_half_the_price(split: Split, server: JudgeServer) -> None:
    run = work(run_of(submit(split, RIGHT | {"dev-2": "Cusco"})))
    assert run.state == RunState.WAITING
    assert run.reason == f"{SENT.format(n=4)} {COVERAGE.format(n=0, total=4)}"
    batch = JudgeBatch.objects.get()
    assert (batch.state, batch.file_id, batch.batch_id, batch.run) == (BatchState.OPEN, "file-1", "batch_1", run)
    assert work(run).state == RunState.WAITING
    assert run.reason == f"{PROCESSING.format(progress='0 of 4 done')} {COVERAGE.format(n=0, total=4)}"
    server.work_batches()
    assert work(run).state == RunState.DONE
    assert Score.objects.get(run=run).per_item.tolist() == [1, 1, 0, 1]
    batch.refresh_from_db()
    assert (batch.state, batch.status) == (BatchState.DONE, "completed")
    assert JudgeEstimate.objects.get(run=run).batch
    for verdict in Verdict.objects.all():
        assert verdict.batch == batch
        assert verdict.tokens_in is not None and verdict.tokens_out is not None and verdict.price_usd is not None
        assert float(verdict.price_usd) == pytest.approx((verdict.tokens_in * 2.5 + verdict.tokens_out * 10) / 2e6)
    assert all(chat.in_batch for chat in server.chats)
    assert server.paths.count("POST /v1/chat/completions") == 0


class KilledError(BaseException):
    """As if the process had ended: nothing of the site catches it."""


@pytest.mark.parametrize("after", ["upload", "create", "results"])
def test_a_worker_killed_at_any_step_finds_its_batch_again(
    split: Split, server: JudgeServer, monkeypatch: pytest.MonkeyPatch, after: str
) -> None:
    run = run_of(submit(split, RIGHT))
    original = getattr(batch_api, after)

    async def die(*arguments: Any, **options: Any) -> Any:
        await original(*arguments, **options)
        raise KilledError

    if after == "results":
        work(run)
        server.work_batches()
    with monkeypatch.context() as patch:
        patch.setattr(batch_api, after, die)
        with pytest.raises(KilledError):
            work(run)
    Run.objects.filter(pk=run.pk).update(state=RunState.WAITING, lease_token="", lease_until=None)
    work(run)
    server.work_batches()
    assert work_until_settled(run).state == RunState.DONE
    assert len(server.batches) == 1, "one batch was made, and so paid for"
    assert len(server.chats) == 4
    assert Score.objects.get(run=run).value == 1.0


def test_a_worker_killed_between_two_replies_keeps_the_first_and_takes_the_rest(
    split: Split, server: JudgeServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = work(run_of(submit(split, RIGHT)))
    server.work_batches()
    saved = Verdict.save

    def die_at_the_third(self: Verdict, *arguments: Any, **options: Any) -> None:
        if Verdict.objects.count() == 2:
            raise KilledError
        saved(self, *arguments, **options)

    with monkeypatch.context() as patch:
        patch.setattr(Verdict, "save", die_at_the_third)
        with pytest.raises(KilledError):
            work(run)
    assert Verdict.objects.count() == 2
    Run.objects.filter(pk=run.pk).update(state=RunState.WAITING, lease_token="", lease_until=None)
    assert work(run).state == RunState.DONE
    assert Verdict.objects.count() == 4
    assert len(server.batches) == 1


def test_what_a_batch_did_not_do_goes_into_the_next(split: Split, server: JudgeServer) -> None:
    run = work(run_of(submit(split, RIGHT)))
    server.batch_share, server.batch_status = 0.5, "expired"
    server.work_batches()
    assert work(run).state == RunState.WAITING
    assert f"{SENT.format(n=2)} {COVERAGE.format(n=2, total=4)}" in run.reason
    server.batch_share, server.batch_status = 1.0, "completed"
    server.work_batches()
    assert work(run).state == RunState.DONE
    assert len(server.batches) == 2
    assert len(server.chats) == 4
    assert Verdict.objects.filter(outcome="expired", price_usd=None).count() == 2


def test_unreadable_replies_of_a_batch_are_asked_again_with_other_seeds_and_then_named(
    split: Split, server: JudgeServer
) -> None:
    server.rule = lambda chat: Play("prose") if "Peru" in chat.question else None
    run = run_of(submit(split, RIGHT))
    for _ in range(4):
        work(run)
        server.work_batches()
    assert run.state == RunState.INCOMPLETE
    assert "1 unparsed" in run.reason
    assert [chat.seed for chat in server.chats if "Peru" in chat.question] == [31415, 31416, 31417]
    assert [len(batch.lines) for batch in server.batches.values()] == [4, 1, 1]


@pytest.mark.slow
@pytest.mark.parametrize("how", ["expired", "lost"])
def test_what_no_batch_brings_is_sent_as_often_as_a_live_request_and_no_more(
    split: Split, server: JudgeServer, how: str
) -> None:
    server.batch_share, server.batch_status = 0.5, "expired"
    run = work(run_of(submit(split, RIGHT)))
    server.work_batches()
    server.batch_share = 0.0
    tries = PoolSettings().max_tries
    for _ in range(tries - 1):
        assert work(run).state == RunState.WAITING
        if how == "lost":
            server.batches.clear()
        else:
            server.work_batches()
    work(run)
    assert run.state == RunState.INCOMPLETE
    assert GIVEN_UP in run.reason
    assert run.reason.startswith(COVERAGE.format(n=2, total=4))
    assert JudgeBatch.objects.count() == tries
    server.batch_share, server.batch_status = 1.0, "completed"
    assert answer_sets.retry_run(run)
    assert work(run).state == RunState.WAITING
    server.work_batches()
    assert work(run).state == RunState.DONE


def test_a_full_queue_is_tried_again_and_a_refused_batch_is_not(split: Split, server: JudgeServer) -> None:
    run = work(run_of(submit(split, RIGHT)))
    server.batch_status = "failed"
    server.work_batches()
    assert work(run).state == RunState.WAITING
    assert "(token_limit_exceeded)" in run.reason
    assert re.search(r" \d\d:\d\d \(\w+\)\.$", run.reason)
    assert work(run).state == RunState.WAITING
    server.work_batches()
    list(server.batches.values())[-1].errors = [{"code": "invalid_request", "message": "", "line": 1, "param": None}]
    assert work(run).state == RunState.FAILED
    assert "(invalid_request)" in run.reason


def test_a_batch_that_the_provider_lost_is_sent_again(split: Split, server: JudgeServer) -> None:
    run = work(run_of(submit(split, RIGHT)))
    server.batches.clear()
    work(run)
    assert [batch.state for batch in JudgeBatch.objects.all()] == [BatchState.FAILED, BatchState.OPEN]
    server.work_batches()
    assert work(run).state == RunState.DONE


def test_equal_answers_of_two_submissions_wait_for_one_batch(split: Split, server: JudgeServer) -> None:
    first = work(run_of(submit(split, RIGHT)))
    second = work(run_of(submit(split, RIGHT | {"dev-2": "Cusco"})))
    assert second.reason.startswith(PROCESSING.partition("{")[0])
    server.work_batches()
    work(second)
    assert second.reason.startswith(SENT.format(n=1))
    server.work_batches()
    assert (work(second).state, work(first).state) == (RunState.DONE, RunState.DONE)
    assert len(server.chats) == 5
    assert Verdict.objects.filter(run=first).count() == 4, "paid for by the run that asked, whoever read it"


def test_switching_to_live_waits_for_what_is_paid_for(split: Split, server: JudgeServer, settings: Any) -> None:
    run = work(run_of(submit(split, RIGHT)))
    settings.JUDGE_MODE = "live"
    assert work(run).state == RunState.WAITING
    server.work_batches()
    assert work(run).state == RunState.DONE
    assert len(server.chats) == 4


def test_an_endpoint_that_is_away_is_waited_for(split: Split, server: JudgeServer) -> None:
    run = work(run_of(submit(split, RIGHT)))
    server.stop()
    assert work(run).state == RunState.WAITING
    assert Outcome.CONNECTION.label in run.reason
    server.start()
    server.work_batches()
    assert work(run).state == RunState.DONE


def test_a_batch_over_the_cap_is_not_sent(split: Split, server: JudgeServer, settings: Any) -> None:
    settings.JUDGE_SUBMISSION_CAP_USD = "0"
    assert work(run_of(submit(split, RIGHT))).state == RunState.OVER_BUDGET
    assert server.files == {}
