"""Submitting from a program: the same intake as the form, problem details."""

import json
from typing import Any

import pytest
from django.test import Client

from leaderboard.models import Submission
from scoring.models import Benchmark, Score
from tests import factories

pytestmark = pytest.mark.django_db


def create(client: Client, token: dict[str, str], **data: Any) -> Any:
    return client.post("/api/v1/submissions/", data, headers=token)


def test_from_a_script_to_the_scores(client: Client, made: Benchmark, token: dict[str, str]) -> None:
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


def test_what_is_wrong_with_the_whole_is_told_as_such(client: Client, made: Benchmark, token: dict[str, str]) -> None:
    errors = create(client, token, **factories.form_data()).json()["errors"]
    assert list(errors) == ["form"]
    assert errors["form"][0].startswith("No file was sent.")


def test_everything_wrong_is_one_problem(client: Client, made: Benchmark, token: dict[str, str]) -> None:
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
    client: Client, made: Benchmark, token: dict[str, str], method: str, path: str, status: int
) -> None:
    response = getattr(client, method)(path, headers=token)
    assert response.status_code == status


def test_a_body_of_another_kind(client: Client, made: Benchmark, token: dict[str, str]) -> None:
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
