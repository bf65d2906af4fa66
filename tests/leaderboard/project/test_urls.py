"""How the view of a path is found."""

from typing import Any

import pytest
from django.urls import Resolver404, resolve
from django.urls.resolvers import RoutePattern

from leaderboard.project.urls import RememberingResolver


@pytest.fixture
def tried(monkeypatch: pytest.MonkeyPatch) -> list[RoutePattern]:
    """The patterns that were tried, of which none is remembered."""
    RememberingResolver.resolve.cache_clear()
    patterns: list[RoutePattern] = []
    match = RoutePattern.match

    def counted(self: RoutePattern, path: str) -> Any:
        patterns.append(self)
        return match(self, path)

    monkeypatch.setattr(RoutePattern, "match", counted)
    return patterns


def test_the_patterns_are_tried_once(tried: list[RoutePattern]) -> None:
    first = resolve("/fanoutqa/dev/openbook/")
    n_first = len(tried)
    first.kwargs["benchmark"] = "changed by its view"
    again = resolve("/fanoutqa/dev/openbook/")
    assert n_first > 50
    assert len(tried) == n_first
    assert (again.view_name, again.route) == ("board", "<slug:benchmark>/<slug:split>/<slug:setting>/")
    assert again.kwargs == {"benchmark": "fanoutqa", "split": "dev", "setting": "openbook"}
    assert resolve("/fanoutqa/test/openbook/").kwargs["split"] == "test"


def test_what_does_not_exist_is_not_remembered(tried: list[RoutePattern]) -> None:
    for _ in range(2):
        tried.clear()
        with pytest.raises(Resolver404):
            resolve("/one/two/three/four/five/")
        assert len(tried) > 50
    assert RememberingResolver.resolve.cache_info().currsize == 0
