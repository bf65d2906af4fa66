"""Publishing and withdrawing at the same moment, or while a worker is at it: never an error page, never two rows."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import pytest
from django.db import connection
from django.db.models import Count
from django.test import Client
from django.urls import reverse

from leaderboard.models import Entry, Event, Submission, System, User
from leaderboard.publishing import requests
from leaderboard.publishing.errors import SubmissionError
from leaderboard.publishing.services import PUBLISHED, publish_submission
from leaderboard.submissions.services import WITHDRAWN
from scoring.models import Run, Score
from scoring.models.run_states import RunState
from scoring.runs import dispatch
from tests import factories
from tests.processes import Worker
from tests.reliability.ground import (
    answers_of_words,
    benchmark_of_words,
    rows,
    runs_in_words,
    scorable_runs,
    stored_files,
    wait_until,
)
from tests.services import Redis

pytestmark = [pytest.mark.slow, pytest.mark.postgres, pytest.mark.django_db(transaction=True)]

ROUNDS = 4


def at_once(*works: Callable[[], Any]) -> list[Any]:
    """The results of works that begin at the same moment, each with its own connection to the database."""
    barrier = threading.Barrier(len(works))

    def begin(work: Callable[[], Any]) -> Any:
        try:
            barrier.wait(timeout=30)
            return work()
        finally:
            connection.close()

    with ThreadPoolExecutor(len(works)) as pool:
        return list(pool.map(begin, works))


def press(user: User, submission: Submission, button: str) -> Callable[[], int]:
    """Somebody presses a button of a submission's page; the status of the answer."""
    client = Client(raise_request_exception=False)
    client.force_login(user)
    url = reverse(f"submission-{button}", args=[submission.pk])
    fields = {"how": "named", "seen": requests.fingerprint(submission)}
    return lambda: client.post(url, fields).status_code


def current_rows() -> list[Entry]:
    return list(Entry.objects.filter(replaced_at=None).select_related("submission", "system"))


def assert_one_row_each() -> None:
    counted = (
        Entry.objects.filter(replaced_at=None).values("system", "split", "setting", "kind").annotate(n=Count("pk"))
    )
    assert all(row["n"] == 1 for row in counted)


def test_submissions_of_one_system_are_published_one_after_the_other() -> None:
    made = factories.benchmark()
    dev = factories.split(made, "dev")
    ada = factories.user()
    for _ in range(ROUNDS):
        submissions = [
            factories.scored(ada, dev, {"openbook": factories.perfect(right=right), "closedbook": factories.perfect()})
            for right in range(4)
        ]
        statuses = at_once(*[press(ada, submission, "publish") for submission in submissions])
        assert statuses == [302] * 4
        assert System.objects.count() == 1, "one name, one owner, one system"
        shown = current_rows()
        assert len(shown) == 2
        assert len({row.submission_id for row in shown}) == 1, "both settings show the same submission"
        assert_one_row_each()
    assert Event.objects.filter(text=PUBLISHED).count() == 4 * ROUNDS


def test_systems_of_one_name_by_many_people_get_an_address_each() -> None:
    made = factories.benchmark()
    dev = factories.split(made, "dev")
    people = [factories.user(f"user{number}") for number in range(6)]
    submissions = [factories.scored(person, dev, {"openbook": factories.perfect()}) for person in people]
    at_once(  # a maintainer has approved each: their names and answers are alike
        *[
            partial(publish_submission, submission, actor=person, approved=True)
            for person, submission in zip(people, submissions, strict=True)
        ]
    )
    slugs = System.objects.values_list("slug", flat=True)
    assert sorted(slugs) == ["example-system", *(f"example-system-{number}" for number in range(2, 7))]
    assert len(current_rows()) == 6


def test_one_submission_published_withdrawn_and_taken_off_at_once() -> None:
    made = factories.benchmark()
    dev = factories.split(made, "dev")
    ada = factories.user()
    for _ in range(ROUNDS):
        submission = factories.scored(ada, dev, {"openbook": factories.perfect()})
        buttons = ["publish", "publish", "unpublish", "withdraw", "publish", "withdraw"]
        statuses = at_once(*[press(ada, submission, button) for button in buttons])
        refused = [button for button, status in zip(buttons, statuses, strict=True) if status != 302]
        assert set(refused) <= {"publish"} and set(statuses) <= {302, 422}, "only what came after the withdrawal"
        submission.refresh_from_db()
        assert submission.withdrawn_at is not None
        assert not Entry.objects.filter(submission=submission, replaced_at=None).exists(), "withdrawn is not public"
        assert Event.objects.filter(submission=submission, text="Withdrawn.").count() == 1


@pytest.fixture
def worker_app() -> str:
    return "tests.reliability.slow_worker:app"


def test_withdrawn_while_a_worker_is_at_it(redis_server: Redis, worker: Worker) -> None:
    n = 480  # so that it takes the worker longer than what follows takes a busy machine
    split = benchmark_of_words(n)
    ada = factories.user()
    submission = factories.submission(ada, split, {"openbook": answers_of_words(n)})
    wait_until("a worker is at it", lambda: any(run.state == RunState.RUNNING for run in scorable_runs()))

    with pytest.raises(SubmissionError, match="still being scored"):
        publish_submission(submission, actor=ada)
    assert press(ada, submission, "publish")() == 422
    assert not Entry.objects.exists()
    assert {run.state for run in scorable_runs()} == {RunState.RUNNING, RunState.WAITING}, runs_in_words()

    assert press(ada, submission, "withdraw")() == 302
    wait_until("the worker notices", lambda: "lost its lease" in worker.log.read_text())
    assert worker.running
    assert not Score.objects.exists()
    for run in Run.objects.all():
        assert (run.state, run.reason) == (RunState.CANCELLED, WITHDRAWN)
        assert run.lease_token == ""
    with pytest.raises(SubmissionError, match="withdrawn"):
        publish_submission(submission, actor=ada)

    few = factories.split(split.benchmark, "test")
    after = factories.submission(ada, few, {"openbook": {"test-0": "a short one"}})
    wait_until("the worker has gone on with the next", lambda: all_scored(after))


def all_scored(submission: Submission) -> bool:
    return all(run.state == RunState.DONE for run in scorable_runs(submission))


def test_a_failure_after_the_commit_costs_no_file(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sending the messages is not part of keeping a submission: whatever goes wrong there, what was sent is kept."""

    def broken(run_ids: object) -> int:
        raise RuntimeError("the database went away just now")

    monkeypatch.setattr(dispatch, "send", broken)
    made = factories.benchmark()
    submission = factories.submission(factories.user(), factories.split(made, "dev"), {"openbook": factories.perfect()})
    assert submission.files.get().original.read() == factories.generations(factories.perfect())


def test_a_failure_before_the_commit_leaves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    made = factories.benchmark()
    user = factories.user()
    before = rows(), [path for path in stored_files() if path.is_file()]

    def broken(**kwargs: object) -> Event:
        raise OSError("no space left")

    monkeypatch.setattr(Event.objects, "create", broken)
    answers = {"openbook": factories.perfect(), "closedbook": factories.perfect()}
    with pytest.raises(OSError, match="no space left"):
        factories.submission(user, factories.split(made, "dev"), answers)
    assert (rows(), [path for path in stored_files() if path.is_file()]) == before
