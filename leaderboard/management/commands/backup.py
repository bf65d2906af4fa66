"""``manage.py backup FILE.tar.gz``: the whole site in one file."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from leaderboard.operations.backup.archive import BackupError, contents_in_words, make
from scoring.generations.problems import size_in_words


class Command(BaseCommand):
    """Write a backup, verify it, and summarize its content."""

    help = (
        "Write every table and every uploaded file, as of now, to a new file, and check it. The site can "
        "stay online. The file contains the hidden answers and the hashes of passwords and tokens, but no "
        "keys from the environment and no sessions; protect it as you protect the database."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path, metavar="FILE.tar.gz")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            manifest = make(options["file"])
        except BackupError as error:
            raise CommandError(str(error)) from error
        size = size_in_words(options["file"].stat().st_size)
        self.stdout.write(self.style.SUCCESS(f"{options['file']}: {size}, checked: {contents_in_words(manifest)}."))
        if manifest["problems"]:
            problems = "\n".join(f"  {problem}" for problem in manifest["problems"])
            raise CommandError(f"The backup was written, but some files are missing or damaged:\n{problems}")
