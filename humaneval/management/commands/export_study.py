"""``manage.py export_study STUDY``: export a study as one ZIP archive."""

import os
from argparse import ArgumentParser
from pathlib import Path
from typing import Any, Final

from django.core.management.base import BaseCommand, CommandError

from humaneval.models import Study
from humaneval.results.exports.archive import export_name, write_export

IDENTIFIES: Final = (
    "Warning: the archive identifies participants. Do not share or publish it, and delete it when you no "
    "longer need it."
)


class Command(BaseCommand):
    """Export a study, as its export page does."""

    help = (
        "Export a study's answers, revisions, visits, searches, timings, measures and grades as a ZIP "
        "archive, with a README that describes every field."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("study", metavar="STUDY", help="slug of the study")
        parser.add_argument(
            "--out", type=Path, metavar="FILE", help="output file (default: named after the slug and the date)"
        )
        parser.add_argument(
            "--with-contacts",
            action="store_true",
            help="include email addresses and receipts, which identify participants; do not share such an archive",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        study = Study.objects.select_related("split__benchmark", "split__current_revision", "setting").filter(
            slug=options["study"]
        )
        shown = study.first()
        if shown is None:
            known = ", ".join(Study.objects.values_list("slug", flat=True)[:20]) or "none"
            raise CommandError(f"There is no study {options['study']}. Existing studies: {known}")
        out: Path = options["out"] or Path(export_name(shown))
        if out.exists():
            raise CommandError(f"{out} already exists. Nothing was written; choose another file with --out.")
        if options["with_contacts"]:
            self.stderr.write(IDENTIFIES)
        begun = out.with_name(f"{out.name}.part")
        try:
            descriptor = os.open(begun, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
            with open(descriptor, "wb") as file:  # noqa: PTH123 - a descriptor that only the owner may read
                counts = write_export(shown, file, by="manage.py export_study", with_contacts=options["with_contacts"])
            begun.rename(out)
        except OSError as error:
            raise CommandError(f"Cannot write {out}: {error.strerror}") from error
        finally:
            begun.unlink(missing_ok=True)
        self.stdout.write(f"{out}: " + ", ".join(f"{n:,} {name}" for name, n in counts.items()))
