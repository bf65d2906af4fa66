"""``manage.py restore FILE.tar.gz``: a backup into an empty site."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from leaderboard.operations.backup.archive import BackupError, check, restore, summary_of
from scoring.generations.problems import size_in_words


class Command(BaseCommand):
    """Restore all of a backup, or nothing."""

    help = (
        "Put a backup into an empty site: an empty database (its tables are made if there are none) and a data "
        "directory without these files. The backup is checked as a whole before anything is written; a site that is "
        "not empty is left alone."
    )
    requires_migrations_checks = False

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path, metavar="FILE.tar.gz")
        parser.add_argument("--check", action="store_true", help="only read it and check every hash")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            summary = summary_of(check(options["file"])) if options["check"] else restore(options["file"])
        except BackupError as error:
            raise CommandError(str(error)) from error
        what = "is whole" if options["check"] else "was restored"
        self.stdout.write(
            self.style.SUCCESS(
                f"The backup of {summary.made_at} (version {summary.version}, {summary.database}) {what}: "
                f"{summary.n_rows:,} rows of {summary.n_tables} tables, {summary.n_files:,} files "
                f"({size_in_words(summary.file_bytes)})."
            )
        )
        for problem in summary.problems:
            self.stdout.write(self.style.WARNING(f"When it was made: {problem}"))
