"""What the commands that ask a site share: their options, the client, and how refusals are said."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Any

import msgspec

from manyhop import credentials
from manyhop.cli import DONE, EXIT_CODES, REFUSED, UNREACHABLE
from manyhop.client import Client
from manyhop.errors import ApiError, ManyhopError, NoAnswerError

WIDEST = 40
SMALLEST = 0.0001
"""The characters of a cell of a table at most."""


class UnusableError(ManyhopError):
    """The arguments or files cannot be used."""


def run(command: str, module: str, arguments: Sequence[str]) -> int:
    """Parse the arguments of a command and run it; returns the exit code."""
    commands = import_module(f"manyhop.cli.{module}")
    options = commands.parser(command).parse_args(arguments)
    if "site" in options:
        options.site = (options.site or credentials.site()).rstrip("/")
    try:
        status: int = commands.run(command, options)
    except NoAnswerError as error:
        return _refused(error, UNREACHABLE)
    except ApiError as error:
        if error.status == 401:
            return _refused(f"Store a token with: manyhop login --site {options.site}\n{error}", REFUSED)
        return _refused(error, REFUSED)
    except (ManyhopError, OSError) as error:
        return _refused(error, REFUSED)
    return status


def _refused(error: object, status: int) -> int:
    for number, line in enumerate(str(error).splitlines()):
        print(f"{'       ' if number else 'error: '}{line}", file=sys.stderr)
    return status


def new_parser(command: str, description: str, examples: str = "") -> argparse.ArgumentParser:
    """A parser with the options of every command that asks a site."""
    parser = argparse.ArgumentParser(
        prog=f"manyhop {command}",
        description=description,
        epilog=f"Examples:\n{examples}{EXIT_CODES.rpartition('`manyhop')[0]}" if examples else None,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--site",
        metavar="URL",
        help="the site's address (default: MANYHOP_SITE, else that of the last login, else the demo's)",
    )
    return parser


def add_json(parser: argparse.ArgumentParser) -> None:
    """Add ``--json`` to a command that shows an answer."""
    parser.add_argument("--json", action="store_true", help="print the API's answer as JSON")


def client_of(options: argparse.Namespace) -> Client:
    """A client of the site, with its stored token."""
    return Client(options.site, credentials.token(options.site))


def print_json(answer: Any) -> int:
    print(msgspec.json.format(msgspec.json.encode(answer), indent=2).decode())
    return DONE


def print_table(header: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    """Print rows in columns; numbers are aligned right. The last column is not cut."""
    texts = [[*map(_text, row[:-1]), _text(row[-1], widest=None)] for row in rows]
    widths = [max(map(len, column)) for column in zip(header, *texts, strict=True)]
    right = [
        bool(rows) and all(cell is None or isinstance(cell, int | float) for cell in column)
        for column in zip(*rows, strict=True)
    ]
    right = right or [False] * len(header)
    for line in (list(header), *texts):
        cells = [
            text.rjust(width) if is_right else text.ljust(width)
            for text, width, is_right in zip(line, widths, right, strict=True)
        ]
        print("  ".join(cells).rstrip())


def _text(cell: object, widest: int | None = WIDEST) -> str:
    if cell is None:
        return "-"
    if isinstance(cell, float):
        return f"{cell:.4f}" if not 0 < cell < SMALLEST else f"< {SMALLEST:.4f}"
    text = " ".join(str(cell).split())
    return text if widest is None or len(text) <= widest else text[: widest - 1] + "…"
