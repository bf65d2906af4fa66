"""Addresses of a Redis behind Sentinels; `tests.load.test_cluster` has real ones."""

import subprocess
import sys

import pytest

from leaderboard.operations.sentinels import SentinelAddress
from leaderboard.web.cache import SentinelPool
from tests.paths import ROOT
from tests.processes import child_environment


def test_an_address_becomes_celerys() -> None:
    address = SentinelAddress.read("redis+sentinel://app:s%40%2F@10.0.0.1,10.0.0.2:26380/manyhop/2")
    assert tuple(address) == ([("10.0.0.1", 26379), ("10.0.0.2", 26380)], "manyhop", 2, "app", "s@/")
    assert address.broker_url == "sentinel://app:s%40%2F@10.0.0.1:26379/2;sentinel://app:s%40%2F@10.0.0.2:26380/2"


def test_an_address_becomes_a_pool() -> None:
    pool = SentinelPool.from_url("redis+sentinel://:hush@a,b/manyhop", socket_timeout=2)
    assert (pool.service_name, pool.connection_kwargs["db"], pool.connection_kwargs["password"]) == (
        "manyhop",
        0,
        "hush",
    )
    assert [client.connection_pool.connection_kwargs["host"] for client in pool.sentinel_manager.sentinels] == [
        "a",
        "b",
    ]


@pytest.mark.django_db
def test_the_cache_takes_the_whole_address() -> None:
    """Django splits an address that is no list at each comma."""
    read = (
        "from django.core.cache import cache; print(len(cache._servers), type(cache._cache._get_connection_pool(True)))"
    )
    command = [sys.executable, "-c", f"import django; django.setup(); {read}"]
    environment = child_environment(REDIS_URL="redis+sentinel://:hush@a,b/manyhop", CELERY_BROKER_URL="memory://")
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True)
    assert done.stdout == "1 <class 'leaderboard.web.cache.SentinelPool'>\n"


@pytest.mark.parametrize(
    "address",
    ["redis+sentinel://a", "redis+sentinel:///manyhop", "redis+sentinel://a,/manyhop", "redis+sentinel://a:x/manyhop",
     "redis+sentinel://a/manyhop/x"],
)  # fmt: skip
def test_other_forms_are_refused(address: str) -> None:
    with pytest.raises(ValueError):
        SentinelAddress.read(address)
