"""``manage.py import_results DIR_OR_FILES``: results of a benchmark's own scorer as *reported* rows."""

import datetime
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from leaderboard.models import User
from leaderboard.official.results import keep_results, read_results, results_files
from leaderboard.operations import audit
from leaderboard.submissions.metadata_json import LayoutError
from scoring.benchmarks import definitions
from scoring.models import Split


class Command(BaseCommand):
    """Load results files; doing it again changes nothing, a changed file replaces its rows and keeps the old ones."""

    help = (
        "Load results files of a benchmark's own scorer onto the boards, marked as reported and with their source. "
        "They are never ranked among what is scored here. Of a file with a problem nothing is taken, and every problem "
        "is told; the exit status is then 1."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        official = sorted(slug for slug, definition in definitions().items() if definition.official)
        parser.add_argument("places", type=Path, nargs="+", metavar="DIR_OR_FILE", help="results files or folders")
        parser.add_argument("--benchmark", choices=official, default=official[0] if len(official) == 1 else None)
        parser.add_argument("--split", metavar="NAME", help="the split that they are of (as the repository has it)")
        parser.add_argument(
            "--owner", metavar="USER", help="whose systems they are of, as with import_submissions (nobody's)"
        )
        parser.add_argument("--judge", default="", metavar="MODEL", help="the model that judged, which no file says")
        parser.add_argument("--note", default="", help="what readers are told of these numbers, instead of the usual")
        parser.add_argument("--date", type=datetime.date.fromisoformat, help="when they were published (today)")
        parser.add_argument("--dry-run", action="store_true", help="only say what is there")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["benchmark"] is None:
            raise CommandError("Say which --benchmark the files are of.")
        layout = definitions()[options["benchmark"]].official
        assert layout is not None  # noqa: S101 - the choices offer no other
        split = (
            Split.objects.select_related("benchmark")
            .filter(benchmark__slug=options["benchmark"], slug=options["split"] or layout.split)
            .first()
        )
        if split is None:
            raise CommandError(f"Import the benchmark first: manage.py import_benchmark {options['benchmark']}")
        owner = User.objects.filter(username=options["owner"]).first() if options["owner"] else None
        if options["owner"] and owner is None:
            raise CommandError(f"There is no account {options['owner']!r}.")
        try:
            found = read_results(results_files(options["places"], layout), layout)
        except LayoutError as error:
            raise CommandError(str(error)) from error
        made = known = refused = 0
        for results in found:
            for problem in results.problems:
                if problem.remark:
                    self.stdout.write(self.style.WARNING(f"remark: {problem}"))
                else:
                    self.stderr.write(f"problem: {problem}", self.style.ERROR)
            if not results.ok:
                refused += 1
                continue
            n_values = sum(map(len, results.values.values()))
            rows = sum(map(bool, results.values.values()))
            new = old = 0
            if not options["dry_run"]:
                new, old = keep_results(
                    results,
                    split=split,
                    layout=layout,
                    owner=owner,
                    note=options["note"],
                    judge=options["judge"],
                    date=options["date"],
                )
            what = "not kept (a dry run)" if options["dry_run"] else f"{new} new, {old} already here"
            name = results.fields["name"] if results.fields else results.key
            self.stdout.write(f"{results.name}: {name}: {rows} rows, {n_values} numbers: {what}")
            made, known = made + new, known + old
            if new:
                audit.record(
                    "manage.py import_results", "results.imported", f"split {split}", f"{results.name}: {new} rows."
                )
        self.stdout.write(self.style.SUCCESS(f"{len(found)} files: {made} reported rows loaded, {known} already here."))
        if refused:
            raise CommandError(f"{refused} of {len(found)} files were refused; every problem is above.")
