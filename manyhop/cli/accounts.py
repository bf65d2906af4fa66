"""``manyhop login`` and ``logout``: the API token of a site."""

from __future__ import annotations

import argparse
import getpass
import os
import sys
import webbrowser

from manyhop import credentials
from manyhop.cli import DONE, WARNED
from manyhop.cli.running import UnusableError, new_parser
from manyhop.client import Client


def parser(command: str) -> argparse.ArgumentParser:
    if command == "logout":
        return new_parser(command, "Delete the stored API token of a site. To revoke it, use the account's page.")
    return new_parser(
        command,
        "Store an API token of a site. The page of your account, where you create it, opens in a browser; paste the\n"
        "token here. The keyring of this system keeps it if the package 'keyring' is installed, and otherwise a file\n"
        "that only you can read. The environment variable MANYHOP_TOKEN, as in CI, takes precedence.",
        "  manyhop login --site https://manyhop.example\n  manyhop login --site https://manyhop.example < token.txt\n",
    )


def run(command: str, options: argparse.Namespace) -> int:
    site = options.site
    if command == "logout":
        deleted = credentials.forget(site)
        print(f"The token for {site} was deleted." if deleted else f"There is no token for {site}.", file=sys.stderr)
        return DONE if deleted else WARNED
    if sys.stdin.isatty():
        page = f"{site}/accounts/#tokens"
        print(f"Create a token at {page} and paste it here; it is not shown.", file=sys.stderr)
        # A browser with windows can be opened: not over SSH, and not on a computer without a screen.
        is_remote = any(name in os.environ for name in ("SSH_CONNECTION", "SSH_TTY"))
        has_screen = sys.platform in ("win32", "darwin") or not {"DISPLAY", "WAYLAND_DISPLAY"}.isdisjoint(os.environ)
        if has_screen and not is_remote:
            webbrowser.open(page)
        token = getpass.getpass("Token: ").strip()
    else:
        token = sys.stdin.readline().strip()
    if not token.isascii() or not token.isprintable() or not token:
        raise UnusableError("No token was given. It begins with mh_ and has no spaces.")
    with Client(site, token) as client:
        client.submissions()  # refused unless the token is valid
    where = credentials.store(site, token)
    print(f"The token for {site} is valid, and stored in {where}.", file=sys.stderr)
    return DONE
