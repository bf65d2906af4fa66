"""Content of the judge's pages: how a submission was judged, and the site's spending on judging."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from django.conf import settings
from django.db.models import Q
from django.urls import reverse

from leaderboard.disclosure import OPEN, DisclosureRule
from leaderboard.models import Submission, SubmissionFile
from leaderboard.submissions.types import ScoreView, state_and_reason
from scoring.benchmarks import definition_of
from scoring.benchmarks.columns import JUDGES
from scoring.metrics.asking.config import JudgeConfig, judge_config
from scoring.metrics.judge import Judge
from scoring.metrics.list_judge import ListJudge
from scoring.models import AnswerBlock, JudgeEstimate, Run, Score
from scoring.models.run_states import RunState
from scoring.runs.judging import budget
from scoring.runs.judging.items import metric_of_run
from scoring.runs.judging.queries import judging_of

NAMELESS = "An answer set without a submission"
EXCERPT = 400
"""The length of the excerpt of a flagged answer, in characters."""


# --- One submission ------------------------------------------------------------------------------------------------


def judgings_of(submission: Submission, *, for_maintainer: bool) -> list[dict[str, Any]]:
    """How each current file of a submission was judged, with its main score, if it has one that may be shown; and, for
    maintainers alone, the answers that seem to address the judge, for a person to check: question, signs, the
    beginning.

    The number of queries grows with the files (there are as many as settings), not with answers.
    """
    files = SubmissionFile.objects.filter(submission=submission, replaced_at=None)
    judgings = []
    for file in files.select_related("setting", "submission__split__benchmark", "answer_set__split__benchmark"):
        runs = Run.objects.counting().filter(answer_set=file.answer_set, metric__in=JUDGES)
        runs = runs.exclude(state=RunState.CANCELLED).order_by("-created_at")
        run = runs.select_related("answer_set__split", "revision__split__benchmark").first()
        if run is None:
            continue
        judging = judging_of(run) if run.state != RunState.NOT_CONFIGURED else None
        name = metric_of_run(run).score_names[0]
        score = Score.objects.filter(run=run, name=name).first() if run.state == RunState.DONE else None
        rule = OPEN if for_maintainer else DisclosureRule.of_submission(submission)
        shown = None
        if score is not None and not rule.withheld(score):
            column = definition_of(run.answer_set.split.benchmark.slug).column(name)
            ends = rule.ends(score.low, score.high, column)
            shown = ScoreView(column, rule.number(score.value, column), *ends)
        state_label, reason = state_and_reason(run, for_maintainer=for_maintainer)
        flagged = judging.flagged if judging and for_maintainer else {}
        texts = AnswerBlock.objects.texts_of(file.answer_set, flagged) if flagged else {}
        judgings.append(
            {
                "setting": file.setting.name,
                "run": run,
                "state_label": state_label,
                "reason": reason,
                "judging": judging,
                "missing": [(outcome.label, count) for outcome, count in judging.missing.items()] if judging else [],
                "score": shown,
                "flagged": [(qid, signs, texts.get(qid, "")[:EXCERPT]) for qid, signs in flagged.items()],
            }
        )
    return judgings


# --- The site ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class OverBudget:
    """A run that is over budget and waits for a maintainer's release."""

    run: Run
    name: str
    setting: str
    url: str
    estimate: JudgeEstimate | None


@dataclass(frozen=True)
class Waiting:
    """Runs over budget: those of one benchmark, or of all."""

    slug: str
    """The benchmark's; empty for all."""
    name: str
    runs: list[OverBudget]

    @property
    def cost(self) -> str:
        """The estimated cost of all, in words."""
        costs = [item.estimate.usd if item.estimate else None for item in self.runs]
        known = [usd for usd in costs if usd is not None]
        unknown = len(costs) - len(known)
        parts = [f"about {sum(known, budget.NOTHING):.2f} USD"] if known else []
        parts += [f"{unknown} run{'s' if unknown != 1 else ''} of unknown cost"] if unknown else []
        return " and ".join(parts)


@dataclass(frozen=True)
class JudgeConsole:
    """The judge's page for maintainers."""

    unavailable: str
    config: JudgeConfig | None
    spent_this_month: Decimal
    months: list[tuple[str, budget.Spending, str]]
    """The cost of judging in each month: its name, the cost, and no URL."""
    submissions: list[tuple[str, budget.Spending, str]]
    """The cost for each submission: its name, the cost, and the URL of its page if it has one."""
    over_budget: list[OverBudget]
    list_model: str = ""
    """The model that judges lists."""

    @property
    def waiting(self) -> Waiting:
        """All runs over budget."""
        return Waiting("", "All benchmarks", self.over_budget)

    @property
    def waiting_by_benchmark(self) -> list[Waiting]:
        """The runs over budget, by benchmark."""
        groups: dict[str, Waiting] = {}
        for item in self.over_budget:
            benchmark = item.run.answer_set.split.benchmark
            groups.setdefault(benchmark.slug, Waiting(benchmark.slug, benchmark.name, [])).runs.append(item)
        return list(groups.values())


def console() -> JudgeConsole:
    """Spending by month and by submission, and the runs that wait for budget. Five queries, whatever their number."""
    unavailable = Judge.unavailable(settings)
    spent = budget.spending_by_submission()
    groups = spent.keys() - {budget.DELETED}
    of_spent = Q(answer_set__submission_group__in=groups) | Q(answer_set__in=groups)
    files: Any = SubmissionFile.objects.filter(of_spent).values_list(
        "submission_id", "submission__name", "answer_set_id", "answer_set__submission_group"
    )
    submissions = {
        str(group or answer_set): (name, reverse("submission-judge", args=[submission]))
        for submission, name, answer_set, group in files
    }
    spending_rows = []
    for group, spending in spent.items():
        name, url = submissions.get(group, (NAMELESS, ""))
        spending_rows.append((name, spending, url))
    runs = (
        Run.objects.filter(state=RunState.OVER_BUDGET)
        .select_related(
            "answer_set__submission_file__submission",
            "answer_set__setting",
            "answer_set__split__benchmark",
            "estimate",
        )
        .order_by("answer_set__split__benchmark__position", "created_at")
    )
    over_budget = []
    for run in runs:
        file = getattr(run.answer_set, "submission_file", None)
        over_budget.append(
            OverBudget(
                run=run,
                name=file.submission.name if file else NAMELESS,
                setting=run.answer_set.setting.name,
                url=file.submission.get_absolute_url() if file else "",
                estimate=getattr(run, "estimate", None),
            )
        )
    return JudgeConsole(
        unavailable=unavailable,
        config=None if unavailable else judge_config(settings, Judge.on_site(settings).settings),
        spent_this_month=budget.spent(budget.verdicts_of_this_month()),
        months=[(spending.label, spending, "") for spending in budget.spending_by_month()],
        submissions=spending_rows,
        over_budget=over_budget,
        list_model=ListJudge.on_site(settings).settings.model,
    )
