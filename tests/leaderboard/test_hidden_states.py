"""What senders to a hidden split learn of the runs of their files, and when."""

import datetime
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from leaderboard.models import Submission, User
from leaderboard.publishing.errors import SubmissionError
from leaderboard.publishing.requests import STILL_SCORING
from leaderboard.publishing.services import publish_submission
from leaderboard.submissions import notifications, quotas
from leaderboard.submissions.services import withdraw_submission
from scoring.models import Benchmark, Run
from scoring.models.run_states import RunState
from tests import factories
from tests.chance import without_ids

pytestmark = pytest.mark.django_db

NOON = datetime.datetime(2026, 3, 1, 12, 0, tzinfo=datetime.UTC)
Clock = Callable[[int], None]


@pytest.fixture
def at_minute(monkeypatch: pytest.MonkeyPatch, settings: Any) -> Clock:
    """Sets the clock to minutes after noon; states of hidden splits change every ten minutes."""
    settings.HIDDEN_STATES_MINUTES = 10

    def set_clock(minute: int) -> None:
        monkeypatch.setattr(timezone, "now", lambda: NOON + datetime.timedelta(minutes=minute))

    set_clock(1)
    return set_clock


@pytest.fixture
def made(at_minute: Clock) -> Benchmark:
    return factories.benchmark()


@pytest.fixture
def ada(made: Benchmark, client: Client) -> User:
    user = factories.user()
    client.force_login(user)
    return user


def send(made: Benchmark, ada: User, split: str = "test") -> Submission:
    sent = factories.submission(ada, factories.split(made, split), {"openbook": factories.perfect(split)})
    sent.files.update(sent_at=timezone.now())
    return sent


def document(client: Client, sent: Submission) -> dict[str, Any]:
    of_api: dict[str, Any] = client.get(f"/api/v1/submissions/{sent.pk}/").json()
    return of_api


def runs_shown(client: Client, sent: Submission) -> list[dict[str, Any]]:
    return [run for file in document(client, sent)["files"] for run in file["runs"]]


def progress(client: Client, sent: Submission) -> str:
    """The part of the submission's page that is renewed while it is open, without its form's token."""
    return without_ids(client.get(f"/submissions/{sent.pk}/progress/").content.decode())


def test_whatever_the_runs_do_the_sender_learns_the_same_until_results_are_shown(
    made: Benchmark, ada: User, client: Client, at_minute: Clock
) -> None:
    sent = send(made, ada)
    received = document(client, sent)
    assert {run["state"] for run in runs_shown(client, sent)} == {"waiting", "not_configured"}
    at_minute(11)
    seen = [document(client, sent)]
    page = progress(client, sent)
    for n_done in range(4):
        Run.objects.filter(metric="accuracy").update(
            state=RunState.RUNNING, done_items=n_done, started_at=timezone.now(), lease_token="x", lease_until=NOON
        )
        seen.append(document(client, sent))
    Run.objects.filter(metric="accuracy").update(state=RunState.WAITING, lease_token="", lease_until=None)
    factories.score(sent)
    seen.append(document(client, sent))
    for later in seen[1:]:
        assert later == seen[0]
    assert progress(client, sent) == page
    assert document(client, sent)["state"] == "running"
    assert {run["state"] for run in runs_shown(client, sent)} == {"running", "not_configured"}
    changed = {key for key in received if received[key] != seen[0][key]}
    assert changed <= {"state", "files"}


def test_judge_details_show_its_sender_no_state_of_the_judge_before_results_are_shown(
    made: Benchmark, ada: User, client: Client, at_minute: Clock
) -> None:
    sent = send(made, ada)
    factories.score(sent)
    at_minute(9)
    Run.objects.filter(metric="accuracy").update(finished_at=timezone.now())
    pages = set()
    for state in (RunState.WAITING, RunState.INCOMPLETE, RunState.FAILED, RunState.DONE):
        Run.objects.filter(metric="judge").update(state=state, finished_at=timezone.now())
        pages.add(client.get(f"/submissions/{sent.pk}/judge/").content.decode().partition("<h1>")[2])
    assert len(pages) == 1


def test_results_are_shown_together_at_the_next_tick_and_without_times(
    made: Benchmark, ada: User, client: Client, at_minute: Clock
) -> None:
    sent = send(made, ada)
    at_minute(12)
    factories.score(sent)
    Run.objects.filter(metric="accuracy").update(finished_at=NOON + datetime.timedelta(minutes=2))
    at_minute(19)
    assert not any(run["scores"] for run in runs_shown(client, sent))
    at_minute(20)
    done = [run for run in runs_shown(client, sent) if run["state"] == "done"]
    assert done and all(run["scores"] for run in done)
    tick = (NOON + datetime.timedelta(minutes=20)).isoformat().replace("+00:00", "Z")
    assert {(run["started_at"], run["finished_at"], run["position"]) for run in done} == {(None, tick, None)}
    assert "12:12" not in client.get(f"/submissions/{sent.pk}/").content.decode()


def test_a_run_that_waits_for_a_maintainer_is_named_and_holds_nothing_back(
    made: Benchmark, ada: User, client: Client, at_minute: Clock
) -> None:
    sent = send(made, ada)
    Run.objects.filter(state=RunState.NOT_CONFIGURED).update(state=RunState.OVER_BUDGET)
    assert RunState.OVER_BUDGET in {run["state"] for run in runs_shown(client, sent)}
    factories.score(sent)
    at_minute(10)
    assert {run["state"] for run in runs_shown(client, sent)} == {"done", "over_budget"}


def test_results_stay_shown_while_a_metric_that_was_configured_later_is_scored(
    made: Benchmark, ada: User, client: Client, at_minute: Clock
) -> None:
    sent = send(made, ada)
    factories.score(sent)
    at_minute(10)
    assert notifications.queue_due() == 1
    before = {run["metric"]: run for run in runs_shown(client, sent) if run["state"] == "done"}
    late = Run.objects.filter(state=RunState.NOT_CONFIGURED).first()
    assert before and late is not None

    def others() -> dict[str, Any]:
        return {run["metric"]: run for run in runs_shown(client, sent) if run["metric"] in before}

    at_minute(13)
    Run.objects.filter(pk=late.pk).update(state=RunState.WAITING)
    assert others() == before
    assert {run["state"] for run in runs_shown(client, sent) if run["metric"] == late.name} == {"running"}
    Run.objects.filter(pk=late.pk).update(state=RunState.DONE, finished_at=timezone.now())
    at_minute(19)
    assert others() == before
    assert {run["state"] for run in runs_shown(client, sent) if run["metric"] == late.name} == {"running"}
    at_minute(20)
    assert others() == before
    assert {run["state"] for run in runs_shown(client, sent) if run["metric"] == late.name} == {"done"}


def test_an_earlier_version_waits_for_its_own_runs_after_the_mail_about_the_newer_one(
    made: Benchmark, ada: User, client: Client, at_minute: Clock
) -> None:
    sent = send(made, ada)
    slow = Run.objects.filter(metric="rouge").get()
    factories.score(sent)
    at_minute(2)
    factories.replace_file(sent, factories.perfect("test") | {"test-0": "Voss"}, by=ada)
    factories.score(sent)
    Run.objects.filter(pk=slow.pk).update(
        state=RunState.RUNNING, finished_at=None, lease_token="x", lease_until=timezone.now()
    )
    at_minute(10)
    assert notifications.queue_due() == 1
    (file,) = document(client, sent)["files"]
    assert any(run["scores"] for run in file["runs"])
    assert not file["earlier"][0]["scores"]


def test_the_mail_and_the_board_wait_for_the_tick_and_maintainers_do_not(
    made: Benchmark, ada: User, client: Client, at_minute: Clock
) -> None:
    sent = send(made, ada)
    factories.score(sent)
    assert notifications.queue_due() == 0
    with pytest.raises(SubmissionError, match=STILL_SCORING):
        publish_submission(sent, actor=ada)
    client.force_login(factories.maintainer())
    page = client.get(f"/submissions/{sent.pk}/").content.decode()
    assert "Scored" in page
    at_minute(10)
    assert notifications.queue_due() == 1
    assert publish_submission(sent, actor=ada).state == "approved"


def test_scores_of_an_earlier_version_stay_while_the_newer_one_is_scored(
    made: Benchmark, ada: User, client: Client, at_minute: Clock
) -> None:
    sent = send(made, ada)
    factories.score(sent)
    at_minute(30)
    factories.replace_file(sent, factories.perfect("test") | {"test-0": "Voss"}, by=ada)
    (file,) = document(client, sent)["files"]
    assert not any(run["scores"] for run in file["runs"])
    assert file["earlier"][0]["scores"]


def test_every_accepted_file_counts_withdrawn_or_not(made: Benchmark, ada: User, settings: Any) -> None:
    settings.HIDDEN_FILES = [9, 30, 60]
    settings.SUBMISSIONS_PER_WEEK = {"": 20}
    withdraw_submission(send(made, ada), actor=ada)
    withdraw_submission(send(made, ada, "dev"), actor=ada)
    (week,) = quotas.quotas_of(ada, made)
    assert week.used == 1, "an open split gives the quota back"
    assert [quota.used for quota in quotas.file_quotas_of(ada, factories.split(made, "test"))] == [1, 1, 1]


def test_an_open_split_shows_progress_and_times_at_once(made: Benchmark, ada: User, client: Client) -> None:
    sent = send(made, ada, "dev")
    Run.objects.filter(metric="accuracy").update(
        state=RunState.RUNNING, done_items=3, started_at=timezone.now(), lease_token="x", lease_until=NOON
    )
    assert 3 in {run["done"] for run in runs_shown(client, sent)}
    assert any(run["started_at"] for run in runs_shown(client, sent))
