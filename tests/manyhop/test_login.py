"""``manyhop login``: how a program asks for a token and waits for its user, on a site and against scripted answers."""

import json
import re
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

import pytest
from django.test import Client

from leaderboard.models import ApiToken
from manyhop import credentials
from manyhop.cli import accounts, main
from tests import factories
from tests.processes import Site

ASKED: dict[str, Any] = {
    "device_code": "secret-code",
    "user_code": "BCDF-GHJK",
    "verification_uri": "https://manyhop.example/accounts/device/",
    "verification_uri_complete": "https://manyhop.example/accounts/device/?code=BCDF-GHJK",
    "expires_in": 600,
    "interval": 5,
}
PENDING, SLOW = (400, {"error": "authorization_pending"}), (400, {"error": "slow_down"})
TOKEN = (200, {"access_token": "mh_secret", "token_type": "Bearer", "scope": "submit"})


@pytest.fixture(autouse=True)
def terminal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """A user at a terminal without a keyring; the addresses that are opened in a browser."""
    opened: list[str] = []
    monkeypatch.setenv("MANYHOP_CONFIG_DIR", str(tmp_path / "config"))
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "keyring.backends.fail.Keyring")
    for name in ("MANYHOP_SITE", "MANYHOP_TOKEN", "SSH_CONNECTION", "SSH_TTY", "DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.setattr("webbrowser.open", opened.append)
    return opened


@pytest.fixture
def waited(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The seconds that the command waits, which pass at once."""
    waited: list[float] = []
    monkeypatch.setattr("time.sleep", waited.append)
    monkeypatch.setattr("time.monotonic", lambda: sum(waited))
    return waited


class Scripted(HTTPServer):
    """A site that gives these answers one after the other, and keeps what it was sent."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.url = f"http://127.0.0.1:{self.server_port}"
        self.answers: list[tuple[int, Any]] = []
        self.received: list[tuple[str, dict[str, list[str]]]] = []


class _Handler(BaseHTTPRequestHandler):
    server: Scripted

    def do_GET(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()
        self.server.received.append((self.path, parse_qs(body)))
        status, answer = self.server.answers.pop(0)
        content = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def do_POST(self) -> None:
        self.do_GET()

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
        """Nothing."""


@pytest.fixture
def scripted() -> Iterator[Scripted]:
    server = Scripted()
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield server
    server.shutdown()
    server.server_close()


def login(site: Scripted, *answers: tuple[int, Any], options: tuple[str, ...] = ()) -> int:
    site.answers = list(answers)
    return main(["login", "--site", site.url, *options])


def test_it_asks_waits_and_stores_the_token(
    scripted: Scripted, waited: list[float], capsys: pytest.CaptureFixture[str], terminal: list[str]
) -> None:
    assert login(scripted, (200, ASKED), PENDING, SLOW, (502, b"<html>"), PENDING, TOKEN, (200, [])) == 0
    assert waited == [5, 5, 10, 20, 20], "slower after slow_down, and while the site does not answer"
    assert credentials.token(scripted.url) == "mh_secret"
    said = capsys.readouterr().err
    assert ASKED["verification_uri"] in said and "BCDF-GHJK" in said
    assert "mh_secret" not in said and "secret-code" not in said
    assert terminal == [], "no screen"
    first, second, *_ = scripted.received
    assert first[0] == accounts.CODE_PATH and first[1]["client_id"] == ["manyhop"] and first[1]["scope"] == ["submit"]
    assert second == (
        accounts.TOKEN_PATH,
        {"client_id": ["manyhop"], "grant_type": [accounts.GRANT], "device_code": ["secret-code"]},
    )
    assert not any("secret-code" in path for path, _ in scripted.received)


@pytest.mark.parametrize(
    ("environment", "is_opened"), [({"DISPLAY": ":0"}, True), ({"DISPLAY": ":0", "SSH_CONNECTION": "1"}, False)]
)
def test_a_browser_is_opened_on_this_screen_alone(
    scripted: Scripted,
    waited: list[float],
    terminal: list[str],
    monkeypatch: pytest.MonkeyPatch,
    environment: dict[str, str],
    is_opened: bool,
) -> None:
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert login(scripted, (200, ASKED), TOKEN, (200, [])) == 0
    assert terminal == ([ASKED["verification_uri_complete"]] if is_opened else [])


def test_no_other_address_is_opened(
    scripted: Scripted, waited: list[float], terminal: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DISPLAY", ":0")
    wrong = ASKED | {"verification_uri_complete": "file:///etc/passwd"}
    assert login(scripted, (200, wrong), TOKEN, (200, [])) == 0
    assert terminal == []


@pytest.mark.parametrize(
    ("answers", "status", "word"),
    [
        ([(200, ASKED), PENDING, (400, {"error": "access_denied", "error_description": "Denied."})], 2, "Denied."),
        ([(200, ASKED), (400, {"error": "expired_token"})], 2, "expired_token"),
        ([(200, ASKED | {"expires_in": 12}), PENDING, PENDING], 2, "expired"),
        ([(429, {"error": "slow_down", "error_description": "Too many codes."})], 2, "Too many codes."),
        ([(200, {"device_code": "a"})], 3, "protocol"),
        ([(200, b"<html>")], 3, "protocol"),
    ],
)
def test_what_ends_it(
    scripted: Scripted,
    waited: list[float],
    capsys: pytest.CaptureFixture[str],
    answers: list[tuple[int, Any]],
    status: int,
    word: str,
) -> None:
    assert login(scripted, *answers) == status
    assert word in capsys.readouterr().err
    assert credentials.token(scripted.url) is None


def test_it_can_be_interrupted(scripted: Scripted, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(_: float) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("time.sleep", interrupt)
    assert login(scripted, (200, ASKED)) == 130
    assert credentials.token(scripted.url) is None


def test_no_site(waited: list[float], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["login", "--site", "http://127.0.0.1:9"]) == 3
    assert "cannot be reached" in capsys.readouterr().err


@pytest.mark.parametrize("way", ["old site", "--paste"])
def test_a_pasted_token(
    scripted: Scripted, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    monkeypatch.setattr("getpass.getpass", lambda _: "mh_pasted")
    is_old = way == "old site"
    answers: list[tuple[int, Any]] = [(403, b"<html>"), (200, [])] if is_old else [(200, [])]
    assert login(scripted, *answers, options=() if is_old else ("--paste",)) == 0
    assert credentials.token(scripted.url) == "mh_pasted"
    assert ("older than this command" in capsys.readouterr().err) == is_old


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_on_a_site(
    live_site: Site, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    factories.benchmark()
    ada, browser = factories.user(), Client()
    browser.force_login(ada)
    waited: list[float] = []

    def confirm(seconds: float) -> None:
        waited.append(seconds)
        written = re.search(r"[A-Z]{4}-[A-Z]{4}", capsys.readouterr().err)
        assert written is not None
        fields = {"code": written[0], "name": "laptop", "scope": "submit", "days": "30"}
        assert browser.post("/accounts/device/", fields).status_code == 302

    monkeypatch.setattr("time.sleep", confirm)
    assert main(["login", "--site", live_site.url]) == 0
    assert waited == [5]
    (token,) = ApiToken.objects.all()
    assert (token.user, token.name) == (ada, "laptop")
    assert token.last_used_at is not None
    assert credentials.token(live_site.url) is not None

    # A site without these addresses refuses the form, as it does everywhere.
    monkeypatch.setattr(accounts, "CODE_PATH", "/accounts/other/code/")
    monkeypatch.setattr("getpass.getpass", lambda _: "")
    assert main(["login", "--site", live_site.url]) == 2
    assert "older than this command" in capsys.readouterr().err
