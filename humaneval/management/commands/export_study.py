"""``manage.py export_study STUDY``: a study as one ZIP archive."""

import os
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from humaneval.models import Study
from humaneval.results.exports import export_name, write_export


class Command(BaseCommand):
    """Export a study as its page does."""

    help = (
        "Write a study's answers, revisions, visits, searches, timings, measures and grades into a ZIP archive, with a "
        "README that tells every field."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("study", metavar="STUDY", help="the study's address (slug)")
        parser.add_argument(
            "--out", type=Path, metavar="FILE", help="where to; made of the slug and the day if not given"
        )
        parser.add_argument(
            "--with-contacts",
            action="store_true",
            help="also who the participants are: mail addresses and reward receipts. Do not hand such an archive on.",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        study = Study.objects.select_related("split__benchmark", "split__current_revision", "setting").filter(
            slug=options["study"]
        )
        found = study.first()
        if found is None:
            known = ", ".join(Study.objects.values_list("slug", flat=True)[:20]) or "none"
            raise CommandError(f"There is no study {options['study']}. There are: {known}")
        out: Path = options["out"] or Path(export_name(found))
        if out.exists():
            raise CommandError(f"{out} is there already; nothing was written.")
        if options["with_contacts"]:
            self.stderr.write(
                "Warning: the archive says who the participants are. Do not hand it on or publish it, and delete it "
                "when it is not needed any more."
            )
        begun = out.with_name(f"{out.name}.part")
        try:
            descriptor = os.open(begun, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
            with open(descriptor, "wb") as file:  # noqa: PTH123 - of a descriptor, so that nobody else may read it
                counts = write_export(found, file, by="manage.py export_study", with_contacts=options["with_contacts"])
            begun.rename(out)
        except OSError as error:
            raise CommandError(f"{out}: cannot be written: {error.strerror}") from error
        finally:
            begun.unlink(missing_ok=True)
        self.stdout.write(f"{out}: " + ", ".join(f"{n:,} {name}" for name, n in counts.items()))
