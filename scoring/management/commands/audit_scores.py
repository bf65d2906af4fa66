"""``manage.py audit_scores``: compare stored scores with what the official packages compute for the same answers."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from scoring.runs import audit


class Command(BaseCommand):
    """Score a random sample of stored answers again with the official code, and store the result."""

    help = (
        "Score a random sample of the site's answers again with the packages' own code and "
        "compare every number. The scheduler does this every night. The exit status is 1 if any number differs."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--sample", type=int, default=audit.SAMPLE, metavar="N", help="answers per metric (default: %(default)s)"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        if options["sample"] < 1:
            raise CommandError("--sample must be at least 1.")
        audits = audit.audit(options["sample"])
        if not audits:
            self.stdout.write("There are no scores to compare yet.")
        for made in audits:
            self.stdout.write(
                f"{made.metric}: {made.problem or f'{made.n_equal} of {made.n_checked} answers are equal'}"
            )
            for answer in made.differences:
                self.stdout.write(f"  run {answer['run']}, question {answer['qid']}: {', '.join(answer['scores'])}")
        if any(made.problem or made.differences for made in audits):
            raise CommandError("The audit found a difference or could not be done; see above.")
