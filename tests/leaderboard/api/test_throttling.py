"""How often the API may be asked: by whom, how much, and what is told of it."""

import math
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from pytest_django import Settings

from leaderboard.models import Submission, User
from leaderboard.web.rate_limits import RateLimit
from scoring.models import Benchmark
from tests import factories

pytestmark = pytest.mark.django_db
SYSTEMS = "/api/v1/systems/"


@pytest.fixture
def few(settings: Settings) -> None:
    settings.API_RATES = {
        "anonymous": RateLimit.parse("3/minute"),
        "account": RateLimit.parse("5/minute"),
        "submit": RateLimit.parse("2/hour"),
        "validate": RateLimit.parse("1/hour"),
    }


def statuses(client: Client, n: int, **options: Any) -> list[int]:
    return [client.get(SYSTEMS, **options).status_code for _ in range(n)]


class TestRequests:
    def test_responses_tell_the_limit_and_when_to_try_again(
        self, client: Client, made: Benchmark, few: None, at: Callable[[float], None]
    ) -> None:
        left = [client.get(SYSTEMS)["X-RateLimit-Remaining"] for _ in range(3)]
        assert left == ["2", "1", "0"]
        response = client.get(SYSTEMS)
        assert response.status_code == 429
        assert response["Content-Type"] == "application/problem+json"
        assert (response["X-RateLimit-Limit"], response["X-RateLimit-Remaining"]) == ("3", "0")
        wait = int(response["Retry-After"])
        assert f" {wait} " in response.json()["detail"]
        assert math.ceil(60 / 3) <= wait <= 120
        at(wait + 0.001)
        assert client.get(SYSTEMS).status_code == 200

    def test_requests_are_counted_by_address_or_by_account_with_all_its_tokens(
        self, client: Client, made: Benchmark, few: None, ada: User, token: dict[str, str]
    ) -> None:
        assert statuses(client, 4) == [200, 200, 200, 429]
        assert statuses(client, 1, REMOTE_ADDR="10.0.0.2") == [200]
        assert statuses(client, 6, headers=token) == [200] * 5 + [429]
        assert statuses(client, 1, headers=factories.token_of(ada)) == [429], "another of the same account"
        assert statuses(client, 1, headers=factories.token_of(factories.user("eve"))) == [200]

    def test_submitting_and_checking_have_their_own(
        self, client: Client, made: Benchmark, few: None, token: dict[str, str]
    ) -> None:
        path = "/api/v1/submissions/"
        data = factories.form_data()
        assert [client.post(path, data, headers=token).status_code for _ in range(3)] == [422, 422, 429]
        assert [client.post(f"{path}validate/", data).status_code for _ in range(2)] == [422, 429]
        assert client.post(f"{path}validate/", data, headers=token).status_code == 422
        assert statuses(client, 3) == [200, 200, 200]

    def test_checks_share_processor_time_by_address(
        self, client: Client, made: Benchmark, settings: Settings, token: dict[str, str]
    ) -> None:
        settings.CHECK_SECONDS = RateLimit.parse("1/day")
        path, data = "/api/v1/submissions/validate/", factories.form_data()
        assert client.post(path, data).status_code == 422
        refused = [client.post(path, data), client.post(path, data, headers=token), client.post("/check/", data)]
        assert [response.status_code for response in refused] == [429, 429, 429]
        assert all(int(response["Retry-After"]) > 0 for response in refused)
        assert client.post("/check/", data, REMOTE_ADDR="10.0.0.2").status_code == 422

    def test_submitting_and_replacing_share_processor_time_by_account(
        self, client: Client, made: Benchmark, ada: User, settings: Settings, token: dict[str, str]
    ) -> None:
        sent = factories.submission(ada, factories.split(made, "dev"), {"openbook": factories.perfect()})
        settings.CHECK_SECONDS = RateLimit.parse("1/day")
        path, data = "/api/v1/submissions/", factories.form_data()
        assert client.post(path, data, headers=token).status_code == 422
        api = [client.post(path, data, headers=token), client.post(f"{path}{sent.pk}/replace/", data, headers=token)]
        client.force_login(ada)
        pages = [client.post("/submit/", data), client.post(f"/submissions/{sent.pk}/files/openbook/replace/", data)]
        assert [response.status_code for response in (*api, *pages)] == [429] * 4
        assert all(int(response["Retry-After"]) > 0 for response in (*api, *pages))
        assert Submission.objects.count() == 1
        client.force_login(factories.user("eve"))
        assert client.post("/submit/", data).status_code == 422

    def test_without_a_limit_no_header_names_one(self, client: Client, made: Benchmark, settings: Settings) -> None:
        settings.API_RATES = dict.fromkeys(["anonymous", "account", "submit", "validate"], RateLimit.parse(""))
        response = client.get(SYSTEMS)
        assert response.status_code == 200
        assert "X-RateLimit-Limit" not in response
