"""``manage.py compare_systems BENCHMARK SPLIT SETTING --budget USD``: the pairs of a board to compare next."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from leaderboard.board.addresses import find_split_and_setting
from leaderboard.maintenance import next_pairs
from scoring.benchmarks import definitions
from scoring.runs.judging.baselines import BaselineError

ACTOR = "manage.py compare_systems"


class Command(BaseCommand):
    """Show which pairs are worth most within a budget, and their cost; compare them with --start."""

    help = (
        "Choose the pairs of a board's systems to compare side by side next: those whose ranks are uncertain, within a "
        "budget. Prints the pairs and their cost; --start compares them. Repeat it when they are compared."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("benchmark", choices=sorted(definitions()))
        parser.add_argument("split", help="dev, test, …")
        parser.add_argument("setting", help="closed-book, …")
        parser.add_argument("--budget", required=True, metavar="USD", help="the most that these comparisons may cost")
        parser.add_argument("--start", action="store_true", help="compare these pairs")

    def handle(self, *args: Any, **options: Any) -> None:
        place = find_split_and_setting(options["benchmark"], options["split"], options["setting"])
        if place is None:
            where = f"split {options['split']} or setting {options['setting']}"
            raise CommandError(f"{options['benchmark']} has no {where}.")
        try:
            chosen = next_pairs.choose(*place, next_pairs.read_budget(options["budget"]))
        except BaselineError as error:
            raise CommandError(str(error)) from error
        done, *cost = chosen.in_words
        self.stdout.write(done)
        for first, other in chosen.pairs:
            self.stdout.write(f"  {first} – {other}")
        if cost:
            self.stdout.write(" ".join(cost))
        if options["start"] and chosen.pairs:
            self.stdout.write(self.style.SUCCESS(f"{next_pairs.start(chosen, actor=ACTOR)} pairs are queued."))
        elif chosen.pairs:
            self.stdout.write("Nothing was started. Add --start to compare these pairs.")
