"""``manage.py restore FILE.tar.gz``: restore a backup into an empty site."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from leaderboard.operations.backup.archive import BackupError, check, contents_in_words, restore


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
            manifest = (check if options["check"] else restore)(options["file"])
        except BackupError as error:
            raise CommandError(str(error)) from error
        what = "is complete" if options["check"] else "was restored"
        name = "The backup of {made_at} (version {version}, {database})".format_map(manifest)
        self.stdout.write(self.style.SUCCESS(f"{name} {what}: {contents_in_words(manifest)}."))
        for problem in manifest["problems"]:
            self.stdout.write(self.style.WARNING(f"Problem when the backup was made: {problem}"))
