"""Locks for work that only one process does at a time."""

from types import SimpleNamespace

import pytest
from django.db import connection

from scoring.workers import locks


@pytest.mark.postgres
@pytest.mark.django_db
def test_the_lock_of_work_that_fails_is_free_before_its_connection_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    """The server takes a moment to notice the end of a connection: here the connection stays open."""
    own = connection.copy()
    with monkeypatch.context() as patched:
        patched.setattr(own, "close", lambda: None)
        patched.setattr(locks, "connection", SimpleNamespace(vendor=connection.vendor, copy=lambda: own))
        with pytest.raises(ZeroDivisionError), locks.only_one("work") as mine:
            assert mine and 1 / 0
    try:
        with locks.only_one("work") as mine:
            assert mine
    finally:
        own.close()
