"""``manage.py compare_systems BENCHMARK SPLIT SETTING --budget USD``: the pairs of a board to compare next."""

from argparse import ArgumentParser
from decimal import Decimal, InvalidOperation
from typing import Any
from uuid import UUID

from django.core.management.base import BaseCommand, CommandError

from leaderboard.board.fingerprint import BoardInputs, read_inputs
from leaderboard.board.ranking.reading import ranked_systems
from leaderboard.operations import audit
from scoring.benchmarks import definitions
from scoring.models import AnswerSet, Revision, Setting, Split
from scoring.runs.judging.adaptive import AdaptivePlan, PlanError, plan_pairs
from scoring.runs.judging.baselines import BaselineError, compare_pairs

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
        inputs = self._board(options)
        try:
            budget = Decimal(options["budget"])
            if not budget.is_finite() or budget <= 0:
                raise InvalidOperation
        except InvalidOperation:
            raise CommandError("--budget: expected US dollars above 0, such as 25 or 12.50.") from None
        revision, baseline, systems = self._systems(inputs)
        try:
            plan = plan_pairs(revision, baseline, systems, budget)
        except (PlanError, BaselineError) as error:
            raise CommandError(str(error)) from error
        self._show(plan, inputs, baseline)
        if options["start"] and plan.pairs:
            runs = compare_pairs(revision, plan.pairs)
            text = f"{len(runs)} pairs for a budget of {budget} USD."
            audit.record(ACTOR, "comparisons.started", f"board {revision.split}, {options['setting']}", text)
            self.stdout.write(self.style.SUCCESS(f"{len(runs)} pairs are queued."))
        elif plan.pairs:
            self.stdout.write("Nothing was started. Add --start to compare these pairs.")

    def _board(self, options: dict[str, Any]) -> BoardInputs:
        here = {"benchmark__slug": options["benchmark"]}
        split = Split.objects.select_related("benchmark", "current_revision").filter(slug=options["split"], **here)
        setting = Setting.objects.filter(slug=options["setting"], **here)
        found = split.first(), setting.first()
        if found[0] is None or found[1] is None:
            raise CommandError(
                f"{options['benchmark']} has no split {options['split']} or setting {options['setting']}."
            )
        return read_inputs(found[0], found[1])

    def _systems(self, inputs: BoardInputs) -> tuple[Revision, AnswerSet, list[AnswerSet]]:
        found = ranked_systems(inputs)
        if found is None or not found[1]:
            raise CommandError(
                "No system on this board is compared with a baseline yet: choose one, and try again then."
            )
        baseline, systems, revision = found
        answer_sets = AnswerSet.objects.select_related("split__benchmark").in_bulk(
            [baseline.answer_set, *(one.answer_set for one in systems)]
        )
        return revision, answer_sets[baseline.answer_set], [answer_sets[one.answer_set] for one in systems]

    def _show(self, plan: AdaptivePlan, inputs: BoardInputs, baseline: AnswerSet) -> None:
        names: dict[UUID | None, str] = {baseline.pk: "Baseline"}
        names |= {one.answer_set: one.name for one in inputs.entries}
        self.stdout.write(f"{plan.n_compared} of {plan.n_all} pairs are compared or queued.")
        if plan.estimate is None:
            return
        for one, other in plan.pairs:
            self.stdout.write(f"  {names[one.pk]} – {names[other.pk]}")
        self.stdout.write(
            f"These {len(plan.pairs)} pairs: {plan.estimate.n_calls:,} requests, about {plan.estimate.usd:.2f} USD. "
            f"All {plan.n_all - plan.n_compared} further pairs: about {plan.full_usd:.2f} USD."
        )
