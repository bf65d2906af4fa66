"""The pace of asking, on a clock of the test's own."""

import asyncio
import datetime

import pytest

from scoring.metrics.asking.rate_limits import LONGEST_WAIT, Pace, TokenBucket, backoff, retry_after


class Clock:
    """A clock that only sleeping moves."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        assert seconds > 0
        self.now += seconds


def times_of(clock: Clock, pace: Pace, tokens: list[float]) -> list[float]:
    async def go() -> list[float]:
        times = []
        for amount in tokens:
            await pace.admit(amount)
            times.append(clock.now - 1000)
        return times

    return asyncio.run(go())


def test_requests_a_minute_are_kept() -> None:
    clock = Clock()
    times = times_of(clock, Pace(requests_per_minute=120, clock=clock, sleep=clock.sleep), [0.0] * 250)
    assert times[:2] == [0, 0]
    assert times[-1] == pytest.approx(248 / 2)
    for start in range(100):
        assert sum(start <= time < start + 60 for time in times) <= 122


def test_tokens_a_minute_are_kept_and_corrected_by_what_was_used() -> None:
    clock = Clock()
    pace = Pace(tokens_per_minute=60_000, clock=clock, sleep=clock.sleep)
    assert times_of(clock, pace, [1000, 1000, 500])[1:] == pytest.approx([1, 1.5])
    pace.settle(500, 2500)  # it took 2,000 more than thought: two seconds more to wait
    assert times_of(clock, pace, [1000]) == pytest.approx([1.5 + 1 + 2])
    pace.settle(1000, None)
    pace.settle(1000, 0)  # given back
    assert times_of(clock, pace, [1000]) == pytest.approx([4.5])


def test_a_request_larger_than_the_limit_goes_through_and_is_paid_off() -> None:
    clock = Clock()
    pace = Pace(tokens_per_minute=600, clock=clock, sleep=clock.sleep)
    assert times_of(clock, pace, [100, 10]) == pytest.approx([0, 10])


def test_no_limit_and_no_wait() -> None:
    clock = Clock()
    assert times_of(clock, Pace(clock=clock, sleep=clock.sleep), [1e9] * 5) == [0] * 5


def test_a_pause_holds_for_all_and_the_longest_counts() -> None:
    clock = Clock()
    pace = Pace(clock=clock, sleep=clock.sleep)
    pace.pause(5)
    pace.pause(2)
    assert times_of(clock, pace, [0, 0]) == [5, 5]


def test_those_who_wait_are_served_in_the_order_they_came() -> None:
    async def go() -> list[int]:
        bucket = TokenBucket(60 * 2000)
        served: list[int] = []

        async def take(number: int) -> None:
            await bucket.take(500)
            served.append(number)

        await asyncio.gather(*(take(number) for number in range(5)))
        return served

    assert asyncio.run(go()) == [0, 1, 2, 3, 4]


def test_waits_double_up_to_a_limit_with_jitter_below() -> None:
    longest = [backoff(attempt, base=1, longest=60, chance=lambda: 1.0) for attempt in range(1, 9)]
    assert longest == [1, 2, 4, 8, 16, 32, 60, 60]
    assert backoff(3, base=1, longest=60, chance=lambda: 0.0) == 2


NOW = datetime.datetime(2026, 11, 21, 12, 0, 0, tzinfo=datetime.UTC)


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after": "7"}, 7),
        ({"retry-after": "0.5"}, 0.5),
        ({"retry-after": "0"}, 0),
        ({"retry-after-ms": "1500", "retry-after": "9"}, 1.5),
        ({"retry-after-ms": "soon", "retry-after": "9"}, 9),
        ({"retry-after": "Sat, 21 Nov 2026 12:00:30 GMT"}, 30),
        ({"retry-after": "Sat, 21 Nov 2026 11:00:00 GMT"}, 0),
        ({"retry-after": "Sat, 21 Nov 2026 12:00:30 -0000"}, 30),
        ({"retry-after": "1e300"}, LONGEST_WAIT),
        ({"retry-after": "-3"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "inf"}, None),
        ({"retry-after": "tomorrow"}, None),
        ({"retry-after": ""}, None),
        ({}, None),
    ],
)
def test_the_wait_that_a_response_asks_for(headers: dict[str, str], seconds: float | None) -> None:
    assert retry_after(headers, NOW) == seconds
