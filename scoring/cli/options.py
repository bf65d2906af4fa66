"""Options that several commands have."""

from __future__ import annotations

import argparse


def add_separator(parser: argparse.ArgumentParser) -> None:
    """Add ``--separator`` to the options of a command that reads answers."""
    parser.add_argument(
        "--separator",
        type=_separator,
        metavar="TEXT",
        help="for answer-list: answers are texts with this separator, as in the ALCE protocol (only the first line "
        "counts; citations such as [1], a point at the end and separators after it are removed)",
    )


def _separator(text: str) -> str:
    if not text or "\n" in text:
        raise argparse.ArgumentTypeError("expected one or more characters other than line breaks")
    return text
