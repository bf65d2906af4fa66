"""``manyhop login`` and ``logout``: the API token of a site."""

from __future__ import annotations

import argparse
import getpass
import os
import platform
import sys
import time
import webbrowser
from typing import Any

import httpx

from manyhop import __version__, credentials
from manyhop.cli import DONE, WARNED
from manyhop.cli.running import UnusableError, new_parser
from manyhop.client import Client
from manyhop.errors import NoAnswerError

CODE_PATH, TOKEN_PATH = "/accounts/device/code/", "/accounts/device/token/"
CLIENT = {"client_id": "manyhop"}
GRANT = "urn:ietf:params:oauth:grant-type:device_code"
SLOWER = 5
"""The seconds that a refusal with ``slow_down`` adds to the interval (RFC 8628, section 3.5)."""
SLOWEST = 60
NOT_OFFERED = (403, 404, 405)
"""What sites without these addresses answer."""


def parser(command: str) -> argparse.ArgumentParser:
    """The options."""
    if command == "logout":
        return new_parser(command, "Delete the stored API token of a site. To revoke it, use the account's page.")
    made = new_parser(
        command,
        "Get an API token for a site, and store it. You confirm in a browser, on this computer or another one, which\n"
        "rights the token has and how long it is valid. The keyring of this system keeps it if the package 'keyring'\n"
        "is installed, and otherwise a file that only you can read. The environment variable MANYHOP_TOKEN, as in\n"
        "CI, takes precedence.",
        "  manyhop login --site https://manyhop.example\n  manyhop login --site https://manyhop.example < token.txt\n",
    )
    made.add_argument("--paste", action="store_true", help="paste a token that you created on the page of your account")
    return made


def run(command: str, options: argparse.Namespace) -> int:
    """Run the command."""
    site = options.site
    if command == "logout":
        deleted = credentials.forget(site)
        print(f"The token for {site} was deleted." if deleted else f"There is no token for {site}.", file=sys.stderr)
        return DONE if deleted else WARNED
    token = None
    if not sys.stdin.isatty():
        token = sys.stdin.readline().strip()
    elif not options.paste:
        token = _confirmed_in_browser(site)
    if token is None:
        print(f"Create a token at {site}/accounts/ and paste it here; it is not shown.", file=sys.stderr)
        token = getpass.getpass("Token: ").strip()
    if not token.isascii() or not token.isprintable() or not token:
        raise UnusableError("No token was given. It begins with mh_ and has no spaces.")
    with Client(site, token) as client:
        client.submissions()  # refused unless the token is valid
    where = credentials.store(site, token)
    print(f"The token for {site} is valid, and stored in {where}.", file=sys.stderr)
    return DONE


def _confirmed_in_browser(site: str) -> str | None:
    """A token by the device authorization grant (RFC 8628); None if the site does not offer it.

    Raises:
        UnusableError: the request was denied or has expired.
        NoAnswerError: the site cannot be reached, or gave no answer that is understood.
    """
    with httpx.Client(base_url=site, headers={"User-Agent": f"manyhop/{__version__}"}, timeout=30) as http:
        try:
            response = http.post(CODE_PATH, data=CLIENT | {"scope": "submit", "device_name": platform.node()[:100]})
        except httpx.TransportError as error:
            raise NoAnswerError(f"{site} cannot be reached: {error or type(error).__name__}") from error
        if response.status_code in NOT_OFFERED:
            print("This site is older than this command: it cannot confirm a login in a browser.", file=sys.stderr)
            return None
        asked = _json(response)
        if not response.is_success:
            raise UnusableError(asked.get("error_description") or f"{site} answered {response.status_code}.")
        try:
            user_code, url = str(asked["user_code"]), str(asked["verification_uri"])
            polled = CLIENT | {"grant_type": GRANT, "device_code": asked["device_code"]}
            interval, end = int(asked.get("interval", 5)), time.monotonic() + int(asked["expires_in"])
        except (KeyError, TypeError, ValueError):
            raise NoAnswerError(f"{response.url} gave no answer of this version of the protocol.") from None
        print(f"Open {url} and enter the code {user_code}", file=sys.stderr)
        url = str(asked.get("verification_uri_complete", url))
        # A browser with windows can be opened: not over SSH, and not on a computer without a screen.
        is_remote = any(name in os.environ for name in ("SSH_CONNECTION", "SSH_TTY"))
        has_screen = sys.platform in ("win32", "darwin") or not {"DISPLAY", "WAYLAND_DISPLAY"}.isdisjoint(os.environ)
        if has_screen and not is_remote and url.startswith(("https://", "http://")):
            webbrowser.open(url)
        print(f"Waiting until you have confirmed it, for {asked['expires_in'] // 60} minutes …", file=sys.stderr)
        while time.monotonic() + interval < end:
            time.sleep(interval)
            try:
                response = http.post(TOKEN_PATH, data=polled)
            except httpx.TransportError:
                interval = min(2 * interval, SLOWEST)
                continue
            answer = _json(response)
            if response.is_success and "access_token" in answer:
                return str(answer["access_token"])
            refusal = answer.get("error")
            if refusal == "slow_down":
                interval += SLOWER
            elif refusal is None:  # of a proxy, or of a site that restarts
                interval = min(2 * interval, SLOWEST)
            elif refusal != "authorization_pending":
                raise UnusableError(answer.get("error_description") or f"{site} answered {refusal}.")
    raise UnusableError("The code has expired. Run the command again.")


def _json(response: httpx.Response) -> dict[str, Any]:
    try:
        answer = response.json()
    except ValueError:
        return {}
    return answer if isinstance(answer, dict) else {}
