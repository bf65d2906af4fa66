"""Which requests read the replica; `tests.load.test_cluster` has a real one."""

from collections.abc import Callable

import pytest
from django.db import OperationalError
from django.http import HttpRequest, HttpResponse
from django.test import RequestFactory

from leaderboard.models import System
from leaderboard.web import replica
from leaderboard.web.replica import ReplicaMiddleware, ReplicaRouter


class Connection:
    """The replica's; ``away`` has it refuse."""

    def __init__(self) -> None:
        self.away = False
        self.n_tries = 0

    def cursor(self) -> "Connection":
        self.n_tries += 1
        if self.away:
            raise OperationalError("no route to host")
        return self

    def close(self) -> None: ...


@pytest.fixture
def connection(monkeypatch: pytest.MonkeyPatch) -> Connection:
    connection = Connection()
    monkeypatch.setattr(replica, "connections", {"replica": connection})
    return connection


def read_by(request: HttpRequest, view: Callable[[], None] = lambda: None) -> str:
    """The database from which a view reads at its end."""
    databases = []

    def respond(_: HttpRequest) -> HttpResponse:
        view()
        databases.append(ReplicaRouter().db_for_read(System))
        return HttpResponse()

    ReplicaMiddleware(respond)(request)
    assert ReplicaRouter().db_for_read(System) == "default", "nothing is left behind for the next request"
    return databases[0]


@pytest.mark.parametrize("path", ["/", "/fanoutqa/dev/openbook/", "/api/v1/boards/fanoutqa/dev/openbook/"])
@pytest.mark.parametrize("method", ["get", "head"])
def test_readers_without_an_account_read_the_replica(connection: Connection, path: str, method: str) -> None:
    assert read_by(getattr(RequestFactory(), method)(path)) == "replica"


@pytest.mark.parametrize(
    "request_",
    [
        RequestFactory().post("/"),
        RequestFactory().get("/", headers={"Authorization": "Bearer x"}),
        RequestFactory().get("/", headers={"Cookie": "sessionid=x"}),
        RequestFactory().get("/", headers={"Cookie": "csrftoken=x"}),
        RequestFactory().get("/readyz"),
        RequestFactory().get("/studies/spring/join/x/"),
    ],
    ids=["post", "token", "session", "form", "probe", "study"],
)
def test_everybody_else_reads_the_primary(connection: Connection, request_: HttpRequest) -> None:
    assert read_by(request_) == "default"
    assert connection.n_tries == 0


def test_what_follows_a_write_is_read_where_it_was_written(connection: Connection) -> None:
    def write() -> None:
        ReplicaRouter().db_for_write(System)

    assert read_by(RequestFactory().get("/"), write) == "default"


def test_the_primary_takes_over_while_the_replica_is_away(
    connection: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 1000.0
    monkeypatch.setattr("leaderboard.web.replica.time.monotonic", lambda: now)
    middleware = ReplicaMiddleware(lambda _: HttpResponse(ReplicaRouter().db_for_read(System)))

    def read() -> bytes:
        return middleware(RequestFactory().get("/")).content

    connection.away = True
    assert [read(), read()] == [b"default", b"default"]
    assert connection.n_tries == 1, "not every request waits for it"
    connection.away = False
    now += replica.PAUSE_SECONDS
    assert read() == b"replica"
