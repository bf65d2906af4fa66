"""``manage.py export_grading SLUG``: export all data of a grading round as a file."""

import sys
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from humaneval.grading import access
from humaneval.grading.outcome.export import FORMATS, as_file
from humaneval.models import GradingRound
from leaderboard.operations import audit


class Command(BaseCommand):
    """Write a grading round to a file."""

    help = (
        "Export a grading round as JSON (all versions of all grades, the answers, their sources and the "
        "reference items), its current grades as CSV, or both with a notebook that computes the outcome as ZIP."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """The command's arguments."""
        parser.add_argument("slug", help="slug of the round, as in /grading/<slug>/")
        parser.add_argument(
            "--format",
            choices=sorted(FORMATS),
            default="json",
            help="json (everything), csv (grades) or zip (both, notebook)",
        )
        parser.add_argument("--out", type=Path, help="output file (default: standard output)")

    def handle(self, *args: Any, **options: Any) -> None:
        """Write the file.

        Raises:
            CommandError: there is no such round, or the file cannot be written.
        """
        rounds = GradingRound.objects.select_related("revision__split__benchmark", "owner")
        round_ = rounds.filter(slug=options["slug"]).first()
        if round_ is None:
            raise CommandError(f"There is no grading round {options['slug']}.")
        content = as_file(round_, options["format"], right=access.right_of_operator(round_))
        if options["out"] is None:
            sys.stdout.buffer.write(content)
        else:
            try:
                options["out"].write_bytes(content)
            except OSError as error:
                raise CommandError(f"Cannot write {options['out']}: {error.strerror}.") from error
        audit.record("manage.py export_grading", "grading.exported", f"grading round {round_.slug}", options["format"])
