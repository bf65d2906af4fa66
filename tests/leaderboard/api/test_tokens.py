"""Tokens: made and revoked on the account's page, kept as digests alone."""

import datetime
import json
import re
from typing import Any

import pytest
from django.core import mail
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries, Settings

from leaderboard.accounts import mails, tokens
from leaderboard.models import ApiToken, Submission, TokenScope, User
from leaderboard.submissions import intake
from leaderboard.tasks import send_notices
from leaderboard.web.problem_details import AUTHENTICATION_REQUIRED
from scoring.models import Benchmark
from tests import factories

pytestmark = pytest.mark.django_db
CHOICES = {"scope": "submit", "days": "365"}


def test_only_a_digest_is_kept_and_its_use_is_noted(client: Client, made: Benchmark, ada: User) -> None:
    client.force_login(ada)
    page = client.post("/accounts/tokens/", {"name": "CI", **CHOICES})
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
        client.post("/accounts/tokens/", {"name": name, **CHOICES})
    client.post(f"/accounts/tokens/{ApiToken.objects.get(name='third').pk}/revoke/")
    page = client.get("/accounts/")
    assert [token.name for token in page.context["tokens"]] == ["second", "first", "third"]
    text = page.content.decode()
    assert text.count("button--danger") == 2
    assert "/api/v1/docs/" in text
    for name in ("", " ", "a\u202eb", "\u3164", "x" * 101):
        assert client.post("/accounts/tokens/", {"name": name, **CHOICES}).status_code == 422
    assert ApiToken.objects.count() == 3


def test_an_account_has_so_many_tokens_and_no_more(client: Client, ada: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tokens, "MAX_TOKENS", 2)
    client.force_login(ada)
    found = [client.post("/accounts/tokens/", {"name": f"token {number}", **CHOICES}) for number in range(3)]
    assert [page.status_code for page in found] == [200, 200, 422]
    assert "You have 2 tokens" in found[2].content.decode()
    tokens.revoke_token(ApiToken.objects.get(name="token 0"))
    assert client.post("/accounts/tokens/", {"name": "another", **CHOICES}).status_code == 200
    tokens.create_token(user=factories.user("eve"), name="hers")


class TestScopes:
    @pytest.fixture
    def sent(self, made: Benchmark, ada: User) -> Submission:
        return factories.scored(ada, factories.split(made, "test"), {"openbook": factories.perfect("test")})

    @pytest.mark.parametrize("scope", TokenScope.values)
    def test_a_token_does_what_its_scope_includes(
        self, client: Client, made: Benchmark, ada: User, sent: Submission, scope: str
    ) -> None:
        headers = factories.token_of(ada, scope=scope)
        check = factories.form_data() | {"openbook": factories.upload(factories.perfect())}
        assert client.get(f"/api/v1/submissions/{sent.pk}/", headers=headers).status_code == 200
        assert client.post("/api/v1/submissions/validate/", check, headers=headers).status_code == 200
        changes = ("publish", "unpublish", "reveal", "retry", "replace", "withdraw")
        posts = ["/api/v1/submissions/", *(f"/api/v1/submissions/{sent.pk}/{change}/" for change in changes)]
        answers = [client.post(path, headers=headers) for path in posts]
        if scope == "read":
            assert {answer.status_code for answer in answers} == {403}
            problem = answers[0].json()
            assert (problem["scope"], problem["needed_scope"]) == ("read", "submit")
        else:
            assert 403 not in {answer.status_code for answer in answers}

    @pytest.mark.parametrize("scope", TokenScope.values)
    def test_the_rights_of_staff_need_the_scope_for_them(self, client: Client, sent: Submission, scope: str) -> None:
        grace = factories.maintainer()
        answer = client.get(f"/api/v1/submissions/{sent.pk}/", headers=factories.token_of(grace, scope=scope))
        assert answer.status_code == (200 if scope == "maintain" else 404)
        if scope != "maintain":
            assert "maintain" in answer.json()["detail"]
        study = factories.study(sent.owner, sent.split)
        listed = client.get("/api/v1/studies/", headers=factories.token_of(grace, scope=scope)).json()
        assert [row["slug"] for row in listed] == ([study.slug] if scope == "maintain" else [])

    def test_only_staff_is_offered_the_rights_of_staff(self, client: Client, ada: User) -> None:
        maintain = {"name": "CI", "scope": "maintain", "days": "30"}
        client.force_login(ada)
        assert client.post("/accounts/tokens/", maintain).status_code == 422
        client.force_login(factories.maintainer())
        assert client.post("/accounts/tokens/", maintain).status_code == 200
        token = ApiToken.objects.get()
        assert (token.scope, token.expires_at - token.created_at) == ("maintain", datetime.timedelta(days=30))


class TestEnd:
    def test_a_token_expires_after_a_year(
        self, client: Client, made: Benchmark, ada: User, token: dict[str, str]
    ) -> None:
        lasts = ApiToken.objects.get().expires_at - timezone.now()
        assert datetime.timedelta(days=364) < lasts < datetime.timedelta(days=366)
        ApiToken.objects.update(expires_at=timezone.now())
        answer = client.get("/api/v1/systems/", headers=token)
        assert answer.status_code == 401 and "expired" in answer.json()["detail"]
        client.force_login(ada)
        assert client.get("/accounts/").context["tokens"][0].has_expired

    @pytest.mark.parametrize("door", ["form", "mail", "administration", "administration's own", "command"])
    def test_a_new_password_ends_it_at_every_door(
        self, client: Client, made: Benchmark, ada: User, token: dict[str, str], door: str
    ) -> None:
        new = {"password1": "quite another password", "password2": "quite another password"}
        if door == "mail":
            client.post("/accounts/password/reset/", {"email": "ada@example.org"})
            link = re.search(r"http://127\.0\.0\.1:8000(/accounts/\S+)", str(mail.outbox[-1].body))
            assert link
            form = client.get(link[1], follow=True)
            client.post(form.request["PATH_INFO"], new)
        elif door == "administration":
            client.force_login(factories.maintainer())
            client.post(reverse("admin:auth_user_password_change", args=[ada.pk]), new)
        elif door == "command":
            ada.set_password(new["password1"])  # as manage.py changepassword does
            ada.save()
        else:
            if door == "administration's own":
                User.objects.filter(pk=ada.pk).update(is_staff=True)
            client.force_login(ada)
            old = {
                "old_password": factories.PASSWORD,
                "new_password1": new["password1"],
                "new_password2": new["password1"],
            }
            path = "/accounts/password/" if door == "form" else reverse("admin:password_change")
            client.post(path, {"oldpassword": factories.PASSWORD, **new, **old})
        ada.refresh_from_db()
        assert ada.check_password(new["password1"])
        client.logout()
        assert client.get("/api/v1/submissions/", headers=token).status_code == 401

    def test_the_same_password_in_a_newer_form_ends_nothing(
        self, client: Client, ada: User, token: dict[str, str], settings: Settings
    ) -> None:
        settings.PASSWORD_HASHERS = [
            "django.contrib.auth.hashers.PBKDF2PasswordHasher",
            "django.contrib.auth.hashers.MD5PasswordHasher",
        ]
        before = ada.password
        client.post("/accounts/sign-in/", {"username": "ada", "password": factories.PASSWORD})
        ada.refresh_from_db()
        assert ada.password != before
        assert ApiToken.objects.get().revoked_at is None

    @pytest.mark.parametrize("end", ["revoked", "expired", "disabled"])
    @pytest.mark.parametrize("kind", ["new", "newer version"])
    def test_one_that_ends_during_an_upload_makes_no_submission(
        self, client: Client, made: Benchmark, ada: User, token: dict[str, str], monkeypatch: Any, end: str, kind: str
    ) -> None:
        sent = factories.scored(ada, factories.split(made, "dev"), {"openbook": factories.perfect()})
        real = intake.check

        def slow(*args: Any) -> Any:
            checked = real(*args)
            if end == "revoked":
                tokens.revoke_token(ApiToken.objects.get())
            elif end == "expired":
                ApiToken.objects.update(expires_at=timezone.now())
            else:
                User.objects.filter(pk=ada.pk).update(is_active=False)
            return checked

        monkeypatch.setattr("leaderboard.submissions.intake.check", slow)
        file = {"openbook": factories.upload(factories.perfect() | {"dev-0": "another answer"})}
        path = "/api/v1/submissions/" if kind == "new" else f"/api/v1/submissions/{sent.pk}/replace/"
        answer = client.post(path, file | (factories.form_data() if kind == "new" else {}), headers=token)
        assert answer.status_code == 401, answer.content
        assert Submission.objects.count() == 1 and sent.files.count() == 1


class TestNotice:
    @pytest.fixture
    def soon(self, ada: User) -> None:
        for name in ("first", "second"):
            tokens.create_token(user=ada, name=name, days=90)
        tokens.create_token(user=ada, name="short", days=30)
        tokens.create_token(user=factories.user("eve"), name="hers")
        now = timezone.now()
        times = {"created_at": now - tokens.NOTICE, "expires_at": now + tokens.NOTICE - datetime.timedelta(hours=1)}
        ApiToken.objects.filter(user=ada).exclude(name="short").update(**times)

    def test_one_email_30_days_before_names_all_and_only_once(self, soon: None) -> None:
        assert tokens.queue_expiry_notices() == 1
        mails.send_due()
        (sent,) = mail.outbox
        assert sent.to == ["ada@example.org"]
        assert all(f"  {name} (mh_" in sent.body for name in ("first", "second"))
        assert "short" not in sent.body and "/accounts/" in sent.body
        assert tokens.queue_expiry_notices() == 0

    def test_it_goes_with_the_sweep(self, soon: None) -> None:
        send_notices()
        assert len(mail.outbox) == 1

    @pytest.mark.parametrize("state", ["revoked", "expired", "disabled"])
    def test_a_token_that_works_no_more_needs_none(self, soon: None, state: str) -> None:
        now = timezone.now()
        if state == "disabled":
            User.objects.update(is_active=False)
        else:
            ApiToken.objects.update(**{"revoked_at" if state == "revoked" else "expires_at": now})
        assert tokens.queue_expiry_notices() == 0
