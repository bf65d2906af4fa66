"""The mails about submissions: when each is sent, to whom, and what it says."""

from typing import Any

import pytest
from django.conf import settings
from django.core import mail
from pytest_django import DjangoAssertNumQueries, Settings

from leaderboard.accounts import mails
from leaderboard.models import Submission, User
from leaderboard.submissions import notifications, services
from leaderboard.submissions.types import OF_STATE
from scoring import tasks
from scoring.models import Run
from scoring.models.run_states import RunState
from tests import factories

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def place(settings: Settings, tmp_path: Any) -> None:
    settings.MEDIA_ROOT = tmp_path
    settings.SITE_URL = "https://board.example.org"


@pytest.fixture
def ada() -> User:
    user = factories.user("ada")
    user.email = "ada@example.org"
    user.save()
    return user


def sent_in(owner: User, **fields: Any) -> Submission:
    return factories.submission(
        owner, factories.split(factories.benchmark(), "dev"), {"openbook": factories.perfect(right=2)}, **fields
    )


def n_sent() -> int:
    """Queue and send what is due."""
    notifications.queue_due()
    return mails.send_due()


def test_one_mail_when_the_last_metric_is_settled_and_none_before_or_after(ada: User) -> None:
    submission = sent_in(ada)
    assert n_sent() == 0
    last = Run.objects.filter(state=RunState.WAITING).last()
    assert last is not None
    for run in Run.objects.filter(state=RunState.WAITING).exclude(pk=last.pk):
        tasks.execute_run(str(run.pk))
    assert n_sent() == 0
    tasks.execute_run(str(last.pk))
    assert n_sent() == 1
    [message] = mail.outbox
    assert message.to == ["ada@example.org"]
    assert message.subject == "Manyhop: Example system is scored"
    assert f"https://board.example.org/submissions/{submission.pk}/" in message.body
    assert "ROUGE: scored" in message.body
    assert "GPT judge: not scored yet: " in message.body
    assert "JUDGE_" not in message.body  # what a maintainer has to set
    assert "0.5" not in message.body  # no score travels by mail
    assert n_sent() == 0
    assert len(mail.outbox) == 1


def test_a_failure_is_said(ada: User) -> None:
    factories.score(sent_in(ada))
    Run.objects.filter(metric="rouge").update(state=RunState.FAILED, reason="The disk was full.")
    n_sent()
    assert mail.outbox[0].subject.endswith(f" {notifications.INCOMPLETE}")
    assert f"ROUGE: failed: {OF_STATE[RunState.FAILED]}" in mail.outbox[0].body


def test_no_mail_without_an_address_nor_about_what_was_withdrawn(ada: User) -> None:
    nobody = factories.user("nobody")
    User.objects.filter(pk=nobody.pk).update(email="")
    factories.score(sent_in(nobody))
    withdrawn = sent_in(ada)
    factories.score(withdrawn)
    services.withdraw_submission(withdrawn, actor=ada)
    assert n_sent() == 0


def test_a_name_puts_nothing_into_the_head_of_a_mail(ada: User) -> None:
    factories.score(sent_in(ada, name="One\r\nBcc: eve@example.org\n\nTwo <b>&"))
    n_sent()
    [message] = mail.outbox
    assert message.subject == "Manyhop: One Bcc: eve@example.org Two <b>& is scored"
    assert message.recipients() == ["ada@example.org"]


def test_looking_for_what_is_due_costs_one_query(ada: User, django_assert_num_queries: DjangoAssertNumQueries) -> None:
    sent_in(ada)
    with django_assert_num_queries(1):
        assert notifications.queue_due() == 0


def test_beat_asks_for_it() -> None:
    assert "leaderboard.tasks.send_notices" in {entry["task"] for entry in settings.CELERY_BEAT_SCHEDULE.values()}
