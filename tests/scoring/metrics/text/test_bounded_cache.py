"""What is remembered stays within its bound."""

import sys

from hypothesis import given
from hypothesis import strategies as st

from scoring.metrics.text.bounded_cache import ENTRY_BYTES, BoundedCache
from tests.scoring.metrics.strategies import thorough


@thorough(200)
@given(st.lists(st.tuples(st.text(max_size=30), st.text(max_size=30)), max_size=200), st.integers(0, 5000))
def test_the_bound_holds_and_nothing_wrong_is_remembered(entries: list[tuple[str, str]], max_bytes: int) -> None:
    memo: BoundedCache[str] = BoundedCache(max_bytes)
    last: dict[str, str] = {}
    for key, value in entries:
        value = last.setdefault(key, value)  # as with anything computed: equal keys have equal values
        memo.remember(key, value)
        assert memo.get(key) in (None, value)
        assert memo.bytes <= max_bytes
    assert sum(sys.getsizeof(key) + sys.getsizeof(value) + ENTRY_BYTES for key, value in memo.items()) == memo.bytes


def test_a_huge_entry_is_not_kept_and_pushes_nothing_out() -> None:
    memo: BoundedCache[str] = BoundedCache(20_000)
    memo.remember("small", "entry")
    memo.remember("huge", "x" * 10_000)
    assert memo == {"small": "entry"}
