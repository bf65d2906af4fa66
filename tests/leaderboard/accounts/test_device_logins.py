"""Tokens for programs whose users confirm a code in a browser (RFC 8628)."""

import datetime
import json
import logging
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from leaderboard.accounts import device_logins, tokens
from leaderboard.accounts.device_views import CLIENT, GRANT
from leaderboard.models import ApiToken, DeviceLogin, User
from leaderboard.web.rate_limits import RateLimit
from tests import factories

pytestmark = pytest.mark.django_db
CODE, TOKEN, PAGE = "/accounts/device/code/", "/accounts/device/token/", "/accounts/device/"
CHOICES = {"name": "laptop", "scope": "submit", "days": "90", "allow": "yes"}


def ask(client: Client, **fields: str) -> dict[str, Any]:
    response = client.post(CODE, {"client_id": CLIENT, "device_name": "laptop"} | fields)
    assert response.status_code == 200, response.content
    assert response["Cache-Control"] == "no-store"
    answer: dict[str, Any] = response.json()
    return answer


def poll(client: Client, device_code: str, *, rested: bool = True, **fields: str) -> dict[str, Any]:
    if rested:
        DeviceLogin.objects.update(polled_at=None)
    sent = {"client_id": CLIENT, "grant_type": GRANT, "device_code": device_code} | fields
    response = client.post(TOKEN, sent)
    answer: dict[str, Any] = response.json()
    assert response.status_code == (400 if "error" in answer else 200)
    assert response["Cache-Control"] == "no-store"
    return answer


@pytest.fixture
def ada() -> User:
    return factories.user()


@pytest.fixture
def browser(ada: User) -> Client:
    client = Client()
    client.force_login(ada)
    return client


def test_a_confirmed_program_gets_a_token_of_its_user_once(client: Client, browser: Client, ada: User) -> None:
    asked = ask(client)
    assert (asked["expires_in"], asked["interval"]) == (600, 5)
    assert asked["verification_uri_complete"] == f"{asked['verification_uri']}?code={asked['user_code']}"
    assert poll(client, asked["device_code"]) == {"error": "authorization_pending"}
    page = browser.get(PAGE, {"code": asked["user_code"]})
    assert page.context["form"].initial == {"name": "laptop", "scope": "submit"}
    assert asked["user_code"] in page.content.decode()
    written = f" {asked['user_code'].lower().replace('-', ' ')} "
    assert browser.post(PAGE, {"code": written, **CHOICES}).status_code == 302
    answer = poll(client, asked["device_code"])
    assert (answer["token_type"], answer["scope"], answer["expires_in"]) == ("Bearer", "submit", 90 * 86400)
    token = tokens.token_of(answer["access_token"])
    assert (token.user, token.name) == (ada, "laptop")
    assert poll(client, asked["device_code"])["error"] == "invalid_grant"
    assert ApiToken.objects.count() == 1
    assert [token.name for token in browser.get("/accounts/").context["tokens"]] == ["laptop"]


def test_the_user_decides_on_name_and_rights(client: Client, browser: Client) -> None:
    asked = ask(client, scope="maintain")
    page = browser.get(PAGE, {"code": asked["user_code"]})
    assert "maintain" not in dict(page.context["form"]["scope"].field.choices)
    refused = browser.post(PAGE, {"code": asked["user_code"], **CHOICES, "scope": "maintain"})
    assert refused.status_code == 422
    assert poll(client, asked["device_code"])["error"] == "authorization_pending"
    browser.post(PAGE, {"code": asked["user_code"], **CHOICES, "name": "cluster", "scope": "read"})
    assert poll(client, asked["device_code"])["scope"] == "read"
    assert ApiToken.objects.get().name == "cluster"


def test_a_denied_program_gets_nothing_and_nobody_else_can_allow_it(client: Client, browser: Client) -> None:
    asked = ask(client)
    assert browser.post(PAGE, {"code": asked["user_code"], "deny": "yes"}).status_code == 302
    other = Client()
    other.force_login(factories.user("eve"))
    assert other.post(PAGE, {"code": asked["user_code"], **CHOICES}).status_code == 422
    assert poll(client, asked["device_code"])["error"] == "access_denied"
    assert not ApiToken.objects.exists()


def test_an_answer_cannot_be_changed(client: Client, browser: Client, ada: User) -> None:
    asked = ask(client)
    login = DeviceLogin.objects.get()
    browser.post(PAGE, {"code": asked["user_code"], **CHOICES})
    device_logins.allow(login, user=factories.user("eve"), name="hers", scope="submit", days=30)
    device_logins.deny(login, user=factories.user("bob"))
    assert tokens.token_of(poll(client, asked["device_code"])["access_token"]).user == ada


def test_codes_end(client: Client, browser: Client) -> None:
    asked, allowed = ask(client), ask(client)
    browser.post(PAGE, {"code": allowed["user_code"], **CHOICES})
    DeviceLogin.objects.update(expires_at=timezone.now())
    assert browser.post(PAGE, {"code": asked["user_code"], **CHOICES}).status_code == 422
    assert poll(client, asked["device_code"])["error"] == "expired_token"
    assert poll(client, allowed["device_code"])["error"] == "expired_token"
    DeviceLogin.objects.update(expires_at=timezone.now() - datetime.timedelta(days=2))
    ask(client)
    assert DeviceLogin.objects.count() == 1, "old requests are deleted"


def test_a_program_that_asks_too_often_is_told_so(client: Client, browser: Client) -> None:
    asked = ask(client)
    assert poll(client, asked["device_code"])["error"] == "authorization_pending"
    assert poll(client, asked["device_code"], rested=False)["error"] == "slow_down"
    browser.post(PAGE, {"code": asked["user_code"], **CHOICES})
    assert poll(client, asked["device_code"], rested=False)["error"] == "slow_down"
    assert "access_token" in poll(client, asked["device_code"])


@pytest.mark.parametrize("change", ["new password", "disabled", "too many tokens"])
def test_a_token_that_was_allowed_is_not_given_after_a_change(
    client: Client, browser: Client, ada: User, change: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = ask(client)
    browser.post(PAGE, {"code": asked["user_code"], **CHOICES})
    if change == "new password":
        ada.set_password("another-passphrase")
        ada.save()
    elif change == "disabled":
        User.objects.update(is_active=False)
    else:
        monkeypatch.setattr(tokens, "MAX_TOKENS", 0)
    expected = "invalid_grant" if change == "new password" else "access_denied"
    assert poll(client, asked["device_code"])["error"] == expected
    assert not ApiToken.objects.exists()


@pytest.mark.parametrize(
    ("address", "fields", "error"),
    [
        (CODE, {}, "invalid_client"),
        (CODE, {"client_id": "another"}, "invalid_client"),
        (CODE, {"client_id": CLIENT, "scope": "everything"}, "invalid_scope"),
        (CODE, {"client_id": CLIENT, "device_name": "a\u202eb"}, "invalid_request"),
        (CODE, {"client_id": CLIENT, "device_name": "x" * 101}, "invalid_request"),
        (TOKEN, {"grant_type": GRANT, "device_code": "a"}, "invalid_client"),
        (TOKEN, {"client_id": CLIENT, "grant_type": "password"}, "unsupported_grant_type"),
        (TOKEN, {"client_id": CLIENT, "grant_type": "authorization_code", "code": "a"}, "unsupported_grant_type"),
        (TOKEN, {"client_id": CLIENT, "grant_type": "refresh_token"}, "unsupported_grant_type"),
        (TOKEN, {"client_id": CLIENT, "grant_type": GRANT}, "invalid_grant"),
        (TOKEN, {"client_id": CLIENT, "grant_type": GRANT, "device_code": "\u00ff"}, "invalid_grant"),
    ],
)
def test_what_cannot_be_answered(client: Client, address: str, fields: dict[str, str], error: str) -> None:
    response = client.post(address, fields)
    assert (response.status_code, response.json()["error"]) == (400, error)
    assert not DeviceLogin.objects.exists()


def test_codes_cannot_be_tried_or_requested_without_end(
    client: Client, browser: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(device_logins, "GUESS_RATE", RateLimit(2, 3600))
    monkeypatch.setattr(device_logins, "CODE_RATE", RateLimit(1, 3600))
    asked = ask(client)
    for _ in range(2):
        assert browser.get(PAGE, {"code": "BBBB-BBBB"}).status_code == 422
    assert browser.post(PAGE, {"code": asked["user_code"], **CHOICES}).status_code == 422
    assert poll(client, asked["device_code"])["error"] == "authorization_pending"
    response = client.post(CODE, {"client_id": CLIENT})
    assert (response.status_code, response.json()["error"]) == (429, "slow_down")


def test_only_the_signed_in_user_confirms_with_a_token_of_the_form(client: Client, ada: User) -> None:
    asked = ask(client)
    response = client.get(PAGE, {"code": asked["user_code"]})
    assert response.status_code == 302 and "/accounts/sign-in/" in response["Location"]
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(ada)
    assert strict.post(PAGE, {"code": asked["user_code"], **CHOICES}).status_code == 403
    assert ask(strict)["user_code"], "a program has no such token"


def test_staff_need_their_second_factor(client: Client, settings: Settings) -> None:
    settings.REQUIRE_SECOND_FACTOR = True
    asked = ask(client)
    staff = Client()
    staff.force_login(factories.maintainer())
    response = staff.post(PAGE, {"code": asked["user_code"], **CHOICES})
    assert response.status_code == 302 and "/accounts/second-factor/" in response["Location"]
    assert poll(client, asked["device_code"])["error"] == "authorization_pending"


def test_no_code_and_no_token_is_stored_or_logged(
    client: Client, browser: Client, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    asked = ask(client)
    assert asked["device_code"] not in json.dumps(list(DeviceLogin.objects.values()), default=str)
    browser.post(PAGE, {"code": asked["user_code"], **CHOICES})
    secret = poll(client, asked["device_code"])["access_token"]
    assert secret not in json.dumps(list(ApiToken.objects.values()), default=str)
    assert secret not in caplog.text and asked["device_code"] not in caplog.text


@pytest.mark.parametrize(
    "address",
    [
        "/.well-known/openid-configuration",
        "/.well-known/oauth-authorization-server",
        "/.well-known/jwks.json",
        "/identity/o/authorize",
        "/identity/o/api/token",
        "/identity/o/api/userinfo",
        "/accounts/device/authorize/",
    ],
)
def test_nothing_else_of_oauth_is_there(client: Client, address: str) -> None:
    factories.benchmark()
    assert client.get(address, follow=True).status_code == 404
