"""The command lines: every option of ``python -m scoring`` and of the commands of ``manage.py`` that are ours."""

import argparse
import os
from collections.abc import Callable, Container, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, Final
from unittest.mock import patch

from django.core.management import BaseCommand, get_commands, load_command_class

from manyhop.cli import COMMANDS

APPS: Final = frozenset({"scoring", "leaderboard", "leaderboard.project", "humaneval"})
MODULES: Final = {
    "scoring": (),
    "scoring check": ("check",),
    "scoring.metrics.bleurt": (),
    **{f"manyhop {name}": (name,) for name in COMMANDS},
}
"""Commands started by ``python -m``, with the words that select a subcommand."""


class _ParserFoundError(BaseException):
    """Raised where a command would parse its arguments, to get its parser."""

    def __init__(self, parser: argparse.ArgumentParser) -> None:
        super().__init__()
        self.parser = parser


def collect() -> dict[str, Any]:
    """The arguments of each command, without their help texts."""
    found = {f"python -m {name}": _arguments(_parser_of_module(name, words)) for name, words in MODULES.items()}
    usual = BaseCommand().create_parser("manage.py", "any")
    left_out = {option for action in usual._actions for option in action.option_strings}
    with patch.dict(os.environ):
        os.environ.pop("PORT", None)  # a default of the demo
        for name, app in get_commands().items():
            if app in APPS:
                parser = load_command_class(app, name).create_parser("manage.py", name)
                found[f"manage.py {name}"] = _arguments(parser, left_out)
    return found


def _parser_of_module(name: str, words: Sequence[str]) -> argparse.ArgumentParser:
    def found(self: argparse.ArgumentParser, *args: object, **options: object) -> None:
        raise _ParserFoundError(self)

    with patch.object(argparse.ArgumentParser, "parse_args", found):
        try:
            import_module(f"{name.split()[0]}.__main__").main(list(words))
        except _ParserFoundError as caught:
            return caught.parser
    raise AssertionError(f"python -m {name} parses no arguments")


def _arguments(parser: argparse.ArgumentParser, left_out: Container[str] = ("-h",)) -> dict[str, Any]:
    """The arguments of a parser: options by their longest name, positional ones by place and name."""
    found: dict[str, Any] = {}
    n_places = 0
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            found["subcommands"] = {name: _arguments(inner) for name, inner in action.choices.items()}
        elif not action.option_strings:
            n_places += 1
            found[f"{n_places}. {action.dest}"] = _argument(action)
        elif action.option_strings[0] not in left_out:
            found[max(action.option_strings, key=len)] = _argument(action)
    return found


def _argument(action: argparse.Action) -> dict[str, Any]:
    attributes = {
        "also": sorted(action.option_strings, key=len)[:-1],
        "required": action.required,
        "default": _plain(action.default),
        "choices": sorted(map(str, action.choices)) if action.choices is not None else None,
        "nargs": action.nargs,
        "type": _type(action.type),
    }
    return {key: value for key, value in attributes.items() if value not in (None, [], "")}


def _plain(value: object) -> Any:
    if isinstance(value, Path):
        return str(value)
    return list(value) if isinstance(value, (tuple, set, frozenset)) else value


def _type(reader: Callable[[str], Any] | argparse.FileType | str | None) -> str:
    """The type of the value; the name of a function that parses it is private and left out."""
    return reader.__name__ if isinstance(reader, type) else "" if reader is None else "checked"
