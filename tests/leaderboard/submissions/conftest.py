"""A benchmark, and a submitter who is signed in."""

import pytest
from django.test import Client

from leaderboard.models import User
from scoring.models import Benchmark
from tests import factories


@pytest.fixture
def made() -> Benchmark:
    return factories.benchmark()


@pytest.fixture
def ada(client: Client) -> User:
    user = factories.user()
    client.force_login(user)
    return user
