"""A submitter who is signed in; uploads that go with the test."""

from pathlib import Path

import pytest
from django.test import Client

from leaderboard.models import User
from tests import factories


@pytest.fixture(autouse=True)
def of_the_test(uploads: Path) -> None:
    """Every upload of these tests."""


@pytest.fixture
def ada(client: Client) -> User:
    user = factories.user()
    client.force_login(user)
    return user
