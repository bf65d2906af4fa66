"""Replies of the judge that the database does not accept at once."""

import itertools
import logging
from collections.abc import Callable
from typing import Any

import pytest
from django.db import InternalError, OperationalError

from scoring.models import Run, Split, Verdict
from scoring.models.run_states import RunState
from scoring.runs.judging import store
from tests import factories
from tests.judge_server import JudgeServer
from tests.scoring.runs.judging.site import RIGHT, judged_by, run_of, submit, work

pytestmark = pytest.mark.django_db(transaction=True)


class Clock:
    """A clock that only sleeping moves."""

    def __init__(self, on_sleep: Callable[[], object] = lambda: None) -> None:
        self.now = 0.0
        self.on_sleep = on_sleep

    def monotonic(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds
        self.on_sleep()


@pytest.fixture
def split(settings: Any, server: JudgeServer) -> Split:
    judged_by(settings, server)
    return factories.split(factories.benchmark(), "dev")


def reject_until(moment: float, clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the database accept no verdict before a moment."""
    saved = Verdict.save
    errors = itertools.cycle([OperationalError, InternalError])

    def save(verdict: Verdict, **options: Any) -> None:
        if clock.now < moment:
            raise next(errors)("cannot execute INSERT in a read-only transaction")
        saved(verdict, **options)

    monkeypatch.setattr(store, "time", clock)
    monkeypatch.setattr(Verdict, "save", save)


def test_replies_wait_for_the_database_and_need_no_lease(
    split: Split, server: JudgeServer, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    run = run_of(submit(split, RIGHT))
    clock = Clock(on_sleep=lambda: Run.objects.filter(pk=run.pk).update(lease_token="another worker's"))
    reject_until(240.0, clock, monkeypatch)
    assert work(run).state == RunState.RUNNING, "the run is now another worker's"
    assert Verdict.objects.exclude(letter="").count() == len(server.chats) == len(RIGHT)
    assert not [record for record in caplog.records if record.levelno >= logging.ERROR]


def test_they_wait_together_and_not_for_ever(
    split: Split, server: JudgeServer, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    clock = Clock()
    reject_until(float("inf"), clock, monkeypatch)
    run = work(run_of(submit(split, RIGHT)))
    assert store.STORE_SECONDS <= clock.now <= store.STORE_SECONDS + store.LONGEST_WAIT
    (dropped,) = [record for record in caplog.records if record.name == "scoring.runs.judging.execution"]
    assert (dropped.levelno, dropped.args) == (logging.ERROR, (len(RIGHT), run.pk))
    assert len(server.chats) == len(RIGHT)
