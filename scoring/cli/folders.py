"""``manage.py benchmark new|check``: write and check the folder of a benchmark, without a site.

No Django: a check of a large benchmark needs its memory for the questions.
"""

from __future__ import annotations

import argparse
import gc
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from scoring.benchmarks.base import SourceError
from scoring.benchmarks.declared.files import read_files
from scoring.benchmarks.declared.preview import preview
from scoring.benchmarks.declared.proposal import folder_for
from scoring.benchmarks.declared.reading import Declaration, read_declaration
from scoring.benchmarks.declared.template import KINDS, slug_for, write_files, write_template
from scoring.benchmarks.declared.warnings import warnings_of_declaration
from scoring.benchmarks.declared.writing import value_text

NEW, CHECK = "new", "check"
FOLDER_HELP = "the folder, or a zip archive of it"


class FolderError(Exception):
    """A folder with mistakes, or that cannot be read or written; the message lists them."""


def add_commands(actions: Any) -> None:
    """Add both commands to the subparsers of an argument parser."""
    new = actions.add_parser(NEW, help="write a template, with texts to replace, into a new folder")
    check = actions.add_parser(CHECK, help="name every mistake with file, line and field; exit status 1 if any")
    new.add_argument("folder", type=Path, metavar="DIR", help="the folder, whose name becomes the slug")
    new.add_argument("--task-type", choices=KINDS, help=f"what an answer is (default: {KINDS[0]})")
    new.add_argument(
        "--from",
        type=Path,
        nargs="+",
        metavar="FILE",
        help="published files of questions: they are copied, and their fields and task type proposed",
    )
    check.add_argument("folder", type=Path, metavar="DIR", help=FOLDER_HELP)
    check.add_argument(
        "--show",
        type=int,
        default=0,
        metavar="N",
        help="also show the first N questions of each split as they will be imported; answers of hidden splits are "
        "described, not shown",
    )


def main(arguments: Sequence[str], program: str) -> int | None:
    """Run ``new`` or ``check``; returns the exit code, or None for arguments that only the site's command knows."""
    parser = argparse.ArgumentParser(prog=program)
    add_commands(parser.add_subparsers(dest="action", required=True))
    options, unknown = parser.parse_known_args(arguments)
    if unknown:
        return None
    gc.disable()  # it would walk again and again through objects that are all in use
    try:
        lines = run(options.action, options.folder, vars(options))
    except FolderError as error:
        print(error, file=sys.stderr)
        return 1
    print("\n".join(lines))
    return 0


def run(action: str, folder: Path, options: Mapping[str, Any]) -> list[str]:
    """Lines that ``new`` or ``check`` prints, the first line or the last one in short.

    Args:
        options: The others of `add_commands`.

    Raises:
        FolderError: the folder has mistakes, or cannot be read or written.
    """
    if action == CHECK:
        declaration = read(folder)
        shown = preview(declaration.definition, options["show"]) if options["show"] > 0 else ()
        return [*shown, *checked(declaration)]
    proposed: list[str] = []
    try:
        if options["from"] is None:
            written = write_template(folder, options["task_type"] or KINDS[0])
        else:
            files, proposal = folder_for(slug_for(folder), options["from"], options["task_type"])
            proposed = [f"Task type: {proposal.task_type}. Fields of the files, as [questions] names them:"]
            proposed += [f"  {key} = {value_text(value)}" for key, value in proposal.fields.items()]
            written = write_files(folder, files)
    except SourceError as error:
        raise FolderError("\n".join(error.problems)) from error
    except OSError as error:
        raise FolderError(f"{error.filename}: {error.strerror}.") from error
    return [
        *proposed,
        *map(str, written),
        f"Replace the texts that begin with TODO:, then run: manage.py benchmark check {folder}",
    ]


def read(folder: Path) -> Declaration:
    """The benchmark in a folder or zip archive.

    Raises:
        FolderError: it has mistakes, or cannot be read.
    """
    try:
        return read_declaration(read_files(folder))
    except SourceError as error:
        number = len(error.problems)
        lines = "\n".join(error.problems)
        raise FolderError(f"{lines}\n{number} problem{'' if number == 1 else 's'} in {folder}.") from error
    except OSError as error:
        raise FolderError(f"{error.filename}: {error.strerror}.") from error


def checked(declaration: Declaration) -> list[str]:
    """Result of a check of a folder without mistakes: a summary, then each warning."""
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
