"""``manage.py choose_baseline BENCHMARK SPLIT SYSTEM``: the answers that all others are compared with."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from leaderboard.maintenance import comparisons
from leaderboard.management.comparing import add_split, named_split, or_error

ACTOR = "manage.py choose_baseline"


class Command(BaseCommand):
    """Show what comparing with a new baseline costs, choose it, and create the runs."""

    help = (
        "Choose the baseline of a split whose answers are compared side by side, and create the runs that compare "
        "every answer set with it. The estimated cost is printed first; JUDGE_SUBMISSION_CAP_USD and "
        "JUDGE_MONTHLY_CAP_USD apply. Boards show the scores against the earlier baseline until "
        "`manage.py rescore --switch`."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        add_split(parser)
        parser.add_argument("system", metavar="SYSTEM", help="a system on its boards, by slug, or a submission's id")

    def handle(self, *args: Any, **options: Any) -> None:
        split = named_split(options)
        with or_error():
            chosen = comparisons.candidate(split, options["system"], options["setting"])
            plan = comparisons.baseline_plan(split, chosen.answer_set)
            self.stdout.write(f"Baseline {chosen.label}: {plan.in_words}")
            if options["dry_run"]:
                return
            made = comparisons.choose_baseline(split, chosen, actor=ACTOR)
        self.stdout.write(self.style.SUCCESS(f"{made} run{'' if made == 1 else 's'} created"))
