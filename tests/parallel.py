"""How the tests are shared out when several processes run them (pytest-xdist; `tests.runner` asks for it).

A file's tests stay together, in their order: fixtures of a module are made once, and tests that build on each other
find what they expect. Files go to whichever process is free, those first that take longest.
"""

from collections import Counter
from pathlib import PurePosixPath

import pytest
from xdist.scheduler import LoadScopeScheduling

TOGETHER = (PurePosixPath("tests/scoring/metrics/bleurt"),)
"""Folders that stay together as if they were one file: what they import takes longer than their tests."""

SLOW_FIXTURES = frozenset({"broker", "browser_page", "chromium", "demo", "redis_server", "static_root"})
"""What tests use that start processes. Their files come first, or one of them would be left for the end, alone."""

USUAL_LIMIT_SECONDS = 300
"""As pyproject.toml has it."""


class ByFile(LoadScopeScheduling):  # type: ignore[misc]  # it has no types
    """Hands out whole files, in the order in which they were collected."""

    def _split_scope(self, nodeid: str) -> str:
        path = PurePosixPath(nodeid.split("::", 1)[0])
        return str(next((folder for folder in TOGETHER if folder in path.parents), path))


def slow_files_first(items: list[pytest.Item]) -> None:
    """Files of tests with a longer time limit than others come first, then those with the most slow tests."""
    limits: Counter[str] = Counter()
    counts: Counter[str] = Counter()
    for item in items:
        file = item.location[0]
        if (limit := item.get_closest_marker("timeout")) and limit.args[0] > USUAL_LIMIT_SECONDS:
            limits[file] = max(limits[file], limit.args[0])
        is_slow = item.get_closest_marker("slow") or not SLOW_FIXTURES.isdisjoint(getattr(item, "fixturenames", ()))
        counts[file] += bool(is_slow)
    items.sort(key=lambda item: (-limits[item.location[0]], -counts[item.location[0]]))  # stable
