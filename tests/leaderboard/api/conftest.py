"""What the tests of the API share."""

from pathlib import Path

import pytest

from leaderboard.models import User
from scoring.models import Benchmark
from tests import factories


@pytest.fixture
def made(db: None, uploads: Path) -> Benchmark:
    return factories.benchmark()


@pytest.fixture
def roomy(db: None) -> Benchmark:
    """A benchmark with enough questions for boards that are drawn."""
    return factories.benchmark(n_test=12)


@pytest.fixture
def token(ada: User) -> dict[str, str]:
    return factories.token_of(ada)
