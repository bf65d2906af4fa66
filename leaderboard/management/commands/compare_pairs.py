"""``manage.py compare_pairs BENCHMARK SPLIT SYSTEM …``: compare all pairs of some or all systems, or pairs again."""

from argparse import ArgumentParser
from decimal import Decimal, InvalidOperation
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from leaderboard.maintenance import comparisons
from leaderboard.management.comparing import add_split, named_split, or_error

ACTOR = "manage.py compare_pairs"


class Command(BaseCommand):
    """Show what the comparisons cost, and create their runs."""

    help = (
        "Have the judge compare all pairs of the named systems on every question, in both orders, or as many as a "
        "budget pays for: those with the baseline first. Pairs that are compared already are left out. The estimated "
        "cost is printed first; JUDGE_SUBMISSION_CAP_USD and JUDGE_MONTHLY_CAP_USD apply."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        add_split(parser)
        parser.add_argument(
            "systems", nargs="*", metavar="SYSTEM", help="systems on its boards, by slug, or ids of submissions"
        )
        others = parser.add_mutually_exclusive_group()
        others.add_argument(
            "--all", action="store_true", help="instead of systems: all on the split's board, or on that of --setting"
        )
        others.add_argument(
            "--again",
            action="store_true",
            help="instead of systems: the pairs that were compared on an earlier revision or by an earlier judge",
        )
        parser.add_argument("--budget", metavar="USD", help="the most that these comparisons may cost")

    def handle(self, *args: Any, **options: Any) -> None:
        split, setting = named_split(options), options["setting"]
        if (options["again"] or options["all"]) == bool(options["systems"]):
            raise CommandError("Name at least two systems, or give --all or --again.")
        budget = read_budget(options["budget"]) if options["budget"] is not None else None
        with or_error():
            if options["again"]:
                plan = comparisons.repeated_plan(split, budget)
            elif options["all"]:
                plan = comparisons.pairs_plan(split, comparisons.on_board(split, setting), budget)
            else:
                named = [comparisons.candidate(split, name, setting) for name in options["systems"]]
                plan = comparisons.pairs_plan(split, named, budget)
            self.stdout.write(plan.in_words)
            if options["dry_run"]:
                return
            made = comparisons.compare(split, plan, actor=ACTOR)
        self.stdout.write(self.style.SUCCESS(f"{made} run{'' if made == 1 else 's'} created"))


def read_budget(text: str) -> Decimal:
    """US dollars.

    Raises:
        CommandError: it is not a number above 0.
    """
    try:
        budget = Decimal(text)
    except InvalidOperation:
        budget = Decimal("nan")
    if not budget.is_finite() or budget <= 0:
        raise CommandError(f"--budget: expected US dollars above 0, such as 25 or 12.50, found {text[:40]!r}.")
    return budget
