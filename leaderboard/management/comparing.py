"""What commands share that order comparisons or score a split again: their arguments and errors."""

from argparse import ArgumentParser
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from django.core.management.base import CommandError

from scoring.benchmarks import definitions
from scoring.models import Split
from scoring.runs.judging.baselines import BaselineError


def add_split(parser: ArgumentParser) -> None:
    """The arguments that name a split, ``--setting`` and ``--dry-run``."""
    parser.add_argument("benchmark", choices=sorted(definitions()))
    parser.add_argument("split", help="dev, test, …")
    parser.add_argument("--setting", default="", metavar="SLUG", help="of systems with answers in several settings")
    parser.add_argument("--dry-run", action="store_true", help="only print the estimated cost")


def named_split(options: Mapping[str, Any]) -> Split:
    """The split that the arguments name.

    Raises:
        CommandError: it has no questions.
    """
    splits = Split.with_drafts.select_related("benchmark", "current_revision")
    split = splits.filter(benchmark__slug=options["benchmark"], slug=options["split"]).first()
    if split is None or split.current_revision is None:
        raise CommandError(
            f"{options['benchmark']} {options['split']} has no questions yet. Import them with "
            "manage.py import_benchmark."
        )
    return split


@contextmanager
def or_error() -> Iterator[None]:
    """Turn what cannot be compared into an error of the command."""
    try:
        yield
    except BaselineError as error:
        raise CommandError(str(error)) from None
