"""``manage.py restore FILE.tar.gz``: restore a backup into an empty site."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from leaderboard.operations.backup.archive import BackupError, check, restore, summary_of
from scoring.generations.problems import size_in_words


class Command(BaseCommand):
    """Restore a backup completely, or change nothing."""

    help = (
        "Restore a backup into an empty site: an empty database (missing tables are created) and a data "
        "directory without these files. The whole backup is checked before anything is written; a site that "
        "is not empty is not changed."
    )
    requires_migrations_checks = False

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path, metavar="FILE.tar.gz")
        parser.add_argument("--check", action="store_true", help="only read the backup and check every hash")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            summary = summary_of(check(options["file"])) if options["check"] else restore(options["file"])
        except BackupError as error:
            raise CommandError(str(error)) from error
        what = "is complete" if options["check"] else "was restored"
        self.stdout.write(
            self.style.SUCCESS(
                f"The backup of {summary.made_at} (version {summary.version}, {summary.database}) {what}: "
                f"{summary.n_rows:,} rows of {summary.n_tables} tables, {summary.n_files:,} files "
                f"({size_in_words(summary.file_bytes)})."
            )
        )
        for problem in summary.problems:
            self.stdout.write(self.style.WARNING(f"Problem when the backup was made: {problem}"))
