"""``manage.py benchmark new|check``: write and check the folder of a benchmark, without a site.

No Django: a check of a large benchmark needs its memory for the questions.
"""

from __future__ import annotations

import argparse
import gc
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from scoring.benchmarks.base import SourceError
from scoring.benchmarks.declared.files import read_folder, read_zip
from scoring.benchmarks.declared.reading import Declaration, read_declaration
from scoring.benchmarks.declared.template import KINDS, write_template
from scoring.benchmarks.declared.warnings import warnings_of_declaration

NEW, CHECK = "new", "check"
FOLDER_HELP = "the folder, or a zip archive of it"


class FolderError(Exception):
    """A folder with mistakes, or that cannot be read or written; the message lists them."""


def add_commands(actions: Any) -> None:
    """Add both commands to the subparsers of an argument parser."""
    new = actions.add_parser(NEW, help="write a template, with texts to replace, into a new folder")
    check = actions.add_parser(CHECK, help="name every mistake with file, line and field; exit status 1 if any")
    new.add_argument("folder", type=Path, metavar="DIR", help="the folder, whose name becomes the slug")
    new.add_argument("--task-type", choices=KINDS, default=KINDS[0], help="what an answer is (default: %(default)s)")
    check.add_argument("folder", type=Path, metavar="DIR", help=FOLDER_HELP)


def main(arguments: Sequence[str], program: str) -> int | None:
    """Run ``new`` or ``check``; returns the exit code, or None for arguments that only the site's command knows."""
    parser = argparse.ArgumentParser(prog=program)
    add_commands(parser.add_subparsers(dest="action", required=True))
    options, unknown = parser.parse_known_args(arguments)
    if unknown:
        return None
    gc.disable()  # it would walk again and again through objects that are all in use
    try:
        lines = run(options.action, options.folder, getattr(options, "task_type", KINDS[0]))
    except FolderError as error:
        print(error, file=sys.stderr)
        return 1
    print("\n".join(lines))
    return 0


def run(action: str, folder: Path, task_type: str) -> list[str]:
    """What ``new`` or ``check`` has to say, the first line or the last one in short.

    Raises:
        FolderError: the folder has mistakes, or cannot be read or written.
    """
    if action == CHECK:
        return checked(read(folder))
    try:
        written = write_template(folder, task_type)
    except SourceError as error:
        raise FolderError("\n".join(error.problems)) from error
    except OSError as error:
        raise FolderError(f"{error.filename}: {error.strerror}.") from error
    return [
        *map(str, written),
        f"Replace the texts that begin with TODO:, then run: manage.py benchmark check {folder}",
    ]


def read(folder: Path) -> Declaration:
    """The benchmark in a folder or zip archive.

    Raises:
        FolderError: it has mistakes, or cannot be read.
    """
    try:
        return read_declaration(read_zip(folder.read_bytes()) if folder.is_file() else read_folder(folder))
    except SourceError as error:
        number = len(error.problems)
        lines = "\n".join(error.problems)
        raise FolderError(f"{lines}\n{number} problem{'' if number == 1 else 's'} in {folder}.") from error
    except OSError as error:
        raise FolderError(f"{error.filename}: {error.strerror}.") from error


def checked(declaration: Declaration) -> list[str]:
    """What a check says of a folder without mistakes: a summary, then each warning."""
    warnings = [*warnings_of_declaration(declaration.definition), *declaration.warnings()]
    number = f"{len(warnings)} warning{'' if len(warnings) == 1 else 's'}. An import takes it as it is:"
    return [f"{summary(declaration)}: {number if warnings else 'no mistakes.'}", *warnings]


def summary(declaration: Declaration) -> str:
    """A benchmark in one line: name, version, and the numbers of its questions.

    The splits are in the order of the declaration.
    """
    definition = declaration.definition
    splits = ", ".join(f"{len(split.source.questions):,} {slug}" for slug, split in definition.packaged().items())
    return f"{definition.name} {definition.form.version} ({definition.slug}; questions: {splits or 'none'})"
