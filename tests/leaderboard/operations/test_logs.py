"""Lines of the log: which request and run they are of, and what is never in them."""

import contextlib
import json
import logging
import os
import re
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from gunicorn.config import Config

from leaderboard.operations.logs import JsonFormatter, TextFormatter
from leaderboard.operations.processes.gunicorn_logs import RedactingLogger
from leaderboard.operations.redaction import WithoutLinks, redacted
from scoring.metrics.text.lemmatizer import LemmatiserError, text_lemmatiser
from scoring.tasks import execute_run
from scoring.workers import log_context
from scoring.workers.errors import exception_location
from tests import factories
from tests.processes import ROOT
from tests.reliability.test_secrets import PRIVATE
from tests.services import Process, accepts_connections, free_port


@pytest.fixture
def lines() -> Iterator[list[dict[str, Any]]]:
    """Everything that is logged, as the JSON formatter writes it."""
    found: list[dict[str, Any]] = []

    class Listener(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            text = self.format(record)
            assert "\n" not in text, "one line each"
            found.append(json.loads(text))

    listener = Listener(level=logging.DEBUG)
    listener.setFormatter(JsonFormatter())
    root = logging.getLogger()
    before = root.level
    root.addHandler(listener)
    root.setLevel(logging.INFO)
    yield found
    root.removeHandler(listener)
    root.setLevel(before)


def requests_in(lines: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [line for line in lines if line["logger"] == "leaderboard.requests"]


@pytest.mark.django_db
class TestRequests:
    def test_each_has_an_id_of_its_own(self, client: Client, lines: list[dict[str, Any]]) -> None:
        factories.benchmark()
        answers = [client.get("/fanoutqa/dev/openbook/"), client.get("/no-such.page")]
        ids = [answer["X-Request-ID"] for answer in answers]
        assert all(re.fullmatch(r"[0-9a-f]{16}", one) for one in ids)
        assert len(set(ids)) == 2
        board, nothing = requests_in(lines)
        assert (board["request_id"], board["view"], board["method"], board["status"]) == (ids[0], "board", "GET", 200)
        assert (nothing["request_id"], nothing["view"], nothing["status"]) == (ids[1], "none", 404)
        assert board["milliseconds"] > 0
        assert log_context.request_id.get() == ""

    def test_a_sane_id_of_the_proxy_is_kept(self, client: Client) -> None:
        given = "01J9Z3-trace.id_7"
        assert client.get("/healthz", headers={"X-Request-ID": given})["X-Request-ID"] == given

    @pytest.mark.parametrize(
        "given", ["short", "a" * 65, "white space here", 'quo"te-quote', "-leading-dash", "ünïcöde-id"]
    )
    def test_another_is_not(self, client: Client, given: str) -> None:
        answered = client.get("/healthz", headers={"X-Request-ID": given.encode("utf-8").decode("latin-1")})
        assert re.fullmatch(r"[0-9a-f]{16}", answered["X-Request-ID"])

    def test_what_is_asked_every_few_seconds_is_not_logged(self, client: Client, lines: list[dict[str, Any]]) -> None:
        client.get("/healthz")
        client.get("/readyz")
        client.get("/metrics")
        assert requests_in(lines) == []

    def test_no_address_no_form_and_no_token_is_logged(self, client: Client, lines: list[dict[str, Any]]) -> None:
        factories.benchmark()
        client.get(f"/fanoutqa/dev/openbook/?q={PRIVATE}")
        client.post("/accounts/sign-in/", {"username": PRIVATE, "password": PRIVATE})
        client.get("/api/v1/submissions/", headers={"Authorization": f"Token {PRIVATE}"})
        assert len(requests_in(lines)) == 3
        assert PRIVATE not in json.dumps(lines)


@pytest.mark.django_db
def test_the_lines_of_a_run_carry_its_id(lines: list[dict[str, Any]]) -> None:
    name = "00000000-0000-0000-0000-000000000001"
    execute_run(name)
    [line] = [line for line in lines if line["logger"] == "scoring.tasks"]
    assert line["run_id"] == name
    assert log_context.run_id.get() == ""


def failing(request: Any) -> Any:
    del request
    try:
        raise KeyError(f"caused by {PRIVATE}")
    except KeyError as error:
        raise ValueError(f"could not handle {PRIVATE}") from error


def record_of_failure() -> logging.LogRecord:
    try:
        failing(None)
    except ValueError:
        return logging.LogRecord("x", logging.ERROR, __file__, 1, "It failed: %s", ("here",), sys.exc_info())
    raise AssertionError


def test_an_exception_is_told_without_its_text() -> None:
    line = json.loads(JsonFormatter().format(record_of_failure()))
    assert (line["message"], line["error"], line["level"]) == ("It failed: here", "ValueError", "error")
    assert line["trace"].index("ValueError") < line["trace"].index("KeyError")
    assert "in failing" in line["trace"]
    text = TextFormatter("{levelname} {message}", style="{").format(record_of_failure())
    assert text.startswith("ERROR It failed: here\n")
    assert PRIVATE not in line["trace"] + text


def test_what_a_lemmatiser_lacks_is_told_and_nothing_of_its_cause() -> None:
    with pytest.raises(LemmatiserError, match="missing") as raised:
        text_lemmatiser("missing")
    error = raised.value
    error.__cause__ = ValueError(PRIVATE)
    exception = (type(error), error, error.__traceback__)
    record = logging.LogRecord("x", logging.ERROR, __file__, 1, "It failed.", (), exception)
    for text in (exception_location(error), json.loads(JsonFormatter().format(record))["trace"]):
        assert str(error) in text
        assert PRIVATE not in text


def test_a_line_has_its_fields_and_nothing_else_that_a_record_carries() -> None:
    record = logging.LogRecord("x", logging.INFO, __file__, 1, "Köln: %s", ("done",), None, sinfo=PRIVATE)
    vars(record).update(created=1_800_000_000.1239, view="board", status=200, request=PRIVATE, exc_text=PRIVATE)
    assert JsonFormatter().format(record) == (
        '{"time": "2027-01-15T08:00:00.123+00:00", "level": "info", "logger": "x", "message": "Köln: done", '
        '"view": "board", "status": 200}'
    )


TOKEN = "dG9rZW4tdGhhdC1sZXRzLXlvdS1pbg"
LETTING_IN = (
    f"/studies/spring-study/join/{TOKEN}/",
    f"/teams/join/{TOKEN}/",
    f"/accounts/verify/MQ:1v{TOKEN}/",
    f"/accounts/password/reset/1-c7x5-{TOKEN}/",
    f"/accounts/github/login/callback/?code={TOKEN}&state={TOKEN}",
    f"/accounts/sign-in/?next=%2Fteams%2Fjoin%2F{TOKEN}%2F",
)


@pytest.mark.parametrize("address", LETTING_IN)
def test_tokens_in_addresses_are_left_out(address: str) -> None:
    line = f'"GET {address} HTTP/1.1" 302 0'
    assert TOKEN not in redacted(line)
    assert redacted(line).endswith(' HTTP/1.1" 302 0')
    assert redacted(address.split("?")[0]).startswith(address[:12])


@pytest.mark.slow
def test_runserver_and_what_django_says_beside_it_tell_none(tmp_path: Path) -> None:
    """By a real process, with DEBUG: its request lines, and Django's own of what was refused or failed."""
    port = free_port()
    server = Process(
        "runserver",
        [sys.executable, "manage.py", "runserver", "--noreload", "--skip-checks", f"127.0.0.1:{port}"],
        tmp_path / "log",
        environment={
            "PATH": os.environ["PATH"],
            "HOME": str(tmp_path),
            "DEBUG": "1",
            "MANYHOP_DATA_DIR": str(tmp_path),
            "PYTHONUNBUFFERED": "1",
        },
        directory=ROOT,
    )
    server.start()
    try:
        server.wait_until(lambda: accepts_connections(port))
        for address in (*LETTING_IN, f"/nothing/at/all/join/{TOKEN}/"):
            with contextlib.suppress(urllib.error.HTTPError):
                urllib.request.urlopen(f"http://127.0.0.1:{port}{address}", timeout=30).close()
    finally:
        server.stop()
    said = (tmp_path / "log").read_text()
    assert '"GET /studies/spring-study/join/…/ HTTP/1.1" 500' in said, "there are no tables here"
    assert "Internal Server Error: /studies/spring-study/join/…/" in said
    assert said.count("Not Found: /nothing/at/all/join/…/") == 1, "and once"
    assert TOKEN not in said


def test_the_logs_of_gunicorn_have_no_secret_links(capsys: pytest.CaptureFixture[str]) -> None:
    config = Config()
    config.set("errorlog", "-")
    config.set("accesslog", "-")
    logger = RedactingLogger(config)
    logger.setup(config)
    for log in (logger.error_log, logger.access_log):
        assert [type(one) for handler in log.handlers for one in handler.filters] == [WithoutLinks]
        assert not log.propagate
    logger.error("Error handling request %s %s", "GET", LETTING_IN[0])
    logger.access_log.info('"%(r)s" %(s)s', {"r": f"GET {LETTING_IN[1]} HTTP/1.1", "s": "302"})
    said = capsys.readouterr()
    assert "/studies/spring-study/join/…/" in said.err and '"GET /teams/join/…/ HTTP/1.1" 302' in said.out
    assert TOKEN not in said.err + said.out


def test_every_handler_of_ours_leaves_them_out(settings: Any) -> None:
    assert all(handler["filters"] == ["without-links"] for handler in settings.LOGGING["handlers"].values())
    named = [logging.getLogger(), *(logging.getLogger(name) for name in ("django", "django.request", "django.server"))]
    ours = [handler for logger in named for handler in logger.handlers if type(handler) is logging.StreamHandler]
    assert ours
    for handler in ours:
        assert any(isinstance(one, WithoutLinks) for one in handler.filters)
