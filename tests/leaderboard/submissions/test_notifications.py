"""The one mail at the end of scoring: when it is sent, to whom, what it says, and that none is lost."""

import smtplib
from typing import Any

import pytest
from django.conf import settings
from django.core import mail
from django.core.cache import cache
from django.core.mail import EmailMessage
from pytest_django import DjangoAssertNumQueries, Settings

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
    cache.delete(notifications.UNAVAILABLE)


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


def test_one_mail_when_the_last_metric_is_settled_and_none_before_or_after(ada: User) -> None:
    submission = sent_in(ada)
    assert notifications.send_due() == 0
    last = Run.objects.filter(state=RunState.WAITING).last()
    assert last is not None
    for run in Run.objects.filter(state=RunState.WAITING).exclude(pk=last.pk):
        tasks.execute_run(str(run.pk))
    assert notifications.send_due() == 0
    tasks.execute_run(str(last.pk))
    assert notifications.send_due() == 1
    [message] = mail.outbox
    assert message.to == ["ada@example.org"]
    assert message.subject == "Manyhop: Example system is scored"
    assert f"https://board.example.org/submissions/{submission.pk}/" in message.body
    assert "ROUGE: scored" in message.body
    assert "GPT judge: not scored yet: " in message.body
    assert "JUDGE_" not in message.body  # what a maintainer has to set
    assert "0.5" not in message.body  # no score travels by mail
    assert notifications.send_due() == 0
    assert len(mail.outbox) == 1


def test_a_failure_is_said(ada: User) -> None:
    factories.score(sent_in(ada))
    Run.objects.filter(metric="rouge").update(state=RunState.FAILED, reason="The disk was full.")
    notifications.send_due()
    assert mail.outbox[0].subject.endswith(f" {notifications.INCOMPLETE}")
    assert f"ROUGE: failed: {OF_STATE[RunState.FAILED].format(contact='the maintainers')}" in mail.outbox[0].body


def test_no_mail_without_an_address_nor_about_what_was_withdrawn(ada: User) -> None:
    nobody = factories.user("nobody")
    User.objects.filter(pk=nobody.pk).update(email="")
    factories.score(sent_in(nobody))
    withdrawn = sent_in(ada)
    factories.score(withdrawn)
    services.withdraw_submission(withdrawn, actor=ada)
    assert notifications.send_due() == 0


def test_a_name_puts_nothing_into_the_head_of_a_mail(ada: User) -> None:
    factories.score(sent_in(ada, name="One\r\nBcc: eve@example.org\n\nTwo <b>&"))
    notifications.send_due()
    [message] = mail.outbox
    assert message.subject == "Manyhop: One Bcc: eve@example.org Two <b>& is scored"
    assert message.recipients() == ["ada@example.org"]


def test_a_server_that_is_away_loses_nothing_and_is_left_alone(ada: User, monkeypatch: pytest.MonkeyPatch) -> None:
    factories.score(sent_in(ada))
    tries = []

    def away(self: EmailMessage, fail_silently: bool = False) -> int:
        tries.append(self)
        raise smtplib.SMTPServerDisconnected("gone")

    with monkeypatch.context() as patched:
        patched.setattr(EmailMessage, "send", away)
        assert notifications.send_due() == 0
        assert notifications.send_due() == 0
    assert len(tries) == 1
    cache.delete(notifications.UNAVAILABLE)
    assert notifications.send_due() == 1


def test_one_address_that_is_refused_stops_no_other_mail(ada: User, monkeypatch: pytest.MonkeyPatch) -> None:
    factories.score(sent_in(ada))
    bob = factories.user("bob")
    bob.email = "bob@example.org"
    bob.save()
    factories.score(
        factories.submission(bob, Submission.objects.get().split, {"openbook": factories.perfect()}, name="Other")
    )
    real = EmailMessage.send

    def picky(self: EmailMessage, fail_silently: bool = False) -> int:
        if self.to == ["ada@example.org"]:
            raise smtplib.SMTPRecipientsRefused({"ada@example.org": (550, b"no")})
        return real(self, fail_silently)

    monkeypatch.setattr(EmailMessage, "send", picky)
    assert notifications.send_due() == 1
    assert [message.to for message in mail.outbox] == [["bob@example.org"]]
    assert notifications.send_due() == 0


def test_looking_for_what_is_due_costs_one_query(ada: User, django_assert_num_queries: DjangoAssertNumQueries) -> None:
    sent_in(ada)
    with django_assert_num_queries(1):
        notifications.send_due()


def test_beat_asks_for_it() -> None:
    assert "leaderboard.tasks.send_notices" in {entry["task"] for entry in settings.CELERY_BEAT_SCHEDULE.values()}
