"""Limits on the rate of requests: parsing, who is counted, and counting."""

import re
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import pytest
from django.db import DatabaseError, connection
from django.test import RequestFactory
from pytest_django import Settings
from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import TimeoutError as RedisTimeoutError

from leaderboard.models import RateCount
from leaderboard.web import counters, rate_limits
from leaderboard.web.rate_limits import OverLimitError, RateLimit, address_of, count, forget, processor_time


@pytest.fixture
def store(request: pytest.FixtureRequest, settings: Settings) -> str:
    """Where is counted: in the shared cache of a site with Redis, or in the database of one without."""
    name: str = request.param
    settings.RATE_COUNTS_IN_DATABASE = name == "database"
    return name


in_both = pytest.mark.parametrize("store", ["cache", "database"], indirect=True)


def test_rates_as_settings_write_them() -> None:
    assert RateLimit.parse("60/minute") == RateLimit(60, 60)
    assert RateLimit.parse(" 5 / day ") == RateLimit(5, 86400)
    assert RateLimit.parse("") == RateLimit(0, 1)
    assert str(RateLimit.parse("1000/hour")) == "1,000 per hour"
    for text in ("many/hour", "5/week", "5", "/hour", "-1/hour", "1.5/hour"):
        with pytest.raises(ValueError, match=f"“{re.escape(text)}” .*/minute"):
            RateLimit.parse(text)


@pytest.mark.django_db
@in_both
@pytest.mark.usefixtures("store")
class TestCounting:
    def test_part_of_the_last_window_still_counts(self, at: Callable[[float], None]) -> None:
        rate = RateLimit.parse("10/minute")
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
        rate = RateLimit.parse("4/minute")
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
        rate = RateLimit.parse("2/minute")
        for _ in range(50):
            count("a", rate)
        at(119)
        assert count("a", rate).allowed  # type: ignore[union-attr]

    def test_forgotten_counts_begin_anew(self) -> None:
        rate = RateLimit.parse("1/day")
        assert [bool(found and found.allowed) for found in (count("a", rate), count("a", rate))] == [True, False]
        forget("a", rate)
        found = count("a", rate)
        assert found is not None
        assert found.allowed

    def test_while_they_are_unavailable_nothing_is_refused(self, monkeypatch: pytest.MonkeyPatch, store: str) -> None:
        def away(*arguments: object, **options: object) -> None:
            raise RedisConnectionError("Connection refused") if store == "cache" else DatabaseError("disk full")

        monkeypatch.setattr(counters, "_add_in_cache" if store == "cache" else "_add_in_database", away)
        assert count("a", RateLimit.parse("1/day")) is None
        assert count("a", RateLimit.parse("1/day")) is None


@pytest.mark.django_db(transaction=True)
@in_both
def test_requests_at_the_same_time_do_not_pass_the_limit(store: str) -> None:
    rate = RateLimit.parse("40/day")
    barrier = threading.Barrier(8)

    def many(_: int) -> int:
        barrier.wait(timeout=30)
        allowed = sum(bool(found and found.allowed) for found in (count("a", rate) for _ in range(10)))
        connection.close()
        return allowed

    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(many, range(8))) == 40


def test_a_store_that_hangs_is_not_asked_again_at_once(monkeypatch: pytest.MonkeyPatch, settings: Settings) -> None:
    """A request counts several times, and would wait each time."""
    settings.RATE_COUNTS_IN_DATABASE = False
    monkeypatch.setattr(counters, "_silence", SimpleNamespace(until=0.0))
    asked = []

    def hang(key: str, amount: int, lifetime: int) -> int:
        asked.append(key)
        raise RedisTimeoutError

    monkeypatch.setattr(counters, "_add_in_cache", hang)
    assert count("a", RateLimit.parse("1/minute")) is None
    assert count("b", RateLimit.parse("1/minute")) is None
    assert len(asked) == 1
    counters._silence.until = 0.0
    assert count("c", RateLimit.parse("1/minute")) is None
    assert len(asked) == 2


@pytest.mark.django_db
def test_old_counts_are_deleted(settings: Settings) -> None:
    settings.RATE_COUNTS_IN_DATABASE = True
    counters.add("old", 1, lifetime=-1)
    assert counters.add("kept", 1, lifetime=60) == 1
    assert counters.add("new", 2, lifetime=60) == 2
    assert set(RateCount.objects.values_list("key", "amount")) == {("kept", 1), ("new", 2)}


@pytest.mark.django_db
@in_both
@pytest.mark.usefixtures("store")
class TestProcessorTime:
    @pytest.fixture
    def used(self, at: Callable[[float], None], monkeypatch: pytest.MonkeyPatch) -> Callable[[float], None]:
        """Runs a body that uses so many seconds of the processor."""
        clock = [0.0]
        monkeypatch.setattr(time, "thread_time", lambda: clock[0])

        def run(seconds: float) -> None:
            with processor_time("a", RateLimit.parse("10/minute")):
                clock[0] += seconds

        return run

    def test_until_it_is_used_up(self, used: Callable[[float], None], at: Callable[[float], None]) -> None:
        for _ in range(70):
            used(0.1)
        used(5)  # nobody knows in advance how long it takes
        with pytest.raises(OverLimitError) as refused:
            used(0.1)
        at(refused.value.wait - 1.001)
        with pytest.raises(OverLimitError):
            used(0.1)
        at(refused.value.wait + 0.001)
        used(0.1)

    def test_of_simultaneous_requests_some_are_reserved(self, at: Callable[[float], None]) -> None:
        limit = RateLimit.parse("10/minute")
        bodies = [processor_time("a", limit) for _ in range(5)]
        for body in bodies:
            body.__enter__()
        with pytest.raises(OverLimitError), processor_time("a", limit):
            pytest.fail("It must not run.")
        for body in bodies:
            body.__exit__(None, None, None)
        with processor_time("a", limit):
            pass

    def test_a_body_that_fails_is_counted_too(self, used: Callable[[float], None]) -> None:
        with pytest.raises(KeyError), processor_time("a", RateLimit.parse("1/minute")):
            used(10)
            raise KeyError
        with pytest.raises(OverLimitError):
            used(0)

    def test_processor_time_is_used_under_a_small_limit_and_without_one(self, at: Callable[[float], None]) -> None:
        assert rate_limits.RESERVED_MILLISECONDS > 1000
        with processor_time("a", RateLimit.parse("1/minute")):
            pass
        with processor_time("a", RateLimit.parse("")), processor_time("a", RateLimit.parse("")):
            pass


@pytest.mark.parametrize(
    ("behind_proxy", "forwarded", "address"),
    [
        (False, None, "10.0.0.1"),
        (False, "192.0.2.7", "10.0.0.1"),
        (True, None, "10.0.0.1"),
        (True, "192.0.2.7", "192.0.2.7"),
        (True, "made-up, 192.0.2.7", "192.0.2.7"),
        (True, "192.0.2.7, made-up", "unknown"),
        (True, "", "unknown"),
        (True, "2001:db8::7", "2001:db8::/64"),
    ],
)
def test_the_address_is_what_the_server_or_its_proxy_saw(
    settings: Settings, behind_proxy: bool, forwarded: str | None, address: str
) -> None:
    settings.BEHIND_PROXY = behind_proxy
    headers = {} if forwarded is None else {"X-Forwarded-For": forwarded}
    assert address_of(RequestFactory().get("/", headers=headers, REMOTE_ADDR="10.0.0.1")) == address
