"""The shared cache: what is shown while it is away, and what somebody else wrote into it."""

import os
import pickle
import runpy
from pathlib import Path
from typing import Any

import pytest
import redis
from django.core.cache import cache
from django.test import Client
from pytest_django import Settings
from redis.exceptions import RedisError

from leaderboard.project import settings as project
from tests import factories
from tests.services import Redis, free_port

pytestmark = pytest.mark.django_db


@pytest.fixture
def away(settings: Settings) -> None:
    """A cache of the site's kind, at an address where nobody listens."""
    location = f"redis://127.0.0.1:{free_port()}/0"
    settings.CACHES = {"default": {"BACKEND": "leaderboard.web.cache.ForgivingRedisCache", "LOCATION": location}}


def test_nothing_is_found_and_nothing_kept(away: None) -> None:
    cache.set("a", 1)
    assert cache.get("a", "none") == "none"
    assert cache.set_many({"a": 1, "b": 2}) == ["a", "b"]
    assert cache.get_many(["a", "b"]) == {}
    assert cache.delete("a") is False
    with pytest.raises(RedisError):
        cache.add("a", 1)


def test_every_page_is_there(client: Client, away: None) -> None:
    made = factories.benchmark()
    for slug in ("dev", "test"):
        answers = {"openbook": factories.perfect(slug)}
        factories.published(factories.user(slug), factories.split(made, slug), answers, name=f"Of {slug}")
    board = "/fanoutqa/dev/openbook/"
    paths = (
        *("/", board, f"{board}export.json", f"{board}pictures/", "/fanoutqa/data-card/", "/definitions/", "/check/"),
        *("/systems/of-dev/", "/systems/of-test/", "/systems/of-dev/questions/?split=dev&setting=openbook"),
        *("/compare/?system=of-dev&split=dev&setting=openbook", "/api/v1/board/", "/api/v1/systems/of-dev/scores/"),
        "/accounts/sign-in/",
    )
    assert {path: client.get(path).status_code for path in paths} == dict.fromkeys(paths, 200)


class Trap:
    """Makes a file when it is unpickled."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> Any:
        return os.mkdir, (str(self.path),)


@pytest.mark.redis
def test_a_value_that_somebody_else_wrote_runs_no_code_and_counts_as_missing(
    redis_server: Redis, settings: Settings, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("REDIS_URL", redis_server.url)
    settings.CACHES = runpy.run_path(str(project.__file__))["CACHES"]
    values = {"number": 3, "text": "é", "bytes": b"\x80", "list": [1, None, 0.5], "true": True}
    cache.set_many(values)
    assert cache.get_many(values) == values
    assert cache.incr("number") == 4
    trap = tmp_path / "opened"
    redis.Redis.from_url(redis_server.url).set(cache.make_key("trap"), pickle.dumps(Trap(trap)))
    assert cache.get("trap", "missing") == "missing"
    assert cache.get_many(["trap", "text"]) == {}
    assert not trap.exists()
    cache.set("trap", "text")
    assert cache.get_many(["trap", "text"]) == {"trap": "text", "text": "é"}
