"""The API: the same intake, the same numbers, problem details."""

import json
from typing import Any

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from leaderboard import services
from leaderboard.models import ApiToken, Submission, User
from scoring.models import Benchmark, Score
from tests import factories

pytestmark = pytest.mark.django_db


@pytest.fixture
def made() -> Benchmark:
    return factories.benchmark()


@pytest.fixture
def ada() -> User:
    return factories.user()


@pytest.fixture
def token(ada: User) -> dict[str, str]:
    _, secret = services.create_token(user=ada, name="test")
    return {"Authorization": f"Token {secret}"}


def create(client: Client, token: dict[str, str], **data: Any) -> Any:
    return client.post("/api/v1/submissions/", data, headers=token)


class TestSubmitting:
    def test_from_a_script_to_the_scores(self, client: Client, made: Benchmark, token: dict[str, str]) -> None:
        data = factories.form_data() | {"openbook": factories.upload(factories.perfect(right=3))}
        created = create(client, token, **data)
        assert created.status_code == 201
        body = created.json()
        assert created["Location"].endswith(f"/api/v1/submissions/{body['id']}/")
        assert (body["state"], body["finished"]) == ("waiting", False)
        factories.score(Submission.objects.get())
        body = client.get(f"/api/v1/submissions/{body['id']}/", headers=token).json()
        assert (body["state"], body["finished"]) == ("done", True)
        runs = {run["metric"]: run for run in body["files"][0]["runs"]}
        scores = {score["name"]: score["value"] for score in runs["accuracy"]["scores"]}
        assert scores == {"loose": Score.objects.get(name="loose").value, "strict": 0.75}
        assert runs["bleurt"]["state"] == "not_configured"
        assert runs["bleurt"]["reason"]
        lines = client.get("/api/v1/submissions/", headers=token).json()
        assert [line["id"] for line in lines] == [body["id"]]

    def test_what_is_wrong_with_the_whole_is_told_as_such(
        self, client: Client, made: Benchmark, token: dict[str, str]
    ) -> None:
        errors = create(client, token, **factories.form_data()).json()["errors"]
        assert list(errors) == ["form"]
        assert errors["form"][0].startswith("No file was sent.")

    def test_everything_wrong_is_one_problem(self, client: Client, made: Benchmark, token: dict[str, str]) -> None:
        data = factories.form_data(name="") | {"openbook": factories.upload(b'{"id": 3}\n[]\n')}
        response = create(client, token, **data)
        assert response.status_code == 422
        assert response["Content-Type"] == "application/problem+json"
        body = response.json()
        assert body["status"] == 422
        assert body["errors"]["name"] == ["This field is required."]
        problems = [problem for group in body["files"][0]["groups"] for problem in group["problems"]]
        assert {1, 2} <= {problem["line"] for problem in problems}
        assert all(problem["fix"] for problem in problems)
        assert not Submission.objects.exists()

    @pytest.mark.parametrize(
        ("method", "path", "status"),
        [
            ("get", "/api/v1/nowhere/", 404),
            ("get", "/api/v1/submissions/not-a-uuid/", 404),
            ("get", "/api/v1/board/?benchmark=none", 404),
            ("get", "/api/v1/board/?split=none", 404),
            ("delete", "/api/v1/submissions/", 405),
            ("put", "/api/v1/board/", 405),
        ],
    )
    def test_what_cannot_be_had(
        self, client: Client, made: Benchmark, token: dict[str, str], method: str, path: str, status: int
    ) -> None:
        response = getattr(client, method)(path, headers=token)
        assert response.status_code == status

    def test_a_body_of_another_kind(self, client: Client, made: Benchmark, token: dict[str, str]) -> None:
        for body, kind, status in (
            ("{", "application/json", 400),
            ("[]", "application/json", 422),
            (json.dumps(factories.form_data()), "application/json", 422),
            ("x", "text/plain", 415),
            ("--x\r\n", "multipart/form-data", 400),
        ):
            response = client.post("/api/v1/submissions/", body, content_type=kind, headers=token)
            assert (kind, response.status_code) == (kind, status)
            assert response["Content-Type"] == "application/problem+json"


class TestTokens:
    def test_only_a_digest_is_kept_and_its_use_is_noted(self, client: Client, made: Benchmark, ada: User) -> None:
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
        self, client: Client, made: Benchmark, ada: User, token: dict[str, str]
    ) -> None:
        services.revoke_token(ApiToken.objects.get())
        for value in (token["Authorization"], "Token nope", "Token", "Token a b", "Bearer \u00ff"):
            response = client.get("/api/v1/submissions/", headers={"Authorization": value})
            assert response.status_code == 401
            assert response["WWW-Authenticate"] == "Token"
        response = client.get("/api/v1/submissions/")
        assert response.status_code == 401
        assert "token from your account page" in response.json()["detail"]

    def test_an_account_that_was_closed(self, client: Client, ada: User, token: dict[str, str]) -> None:
        User.objects.update(is_active=False)
        assert client.get("/api/v1/submissions/", headers=token).status_code == 401


class TestTheBoard:
    def test_rows_are_those_of_the_page_at_full_precision(
        self, client: Client, made: Benchmark, ada: User, django_assert_num_queries: DjangoAssertNumQueries
    ) -> None:
        factories.published(ada, factories.split(made, "dev"), {"openbook": factories.perfect(right=2)})
        with django_assert_num_queries(16):
            body = client.get("/api/v1/board/?split=dev&sort=name").json()
        row = body["rows"][0]
        assert (row["rank"], row["name"], row["kind"]) == (1, "Example system", "scored")
        cells = {cell["score"]: cell for cell in row["scores"]}
        assert cells["rougeL.fscore"]["value"] == Score.objects.get(name="rougeL.fscore").value
        assert cells["judge"] == {
            "score": "judge",
            "value": None,
            "state": "not_scored",
            "reason": cells["judge"]["reason"],
            "best": False,
            "other_value": None,
        }
        assert body["signatures"]["accuracy"] == Score.objects.get(name="loose").signature
        assert (body["split"], body["setting"], body["sort"]) == ("dev", "openbook", "name")

    def test_the_documentation_names_every_operation_and_field_of_the_schema(self, client: Client) -> None:
        schema = client.get("/api/v1/schema/?format=json").json()
        page = client.get("/api/v1/docs/").content.decode().replace("<wbr>", "")
        for path, item in schema["paths"].items():
            assert path in page
            assert all(f'id="{item[method]["operationId"]}"' in page for method in item)
        for body in ("SubmissionRequest", "BoardRow", "Run"):
            for name in schema["components"]["schemas"][body]["properties"]:
                assert name in page
        assert "Token $MANYHOP_TOKEN" in page

    def test_the_schema_describes_every_address(self, client: Client) -> None:
        schema = client.get("/api/v1/schema/?format=json").json()
        assert set(schema["paths"]) == {
            "/api/v1/", "/api/v1/board/", "/api/v1/submissions/", "/api/v1/submissions/{id}/",
        }  # fmt: skip
