"""What is shown while the shared cache is away."""

import pytest
from django.core.cache import cache
from django.test import Client
from pytest_django import Settings
from redis.exceptions import RedisError

from tests import factories
from tests.services import free_port

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
