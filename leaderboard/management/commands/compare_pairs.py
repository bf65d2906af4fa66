"""``manage.py compare_pairs BENCHMARK SPLIT SYSTEM SYSTEM …``: compare all pairs of some systems, or pairs again."""

from argparse import ArgumentParser
from functools import partial
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from leaderboard.maintenance import comparisons
from leaderboard.management.comparing import add_split, named_split, or_error

ACTOR = "manage.py compare_pairs"


class Command(BaseCommand):
    """Show what the comparisons cost, and create their runs."""

    help = (
        "Have the judge compare all pairs of the named systems on every question, in both orders. Pairs that are "
        "compared already are left out. The estimated cost is printed first; JUDGE_SUBMISSION_CAP_USD and "
        "JUDGE_MONTHLY_CAP_USD apply."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        add_split(parser)
        parser.add_argument(
            "systems", nargs="*", metavar="SYSTEM", help="systems on its boards, by slug, or ids of submissions"
        )
        parser.add_argument(
            "--again",
            action="store_true",
            help="instead of systems: the pairs that were compared on an earlier revision or by an earlier judge",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        split = named_split(options)
        if options["again"] == bool(options["systems"]):
            raise CommandError("Name at least two systems, or give --again.")
        with or_error():
            chosen = [comparisons.candidate(split, name, options["setting"]) for name in options["systems"]]
            answer_sets = [candidate.answer_set for candidate in chosen]
            plan = comparisons.pairs_plan(split, answer_sets) if chosen else comparisons.repeated_plan(split)
            self.stdout.write(plan.in_words)
            if options["dry_run"]:
                return
            compare = partial(comparisons.compare, chosen=chosen) if chosen else comparisons.compare_again
            made = compare(split, actor=ACTOR)
        self.stdout.write(self.style.SUCCESS(f"{made} run{'' if made == 1 else 's'} created"))
