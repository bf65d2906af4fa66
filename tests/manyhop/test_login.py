"""``manyhop login``: a token is created on the account page, pasted, checked and stored."""

from pathlib import Path

import pytest

from manyhop import credentials
from manyhop.cli import main
from manyhop.client import Client

SITE = "https://manyhop.example"
PAGE = f"{SITE}/accounts/#tokens"


@pytest.fixture(autouse=True)
def opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """A user at a terminal without a keyring, who pastes a token; the addresses that are opened in a browser."""
    opened: list[str] = []
    monkeypatch.setenv("MANYHOP_CONFIG_DIR", str(tmp_path / "config"))
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "keyring.backends.fail.Keyring")
    for name in ("MANYHOP_SITE", "MANYHOP_TOKEN", "SSH_CONNECTION", "SSH_TTY", "DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.setattr("webbrowser.open", opened.append)
    monkeypatch.setattr("getpass.getpass", lambda _: "mh_pasted")
    return opened


@pytest.fixture
def valid(monkeypatch: pytest.MonkeyPatch) -> None:
    """A site that accepts every token."""
    monkeypatch.setattr(Client, "submissions", lambda _: [])


@pytest.mark.usefixtures("valid")
def test_the_address_of_the_token_page_is_printed_and_the_token_is_stored(
    capsys: pytest.CaptureFixture[str], opened: list[str]
) -> None:
    assert main(["login", "--site", SITE]) == 0
    said = capsys.readouterr().err
    assert PAGE in said and "mh_pasted" not in said
    assert credentials.token(SITE) == "mh_pasted"
    assert opened == [], "no screen"


@pytest.mark.usefixtures("valid")
@pytest.mark.parametrize(
    ("environment", "is_opened"), [({"DISPLAY": ":0"}, True), ({"DISPLAY": ":0", "SSH_CONNECTION": "1"}, False)]
)
def test_a_browser_is_opened_on_this_screen_alone(
    opened: list[str], monkeypatch: pytest.MonkeyPatch, environment: dict[str, str], is_opened: bool
) -> None:
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert main(["login", "--site", SITE]) == 0
    assert opened == ([PAGE] if is_opened else [])


def test_nothing_is_stored_if_the_input_is_interrupted(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(_: str) -> str:
        raise KeyboardInterrupt

    monkeypatch.setattr("getpass.getpass", interrupt)
    assert main(["login", "--site", SITE]) == 130
    assert credentials.token(SITE) is None


def test_nothing_is_stored_if_the_site_cannot_be_reached(capsys: pytest.CaptureFixture[str]) -> None:
    site = "http://127.0.0.1:9"
    assert main(["login", "--site", site]) == 3
    assert site in capsys.readouterr().err
    assert credentials.token(site) is None
