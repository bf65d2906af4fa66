"""Messages of the scheduler: none is lost because it is late, and many cost no more than one."""

import datetime
from typing import Any

import pytest
from celery import current_app, shared_task
from django.conf import settings
from django.utils import timezone

from leaderboard.accounts import mails
from scoring import tasks
from scoring.models import clock
from scoring.models.run_states import RunState
from scoring.runs import leases, sweeper
from scoring.workers import broker
from scoring.workers.locks import only_one
from scoring.workers.periodic import INTERVAL, one_at_a_time
from tests import factories

pytestmark = pytest.mark.django_db

EVERY_TEN_MINUTES: Any = {INTERVAL: 600.0}
done: list[str] = []


@shared_task(name="tests.periodic")
@one_at_a_time
def work() -> None:
    done.append("work")


@pytest.fixture(autouse=True)
def nothing_done_yet() -> None:
    done.clear()


def test_messages_that_waited_together_do_the_work_once() -> None:
    for _ in range(50):
        work.apply(headers=EVERY_TEN_MINUTES)
    assert done == ["work"]
    work()
    work.apply()
    assert len(done) == 3, "whoever asks without an interval wants it now"


def test_a_message_ends_at_once_while_another_process_does_the_work() -> None:
    with only_one(f"task {__name__}.work"):
        work()
    assert not done
    work()
    assert done


def test_no_message_expires_whatever_the_clocks_say() -> None:
    current_app.loader.import_default_modules()
    for name, entry in settings.CELERY_BEAT_SCHEDULE.items():
        assert "expires" not in entry["options"], name
        assert entry["options"]["headers"] == {INTERVAL: entry["schedule"]}
        assert hasattr(current_app.tasks[entry["task"]].run, "__wrapped__"), f"{name} may run twice at the same time"


def test_a_message_of_a_change_does_not_expire_either(monkeypatch: pytest.MonkeyPatch) -> None:
    options: list[dict[str, Any]] = []
    monkeypatch.setattr(current_app, "send_task", lambda name, args, **given: options.append(given))
    assert broker.send("leaderboard.tasks.write_boards", queue=broker.SITE)
    assert not {"expires", "eta", "countdown"} & set(options[0])


def test_a_sweeper_whose_clock_is_ahead_takes_no_run_from_a_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    dev = factories.split(factories.benchmark(), "dev")
    sent = factories.submission(factories.user(), dev, {"openbook": factories.perfect()})
    run = sent.files.get().answer_set.runs.get(metric="accuracy")
    assert leases.claim(str(run.pk))
    of_the_database = timezone.now
    monkeypatch.setattr(clock, "now", lambda: of_the_database())
    ahead = timezone.now() + datetime.timedelta(seconds=2 * settings.RUN_LEASE_SECONDS)
    monkeypatch.setattr("django.utils.timezone.now", lambda: ahead)
    assert sweeper.sweep()["reclaimed"] == 0
    run.refresh_from_db()
    assert run.state == RunState.RUNNING


def test_the_tasks_of_the_schedule_still_do_their_work(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mails, "send_due", lambda: done.append("mails"))
    current_app.tasks["leaderboard.tasks.send_notices"].apply()
    tasks.sweep()
    assert done == ["mails"]
