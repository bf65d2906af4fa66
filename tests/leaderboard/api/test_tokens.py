"""Tokens: made and revoked on the account's page, kept as digests alone."""

import datetime
import json

import pytest
from django.test import Client
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from leaderboard.accounts import tokens
from leaderboard.models import ApiToken, User
from leaderboard.web.problem_details import AUTHENTICATION_REQUIRED
from scoring.models import Benchmark
from tests import factories

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
    tokens.revoke_token(ApiToken.objects.get())
    for value in (token["Authorization"], "Token nope", "Token", "Token a b", "Bearer \u00ff"):
        response = client.get("/api/v1/submissions/", headers={"Authorization": value})
        assert response.status_code == 401
        assert response["WWW-Authenticate"] == "Token"
    response = client.get("/api/v1/submissions/")
    assert response.status_code == 401
    assert response.json()["detail"] == AUTHENTICATION_REQUIRED


def test_an_account_that_was_closed(client: Client, ada: User, token: dict[str, str]) -> None:
    User.objects.update(is_active=False)
    assert client.get("/api/v1/submissions/", headers=token).status_code == 401


def test_its_last_use_is_noted_to_the_minute(
    client: Client, made: Benchmark, token: dict[str, str], django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    client.get("/api/v1/systems/", headers=token)
    first = ApiToken.objects.get().last_used_at
    with django_assert_num_queries(2):
        client.get("/api/v1/systems/", headers=token)
    assert ApiToken.objects.get().last_used_at == first
    ApiToken.objects.update(last_used_at=timezone.now() - datetime.timedelta(minutes=2))
    client.get("/api/v1/systems/", headers=token)
    last = ApiToken.objects.get().last_used_at
    assert last is not None
    assert timezone.now() - last < datetime.timedelta(minutes=1)


def test_tokens_on_the_account_page(client: Client, ada: User) -> None:
    client.force_login(ada)
    for name in ("first", "second", "third"):
        client.post("/accounts/tokens/", {"name": name})
    client.post(f"/accounts/tokens/{ApiToken.objects.get(name='third').pk}/revoke/")
    page = client.get("/accounts/")
    assert [token.name for token in page.context["tokens"]] == ["second", "first", "third"]
    text = page.content.decode()
    assert text.count("button--danger") == 2
    assert "/api/v1/docs/" in text
    for name in ("", " ", "a\u202eb", "\u3164", "x" * 101):
        assert client.post("/accounts/tokens/", {"name": name}).status_code == 422
    assert ApiToken.objects.count() == 3


def test_an_account_has_so_many_tokens_and_no_more(client: Client, ada: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tokens, "MAX_TOKENS", 2)
    client.force_login(ada)
    found = [client.post("/accounts/tokens/", {"name": f"token {number}"}) for number in range(3)]
    assert [page.status_code for page in found] == [200, 200, 422]
    assert "You have 2 tokens" in found[2].content.decode()
    tokens.revoke_token(ApiToken.objects.get(name="token 0"))
    assert client.post("/accounts/tokens/", {"name": "another"}).status_code == 200
    tokens.create_token(user=factories.user("eve"), name="hers")
