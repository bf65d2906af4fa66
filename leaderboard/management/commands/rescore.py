"""``manage.py rescore BENCHMARK SPLIT``: score again, compare old with new scores, switch the boards."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from leaderboard.board.write import write_marked
from leaderboard.maintenance import rescoring
from leaderboard.management.comparing import named_split
from scoring.benchmarks import definitions
from scoring.metrics.columns import Column, shown
from scoring.models import Split

ACTOR = "manage.py rescore"


class Command(BaseCommand):
    """Create the missing runs under the current signatures; compare; switch."""

    help = (
        "Score a split's submissions again after the reference answers, the judge or a metric changed. "
        "Without an option: create the missing runs, cheapest metric first. --compare prints old and new "
        "scores; --switch makes the boards show the new ones, of all metrics or those that --metric names. "
        "Old scores stay stored."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("benchmark", choices=sorted(definitions()))
        parser.add_argument("split", help="dev, test, …")
        parser.add_argument(
            "--metric", action="append", default=[], metavar="NAME", help="only this metric (repeatable)"
        )
        parser.add_argument(
            "--system", action="append", default=[], metavar="SLUG", help="only this system (repeatable)"
        )
        parser.add_argument("--plan", action="store_true", help="only report what would be done, its cost and time")
        parser.add_argument(
            "--compare", action="store_true", help="summarize changes of ranks, then print scores that change"
        )
        parser.add_argument("--switch", action="store_true", help="make the boards show the new scores")
        parser.add_argument("--force", action="store_true", help="switch even if rows lose their score")

    def handle(self, *args: Any, **options: Any) -> None:
        split = named_split(options)
        try:
            metrics = rescoring.known_metrics(split, options["metric"])
        except rescoring.UnknownMetricError as error:
            raise CommandError(str(error)) from error
        strangers = set(options["system"]) - rescoring.systems_of(split)
        if strangers:
            raise CommandError(f"No row on a board of {split} belongs to {', '.join(sorted(strangers))}.")
        if options["compare"] or options["switch"]:
            self._compare(split, metrics, with_rows=options["compare"])
        if options["switch"]:
            try:
                switched = rescoring.switch(split, actor=ACTOR, metrics=metrics, even_if_incomplete=options["force"])
            except rescoring.SwitchError as error:
                raise CommandError(f"No signature was switched. {error} Wait for the runs, or use --force.") from error
            write_marked()
            text = f"Switched: {', '.join(switched)}" if switched else "No signature to switch."
            self.stdout.write(self.style.SUCCESS(text))
        if options["plan"]:
            for estimate in rescoring.estimate(split, metrics=metrics, systems=options["system"]):
                self.stdout.write(f"To create: {estimate.in_words}")
                for name, requests in estimate.systems:
                    self.stdout.write(f"  {name}: {requests.in_words}")
        elif not (options["compare"] or options["switch"]):
            made = rescoring.make_missing_runs(split, actor=ACTOR, metrics=metrics, systems=options["system"])
            for metric, count in made.items():
                self.stdout.write(f"{metric}: {count} run{'s' if count != 1 else ''} created")
        if options["compare"]:
            return
        for item in rescoring.plan(split):
            if metrics and item.metric not in metrics:
                continue
            self.stdout.write(
                f"{item.label}: {item.state}. {item.n_scored} of {item.n_answer_sets} answer sets scored, "
                f"{item.n_active} queued or running, {item.n_other} without a score, {item.n_missing} without a run"
            )
            self.stdout.write(f"  new    {item.target}")
            self.stdout.write(f"  shown  {item.shown if item.changes else 'the same'}")

    def _compare(self, split: Split, metrics: list[str], *, with_rows: bool) -> None:
        changes = rescoring.changes(split, metrics)
        if not changes:
            self.stdout.write("The boards already show the current signatures; there is nothing to compare.")
        for summary in rescoring.rank_summaries(changes):
            self.stdout.write(summary)
        seen = [change for change in changes if change.is_seen] if with_rows else []
        for change in seen:
            ranks = f"rank {change.old_rank or '—'} → {change.new_rank or '—'}"
            difference = (
                "" if change.difference is None else f" ({shown(change.difference, change.column, signed=True)})"
            )
            self.stdout.write(
                f"{change.setting} | {change.system} | {change.column.label}: "
                f"{_number(change.old, change.column)} → {_number(change.new, change.column)}{difference}, {ranks}"
            )
        if with_rows and len(seen) < len(changes):
            self.stdout.write(f"{len(changes) - len(seen)} scores and their ranks stay the same.")


def _number(value: float | None, column: Column) -> str:
    return "not scored" if value is None else shown(value, column)
