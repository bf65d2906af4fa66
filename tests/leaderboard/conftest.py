"""People whom many tests have, and their clock."""

import time
from collections.abc import Callable
from pathlib import Path

import pytest
from pytest_django import Settings

from leaderboard.models import User
from scoring.models import Benchmark, Split
from tests import factories


@pytest.fixture
def uploads(tmp_path: Path, settings: Settings) -> Path:
    """Where uploaded files of the test are."""
    settings.MEDIA_ROOT = tmp_path / "uploads"
    return tmp_path / "uploads"


@pytest.fixture
def ada(db: None) -> User:
    return factories.user()


@pytest.fixture
def bob(db: None) -> User:
    return factories.user("bob")


@pytest.fixture
def dev(made: Benchmark) -> Split:
    return factories.split(made, "dev")


@pytest.fixture
def at(monkeypatch: pytest.MonkeyPatch) -> Callable[[float], None]:
    """Sets the clock that rates are counted by."""

    def set_clock(seconds: float) -> None:
        monkeypatch.setattr(time, "time", lambda: 1_800_000_000 + seconds)

    set_clock(0)
    return set_clock
