"""Tokens: made and revoked on the account's page, kept as digests alone."""

import json

import pytest
from django.test import Client

from leaderboard import services
from leaderboard.models import ApiToken, User
from scoring.models import Benchmark

pytestmark = pytest.mark.django_db


def test_only_a_digest_is_kept_and_its_use_is_noted(client: Client, made: Benchmark, ada: User) -> None:
    client.force_login(ada)
    page = client.post("/accounts/tokens/", {"name": "CI"})
    token = ApiToken.objects.get()
    secret = page.context["new_token"]
    assert secret in page.content.decode()
    assert secret not in client.get("/accounts/").content.decode()
    assert secret not in json.dumps(list(ApiToken.objects.values()), default=str)
    client.logout()
    assert client.get("/api/v1/submissions/", headers={"Authorization": f"Bearer {secret}"}).status_code == 200
    token.refresh_from_db()
    assert token.last_used_at is not None


def test_a_revoked_an_unknown_and_a_broken_token_are_refused(
    client: Client, made: Benchmark, ada: User, token: dict[str, str]
) -> None:
    services.revoke_token(ApiToken.objects.get())
    for value in (token["Authorization"], "Token nope", "Token", "Token a b", "Bearer \u00ff"):
        response = client.get("/api/v1/submissions/", headers={"Authorization": value})
        assert response.status_code == 401
        assert response["WWW-Authenticate"] == "Token"
    response = client.get("/api/v1/submissions/")
    assert response.status_code == 401
    assert "token from your account page" in response.json()["detail"]


def test_an_account_that_was_closed(client: Client, ada: User, token: dict[str, str]) -> None:
    User.objects.update(is_active=False)
    assert client.get("/api/v1/submissions/", headers=token).status_code == 401
