"""The mails about submissions: when each is sent, to whom, and what it says."""

import datetime
from dataclasses import replace
from typing import Any

import pytest
from django.conf import settings
from django.core import mail
from pytest_django import DjangoAssertNumQueries, Settings

from leaderboard.accounts import mails
from leaderboard.maintenance.moderation import services as moderation
from leaderboard.models import Mail, MailKind, Membership, Submission, User
from leaderboard.publishing import pseudonyms
from leaderboard.publishing.errors import SubmissionError
from leaderboard.publishing.services import publish_submission
from leaderboard.submissions import notifications, services
from leaderboard.submissions.deletion import delete_submission
from leaderboard.submissions.types import OF_STATE
from leaderboard.web.dates import day_in_words
from scoring import tasks
from scoring.models import Benchmark, Run, Score
from scoring.models.run_states import RunState
from tests import factories
from tests.chance import without_ids

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def place(settings: Settings) -> None:
    settings.SITE_URL = "https://board.example.org"


@pytest.fixture
def ada() -> User:
    return factories.user("ada")


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
    assert f"ROUGE: failed: {OF_STATE[RunState.FAILED].format(contact='the maintainers')}" in mail.outbox[0].body


def test_no_mail_without_an_address_nor_about_what_was_withdrawn(ada: User) -> None:
    nobody = factories.user("nobody")
    User.objects.filter(pk=nobody.pk).update(email="")
    factories.score(sent_in(nobody))
    withdrawn = sent_in(ada)
    factories.score(withdrawn)
    services.withdraw_submission(withdrawn, actor=ada)
    assert n_sent() == 0


def test_looking_for_what_is_due_costs_one_query(ada: User, django_assert_num_queries: DjangoAssertNumQueries) -> None:
    sent_in(ada)
    with django_assert_num_queries(1):
        assert notifications.queue_due() == 0


def test_beat_asks_for_it() -> None:
    assert "leaderboard.tasks.send_notices" in {entry["task"] for entry in settings.CELERY_BEAT_SCHEDULE.values()}


# --- Requests and decisions ------------------------------------------------------------------------------------------


def asked(owner: User, *, actor: User | None = None, **fields: Any) -> Submission:
    """A scored submission whose publication waits for a maintainer, about which all earlier emails are sent."""
    benchmark = factories.benchmark()
    Benchmark.objects.update(needs_approval=True)
    options = {name: fields.pop(name) for name in ("anonymous_until",) if name in fields}
    sent = factories.scored(
        owner, factories.split(benchmark, "test"), {"openbook": factories.perfect("test")}, **fields
    )
    n_sent()
    mail.outbox.clear()
    publish_submission(sent, actor=actor or owner, **options)
    return sent


def mailed() -> list[tuple[str, str]]:
    """The recipients and texts of the emails since the last call, by recipient."""
    mails.send_due()
    assert not any("<" in message.body for message in mail.outbox), "markup of pages"
    found = sorted((message.to[0].partition("@")[0], str(message.body)) for message in mail.outbox)
    mail.outbox.clear()
    return found


def test_a_request_goes_to_the_maintainers_who_can_decide_it(ada: User) -> None:
    factories.maintainer("grace")
    staff = factories.user("eve")
    User.objects.filter(pk=staff.pk).update(is_staff=True)
    former = factories.maintainer("mary")
    User.objects.filter(pk=former.pk).update(is_active=False)
    sent = asked(ada)
    [(to, text)] = mailed()
    assert to == "grace"
    assert sent.name in text and f"https://board.example.org/maintenance/moderation/{sent.pk}/\n" in text
    publish_submission(sent, actor=ada, anonymous_until=pseudonyms.today() + datetime.timedelta(days=9))
    assert mailed() == [], "a change of a request that waits needs no other email"


def test_a_request_of_a_maintainer_goes_to_the_others() -> None:
    grace = factories.maintainer("grace")
    factories.maintainer("mary")
    asked(grace)
    assert [to for to, _ in mailed()] == ["mary"]


def test_a_request_for_a_pseudonym_names_neither_system_nor_person(ada: User) -> None:
    factories.maintainer("grace")
    until = pseudonyms.today() + datetime.timedelta(days=9)
    asked(ada, name="Telltale", authors="Lovelace", team=factories.team(ada), anonymous_until=until)
    mails.send_due()
    [message] = mail.outbox
    assert "<" not in message.body
    for name in ("Telltale", "Lovelace", "Night shift", "ada"):
        assert name not in without_ids(message.subject + str(message.body))
    assert day_in_words(until) in str(message.body)


@pytest.mark.parametrize("decision", ["approve", "give_back", "retract", "put_back"])
def test_a_decision_goes_to_the_sender_with_the_message_and_without_scores(ada: User, decision: str) -> None:
    grace = factories.maintainer("grace")
    sent = asked(ada)
    mailed()
    if decision == "give_back":
        moderation.give_back(sent, actor=grace, message="Name the model.\n\nThen ask again.")
    else:
        moderation.approve(sent, actor=grace)
    if decision in ("retract", "put_back"):
        mailed()
        moderation.retract(sent, actor=grace, note="Copied answers.")
    if decision == "put_back":
        mailed()
        moderation.put_back(sent, actor=grace)
    [(to, text)] = mailed()
    assert to == "ada"
    assert sent.name in text and f"https://board.example.org/submissions/{sent.pk}/\n" in text
    assert ("Name the model.\n\nThen ask again." in text) == (decision == "give_back")
    assert ("Copied answers." in text) == (decision == "retract")
    assert "grace" not in text
    values = Score.objects.values_list("value", flat=True)
    assert not any(f"{value:.{digits}f}" in text for value in values for digits in (1, 2, 3))


def test_in_a_team_a_decision_goes_to_the_sender_and_to_who_asked_but_to_nobody_who_left(ada: User) -> None:
    grace = factories.maintainer("grace")
    bob = factories.user("bob")
    team = factories.team(ada, bob, factories.user("carol"))
    sent = asked(ada, actor=bob, team=team)
    mailed()
    moderation.give_back(sent, actor=grace, message="Name the model.")
    assert [to for to, _ in mailed()] == ["ada", "bob"]
    publish_submission(sent, actor=bob)
    mailed()
    Membership.objects.filter(user=bob).delete()
    moderation.give_back(sent, actor=grace, message="Name the model.")
    assert [to for to, _ in mailed()] == ["ada"]


def test_who_decides_about_their_own_submission_gets_no_email() -> None:
    grace = factories.maintainer("grace")
    moderation.approve(asked(grace), actor=grace)
    assert mailed() == []


def test_a_refused_decision_sends_nothing(ada: User) -> None:
    grace = factories.maintainer("grace")
    sent = asked(ada)
    mailed()
    with pytest.raises(SubmissionError):
        moderation.give_back(sent, actor=grace, message="Name the model.", seen="something else")
    assert not Mail.objects.exists()


def test_a_deleted_submission_takes_its_emails_with_it(ada: User) -> None:
    grace = factories.maintainer("grace")
    sent = asked(ada)
    delete_submission(sent, actor=grace)
    assert mailed() == []


# --- Revisions -------------------------------------------------------------------------------------------------------


def test_a_new_revision_is_announced_once_to_everybody_with_submissions_to_the_split(ada: User) -> None:
    benchmark = factories.benchmark()
    split = factories.split(benchmark, "test")
    for name in ("First", "Second"):
        factories.scored(ada, split, {"openbook": factories.perfect("test")}, name=name)
    factories.user("eve")  # has none
    carol = factories.user("carol")
    factories.scored(carol, factories.split(benchmark, "dev"), {"openbook": factories.perfect()})
    withdrawn = factories.scored(factories.user("bob"), split, {"openbook": factories.perfect("test")}, name="Gone")
    services.withdraw_submission(withdrawn, actor=withdrawn.owner)
    n_sent()
    mail.outbox.clear()
    changed = [
        replace(question, text=f"{question.text} Really?", answer="a secret answer")
        for question in factories.source_questions("test", 4)
    ]
    assert factories.revise(split, changed).becomes_current
    [(to, text)] = mailed()
    assert to == "ada" and "https://board.example.org/fanoutqa/data-card/\n" in text
    assert " 2 submissions" in text
    assert "secret answer" not in text and "Really?" not in text
    assert not factories.revise(split, changed).changed
    assert mailed() == [], "the same questions again"


def test_the_first_revision_and_one_that_is_not_shown_are_not_announced(ada: User) -> None:
    benchmark = factories.benchmark()
    split = factories.split(benchmark, "dev")
    factories.scored(ada, split, {"openbook": factories.perfect()})
    Mail.objects.all().delete()
    earlier = factories.DATE - datetime.timedelta(days=9)
    assert not factories.revise(split, factories.source_questions("dev", 3), earlier).becomes_current
    assert not Mail.objects.filter(kind=MailKind.REVISION).exists()
