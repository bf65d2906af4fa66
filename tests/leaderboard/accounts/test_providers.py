"""Signing in by GitHub and by a site that speaks OpenID Connect, which is a small real one here."""

import json
import re
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

import jwt
import pytest
from allauth.account.models import EmailAddress
from allauth.mfa.recovery_codes.internal.auth import RecoveryCodes
from allauth.mfa.totp.internal import auth as totp
from allauth.socialaccount.models import SocialAccount, SocialToken
from django.core import mail
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from leaderboard.accounts.providers import providers
from leaderboard.models import User
from leaderboard.models.people import LIKE_ANOTHER
from tests import factories
from tests.notices import error_codes, mail_subject, text_of

pytestmark = pytest.mark.django_db
LOGIN, CALLBACK = "/accounts/oidc/oidc/login/", "/accounts/oidc/oidc/login/callback/"


class Lab:
    """A site with one person, who says of herself what ``claims`` says."""

    def __init__(self) -> None:
        self.claims: dict[str, Any] = {
            "sub": "4711",
            "preferred_username": "ada",
            "email": "ada@lab.example",
            "email_verified": True,
            "name": "Ada Sample",
        }
        self.asked: list[dict[str, list[str]]] = []
        self.down = False
        lab = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                self._answer(lab.answer(self.path))

            def do_POST(self) -> None:
                lab.asked.append(parse_qs(self.rfile.read(int(self.headers["Content-Length"])).decode()))
                self._answer(lab.answer(self.path))

            def _answer(self, body: Any) -> None:
                content = json.dumps(body).encode()
                self.send_response(503 if lab.down else 200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            def log_message(self, *args: object) -> None:
                pass

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.http.server_address[1]}"
        threading.Thread(target=self.http.serve_forever, args=(0.01,), daemon=True).start()

    def answer(self, path: str) -> dict[str, Any]:
        if path.endswith("openid-configuration"):
            return {
                "issuer": self.url,
                "authorization_endpoint": f"{self.url}/authorize",
                "token_endpoint": f"{self.url}/token",
                "userinfo_endpoint": f"{self.url}/userinfo",
                "jwks_uri": f"{self.url}/keys",
                "token_endpoint_auth_methods_supported": ["client_secret_post"],
            }
        if path == "/token":
            now = int(time.time())
            claims = self.claims | {"iss": self.url, "aud": "manyhop", "iat": now, "exp": now + 60}
            return {
                "access_token": "for-once",
                "token_type": "Bearer",
                "id_token": jwt.encode(claims, "a secret of the lab's own, long enough", algorithm="HS256"),
            }
        return self.claims


@pytest.fixture
def lab(settings: Settings) -> Iterator[Lab]:
    made = Lab()
    settings.SOCIALACCOUNT_PROVIDERS = providers(
        github=("hub-id", "hub-secret"), oidc=("Lab sign-on", made.url, "manyhop", "between-us")
    )
    yield made
    made.http.shutdown()
    made.http.server_close()


def leave(client: Client, query: str = "process=login", at: str = LOGIN) -> dict[str, list[str]]:
    """Press the button; what the other site is asked."""
    page = client.post(f"{at}?{query}")
    assert page.status_code == 200
    assert "form-action 'self'" in page["Content-Security-Policy"]
    address = re.search(r'http-equiv="refresh" content="0; url=([^"]+)"', text_of(page))
    assert address
    return parse_qs(urlsplit(address[1].replace("&amp;", "&")).query)


def come_back(client: Client, asked: dict[str, list[str]]) -> Any:
    return client.get(CALLBACK, {"code": "the-code", "state": asked["state"][0]})


def test_somebody_new_comes_in_by_another_site(client: Client, lab: Lab) -> None:
    assert "Continue with Lab sign-on" in text_of(client.get("/accounts/sign-in/"))
    asked = leave(client, "process=login&next=%2Fcompare%2F")
    assert asked["client_id"] == ["manyhop"]
    assert asked["code_challenge_method"] == ["S256"]
    assert asked["redirect_uri"] == [f"http://testserver{CALLBACK}"]
    came = come_back(client, asked)
    assert (came.status_code, came["Location"]) == (302, "/compare/")
    ada = User.objects.get()
    assert (ada.get_username(), ada.email, ada.has_usable_password()) == ("ada", "ada@lab.example", False)
    assert EmailAddress.objects.get(user=ada).verified
    assert lab.asked[0]["code"] == ["the-code"]
    assert "code_verifier" in lab.asked[0]
    assert not SocialToken.objects.exists()  # what could be done in her name there is not kept
    again = Client()
    assert come_back(again, leave(again)).status_code == 302
    assert User.objects.count() == 1


def test_an_address_that_the_other_site_does_not_vouch_for_is_to_be_verified(client: Client, lab: Lab) -> None:
    lab.claims["email_verified"] = False
    assert come_back(client, leave(client))["Location"] == "/accounts/verify/"
    assert "_auth_user_id" not in client.session
    assert mail.outbox[-1].to == ["ada@lab.example"]


@pytest.mark.parametrize("vouched", [True, False])
def test_nobody_gets_into_an_account_by_naming_its_address_elsewhere(client: Client, lab: Lab, vouched: bool) -> None:
    bob = factories.user("bob")
    lab.claims |= {"email": "bob@example.org", "email_verified": vouched}
    assert come_back(client, leave(client))["Location"] == "/accounts/verify/"  # as for an address without an account
    assert "_auth_user_id" not in client.session
    assert not SocialAccount.objects.filter(user=bob).exists()
    assert [(message.to, message.subject) for message in mail.outbox] == [
        (["bob@example.org"], mail_subject("account_already_exists"))
    ]


def test_where_the_other_site_names_no_address_one_is_asked_for(client: Client, lab: Lab) -> None:
    del lab.claims["email"]
    came = come_back(client, leave(client))
    assert came["Location"] == "/accounts/other-sites/sign-up/"
    assert "New account" in text_of(client.get(came["Location"]))
    assert client.post(came["Location"], {"username": "ada", "email": "no address"}).status_code == 422
    sent = client.post(came["Location"], {"username": "ada", "email": "ada@example.org"})
    assert sent["Location"] == "/accounts/verify/"
    assert "_auth_user_id" not in client.session


@pytest.mark.parametrize("taken", ["ada", "аdа"])
def test_a_name_that_is_taken_or_looks_so_becomes_another(client: Client, lab: Lab, taken: str) -> None:
    factories.user(taken)
    come_back(client, leave(client))
    names = set(User.objects.values_list("username", flat=True)) - {taken}
    assert len(names) == 1
    assert not names & {"ada", "аdа"}


def test_a_name_that_looks_like_another_is_refused_in_the_form_too(client: Client, lab: Lab) -> None:
    factories.user("eve")
    del lab.claims["email"]
    form = come_back(client, leave(client))["Location"]
    refused = client.post(form, {"username": "еvе", "email": "ada@example.org"})
    assert refused.status_code == 422
    assert refused.context["form"].errors == {"username": [LIKE_ANOTHER]}


def test_an_account_is_connected_and_disconnected_by_whoever_knows_its_password(client: Client, lab: Lab) -> None:
    ada = factories.user("ada")
    client.post("/accounts/sign-in/", {"username": "ada", "password": factories.PASSWORD})
    client.post("/accounts/password/again/", {"password": factories.PASSWORD})
    assert come_back(client, leave(client, "process=connect"))["Location"] == "/accounts/other-sites/"
    assert SocialAccount.objects.get().user == ada
    page = text_of(client.get("/accounts/other-sites/"))
    assert "Disconnect" in page
    assert "1 connected" in text_of(client.get("/accounts/"))
    client.post("/accounts/other-sites/", {"account": SocialAccount.objects.get().pk})
    assert not SocialAccount.objects.exists()


def test_another_site_does_not_replace_the_second_factor(client: Client, lab: Lab) -> None:
    come_back(client, leave(client))
    codes = RecoveryCodes.activate(User.objects.get())
    totp.TOTP.activate(User.objects.get(), "JBSWY3DPEHPK3PXP")
    again = Client()
    assert come_back(again, leave(again))["Location"].split("?")[0] == reverse("mfa_authenticate")
    assert "_auth_user_id" not in again.session
    again.post(reverse("mfa_authenticate"), {"code": codes.get_unused_codes()[0]})
    assert "_auth_user_id" in again.session


def test_the_only_way_in_is_not_taken_away(client: Client, lab: Lab) -> None:
    come_back(client, leave(client))
    kept = client.post("/accounts/other-sites/", {"account": SocialAccount.objects.get().pk})
    assert (kept.status_code, error_codes(kept)) == (422, {"__all__": ["no_password"]})
    assert client.get("/accounts/password/")["Location"] == "/accounts/password/set/"
    new = {"password1": factories.PASSWORD, "password2": factories.PASSWORD}
    assert client.post("/accounts/password/set/", new).status_code == 302
    assert client.get("/accounts/").status_code == 200


def test_whatever_goes_wrong_there_is_said_here(client: Client, lab: Lab) -> None:
    asked = leave(client)
    assert "Sign-in cancelled" in text_of(
        client.get(CALLBACK, {"error": "access_denied", "state": asked["state"][0]}, follow=True)
    )
    forged = client.get(CALLBACK, {"code": "the-code", "state": "made-up"})
    assert (forged.status_code, "Sign-in failed" in text_of(forged)) == (401, True)
    asked = leave(client)
    lab.down = True
    away = come_back(client, asked)
    assert (away.status_code, "Sign-in failed" in text_of(away)) == (503, True)
    assert client.post(f"{LOGIN}?process=login").status_code == 503
    assert not User.objects.exists()


def test_a_link_to_another_site_asks_first(client: Client, lab: Lab) -> None:
    page = client.get(LOGIN)
    assert (page.status_code, "Continue with Lab sign-on" in text_of(page)) == (200, True)
    assert lab.asked == []


def test_github_is_asked_for_the_mail_address_alone(client: Client, lab: Lab) -> None:
    asked = leave(client, at="/accounts/github/login/")
    assert asked["client_id"] == ["hub-id"]
    assert asked["scope"] == ["user:email"]
    assert asked["redirect_uri"] == ["http://testserver/accounts/github/login/callback/"]


def test_without_settings_there_is_no_button_and_no_page(client: Client) -> None:
    page = text_of(client.get("/accounts/sign-in/"))
    assert "Continue with" not in page
    for address in ("/accounts/github/login/", LOGIN):
        assert client.post(address).status_code == 404


@pytest.mark.parametrize(
    ("github", "oidc"),
    [
        (("id", ""), ("", "", "", "")),
        (("", "secret"), ("", "", "", "")),
        (("", ""), ("Lab", "https://lab.example", "id", "")),
        (("", ""), ("Lab", "", "id", "secret")),
        (("", ""), ("Lab", "http://lab.example", "id", "secret")),
    ],
)
def test_settings_that_are_not_whole_are_refused(github: tuple[str, str], oidc: tuple[str, str, str, str]) -> None:
    with pytest.raises(ValueError, match=r"GITHUB_CLIENT|OIDC_"):
        providers(github=github, oidc=oidc)
