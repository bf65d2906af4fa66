"""What the tests of the API share."""

from pathlib import Path

import pytest
from pytest_django import Settings

from leaderboard.accounts import tokens
from leaderboard.models import User
from scoring.models import Benchmark
from tests import factories


@pytest.fixture
def made(db: None, tmp_path: Path, settings: Settings) -> Benchmark:
    settings.MEDIA_ROOT = tmp_path
    return factories.benchmark()


@pytest.fixture
def roomy(db: None) -> Benchmark:
    """A benchmark with enough questions for boards that are drawn."""
    return factories.benchmark(n_test=12)


@pytest.fixture
def ada(db: None) -> User:
    return factories.user()


@pytest.fixture
def token(ada: User) -> dict[str, str]:
    _, secret = tokens.create_token(user=ada, name="test")
    return {"Authorization": f"Token {secret}"}
