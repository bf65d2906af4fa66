"""``manage.py migrate`` beside the requests of a running site."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from io import StringIO
from typing import Any

import psycopg
import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder

from leaderboard.project.management.commands import migrate
from tests.services import PATIENCE_SECONDS, wait_for

pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def request_of_a_visitor(settings: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[psycopg.Connection]:
    """A transaction that has written into one of two tables that a migration needs."""
    settings.MIGRATION_MODULES = {"messages": "tests.leaderboard.project.two_tables"}
    monkeypatch.setattr(migrate, "PAUSE_SECONDS", 0.01)
    with psycopg.connect(**connection.get_connection_params()) as visitor:
        visitor.execute("LOCK TABLE leaderboard_system IN ROW EXCLUSIVE MODE")
        yield visitor
    MigrationRecorder.Migration.objects.filter(app="messages").delete()


def test_a_migration_gives_way_to_a_request_that_has_one_table_and_needs_the_other(
    request_of_a_visitor: psycopg.Connection,
) -> None:
    output = StringIO()

    def run() -> None:
        try:
            call_command("migrate", "messages", stdout=output)
        finally:
            connection.close()

    with ThreadPoolExecutor() as pool:
        migrating = pool.submit(run)
        wait_for(lambda: migrating.done() or "trying again" in output.getvalue(), PATIENCE_SECONDS, "an attempt")
        request_of_a_visitor.execute("LOCK TABLE leaderboard_submission IN ROW EXCLUSIVE MODE")
        request_of_a_visitor.commit()
        migrating.result()
    assert output.getvalue().endswith("Applying messages.locks... OK\n")
    assert MigrationRecorder.Migration.objects.filter(app="messages", name="locks").exists()


def test_a_migration_gives_up_when_a_table_stays_in_use(
    request_of_a_visitor: psycopg.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(migrate, "N_ATTEMPTS", 2)
    output = StringIO()
    with pytest.raises(CommandError, match="in use at each of 2 attempts"):
        call_command("migrate", "messages", stdout=output)
    assert output.getvalue().count("Applying messages.locks... the table is in use") == 2
    assert not MigrationRecorder.Migration.objects.filter(app="messages").exists()


def test_the_limit_on_waiting_for_locks_ends_with_each_migration(request_of_a_visitor: psycopg.Connection) -> None:
    request_of_a_visitor.rollback()
    call_command("migrate", "messages", stdout=StringIO())
    with connection.cursor() as cursor:
        cursor.execute("SHOW lock_timeout")
        assert cursor.fetchone() == ("0",)
