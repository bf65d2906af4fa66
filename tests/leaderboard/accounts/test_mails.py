"""Emails: none is lost, none is sent to who does not want it, and each kind is left without signing in."""

import re
import smtplib
from collections.abc import Iterator
from contextlib import contextmanager
from email import message_from_bytes, policy
from types import SimpleNamespace

import pytest
from django.core import mail
from django.core.mail import EmailMessage
from django.core.signing import Signer
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django import Settings

from leaderboard.accounts import mails
from leaderboard.models import Mail, MailKind, User
from leaderboard.operations.redaction import redacted
from tests import factories
from tests.notices import notices

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def address(settings: Settings) -> None:
    settings.SITE_URL = "https://board.example.org"


def queued(user: User, kind: MailKind = MailKind.TOKENS, subject: str = "A subject") -> Mail:
    context = {"tokens": [], "account": "", "address": "https://board.example.org/accounts/"}
    return mails.queue(kind, user, subject, "tokens_expire.txt", context)


def due_again() -> None:
    Mail.objects.update(due_at=timezone.now())


@contextmanager
def failing(error: BaseException, *, to: str = "") -> Iterator[list[str]]:
    """A mail server that refuses every email, or those to *to*; yields the addresses that were tried."""
    tried: list[str] = []
    real = EmailMessage.send

    def send(self: EmailMessage, fail_silently: bool = False) -> int:
        tried.extend(self.to)
        if not to or to in self.to:
            raise error
        return real(self, fail_silently)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(EmailMessage, "send", send)
        yield tried


class TestSending:
    def test_a_sent_email_is_deleted_and_not_sent_again(self, ada: User) -> None:
        queued(ada)
        assert (mails.send_due(), mails.send_due()) == (1, 0)
        assert [message.to for message in mail.outbox] == [["ada@example.org"]]
        assert not Mail.objects.exists()

    def test_a_worker_that_dies_loses_nothing_and_repeats_only_the_email_in_flight(self, ada: User) -> None:
        for name in ("bob", "carol"):
            queued(factories.user(name))
        queued(ada)
        with failing(KeyboardInterrupt(), to="carol@example.org"), pytest.raises(KeyboardInterrupt):
            mails.send_due()
        assert mails.send_due() == 1, "another worker takes the rest, not the one in flight"
        due_again()
        assert mails.send_due() == 1
        assert [message.to for message in mail.outbox] == [[f"{name}@example.org"] for name in ("bob", "ada", "carol")]

    def test_a_server_that_is_away_loses_nothing_and_is_left_alone(self, ada: User) -> None:
        queued(ada)
        queued(factories.user("bob"))
        with failing(smtplib.SMTPServerDisconnected("gone")) as tried:
            assert (mails.send_due(), mails.send_due()) == (0, 0)
        assert tried == ["ada@example.org"]
        due_again()
        assert mails.send_due() == 2

    @pytest.mark.parametrize(
        "error",
        [
            smtplib.SMTPRecipientsRefused({"ada@example.org": (550, b"no")}),
            smtplib.SMTPDataError(554, b"no"),
            smtplib.SMTPNotSupportedError("no"),
            ValueError("Invalid address"),
        ],
    )
    def test_an_email_that_is_refused_stops_no_other(self, ada: User, error: Exception) -> None:
        queued(ada)
        queued(factories.user("bob"))
        with failing(error, to="ada@example.org"):
            assert mails.send_due() == 1
        assert [message.to for message in mail.outbox] == [["bob@example.org"]]
        assert not Mail.objects.exists()

    @pytest.mark.parametrize(
        "error",
        [smtplib.SMTPRecipientsRefused({"ada@example.org": (450, b"later")}), smtplib.SMTPDataError(451, b"later")],
    )
    def test_an_email_that_is_refused_for_now_is_tried_for_some_days(self, ada: User, error: Exception) -> None:
        waiting = queued(ada)
        with failing(error):
            assert mails.send_due() == 0
            waiting.refresh_from_db()
            assert waiting.due_at > timezone.now() + mails.RETRY
            Mail.objects.update(due_at=timezone.now(), created_at=timezone.now() - mails.GIVE_UP)
            assert mails.send_due() == 0
        assert not Mail.objects.exists()

    def test_two_workers_send_an_email_once(self, ada: User, monkeypatch: pytest.MonkeyPatch) -> None:
        queued(ada)
        real = EmailMessage.send

        def send(self: EmailMessage, fail_silently: bool = False) -> int:
            assert mails.send_due() == 0, "the other worker"
            return real(self, fail_silently)

        monkeypatch.setattr(EmailMessage, "send", send)
        assert mails.send_due() == 1

    def test_slow_mails_end_a_batch_in_time_and_the_next_one_goes_on(
        self, ada: User, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        for _ in range(3):
            queued(ada)
        real, moment = EmailMessage.send, 0.0

        def send(self: EmailMessage, fail_silently: bool = False) -> int:
            nonlocal moment
            moment += 0.6 * mails.SECONDS
            return real(self, fail_silently)

        monkeypatch.setattr(EmailMessage, "send", send)
        monkeypatch.setattr(mails, "time", SimpleNamespace(monotonic=lambda: moment))
        assert (mails.send_due(), mails.send_due()) == (2, 1)

    @pytest.mark.parametrize(
        "fields", [{"is_active": False}, {"email": ""}, {"muted_mails": [MailKind.TOKENS, MailKind.SCORED]}]
    )
    def test_who_cannot_or_will_not_get_it_does_not(self, ada: User, fields: dict[str, object]) -> None:
        queued(ada)
        User.objects.filter(pk=ada.pk).update(**fields)
        assert mails.send_due() == 0
        assert not mail.outbox and not Mail.objects.exists()

    def test_what_is_for_maintainers_goes_to_nobody_who_no_longer_is_one(self) -> None:
        grace = factories.maintainer()
        queued(grace, MailKind.REQUEST)
        assert mails.send_due() == 1
        queued(grace, MailKind.REQUEST)
        User.objects.filter(pk=grace.pk).update(is_staff=False)
        assert mails.send_due() == 0


class TestLeaving:
    def link(self, user: User, kind: MailKind = MailKind.TOKENS) -> str:
        """The link in an email's header, which is also in its text."""
        mail.outbox.clear()
        queued(user, kind)
        assert mails.send_due() == 1
        [message] = mail.outbox
        as_sent = message_from_bytes(message.message().as_bytes(), policy=policy.default)
        assert as_sent["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
        match = re.fullmatch("<https://board.example.org(/[^>]+)>", as_sent["List-Unsubscribe"].strip())
        assert match is not None and f"https://board.example.org{match[1]}\n" in message.body
        return match[1]

    def test_one_post_without_session_cookie_or_form_token_turns_off_one_kind(self, ada: User) -> None:
        address = self.link(ada)
        post = Client(enforce_csrf_checks=True).post(address, {"List-Unsubscribe": "One-Click"})
        assert post.status_code == 200
        ada.refresh_from_db()
        assert ada.muted_mails == [MailKind.TOKENS]
        queued(ada)
        queued(ada, MailKind.SCORED)
        assert mails.send_due() == 1

    def test_opening_the_link_changes_nothing_and_shows_one_button(self, ada: User) -> None:
        address = self.link(ada)
        client = Client(enforce_csrf_checks=True)
        page = client.get(address)
        assert page.status_code == 200 and "no-store" in page["Cache-Control"]
        assert f'action="{address}"' in page.content.decode()
        ada.refresh_from_db()
        assert ada.muted_mails == []
        assert client.post(address).status_code == 200
        ada.refresh_from_db()
        assert ada.muted_mails == [MailKind.TOKENS]
        assert f'action="{address}"' not in client.get(address).content.decode(), "it is turned off already"

    def test_it_works_for_a_disabled_account_and_twice(self, ada: User) -> None:
        address = self.link(ada)
        User.objects.filter(pk=ada.pk).update(is_active=False)
        assert [Client().post(address).status_code for _ in range(2)] == [200, 200]
        ada.refresh_from_db()
        assert ada.muted_mails == [MailKind.TOKENS]

    def test_only_the_token_of_a_link_turns_emails_off(self, ada: User) -> None:
        address = self.link(ada)
        other = mails.token_of(factories.user("bob"), MailKind.TOKENS).partition(".")[0]
        forged = f"{other}.{address.strip('/').partition('.')[2]}"
        unknown = Signer(salt=mails.SALT, sep=".").sign(f"{ada.pk}-unknown")
        elsewhere = Signer(salt="other", sep=".").sign(f"{ada.pk}-{MailKind.TOKENS}")
        for token in (forged, unknown, elsewhere, "x"):
            assert Client().post(reverse("mails-leave", args=[token])).status_code == 404
        ada.delete()
        assert Client().get(address).status_code == 404

    def test_links_survive_a_new_secret_key_while_the_old_one_is_listed(self, ada: User, settings: Settings) -> None:
        address = self.link(ada)
        settings.SECRET_KEY_FALLBACKS, settings.SECRET_KEY = [settings.SECRET_KEY], "another" * 9
        assert Client().get(address).status_code == 200

    def test_no_log_has_the_token(self, ada: User) -> None:
        address = self.link(ada)
        assert redacted(f"GET {address}") == "GET /accounts/mails/…/"


class TestChoosing:
    def test_the_account_page_turns_kinds_off_and_on(self, client: Client, ada: User) -> None:
        client.force_login(ada)
        assert client.get("/accounts/").context["mails_form"].initial["kinds"] == mails.kinds_for(ada)
        response = client.post("/accounts/mails/", {"kinds": [MailKind.SCORED]}, follow=True)
        assert [tone for tone, _ in notices(response)] == ["good"]
        assert response.context["mails_form"].initial["kinds"] == [MailKind.SCORED]
        ada.refresh_from_db()
        assert {*ada.muted_mails} == {*mails.kinds_for(ada)} - {MailKind.SCORED}
        client.post("/accounts/mails/", {"kinds": mails.kinds_for(ada)})
        ada.refresh_from_db()
        assert ada.muted_mails == []

    def test_only_maintainers_choose_what_only_they_get(self, client: Client, ada: User) -> None:
        client.force_login(ada)
        response = client.post("/accounts/mails/", {"kinds": [MailKind.REQUEST]})
        assert response.status_code == 422
        assert MailKind.REQUEST in mails.kinds_for(factories.maintainer())

    def test_a_right_that_is_gone_for_a_while_forgets_no_choice(self, ada: User) -> None:
        User.objects.filter(pk=ada.pk).update(muted_mails=[MailKind.REQUEST])
        mails.choose(user=ada, wanted=[MailKind.SCORED], of=[MailKind.SCORED, MailKind.TOKENS])
        ada.refresh_from_db()
        assert ada.muted_mails == [MailKind.REQUEST, MailKind.TOKENS]


def test_a_subject_is_one_line_and_not_too_long(ada: User) -> None:
    queued(ada, subject="One\r\nBcc: eve@example.org " + "x" * 500)
    mails.send_due()
    [message] = mail.outbox
    assert message.subject.startswith("Manyhop: One Bcc: eve@example.org x") and len(message.subject) == 400
    assert message.recipients() == ["ada@example.org"]
