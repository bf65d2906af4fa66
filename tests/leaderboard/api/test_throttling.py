"""How often the API may be asked: by whom, how much, and what is told of it."""

import math
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.core.cache import cache
from django.test import Client
from pytest_django import Settings
from redis.exceptions import ConnectionError as RedisConnectionError

from leaderboard.accounts import tokens
from leaderboard.models import User
from leaderboard.web.rate_limits import Rate, count
from scoring.models import Benchmark
from tests import factories

pytestmark = pytest.mark.django_db
SYSTEMS = "/api/v1/systems/"


@pytest.fixture
def at(monkeypatch: pytest.MonkeyPatch) -> Callable[[float], None]:
    """Sets the clock that is counted by."""

    def set_clock(seconds: float) -> None:
        monkeypatch.setattr(time, "time", lambda: 1_800_000_000 + seconds)

    set_clock(0)
    return set_clock


@pytest.fixture
def few(settings: Settings) -> None:
    settings.API_RATES = {
        "anonymous": Rate.of("3/minute"),
        "account": Rate.of("5/minute"),
        "submit": Rate.of("2/hour"),
        "validate": Rate.of("1/hour"),
    }


def statuses(client: Client, n: int, **options: Any) -> list[int]:
    return [client.get(SYSTEMS, **options).status_code for _ in range(n)]


def test_rates_as_settings_write_them() -> None:
    assert Rate.of("60/minute") == Rate(60, 60)
    assert Rate.of(" 5 / day ") == Rate(5, 86400)
    assert Rate.of("") == Rate(0, 1)
    assert str(Rate.of("1000/hour")) == "1,000 per hour"
    for text in ("many/hour", "5/week", "5", "/hour", "-1/hour", "1.5/hour"):
        with pytest.raises(ValueError, match="is no rate"):
            Rate.of(text)


class TestCounting:
    def test_a_window_slides(self, at: Callable[[float], None]) -> None:
        rate = Rate.of("10/minute")
        assert all(count("a", rate).allowed for _ in range(10))  # type: ignore[union-attr]
        assert not count("a", rate).allowed  # type: ignore[union-attr]
        at(60)  # just after the bound between two windows, as much would fit again if windows were fixed
        assert not count("a", rate).allowed  # type: ignore[union-attr]
        at(90)  # half of the last window still counts
        assert [count("a", rate).allowed for _ in range(6)] == [True] * 5 + [False]  # type: ignore[union-attr]
        at(300)
        assert count("a", rate).remaining == 9  # type: ignore[union-attr]

    @pytest.mark.parametrize("used_at", [0, 5, 31, 59.5])
    @pytest.mark.parametrize("asked_after", [0.2, 10, 30, 61])
    def test_what_is_told_to_wait_is_enough_and_no_more_than_needed(
        self, at: Callable[[float], None], used_at: float, asked_after: float
    ) -> None:
        rate = Rate.of("4/minute")
        at(used_at)
        for _ in range(4):
            count("a", rate)
        at(used_at + asked_after)
        while (refused := count("a", rate)) is not None and refused.allowed:
            pass
        assert refused is not None
        now = used_at + asked_after
        assert 1 <= refused.wait <= 2 * 60
        if refused.wait > 1:
            at(now + refused.wait - 1.001)
            assert not count("a", rate).allowed  # type: ignore[union-attr]
        at(now + refused.wait + 1e-6)
        assert count("a", rate).allowed  # type: ignore[union-attr]

    def test_what_is_refused_does_not_count(self, at: Callable[[float], None]) -> None:
        rate = Rate.of("2/minute")
        for _ in range(50):
            count("a", rate)
        at(119)
        assert count("a", rate).allowed  # type: ignore[union-attr]

    def test_at_once(self) -> None:
        rate = Rate.of("40/day")
        barrier = threading.Barrier(8)

        def many(_: int) -> int:
            barrier.wait(timeout=30)
            return sum(bool(found and found.allowed) for found in (count("a", rate) for _ in range(10)))

        with ThreadPoolExecutor(8) as pool:
            assert sum(pool.map(many, range(8))) == 40

    def test_without_a_cache_nothing_is_refused(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def away(*arguments: object, **options: object) -> None:
            raise RedisConnectionError("Connection refused")

        monkeypatch.setattr(cache, "incr", away)
        assert count("a", Rate.of("1/day")) is None
        assert count("a", Rate.of("1/day")) is None


class TestRequests:
    def test_are_told_where_they_stand(
        self, client: Client, made: Benchmark, few: None, at: Callable[[float], None]
    ) -> None:
        left = [client.get(SYSTEMS)["X-RateLimit-Remaining"] for _ in range(3)]
        assert left == ["2", "1", "0"]
        response = client.get(SYSTEMS)
        assert response.status_code == 429
        assert response["Content-Type"] == "application/problem+json"
        assert (response["X-RateLimit-Limit"], response["X-RateLimit-Remaining"]) == ("3", "0")
        wait = int(response["Retry-After"])
        assert response.json()["detail"] == f"Too many requests. The next one fits in {wait} seconds."
        assert math.ceil(60 / 3) <= wait <= 120
        at(wait + 0.001)
        assert client.get(SYSTEMS).status_code == 200

    def test_by_address_or_account(
        self, client: Client, made: Benchmark, few: None, ada: User, token: dict[str, str]
    ) -> None:
        assert statuses(client, 4) == [200, 200, 200, 429]
        assert statuses(client, 1, REMOTE_ADDR="10.0.0.2") == [200]
        assert statuses(client, 6, headers=token) == [200] * 5 + [429]
        _, second = tokens.create_token(user=ada, name="another of the same account")
        assert statuses(client, 1, headers={"Authorization": f"Bearer {second}"}) == [429]
        _, other = tokens.create_token(user=factories.user("eve"), name="hers")
        assert statuses(client, 1, headers={"Authorization": f"Bearer {other}"}) == [200]

    def test_a_made_up_forwarded_address_is_no_other_address(
        self, client: Client, made: Benchmark, few: None, settings: Settings
    ) -> None:
        found = [
            client.get(SYSTEMS, headers={"X-Forwarded-For": f"10.0.0.{number}"}).status_code for number in range(4)
        ]
        assert found == [200, 200, 200, 429]

    def test_a_network_of_ipv6_is_one_address(self, client: Client, made: Benchmark, few: None) -> None:
        found = [client.get(SYSTEMS, REMOTE_ADDR=f"2001:db8::{number:x}").status_code for number in range(4)]
        assert found == [200, 200, 200, 429]
        assert client.get(SYSTEMS, REMOTE_ADDR="2001:db8:0:1::1").status_code == 200

    def test_submitting_and_checking_have_their_own(
        self, client: Client, made: Benchmark, few: None, token: dict[str, str]
    ) -> None:
        path = "/api/v1/submissions/"
        data = factories.form_data()
        assert [client.post(path, data, headers=token).status_code for _ in range(3)] == [422, 422, 429]
        assert [client.post(f"{path}validate/", data).status_code for _ in range(2)] == [422, 429]
        assert client.post(f"{path}validate/", data, headers=token).status_code == 422
        assert statuses(client, 3) == [200, 200, 200]

    def test_no_limit(self, client: Client, made: Benchmark, settings: Settings) -> None:
        settings.API_RATES = dict.fromkeys(["anonymous", "account", "submit", "validate"], Rate.of(""))
        response = client.get(SYSTEMS)
        assert response.status_code == 200
        assert "X-RateLimit-Limit" not in response
