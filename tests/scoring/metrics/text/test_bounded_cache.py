"""What is remembered stays within its bound, and what is used is kept."""

import sys

from hypothesis import given
from hypothesis import strategies as st

from scoring.metrics.text.bounded_cache import ENTRY_BYTES, LruCache
from tests.scoring.metrics.strategies import thorough


@thorough(200)
@given(st.lists(st.tuples(st.text(max_size=30), st.text(max_size=30)), max_size=200), st.integers(0, 5000))
def test_the_bound_holds_and_nothing_wrong_is_recalled(entries: list[tuple[str, str]], max_bytes: int) -> None:
    memo: LruCache[str] = LruCache(max_bytes)
    last: dict[str, str] = {}
    for key, value in entries:
        value = last.setdefault(key, value)  # as with anything computed: equal keys have equal values
        memo.remember(key, value)
        assert memo.bytes <= max_bytes // 2, "the other half is for what it replaced"
        assert memo.recall(key) in (None, value)
        assert memo.bytes <= max_bytes // 2
    assert sum(sys.getsizeof(key) + sys.getsizeof(value) + ENTRY_BYTES for key, value in memo.items()) == memo.bytes


def test_what_is_used_survives_and_what_is_not_goes() -> None:
    memo: LruCache[str] = LruCache(20_000)
    memo.remember("used", "yes")
    memo.remember("unused", "no")
    for number in range(1000):
        memo.remember(f"filling {number}", "x")
        assert memo.recall("used") == "yes"
    assert memo.recall("unused") is None


def test_a_huge_entry_is_not_kept_and_pushes_nothing_out() -> None:
    memo: LruCache[str] = LruCache(20_000)
    memo.remember("small", "entry")
    memo.remember("huge", "x" * 10_000)
    assert memo.recall("huge") is None
    assert memo.recall("small") == "entry"
