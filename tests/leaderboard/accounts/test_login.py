"""Passwords cannot be tried without end, and nobody locks anybody else out."""

from typing import Any

import pytest
from axes.models import AccessAttempt
from django.test import Client

from leaderboard.models import User
from leaderboard.web.rate_limits import RateLimit
from tests import factories
from tests.notices import signed_in

pytestmark = pytest.mark.django_db
SITE = "/accounts/sign-in/"


@pytest.fixture(autouse=True)
def rates(settings: Any) -> None:
    settings.SIGN_IN_RATES = {"account": RateLimit(3, 3600), "address": RateLimit(8, 3600)}
    settings.AXES_FAILURE_LIMIT = 3


@pytest.fixture
def ada() -> User:
    return factories.maintainer("ada")


def attempt(client: Client, name: str = "ada", password: str = "wrong", *, address: str = "192.0.2.1") -> Any:
    return client.post(SITE, {"username": name, "password": password}, REMOTE_ADDR=address)


def test_after_some_wrong_tries_not_even_the_right_password_is_looked_at(client: Client, ada: User) -> None:
    assert [attempt(client).status_code for _ in range(3)] == [422, 422, 429]
    answer = attempt(client, password=factories.PASSWORD)
    assert not signed_in(client)
    assert answer.status_code == 429
    assert 0 < int(answer["Retry-After"]) <= 7200


@pytest.mark.parametrize("name", ["ADA", " ada ", "Ada"])
def test_a_locked_name_stays_locked_however_it_is_written(client: Client, ada: User, name: str) -> None:
    for _ in range(3):
        attempt(client)
    assert attempt(client, name=name).status_code == 429


def test_failed_attempts_from_another_address_lock_nobody_out(client: Client, ada: User) -> None:
    for _ in range(5):
        attempt(client, address="198.51.100.7")
    assert attempt(client, password=factories.PASSWORD, address="192.0.2.1").status_code == 302
    assert signed_in(client)


def test_success_clears_the_count(client: Client, ada: User) -> None:
    for _ in range(2):
        for _ in range(2):
            assert attempt(client).status_code == 422
        assert attempt(client, password=factories.PASSWORD).status_code == 302
        client.logout()


def test_one_password_is_not_tried_on_all_accounts(client: Client, ada: User) -> None:
    for number in range(8):
        assert attempt(client, name=f"user{number}").status_code == 422
    assert attempt(client, name="one-more").status_code == 429
    assert attempt(client, name="one-more", address="198.51.100.7").status_code == 422


@pytest.mark.parametrize("address", ["", "unix:/run/site.sock"])
def test_attempts_are_counted_without_a_known_address_too(client: Client, ada: User, address: str) -> None:
    assert [attempt(client, address=address).status_code for _ in range(3)] == [422, 422, 429]


def test_failed_attempts_from_one_network_are_counted_together(client: Client, ada: User) -> None:
    for number in range(3):
        attempt(client, address=f"2001:db8::{number + 1}")
    assert attempt(client, address="2001:db8::ffff").status_code == 429


def test_no_password_is_stored_with_a_failed_attempt(client: Client, ada: User) -> None:
    attempt(client, password="secret-word")
    stored = AccessAttempt.objects.values().get()
    assert (stored["username"], stored["ip_address"]) == ("ada", "192.0.2.1")
    assert "secret-word" not in str(stored)


@pytest.mark.parametrize("name", ["", "\x00", "ü" * 500])
def test_a_name_that_no_account_can_have_is_answered_as_an_incorrect_one(client: Client, name: str) -> None:
    assert attempt(client, name=name).status_code == 422
