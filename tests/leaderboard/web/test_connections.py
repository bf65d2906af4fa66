"""Which requests check their connection to PostgreSQL with a query before they use it."""

import psycopg
import pytest
from django.core.signals import request_started
from django.db import close_old_connections, connection

from leaderboard.models import User
from leaderboard.web.connections import spare_checks
from tests.services import wait_for

pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def checks(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """The results of all checks; there is a connection that was used before."""
    connection.close()
    User.objects.exists()
    results: list[bool] = []
    is_usable = connection.is_usable

    def counted() -> bool:
        results.append(is_usable())
        return results[-1]

    monkeypatch.setattr(connection, "is_usable", counted)
    return results


def begin_request() -> None:
    """What the receivers of `request_started` do, in their order; the test client changes it."""
    close_old_connections()
    spare_checks()


def test_every_request_begins_so() -> None:
    assert [uid for (uid, _), *_ in request_started.receivers].count("checks of connections") == 1


def test_a_connection_that_is_open_is_not_checked(checks: list[bool]) -> None:
    for _ in range(3):
        begin_request()
        User.objects.exists()
    assert checks == []


def test_a_connection_that_the_server_ended_is_checked_and_replaced(checks: list[bool]) -> None:
    ended = connection.connection
    with psycopg.connect(**connection.get_connection_params() | {"context": None, "cursor_factory": None}) as other:
        pid = ended.info.backend_pid
        other.execute("SELECT pg_terminate_backend(%s)", [pid])
        gone = "SELECT NOT EXISTS (SELECT FROM pg_stat_activity WHERE pid = %s)"
        wait_for(lambda: other.execute(gone, [pid]).fetchone() == (True,), 20, "the end of the session")
    begin_request()
    User.objects.exists()
    assert checks == [False]
    assert connection.connection is not ended
    begin_request()
    User.objects.exists()
    assert checks == [False], "the new one is open"
