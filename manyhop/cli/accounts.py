"""``manyhop login`` and ``logout``: the API token of a site."""

from __future__ import annotations

import argparse
import getpass
import sys

from manyhop import credentials
from manyhop.cli import DONE, WARNED
from manyhop.cli.running import UnusableError, new_parser
from manyhop.client import Client


def parser(command: str) -> argparse.ArgumentParser:
    """The options."""
    if command == "logout":
        return new_parser(command, "Delete the stored API token of a site. To revoke it, use the account's page.")
    return new_parser(
        command,
        "Store an API token for a site. Create one on the page of your account, with the scope 'submit'. The keyring\n"
        "of this system keeps it if the package 'keyring' is installed, and otherwise a file that only you can read.\n"
        "The environment variable MANYHOP_TOKEN, as in CI, takes precedence.",
        "  manyhop login --site https://manyhop.example\n  manyhop login --site https://manyhop.example < token.txt\n",
    )


def run(command: str, options: argparse.Namespace) -> int:
    """Run the command."""
    site = options.site
    if command == "logout":
        deleted = credentials.forget(site)
        print(f"The token for {site} was deleted." if deleted else f"There is no token for {site}.", file=sys.stderr)
        return DONE if deleted else WARNED
    if sys.stdin.isatty():
        print(f"Create a token at {site}/accounts/ and paste it here; it is not shown.", file=sys.stderr)
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
