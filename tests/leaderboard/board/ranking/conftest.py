"""A board whose systems were compared."""

from collections.abc import Callable

import pytest

from leaderboard.board.table import board_url
from leaderboard.models import Entry
from scoring.models import Setting, Split
from tests import compared_site, factories

Place = tuple[Split, Setting]


@pytest.fixture
def place(db: None) -> Place:
    """The board of an open split of a benchmark whose systems are compared."""
    made = compared_site.declare(30)
    return factories.split(made, "dev"), factories.setting(made, "closed-book")


@pytest.fixture
def url(place: Place) -> str:
    """The URL of its ranking."""
    split, setting = place
    return f"{board_url(split.benchmark.slug, split.slug, setting.slug)}ranking/"


@pytest.fixture
def ranked(place: Place) -> Callable[..., list[Entry]]:
    """Ranks a number of systems on the board; see `tests.compared_site.rank`."""

    def make(n_systems: int, *, hidden: bool = False) -> list[Entry]:
        split, setting = place
        Split.objects.filter(pk=split.pk).update(hidden=hidden)
        return compared_site.rank(split, setting, n_systems)

    return make
