"""``manage.py import_results DIR_OR_FILES``: results of a benchmark's own scorer as *reported* rows."""

import datetime
from argparse import ArgumentParser
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from leaderboard.board.write import write_marked
from leaderboard.models import User
from leaderboard.official.layout import LayoutError, ReadSystem
from leaderboard.official.results import read_results, results_files, save_results
from leaderboard.operations import audit
from scoring.benchmarks import definitions
from scoring.benchmarks.base import OfficialLayout
from scoring.models import Split

UNDATED = "its date of publication is not known. New rows have today's; name it with --date."


class Command(BaseCommand):
    """Import results files; repeating it changes nothing, a changed file replaces its rows, which stay stored."""

    help = (
        "Load results files written by a benchmark's own scorer onto the boards, as reported rows with their "
        "source. Reported rows are never ranked with systems scored on this site. A file with any error is "
        "skipped entirely, and all errors are listed; the command then exits with status 1."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        official = sorted(slug for slug, definition in definitions().items() if definition.importer.official)
        parser.add_argument("places", type=Path, nargs="+", metavar="DIR_OR_FILE", help="results files or folders")
        parser.add_argument("--benchmark", choices=official, default=official[0] if len(official) == 1 else None)
        parser.add_argument("--split", metavar="NAME", help="split of the results (default: as in the repository)")
        parser.add_argument(
            "--owner", metavar="USER", help="owner of the systems, as with import_submissions (default: none)"
        )
        parser.add_argument("--judge", default="", metavar="MODEL", help="the judge model, which the files do not name")
        parser.add_argument(
            "--note", default="", help="note for readers about these numbers, instead of the default note"
        )
        parser.add_argument(
            "--date",
            type=datetime.date.fromisoformat,
            help="publication date (default: the file's in the repository's history as far as it is known)",
        )
        parser.add_argument("--dry-run", action="store_true", help="only report what the files contain")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["benchmark"] is None:
            raise CommandError("Name the benchmark of the files with --benchmark.")
        layout = definitions()[options["benchmark"]].importer.official
        assert layout is not None  # noqa: S101 - the choices offer no other
        splits = Split.objects.select_related("benchmark").filter(benchmark__slug=options["benchmark"])
        split = splits.filter(slug=options["split"] or layout.split).first()
        if split is None:
            raise CommandError(f"Import the benchmark first: manage.py import_benchmark {options['benchmark']}")
        owner = User.objects.filter(username=options["owner"]).first() if options["owner"] else None
        if options["owner"] and owner is None:
            raise CommandError(f"The account {options['owner']!r} does not exist.")
        try:
            files = read_results(results_files(options["places"], layout), layout)
        except LayoutError as error:
            raise CommandError(str(error)) from error
        made = known = refused = 0
        for results in files:
            for problem in results.problems:
                if problem.remark:
                    self.stdout.write(self.style.WARNING(f"remark: {problem}"))
                else:
                    self.stderr.write(f"problem: {problem}", self.style.ERROR)
            if results.ok and options["date"] is None and results.name not in layout.result_dates:
                self.stdout.write(self.style.WARNING(f"remark: {results.name}: {UNDATED}"))
            if not results.ok:
                refused += 1
                continue
            new, old = self._load(results, split, layout, owner, options)
            made, known = made + new, known + old
        self.stdout.write(
            self.style.SUCCESS(f"{len(files)} files: {made} reported rows loaded, {known} already loaded.")
        )
        if refused:
            raise CommandError(f"{refused} of {len(files)} files were skipped because of the errors above.")

    def _load(
        self,
        results: ReadSystem,
        split: Split,
        layout: OfficialLayout,
        owner: User | None,
        options: Mapping[str, Any],
    ) -> tuple[int, int]:
        """Put a file's scores on the boards; returns how many rows are new and how many existed."""
        n_values = sum(map(len, results.values.values()))
        rows = sum(map(bool, results.values.values()))
        new = old = 0
        if not options["dry_run"]:
            new, old = save_results(
                results,
                split=split,
                layout=layout,
                owner=owner,
                note=options["note"],
                judge=options["judge"],
                date=options["date"],
            )
        what = "not stored (dry run)" if options["dry_run"] else f"{new} new, {old} already loaded"
        name = results.fields["name"] if results.fields else results.key
        self.stdout.write(f"{results.name}: {name}: {rows} rows, {n_values} scores: {what}")
        if new:
            write_marked()
            text = f"{results.name}: {new} rows."
            audit.record("manage.py import_results", "results.imported", f"split {split}", text)
        return new, old
