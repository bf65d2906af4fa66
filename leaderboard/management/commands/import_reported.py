"""``manage.py import_reported NAME``: the published results of a benchmark's paper as *reported* rows."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from leaderboard.board.write import write_marked
from leaderboard.publishing.reported_rows import import_reported, rows_left
from scoring.benchmarks import definition_of, definitions
from scoring.models import Benchmark


class Command(BaseCommand):
    """Import the published results in a benchmark's definition; repeating it changes nothing."""

    help = "Load the published results of a benchmark's paper onto its boards as reported rows."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("benchmark", choices=sorted(definitions()), help="the benchmark's slug")

    def handle(self, *args: Any, **options: Any) -> None:
        slug = options["benchmark"]
        results = definition_of(slug).published_results
        benchmark = Benchmark.objects.filter(slug=slug).first()
        if benchmark is None:
            raise CommandError(f"Import the benchmark first: manage.py import_benchmark {slug}")
        if results is None:
            self.stdout.write(f"{benchmark}: its definition includes no published results.")
            return
        rows = import_reported(benchmark, results, actor="manage.py import_reported")
        if rows is None:
            raise CommandError(f"{slug} {results.split} is a draft: publishing it loads its published results.")
        made, known = rows
        write_marked()
        self.stdout.write(self.style.SUCCESS(f"{benchmark}: {made} reported rows loaded, {known} already loaded."))
        for warning in rows_left(benchmark, results):
            self.stdout.write(self.style.WARNING(warning))
