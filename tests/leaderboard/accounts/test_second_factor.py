"""The second factor: an authenticator app, passkeys and recovery codes; and what staff may do without one."""

import base64
import json
import re
import time
from typing import Any

import pytest
from allauth.mfa.models import Authenticator
from allauth.mfa.recovery_codes.internal.auth import RecoveryCodes
from allauth.mfa.totp.internal import auth as totp
from django.conf import settings as django_settings
from django.contrib.auth.models import Permission
from django.core import mail
from django.core.cache import cache
from django.core.management import call_command
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from leaderboard.accounts import login_views, mails
from leaderboard.accounts.services import delete_account
from leaderboard.models import AuditRecord, MailKind, User
from leaderboard.operations import checks
from leaderboard.web.rate_limits import RateLimit
from tests import factories
from tests.notices import error_codes, mail_subject, signed_in

pytestmark = pytest.mark.django_db
SIGN_IN, CODE = reverse("sign-in"), reverse("mfa_authenticate")
INDEX, APP = reverse("mfa_index"), reverse("mfa_activate_totp")
SECRET = base64.b32encode(b"twenty bytes of test").decode()


def code_of(secret: str = SECRET, *, periods: int = 0) -> str:
    """The code of the app now, or some periods of 30 seconds later."""
    return str(totp.format_hotp_value(totp.hotp_value(secret, int(time.time()) // 30 + periods)))


def sign_in(client: Client, name: str = "ada", **more: str) -> Any:
    return client.post(SIGN_IN, {"username": name, "password": factories.PASSWORD, **more})


def confirm(client: Client) -> None:
    again = reverse("account_reauthenticate")
    assert client.post(again, {"password": factories.PASSWORD}).status_code == 302


def with_app(user: User) -> list[str]:
    """Give an account an authenticator app with `SECRET`; returns its recovery codes."""
    totp.TOTP.activate(user, SECRET)
    codes: list[str] = RecoveryCodes.activate(user).generate_codes()
    return codes


@pytest.fixture
def ada_with_codes(ada: User) -> list[str]:
    return with_app(ada)


class TestSetUp:
    @pytest.mark.django_db(transaction=True)
    def test_an_app_is_set_up_with_its_first_code_and_gives_recovery_codes(self, client: Client, ada: User) -> None:
        sign_in(client)
        asked = client.get(APP)
        assert asked["Location"].startswith(reverse("account_reauthenticate"))
        confirm(client)
        page = client.get(APP).content.decode()
        secret = page.split('id="secret"')[1].split(">")[1].split("<")[0]
        assert re.search(r'<div class="qr-code"[^>]*><svg [^>]*><path [^>]*></svg></div>', page)
        assert "data:" not in page and "style=" not in page
        wrong = client.post(APP, {"code": "000000" if code_of(secret) != "000000" else "111111"})
        assert (wrong.status_code, error_codes(wrong)) == (422, {"code": ["incorrect_code"]})
        done = client.post(APP, {"code": code_of(secret)})
        assert (done.status_code, done["Location"]) == (302, reverse("mfa_view_recovery_codes"))
        shown = client.get(done["Location"])
        assert "no-store" in shown["Cache-Control"]
        codes = Authenticator.objects.get(type="recovery_codes").wrap().generate_codes()
        assert len(codes) == 10 and all(code in shown.content.decode() for code in codes)
        file = client.get(reverse("mfa_download_recovery_codes"))
        assert file.content.decode().split() == codes and "no-store" in file["Cache-Control"]
        assert mail.outbox[-1].subject == mail_subject("totp_activated", "mfa")
        assert secret not in str(mail.outbox[-1].body)

    def test_removing_it_removes_the_recovery_codes_too(
        self, client: Client, ada: User, ada_with_codes: list[str]
    ) -> None:
        sign_in(client)
        client.post(CODE, {"code": code_of()})
        confirm(client)
        assert client.post(reverse("mfa_deactivate_totp")).status_code == 302
        assert not Authenticator.objects.exists()
        assert mail.outbox[-1].subject == mail_subject("totp_deactivated", "mfa")

    def test_new_recovery_codes_replace_the_old(self, client: Client, ada: User, ada_with_codes: list[str]) -> None:
        sign_in(client)
        client.post(CODE, {"code": code_of()})
        confirm(client)
        assert client.post(reverse("mfa_generate_recovery_codes")).status_code == 302
        page = client.get(reverse("mfa_view_recovery_codes")).content.decode()
        assert not any(code in page for code in ada_with_codes)

    @pytest.mark.parametrize(
        "response",
        [
            *("", "x", "1", "[]", "{}", "null", '"x"', '{"id": 1}', '{"id": "eA", "response": {}}'),
            *(
                '{"id":"eA","rawId":"eA","type":"public-key","response":{"clientDataJSON":"eA","attestationObject":"oA"}}',
            ),
            '{"id":"eA","rawId":"eA","type":"public-key","response":{"clientDataJSON":"e30","attestationObject":"9w"}}',
        ],
    )
    def test_what_is_no_passkey_is_refused(self, client: Client, ada: User, response: str) -> None:
        sign_in(client)
        confirm(client)
        client.get(reverse("mfa_add_webauthn"))
        assert client.post(reverse("mfa_add_webauthn"), {"name": "x", "credential": response}).status_code == 422
        with_app(ada)
        client.logout()
        sign_in(client)
        client.get(CODE)
        assert client.post(CODE, {"credential": response}).status_code == 422
        assert not signed_in(client)

    def test_a_stranger_sees_no_page_of_it(self, client: Client) -> None:
        for name in ("mfa_index", "mfa_activate_totp", "mfa_add_webauthn", "mfa_view_recovery_codes"):
            assert client.get(reverse(name))["Location"].startswith(SIGN_IN)


class TestSignIn:
    def test_the_password_alone_is_not_enough(self, client: Client, ada: User, ada_with_codes: list[str]) -> None:
        asked = sign_in(client, next="/check/")
        assert (asked.status_code, asked["Location"]) == (302, CODE)
        assert not signed_in(client)
        wrong = client.post(CODE, {"code": "not a code"})
        assert (wrong.status_code, error_codes(wrong)) == (422, {"code": ["incorrect_code"]})
        right = client.post(CODE, {"code": f" {code_of()[:3]} {code_of()[3:]}"})
        assert (right.status_code, right["Location"]) == (302, "/check/")
        assert signed_in(client)

    def test_the_second_step_can_be_cancelled(self, client: Client, ada: User, ada_with_codes: list[str]) -> None:
        sign_in(client)
        client.post(reverse("sign-out"))
        assert client.get(CODE)["Location"] == SIGN_IN
        client.post(CODE, {"code": code_of()})
        assert not signed_in(client)

    @pytest.mark.parametrize("path", ["/admin/login/", "/admin/login/?next=/admin/", "/admin/"])
    def test_nor_in_the_administration(self, client: Client, path: str) -> None:
        with_app(factories.maintainer("ada"))
        answer = client.post(path, {"username": "ada", "password": factories.PASSWORD}, follow=True)
        assert not signed_in(client)
        assert answer.request["PATH_INFO"] == SIGN_IN
        other = factories.user("staff", is_staff=True)
        client.force_login(other)
        client.post(path, {"username": "ada", "password": factories.PASSWORD})
        assert client.session["_auth_user_id"] == str(other.pk)

    @pytest.mark.parametrize("periods", [-1, 0, 1])
    def test_a_code_works_once_even_for_another_process(
        self, client: Client, ada: User, ada_with_codes: list[str], periods: int, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        now = time.time()
        monkeypatch.setattr("allauth.mfa.totp.internal.auth.time.time", lambda: now)
        code = code_of(periods=periods)
        sign_in(client)
        client.post(CODE, {"code": code})
        assert signed_in(client)
        cache.clear()
        other = Client()
        sign_in(other)
        assert other.post(CODE, {"code": code}).status_code == 422
        assert not signed_in(other)

    def test_a_recovery_code_works_once_and_is_reported(
        self, client: Client, ada: User, ada_with_codes: list[str]
    ) -> None:
        for attempt, code in ((True, ada_with_codes[0]), (False, ada_with_codes[0]), (True, ada_with_codes[5])):
            each = Client()
            sign_in(each)
            each.post(CODE, {"code": code})
            assert signed_in(each) is attempt
        assert [message.subject for message in mail.outbox] == [mail_subject("recovery_code_used", "mfa")] * 2
        assert "8 unused codes remain" in str(mail.outbox[-1].body)

    def test_codes_are_not_tried_without_end_from_wherever(
        self, ada: User, ada_with_codes: list[str], settings: Settings
    ) -> None:
        settings.SIGN_IN_RATES = {"account": RateLimit(3, 3600), "address": RateLimit(50, 3600)}
        for number in range(4):
            each = Client(REMOTE_ADDR=f"192.0.2.{number}")
            sign_in(each)
            answer = each.post(CODE, {"code": code_of() if number == 3 else "000000"})
        assert answer.status_code == 429
        assert error_codes(answer) == {"code": [login_views.TOO_OFTEN]}
        assert not signed_in(each)

    def test_signing_in_resets_the_counts(self, ada: User, ada_with_codes: list[str], settings: Settings) -> None:
        settings.SIGN_IN_RATES = {"account": RateLimit(3, 3600), "address": RateLimit(50, 3600)}
        for code in ada_with_codes[:4]:
            each = Client()
            sign_in(each)
            each.post(CODE, {"code": "000000"})
            each.post(CODE, {"code": code})
            assert signed_in(each)

    def test_the_cache_is_not_needed(
        self, client: Client, ada: User, ada_with_codes: list[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        class Away:
            def __getattr__(self, name: str) -> Any:
                raise AssertionError("the cache was asked")

        monkeypatch.setattr("allauth.mfa.totp.internal.auth.cache", Away())
        sign_in(client)
        client.post(CODE, {"code": code_of()})
        assert signed_in(client)

    def test_one_confirms_with_a_code_instead_of_the_password(
        self, client: Client, ada: User, ada_with_codes: list[str]
    ) -> None:
        sign_in(client)
        client.post(CODE, {"code": ada_with_codes[0]})
        again = reverse("mfa_reauthenticate")
        assert again in client.get(reverse("account_reauthenticate")).content.decode()
        assert client.post(again, {"code": "000000"}).status_code == 422
        shown = client.post(f"{again}?next=/about/", {"code": ada_with_codes[1], "next": "/about/"})
        assert (shown.status_code, shown["Location"]) == (302, "/about/")


class TestLost:
    def test_a_superuser_removes_it_which_is_logged_and_mailed(
        self, client: Client, ada: User, ada_with_codes: list[str]
    ) -> None:
        client.force_login(factories.maintainer())
        app = Authenticator.objects.get(type="totp")
        page = client.get(reverse("admin:mfa_authenticator_change", args=[app.pk])).content.decode()
        assert SECRET not in page and "secret" not in page
        client.post(reverse("admin:mfa_authenticator_delete", args=[app.pk]), {"post": "yes"})
        assert not Authenticator.objects.exists()
        assert AuditRecord.objects.get().action == "admin.deleted"
        assert mail.outbox[-1].to == ["ada@example.org"]
        assert mail.outbox[-1].subject == mail_subject("second_factor_removed", "mfa")
        each = Client()
        sign_in(each)
        assert signed_in(each)

    def test_nobody_else_does(self, client: Client, ada: User, ada_with_codes: list[str]) -> None:
        clerk = factories.user("clerk", is_staff=True)
        clerk.user_permissions.set(Permission.objects.filter(content_type__app_label="mfa"))
        client.force_login(clerk)
        app = Authenticator.objects.get(type="totp")
        for act in ("change", "delete"):
            url = reverse(f"admin:mfa_authenticator_{act}", args=[app.pk])
            assert client.post(url, {"post": "yes"}).status_code == 403
        assert client.post(reverse("admin:mfa_authenticator_add"), {}).status_code == 403
        chosen = {"action": "delete_selected", "_selected_action": [str(app.pk)], "post": "yes"}
        client.post(reverse("admin:mfa_authenticator_changelist"), chosen)
        assert Authenticator.objects.count() == 2

    def test_it_ends_with_the_account(self, ada: User, ada_with_codes: list[str]) -> None:
        delete_account(user=ada)
        assert not Authenticator.objects.exists()


class TestRequired:
    STAFF_PAGES = ("/", "/admin/", "/maintenance/", "/maintenance/audit/", "/accounts/", "/metrics", "/submissions/")

    @pytest.fixture(autouse=True)
    def required(self, settings: Settings) -> None:
        settings.REQUIRE_SECOND_FACTOR = True

    def test_staff_sees_nothing_before_it_is_set_up(self, client: Client) -> None:
        factories.benchmark()
        factories.maintainer("ada")
        assert sign_in(client).status_code == 302
        for path in self.STAFF_PAGES:
            answer = client.get(path)
            assert (answer.status_code, answer["Location"].split("?")[0]) == (302, INDEX), path
        post = client.post("/admin/leaderboard/team/add/", {"name": "x", "slug": "x"})
        assert post["Location"].split("?")[0] == INDEX
        api = client.get("/api/v1/submissions/")
        assert (api.status_code, api["Content-Type"]) == (403, "application/problem+json")
        assert INDEX in api.json()["detail"]
        assert 'id="required"' in client.get(INDEX, {"next": "/"}).content.decode()
        confirm(client)
        page = client.get(APP).content.decode()
        secret = page.split('id="secret"')[1].split(">")[1].split("<")[0]
        client.post(APP, {"code": code_of(secret)})
        for path in self.STAFF_PAGES:
            assert client.get(path).status_code == 200, path
        assert client.get("/api/v1/submissions/").status_code == 200

    def test_a_session_without_it_stays_outside_though_the_account_has_one(self, client: Client) -> None:
        """A session from before it was set up: with the password, too, it neither uses nor replaces the factor."""
        client.force_login(factories.maintainer("ada"))
        codes = with_app(User.objects.get(username="ada"))
        again = reverse("mfa_reauthenticate")
        closed = (*self.STAFF_PAGES, INDEX, APP, *map(reverse, ("mfa_deactivate_totp", "mfa_view_recovery_codes")))
        for path in (*closed, reverse("account_reauthenticate")):
            answer = client.get(path)
            assert (answer.status_code, answer["Location"].split("?")[0]) == (302, again), path
        assert client.get("/api/v1/submissions/").status_code == 403
        assert client.post(again, {"code": codes[0], "next": "/maintenance/"})["Location"] == "/maintenance/"
        assert client.get("/maintenance/").status_code == 200

    def test_tokens_do_not_need_it(self, client: Client) -> None:
        headers = factories.token_of(factories.maintainer("ada"))
        assert client.get("/api/v1/submissions/", headers=headers).status_code == 200

    def test_a_new_superuser_replaces_the_only_one_who_lost_it(
        self, client: Client, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """As docs/operations.md says."""
        lost = factories.maintainer("grace")
        with_app(lost)
        monkeypatch.setenv("DJANGO_SUPERUSER_PASSWORD", factories.PASSWORD)
        call_command("createsuperuser", "--no-input", username="ada", email="", verbosity=0)
        codes = with_app(User.objects.get(username="ada"))
        sign_in(client)
        client.post(CODE, {"code": codes[0]})
        for held in Authenticator.objects.filter(user=lost):
            client.post(reverse("admin:mfa_authenticator_delete", args=[held.pk]), {"post": "yes"})
        client.post(reverse("mfa_reauthenticate"), {"code": codes[1]})
        client.post("/accounts/delete/", {"username": "ada"})
        assert not Authenticator.objects.exists()
        assert User.objects.get() == lost
        each = Client()
        sign_in(each, "grace")
        assert each.get("/maintenance/")["Location"].split("?")[0] == INDEX

    def test_who_signs_in_with_it_comes_in(self, client: Client) -> None:
        with_app(factories.maintainer("ada"))
        sign_in(client, next="/maintenance/")
        assert client.post(CODE, {"code": code_of()})["Location"] == "/maintenance/"
        assert client.get("/maintenance/").status_code == 200

    def test_without_the_factor_the_session_ends_up_outside_again(self, client: Client) -> None:
        with_app(factories.maintainer("ada"))
        sign_in(client)
        client.post(CODE, {"code": code_of()})
        Authenticator.objects.filter(type="totp").delete()
        assert client.get("/maintenance/")["Location"].split("?")[0] == INDEX

    def test_others_and_strangers_are_not_asked(self, client: Client, ada: User) -> None:
        factories.benchmark()
        assert client.get("/about/").status_code == 200
        sign_in(client)
        assert client.get("/accounts/").status_code == 200

    def test_links_of_emails_turn_them_off_without_it(self, client: Client) -> None:
        grace = factories.maintainer("grace")
        address = reverse("mails-leave", args=[mails.token_of(grace, MailKind.ATTENTION)])
        client.force_login(grace)  # the account has no factor
        assert client.get(address).status_code == 200
        with_app(grace)  # the session has none
        assert client.get(address).status_code == 200
        assert client.post(address).status_code == 200
        assert User.objects.get().muted_mails == [MailKind.ATTENTION]
        assert client.get("/maintenance/").status_code == 302

    def test_one_can_always_sign_out(self, client: Client) -> None:
        client.force_login(factories.maintainer())
        client.post(reverse("sign-out"))
        assert not signed_in(client)


def test_check_deploy_recommends_to_require_it(settings: Settings) -> None:
    assert django_settings.REQUIRE_SECOND_FACTOR is False
    assert "leaderboard.I006" in {remark.id for remark in checks.remarks(None)}
    settings.REQUIRE_SECOND_FACTOR = True
    assert "leaderboard.I006" not in {remark.id for remark in checks.remarks(None)}


def test_options_for_a_passkey_are_json(client: Client, ada: User) -> None:
    sign_in(client)
    confirm(client)
    page = client.get(reverse("mfa_add_webauthn")).content.decode()
    options = re.search(r'<script id="passkey-options" type="application/json">(.*?)</script>', page)
    assert options
    assert {"rp", "user", "challenge"} <= set(json.loads(options[1])["creation_options"]["publicKey"])
