"""From signing up to an account's end: every page, every mail, and what does not work."""

import re
import smtplib
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
from allauth.account.models import EmailAddress
from django.core import mail
from django.core.cache import cache
from django.db.models import ProtectedError
from django.test import Client, override_settings
from django.urls import reverse
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries, Settings
from redis.exceptions import RedisError

from leaderboard.accounts import adapters, login_views
from leaderboard.accounts.services import BLOCKING_RECORDS, deletion_blocker, make_account
from leaderboard.accounts.teams.services import create_team
from leaderboard.models import AuditRecord, Entry, Membership, Submission, Team, TeamRole, User
from leaderboard.project.demo.environment import MAILS
from scoring.models import Baseline
from tests import factories
from tests.notices import error_codes, mail_subject, notices, signed_in, text_of

pytestmark = pytest.mark.django_db
SIGN_UP, SIGN_IN = "/accounts/sign-up/", "/accounts/sign-in/"
PASSWORDS = {"password1": factories.PASSWORD, "password2": factories.PASSWORD}


def sign_up(client: Client, name: str = "ada", email: str = "ada@example.org", **more: str) -> Any:
    return client.post(SIGN_UP, {"username": name, "email": email, **PASSWORDS, **more})


def sign_in(client: Client, name: str = "ada", password: str = factories.PASSWORD, **more: str) -> Any:
    return client.post(SIGN_IN, {"username": name, "password": password, **more})


def confirm(client: Client) -> None:
    """The password once more, as before whatever could take an account away."""
    assert client.post("/accounts/password/again/", {"password": factories.PASSWORD}).status_code == 302


def link_in_mail() -> str:
    """The path of the first link of the last mail."""
    found = re.search(r"http://127\.0\.0\.1:8000(/accounts/\S+)", str(mail.outbox[-1].body))
    assert found
    return found[1]


def test_an_account_is_used_once_its_address_is_verified_and_goes_on_where_it_was_going(client: Client) -> None:
    factories.benchmark()
    sent = sign_up(client, next="/check/")
    assert (sent.status_code, sent["Location"]) == (302, "/accounts/verify/")
    assert not signed_in(client)
    assert "Check your email" in text_of(client.get(sent["Location"]))
    assert mail.outbox[-1].to == ["ada@example.org"]
    assert mail.outbox[-1].subject == mail_subject("email_confirmation")
    link = link_in_mail()
    assert link.endswith("/?next=%2Fcheck%2F")
    page = text_of(client.get(link))  # a program that follows links in mails changes nothing
    assert "Email confirmation" in page
    assert not EmailAddress.objects.get().verified
    verified = client.post(link)
    assert (verified.status_code, verified["Location"]) == (302, "/check/")
    assert signed_in(client)
    assert EmailAddress.objects.get().verified


def test_the_link_leads_back_to_the_form_in_another_browser_and_to_no_other_site(client: Client) -> None:
    page = "/submit/?benchmark=qampari"
    sign_up(client, next=page)
    link = link_in_mail()
    other = Client()
    opened = other.get(link)
    assert f'action="{link.replace("&", "&amp;")}"' in opened.content.decode()
    back = other.post(link)["Location"]
    assert back == f"{SIGN_IN}?{urlencode({'next': page}, safe='/')}"
    assert not signed_in(other)
    assert sign_in(other, next=page)["Location"] == page
    for name, foreign in (("bob", "https://example.org/"), ("eve", "//example.org"), ("kim", "http://testserver/a")):
        sign_up(Client(), name, f"{name}@example.org", next=foreign)
        assert "next" not in link_in_mail()
        assert Client().post(f"{link_in_mail()}?{urlencode({'next': foreign})}")["Location"] == SIGN_IN


def test_an_hour_later_the_link_signs_nobody_in_and_still_leads_back(client: Client) -> None:
    sign_up(client, next="/check/")
    session = client.session
    session["account_login"] |= {"initiated_at": session["account_login"]["initiated_at"] - 3601}
    session.save()
    assert client.post(link_in_mail())["Location"] == f"{SIGN_IN}?next=/check/"
    assert not signed_in(client)


def test_signing_in_with_an_unverified_address_sends_the_link_again(client: Client, settings: Settings) -> None:
    settings.ACCOUNT_EMAIL_CONFIRMATION_COOLDOWN = 0
    sign_up(client)
    other = Client()
    assert sign_in(other)["Location"] == "/accounts/verify/"
    assert not signed_in(other)
    assert len(mail.outbox) == 2
    assert other.post(link_in_mail()).status_code == 302


def test_an_address_that_has_an_account_is_not_told_from_one_that_has_none(client: Client) -> None:
    factories.user("bob")
    sent = sign_up(client, "eve", "bob@example.org")
    fresh = sign_up(Client(), "ada", "ada@example.org")
    assert (sent.status_code, sent["Location"]) == (fresh.status_code, fresh["Location"])
    assert not User.objects.filter(username="eve").exists()
    assert [message.subject for message in mail.outbox] == [
        mail_subject("account_already_exists"),
        mail_subject("email_confirmation"),
    ]


def test_a_mail_server_that_is_away_loses_no_account(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*args: object, **kwargs: object) -> int:
        raise smtplib.SMTPServerDisconnected("gone")

    with monkeypatch.context() as patch:
        patch.setattr("django.core.mail.backends.locmem.EmailBackend.send_messages", refuse)
        sent = sign_up(client)
        assert notices(client.get(sent["Location"])) == [("bad", adapters.MAIL_FAILED)]
    assert User.objects.filter(username="ada").exists()


def test_while_the_cache_is_away_one_signs_in_and_all_else_says_when_to_come_back(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Away:
        def __getattr__(self, name: str) -> Any:
            raise RedisError("nobody there")

    factories.user()
    monkeypatch.setattr("allauth.core.internal.ratelimit.cache", Away())
    assert sign_in(Client()).status_code == 302
    away = sign_up(client, "bob", "bob@example.org")
    assert (away.status_code, away["Retry-After"]) == (503, "60")
    assert login_views.CACHE_UNAVAILABLE in text_of(away)


def test_nobody_is_called_like_a_command_of_which_the_log_tells(client: Client) -> None:
    refused = sign_up(client, "Import_Benchmark")
    assert (refused.status_code, error_codes(refused)) == (422, {"username": ["username_blacklisted"]})


def test_nobody_is_called_by_an_address_of_somebody_else(client: Client) -> None:
    for name in ("boss@example.net", "ada@example.org", "@"):
        refused = sign_up(client, name)
        assert (refused.status_code, error_codes(refused)) == (422, {"username": ["foreign_name"]})
    assert not User.objects.exists()
    client.force_login(factories.maintainer())
    fields = {"username": "boss@example.net", **PASSWORDS, "usable_password": "true"}
    assert client.post(reverse("admin:leaderboard_user_add"), fields).status_code == 200
    assert User.objects.count() == 1


@pytest.mark.parametrize("verified", [True, False])
def test_nobody_invites_in_the_name_of_an_address_of_somebody_else(client: Client, verified: bool) -> None:
    """An account from before such names were refused."""
    boss = make_account("boss@example.net", "boss@example.net", factories.PASSWORD, verified=verified)
    client.force_login(boss)
    team = create_team(by=boss, name="Readers")
    answer = client.post(f"/teams/{team.slug}/invite/", {"email": "ada@example.org"})
    assert (answer.status_code, team.invitations.count()) == ((302, 1) if verified else (422, 0))


def test_maintainers_and_accounts_without_an_address_are_let_in_by_the_operators_word(client: Client) -> None:
    make_account("root", "root@example.org", factories.PASSWORD, verified=False, maintainer=True)
    make_account("robot", "", factories.PASSWORD, verified=False)
    make_account("old", "old@example.org", factories.PASSWORD, verified=False)
    for name, let_in in (("root", True), ("robot", True), ("old", False)):
        each = Client()
        assert sign_in(each, name).status_code == 302
        assert signed_in(each) is let_in, name


def test_one_signs_in_by_address_too_and_both_are_counted_as_one_account(client: Client, settings: Settings) -> None:
    factories.user()
    assert sign_in(Client(), "ADA@example.org").status_code == 302
    settings.AXES_FAILURE_LIMIT = 3
    for name in ("ada", "ada@example.org"):
        wrong = sign_in(client, name, "wrong")
        assert wrong.status_code == 422
        assert "Incorrect " in text_of(wrong)
    assert sign_in(client, "Ada", "wrong").status_code == 429
    assert sign_in(client, "ada@example.org").status_code == 429


def test_an_account_that_was_switched_off_stays_out(client: Client) -> None:
    User.objects.filter(pk=factories.user().pk).update(is_active=False)
    sign_in(client)
    assert not signed_in(client)
    assert "Account disabled" in text_of(client.get("/accounts/inactive/"))


@override_settings(TIME_ZONE="Asia/Kathmandu")
def test_a_password_that_is_forgotten_is_set_anew_by_mail(client: Client) -> None:
    factories.user()
    assert client.post("/accounts/password/reset/", {"email": "ada@example.org"}).status_code == 302
    link = link_in_mail()
    form = client.get(link, follow=True)
    assert "key" not in form.request["PATH_INFO"].split("-")[-1]  # the secret is out of the address
    new = {"password1": "quite another password", "password2": "quite another password"}
    assert client.post(form.request["PATH_INFO"], new)["Location"] == "/accounts/password/reset/done/"
    assert sign_in(Client()).status_code == 422
    assert sign_in(Client(), password="quite another password").status_code == 302
    assert "Invalid link" in text_of(Client().get(link))
    assert mail.outbox[-1].subject.startswith("Manyhop: Password")
    assert re.search(r"\d\d:\d\d \+0545, from", str(mail.outbox[-1].body)), "the time with its zone"


def test_whoever_asks_for_a_mail_does_not_choose_where_it_leads(client: Client, settings: Settings) -> None:
    factories.user()
    elsewhere: dict[str, Any] = {"headers": {"host": "testserver:1337"}}
    form = {"username": "eve", "email": "ada@example.org", **PASSWORDS}

    def asked_for() -> list[str]:
        mail.outbox.clear()
        cache.clear()  # in which it is counted how often such mails were sent
        client.post("/accounts/password/reset/", {"email": "ada@example.org"}, **elsewhere)
        Client().post(SIGN_UP, form, **elsewhere)
        assert len(mail.outbox) == 2
        return sorted({site for sent in mail.outbox for site in re.findall(r"https?://[^/]+", str(sent.body))})

    assert asked_for() == [settings.SITE_URL] == ["http://127.0.0.1:8000"]
    settings.SITE_URL = "https://manyhop.example"
    assert asked_for() == ["https://manyhop.example"]


def test_for_an_address_without_an_account_nothing_is_sent_and_nothing_told(client: Client) -> None:
    asked = client.post("/accounts/password/reset/", {"email": "nobody@example.org"})
    assert asked["Location"] == "/accounts/password/reset/sent/"
    assert mail.outbox == []


def test_changing_the_password_signs_everybody_else_out_and_is_told_by_mail() -> None:
    factories.user()
    here, elsewhere = Client(), Client()
    sign_in(here)
    sign_in(elsewhere)
    new = {"password1": "quite another password", "password2": "quite another password"}
    wrong = here.post("/accounts/password/", {"oldpassword": "no", **new})
    assert (wrong.status_code, "Incorrect current password." in text_of(wrong)) == (422, True)
    with timezone.override("Asia/Kathmandu"):
        assert here.post("/accounts/password/", {"oldpassword": factories.PASSWORD, **new}).status_code == 302
    assert " +0545, from " in mail.outbox[-1].body
    assert here.get("/accounts/").status_code == 200
    assert elsewhere.get("/accounts/").status_code == 302
    assert reverse("account_reset_password") in str(mail.outbox[-1].body)


def test_an_address_is_added_verified_used_and_removed(client: Client) -> None:
    ada = factories.user()
    sign_in(client)
    confirm(client)
    client.post("/accounts/addresses/", {"action_add": "1", "email": "ada@lab.example"})
    unverified = {"email": "ada@lab.example"}
    client.post("/accounts/addresses/", unverified | {"action_primary": "1"})
    ada.refresh_from_db()
    assert ada.email == "ada@example.org"
    link = next(m for m in mail.outbox if m.to == ["ada@lab.example"])
    assert client.post(re.findall(r"127\.0\.0\.1:8000(/accounts/\S+)", str(link.body))[0]).status_code == 302
    client.post("/accounts/addresses/", unverified | {"action_primary": "1"})
    ada.refresh_from_db()
    assert ada.email == "ada@lab.example"
    client.post("/accounts/addresses/", {"email": "ada@example.org", "action_remove": "1"})
    assert list(EmailAddress.objects.values_list("email", flat=True)) == ["ada@lab.example"]


def test_an_old_session_is_asked_for_the_password_before_it_touches_addresses(client: Client) -> None:
    client.force_login(factories.user())  # without a password, as whoever has got hold of a session
    asked = client.post("/accounts/addresses/", {"action_add": "1", "email": "eve@example.net"})
    assert asked["Location"].startswith("/accounts/password/again/")
    assert EmailAddress.objects.count() == 1
    wrong = client.post(asked["Location"], {"password": "no"})
    assert (wrong.status_code, EmailAddress.objects.count()) == (422, 1)
    client.post(asked["Location"], {"password": factories.PASSWORD, "next": "/accounts/addresses/"})
    assert EmailAddress.objects.count() == 2  # what was asked for is done then


def test_nobody_is_led_to_another_site_after_signing_in(client: Client) -> None:
    factories.user()
    for address in ("https://evil.example/", "//evil.example/", "javascript:alert(1)"):
        assert sign_in(Client(), next=address)["Location"] == "/submissions/"
    assert sign_in(client, next="/compare/")["Location"] == "/compare/"


def test_the_account_page_shows_all_of_it_in_a_few_queries(client: Client, django_assert_max_num_queries: Any) -> None:
    client.force_login(factories.user())
    with django_assert_max_num_queries(11):
        page = text_of(client.get("/accounts/"))
    for shown in ("ada@example.org", "Delete account", 'id="no-teams"', "API tokens", 'id="no-submissions"'):
        assert shown in page
    assert "Connected sites" not in page
    client.post("/accounts/name/", {"name": " Ada  Lovelace "})
    assert "Ada Lovelace" in text_of(client.get("/accounts/"))
    assert client.post("/accounts/name/", {"name": "A\u202eda"}).status_code == 422


def test_an_account_to_which_nothing_is_tied_is_deleted_by_its_holder(client: Client) -> None:
    ada = factories.user()
    sign_in(client)
    assert client.post("/accounts/delete/", {"username": "bob"}).status_code == 422
    confirm(client)
    assert client.post("/accounts/delete/", {"username": "ada"})["Location"] == "/"
    assert not User.objects.filter(pk=ada.pk).exists()
    assert not EmailAddress.objects.exists()
    assert AuditRecord.objects.get(action="account.deleted").actor_name == "ada"
    assert client.get("/accounts/").status_code == 302


@pytest.mark.parametrize("erased", [False, True])
def test_a_deleted_account_stays_known_as_the_sender_of_a_teams_version(erased: bool, uploads: Path) -> None:
    ada = factories.user()
    team = factories.team(ada)
    sent = factories.submission(
        ada, factories.split(factories.benchmark(), "dev"), {"openbook": factories.perfect()}, team=team
    )
    names = set()
    for right in (1, 2):  # two people, the second with the name of the first if nobody has it any more
        name = "bob" if erased or right == 1 else "carol"
        bob, client = factories.user(name), Client()
        Membership.objects.create(team=team, user=bob)
        sign_in(client, name)
        client.post(
            f"/submissions/{sent.pk}/files/openbook/replace/",
            {"openbook": factories.upload(factories.perfect(right=right))},
        )
        confirm(client)
        client.post("/accounts/delete/", {"username": name, "erased": "on" if erased else ""})
        assert not User.objects.filter(pk=bob.pk).exists()
        sender = sent.files.get(version=right + 1).sent_by
        assert sender is not None
        assert (sender.is_active, sender.email, sent.events.latest("pk").actor) == (False, "", sender)
        assert AuditRecord.objects.filter(actor_name=name).exists() != erased
        assert User.objects.filter(username=name).exists() != erased, "nobody takes the name of a record"
        names.add(sender.username)
        with pytest.raises(ProtectedError):
            sender.delete()
    assert len(names) == 2 and (names == {"bob", "carol"}) != erased


@pytest.mark.parametrize(("erased", "withdrawn"), [("", ""), ("on", "on")])
def test_of_a_deleted_account_private_submissions_go_and_others_stay(
    client: Client, uploads: Path, erased: str, withdrawn: str, django_capture_on_commit_callbacks: Any
) -> None:
    dev, ada = factories.split(factories.benchmark(), "dev"), factories.user()
    team = factories.team(ada, factories.user("bob"), role=TeamRole.OWNER)
    answers = {"openbook": factories.perfect()}
    private = factories.submission(ada, dev, answers, name="Private")
    published = factories.published(ada, dev, answers, name="Published")
    of_team = factories.submission(ada, dev, answers, name="Of a team", team=team)
    compared = factories.submission(ada, dev, answers, name="Compared with")
    baseline = compared.files.get().answer_set
    Baseline.objects.create(split=dev, answer_set=baseline, digest="0" * 64, chosen_by="grace")
    paths = {sent.name: Path(sent.files.get().original.path) for sent in Submission.objects.all()}
    sign_in(client)
    page = client.get("/accounts/delete/")
    assert (page.context["n_private"], page.context["n_kept"]) == (1, 2)
    with django_capture_on_commit_callbacks(execute=True):
        asked = client.post("/accounts/delete/", {"username": "ada", "erased": erased, "withdrawn": withdrawn})
        assert asked["Location"].startswith("/accounts/password/again/")
        assert Submission.objects.count() == 4
        confirm(client)
        form = {"username": "ada", "erased": erased, "withdrawn": withdrawn}
        assert client.post("/accounts/delete/", form)["Location"] == "/"
    assert not User.objects.filter(pk=ada.pk).exists()
    assert set(Submission.objects.all()) == {published, of_team, compared}
    assert {name for name, path in paths.items() if path.exists()} == {"Published", "Of a team", "Compared with"}
    left = (
        Submission.objects.order_by()
        .values_list("owner__username", "owner__is_active", "owner__email")
        .distinct()
        .get()
    )
    assert (left[0] == "ada", *left[1:]) == (not erased, False, "")
    assert Entry.objects.filter(system__owner__username=left[0], replaced_at__isnull=not withdrawn).count() == 1
    withdrawn_ones = Submission.objects.exclude(withdrawn_at=None)
    assert set(withdrawn_ones) == ({published, compared} if withdrawn else set()), "a team's stay as they are"
    deleted = AuditRecord.objects.get(action="submission.deleted")
    assert (deleted.target, deleted.actor_name) == (f"submission {private.pk}", left[0])


def test_an_account_with_a_study_cannot_be_deleted_and_loses_no_submission(client: Client, uploads: Path) -> None:
    dev, ada = factories.split(factories.benchmark(), "dev"), factories.user()
    sent = factories.submission(ada, dev, {"openbook": factories.perfect()})
    factories.study(ada, dev)
    sign_in(client)
    confirm(client)
    kept = client.post("/accounts/delete/", {"username": "ada"})
    assert (kept.status_code, BLOCKING_RECORDS in text_of(kept)) == (422, True)
    assert not AuditRecord.objects.filter(action="account.deleted").exists()
    sent.refresh_from_db()
    assert (sent.owner, sent.withdrawn_at, Path(sent.files.get().original.path).exists()) == (ada, None, True)


def test_a_teams_only_owner_stays_until_somebody_else_is_one(client: Client) -> None:
    from leaderboard.accounts.teams import services as teams

    ada = factories.user()
    teams.create_team(by=ada, name="Readers")
    sign_in(client)
    assert "Readers" in deletion_blocker(ada)
    assert deletion_blocker(ada) in text_of(client.get("/accounts/delete/"))
    assert client.post("/accounts/delete/", {"username": "ada"}).status_code == 422
    assert Team.objects.exists()


def test_no_password_and_no_link_gets_into_the_log(client: Client, caplog: pytest.LogCaptureFixture) -> None:
    sign_up(client)
    link = link_in_mail()
    client.post(link)
    sign_in(Client(), password="secret-word")
    assert link.split("/")[-2] not in caplog.text
    assert factories.PASSWORD not in caplog.text
    assert "secret-word" not in caplog.text


def test_the_account_page_does_not_grow_in_queries(
    client: Client, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    from leaderboard.accounts.teams import services as teams

    ada = factories.user()
    client.force_login(ada)
    for address in ("/accounts/", "/teams/"):
        client.get(address)
        with CaptureQueriesContext(connection) as few:
            client.get(address)
        n_few = len(few)
        for number in range(3):
            teams.create_team(by=ada, name=f"{address} {number}")
            EmailAddress.objects.create(user=ada, email=f"{number}{len(address)}@example.org")
        with django_assert_num_queries(n_few):
            client.get(address)


def test_only_a_site_that_prints_links_says_where_they_are(client: Client, settings: Settings, tmp_path: Path) -> None:
    settings.DATA_DIR = tmp_path
    for folder, printed in (("elsewhere", False), (MAILS, True)):
        settings.EMAIL_FILE_PATH = str(tmp_path / folder)
        for address in ("/accounts/verify/", "/accounts/password/reset/sent/"):
            assert ("in which the demo runs" in client.get(address).content.decode()) is printed
